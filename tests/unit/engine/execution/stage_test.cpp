// Packages on their way into a transaction: what is delivered is what was read, and was planned.
#include "topsctl/engine/execution/stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Staging : public testing::Test {
 protected:
  Staging() {
    sample_.folder.write("tree/DEBIAN/control", control_text("tops-eccl", "2"));
    sample_.folder.write("tree/usr/lib/libeccl.so", std::string(100'000, 'x'));
    fs::create_directory(sample_.folder / "bundle");
    output_of({"dpkg-deb", "--root-owner-group", "-Zxz", "--build",
               (sample_.folder / "tree").string(), deb_.string()});
    packages_ = read_inventory(files_of_bundle({sample_.folder / "bundle"})).packages;
    packages_.front().sha256 = sha256_of_file(deb_);
    planned_.location = deb_.string();
    planned_.file = "a.deb";
    planned_.sha256 = packages_.front().sha256;
    planned_.size = packages_.front().size;
  }
  static bool is_any(const Package& /*package*/) { return true; }

  SampleHost sample_;
  fs::path deb_ = sample_.folder / "bundle/a.deb";
  fs::path place_ = sample_.folder / "var/lib/topsctl/stage";
  fs::path to_ = sample_.folder / "delivered.deb";
  std::vector<Package> packages_;
  PlannedPackage planned_;
};

TEST_F(Staging, DeliversWhatNeedsNoDecoding) {
  {
    Stage stage(sample_.host);
    EXPECT_EQ(stage.read_payloads(packages_, Sandboxing::on, is_any).contents.front().unpacked_size,
              100'000U);
    EXPECT_EQ(stage.staged_bytes(), planned_.size);
    // The bundle is not needed any more.
    fs::remove(deb_);
    stage.deliver(planned_, to_);
    EXPECT_GT(fs::file_size(to_), 100'000U);
    EXPECT_EQ(output_of({"dpkg-deb", "-f", to_.string(), "Package"}), "tops-eccl\n");
  }
  EXPECT_FALSE(fs::exists(place_));
}

TEST_F(Staging, DeliversTheFileItselfWhereNoCopyWasWanted) {
  Stage stage(sample_.host);
  stage.read_payloads(packages_, Sandboxing::on, [](const Package&) { return false; });
  EXPECT_EQ(stage.staged_bytes(), 0U);
  stage.deliver(planned_, to_);
  EXPECT_EQ(sha256_of_file(to_), planned_.sha256);
}

TEST_F(Staging, RefusesWhatIsNotWhatWasPlanned) {
  Stage stage(sample_.host);
  packages_.front().sha256 = sha256_of("what it was before");
  const Error read = thrown_by([&] { stage.read_payloads(packages_, Sandboxing::on, is_any); });
  EXPECT_EQ(read.code(), ErrorCode::bad_package);
  EXPECT_THAT(read.message(), HasSubstr("changed while it was read"));
  planned_.sha256 = packages_.front().sha256;
  EXPECT_EQ(thrown_by([&] { stage.deliver(planned_, to_); }).code(), ErrorCode::bad_package);
}

TEST_F(Staging, RemovesWhatAKilledRunLeft) {
  sample_.folder.write("var/lib/topsctl/stage/0.deb", "half a package");
  Stage stage(sample_.host);
  EXPECT_TRUE(fs::is_empty(place_));
}

}  // namespace
}  // namespace topsctl
