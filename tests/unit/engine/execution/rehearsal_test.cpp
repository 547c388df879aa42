// The write sets that rehearsals lead to, and rehearsals of plans that run no program.
#include "topsctl/engine/execution/rehearsal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Rehearsals : public testing::Test {
 protected:
  Rehearsals() {
    sample_.folder.write("etc/config", "as it was");
    sample_.folder.write("var/lib/dpkg/status", "");
    plan_.write_set.paths = {"/opt/tops/lib/x.so"};
    plan_.write_set.families = {{"/var/lib/dpkg/info", ""}, {"/site", "torch_gcu-"}};
    plan_.steps = {{"stage", "stage", StagePackages{}, {}},
                   {"keep", "keep", KeepWriteSet{}, {}},
                   {"file", "write a file", WriteFile{"/etc/new", "new\n", 0640}, {}},
                   {"commit", "commit", Commit{}, {}}};
  }
  std::vector<std::string> missed(const std::vector<std::string>& paths) const {
    return missed_by(sample_.host, plan_.write_set, paths);
  }

  bool is_possible() const {
    try {
      require_rehearsable(sample_.host, plan_);
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("not permitted"));
      return false;
    }
    return true;
  }

  SampleHost sample_;
  RecordingSink sink_;
  Plan plan_;
};

TEST_F(Rehearsals, TellWhatThePredictionMisses) {
  EXPECT_THAT(missed({"/opt", "/opt/tops/lib/x.so", "/var/lib/dpkg/info/a.list"}), IsEmpty());
  EXPECT_THAT(missed({"/site/torch_gcu-1.dist-info/RECORD", "/var/lib/dpkg/info"}), IsEmpty());
  const std::vector<std::string> others = {"/opt/tops/lib/y.so", "/var/lib/dpkg/info/a/b",
                                           "/site/torch", "/etc/config"};
  EXPECT_EQ(missed(others), others);
}

TEST_F(Rehearsals, MissNothingOfWhatDpkgLeavesBesideWhatItUnpacks) {
  plan_.write_set.unpacked = {"/opt/tops/lib/x.so"};
  EXPECT_THAT(missed({"/opt/tops/lib/x.so.dpkg-dist"}), IsEmpty());
  EXPECT_THAT(missed({"/opt/tops/lib/y.so.dpkg-dist"}), testing::SizeIs(1));
}

TEST_F(Rehearsals, AreComparedWithThePathsThatLinksLeadTo) {
  std::filesystem::create_directory_symlink("usr/lib", sample_.folder / "lib");
  plan_.write_set.paths = {"/lib/x.so"};
  EXPECT_THAT(missed({"/usr/lib/x.so"}), IsEmpty());
}

TEST_F(Rehearsals, AddToThePredictionAndTakeNothingFromIt) {
  Rehearsed rehearsed;
  rehearsed.written = {"/etc/config", "/opt/tops/lib/x.so"};
  const KnownWriteSet known = with_rehearsal(plan_, rehearsed);
  EXPECT_EQ(known.known, "rehearsed");
  EXPECT_EQ(known.reason, "");
  EXPECT_THAT(known.paths.paths, ElementsAre("/etc/config", "/opt/tops/lib/x.so"));
  EXPECT_EQ(known.paths.families, plan_.write_set.families);
  const KnownWriteSet predicted = predicted_only(plan_);
  EXPECT_EQ(predicted.known, "predicted");
  EXPECT_EQ(predicted.paths, plan_.write_set);
  EXPECT_EQ(predicted.reason, "");
}

TEST_F(Rehearsals, WriteNothingToTheMachine) {
  if (!is_possible()) GTEST_SKIP() << "needs root: it mounts overlays";
  const Rehearsed rehearsed = rehearse(sample_.host, plan_, {}, sink_);
  EXPECT_THAT(rehearsed.written, ElementsAre("/etc/new"));
  EXPECT_THAT(rehearsed.report.missed, ElementsAre("/etc/new"));
  EXPECT_EQ(rehearsed.report.mounts.at(0).path, "/");
  EXPECT_FALSE(std::filesystem::exists(sample_.folder / "etc/new"));
  EXPECT_FALSE(std::filesystem::exists(sample_.folder / "var/lib/topsctl/rehearsal"));
}

TEST_F(Rehearsals, FailForAPackageThatIsNotThereAtTheEnd) {
  if (!is_possible()) GTEST_SKIP() << "needs root: it mounts overlays";
  PlannedPackage package;
  package.name = "tops-eccl";
  package.after = "2";
  package.action = PackageAction::keep;
  plan_.packages = {package};
  const Error error = thrown_by([&] { rehearse(sample_.host, plan_, {}, sink_); });
  EXPECT_EQ(error.code(), ErrorCode::step_failed);
  EXPECT_THAT(error.message(), HasSubstr("'tops-eccl' is not installed"));
}

TEST_F(Rehearsals, SayWhereTheyAreNotPossible) {
  plan_.needed_bytes = 1ULL << 60U;
  const Error error = thrown_by([&] { require_rehearsable(sample_.host, plan_); });
  EXPECT_THAT(error.message(), StartsWith("cannot rehearse on this host: "));
  EXPECT_THAT(error.hint(), HasSubstr("--write-set predicted"));
}

}  // namespace
}  // namespace topsctl
