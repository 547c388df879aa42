// Reports left under the traditional names, whatever somebody planted there.
#include "topsctl/engine/operations/report_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReportFiles : public testing::Test {
 protected:
  ReportFiles() {
    sample_.folder.make_folder("tmp");
    sample_.folder.write("var/log/topsctl/12.log", "the log");
  }
  std::vector<std::string> leave() { return leave_report(sample_.host, 12, "{}\n", "text\n"); }
  std::string read(const char* name) const { return sample_.folder.read(name); }
  unsigned mode_of(const char* name) const {
    struct stat status {};
    EXPECT_EQ(::lstat((sample_.folder / name).c_str(), &status), 0) << name;
    return status.st_mode & 07777U;
  }

  SampleHost sample_;
};

TEST_F(ReportFiles, AreLeftUnderTheTraditionalNames) {
  EXPECT_THAT(leave(), IsEmpty());
  EXPECT_EQ(read("tmp/topsrider_install_report.json"), "{}\n");
  EXPECT_EQ(read("tmp/topsrider_install_report.txt"), "text\n");
  EXPECT_EQ(read("tmp/topsrider_install.log"), "the log");
  EXPECT_EQ(mode_of("tmp/topsrider_install_report.json"), 0644U);
  EXPECT_EQ(mode_of("tmp/topsrider_install.log"), 0600U);
}

TEST_F(ReportFiles, ReplaceOlderOnes) {
  leave();
  EXPECT_THAT(leave_report(sample_.host, 12, "{\"new\":1}\n", "new\n"), IsEmpty());
  EXPECT_EQ(read("tmp/topsrider_install_report.txt"), "new\n");
}

TEST_F(ReportFiles, ReplaceAPlantedLinkAndNeverFollowIt) {
  sample_.folder.write("etc/shadow", "precious");
  for (const char* name : {"report.json", "report.txt"}) {
    fs::create_symlink("/etc/shadow",
                       sample_.folder / (std::string("tmp/topsrider_install_") + name));
  }
  fs::create_symlink(sample_.folder / "etc/shadow", sample_.folder / "tmp/topsrider_install.log");
  EXPECT_THAT(leave(), IsEmpty());
  EXPECT_EQ(read("etc/shadow"), "precious");
  EXPECT_FALSE(fs::is_symlink(sample_.folder / "tmp/topsrider_install_report.json"));
  EXPECT_EQ(read("tmp/topsrider_install_report.json"), "{}\n");
}

TEST_F(ReportFiles, ReplaceAPlantedFileRatherThanWriteIntoIt) {
  sample_.folder.write("tmp/topsrider_install_report.txt", "planted");
  fs::create_hard_link(sample_.folder / "tmp/topsrider_install_report.txt",
                       sample_.folder / "other");
  EXPECT_THAT(leave(), IsEmpty());
  EXPECT_EQ(read("other"), "planted");
  EXPECT_EQ(read("tmp/topsrider_install_report.txt"), "text\n");
}

TEST_F(ReportFiles, AreLeftUnderAnotherNameWhereAFolderIsPlanted) {
  for (const char* name : {"report.json", "report.txt"})
    sample_.folder.write(std::string("tmp/topsrider_install_") + name + "/inside", "x");
  sample_.folder.write("tmp/topsrider_install.log/inside", "x");
  const std::vector<std::string> warnings = leave();
  ASSERT_EQ(warnings.size(), 3U);
  const std::vector<std::string> contents = {"{}\n", "text\n", "the log"};
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    EXPECT_THAT(warnings[i], HasSubstr("is a directory"));
    const auto at = warnings[i].find("written to '/tmp/");
    ASSERT_NE(at, std::string::npos) << warnings[i];
    const std::string name = warnings[i].substr(at + std::string("written to '/").size());
    EXPECT_EQ(read(name.substr(0, name.find('\'')).c_str()), contents[i]);
  }
  EXPECT_EQ(read("tmp/topsrider_install_report.json/inside"), "x");
  EXPECT_EQ(std::distance(fs::directory_iterator(sample_.folder / "tmp"), {}), 6)
      << "no temporary file stays";
  // Nobody can be there before them.
  EXPECT_NE(leave(), warnings);
}

TEST_F(ReportFiles, OfTestsAreLeftUnderAnotherNameToo) {
  sample_.folder.write("tmp/eccl_test_results.json/inside", "x");
  EXPECT_THAT(leave_test_results(sample_.host, "{}\n", "text\n"),
              ElementsAre(HasSubstr("written to '/tmp/eccl_test_results-")));
  EXPECT_EQ(read("tmp/eccl_test_report.txt"), "text\n");
}

TEST_F(ReportFiles, WarnWhenThereIsNoSuchFolder) {
  fs::remove_all(sample_.folder / "tmp");
  EXPECT_EQ(leave().size(), 3U);
}

TEST_F(ReportFiles, HoldAnEmptyLogWhenThereIsNone) {
  fs::remove(sample_.folder / "var/log/topsctl/12.log");
  EXPECT_THAT(leave(), IsEmpty());
  EXPECT_EQ(read("tmp/topsrider_install.log"), "");
}

}  // namespace
}  // namespace topsctl
