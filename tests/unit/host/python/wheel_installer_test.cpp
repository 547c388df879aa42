// Installing a wheel into a machine: every file in its place, or refused before anything is
// changed.
#include "topsctl/host/python/wheel_installer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/sample_host.hpp"
#include "support/sample_wheel.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/record_digest.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class InstalledNatively : public testing::Test {
 protected:
  InstalledNatively() {
    wheel_.entry_points = "[console_scripts]\ntorch-info = torch_gcu:main\n";
    wheel_.members.push_back({data_ + "scripts/run", "#!python\nx\n"});
    wheel_.members.push_back({data_ + "data/share/t", "data"});
    wheel_.members.push_back({data_ + "headers/t.h", "header"});
    wheel_.make_record();
    sample_.folder.make_folder("site");
  }
  WheelInstallation request() {
    const auto file = elsewhere_.write(wheel_.file_name(), wheel_.bytes());
    return {file,
            {"/usr/bin/python3.8", "/site", "/site", "/bin", "/prefix", "/include"},
            "cpython-38",
            "/bundle/a.whl",
            "0123"};
  }
  InstalledFiles install() { return install_wheel(sample_.host, request()); }
  Error refusal() {
    const Error before = thrown_by([&] { require_installable(sample_.host, request()); });
    const Error error = thrown_by([&] { install(); });
    EXPECT_EQ(error.message(), before.message());
    EXPECT_FALSE(error.hint().empty());
    return error;
  }
  std::vector<InstalledWheel> installed() {
    PythonFacts python;
    python.site_directories = {"/site"};
    return read_installed_wheels(sample_.host, python, {"torch_gcu"});
  }
  std::vector<std::string> entries(const char* folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(sample_.folder / folder)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  const std::string data_ = "torch_gcu-1.10.0+2.5.136.data/";
  const std::string info_ = "site/torch_gcu-1.10.0+2.5.136.dist-info/";
  SampleHost sample_;
  TemporaryFolder elsewhere_;
  SampleWheel wheel_;
};

TEST_F(InstalledNatively, LiesInTheFoldersOfTheScheme) {
  const InstalledFiles done = install();
  EXPECT_EQ(done.files, 2U + 3U + 3U + 1U);
  EXPECT_EQ(done.removed, 0U);
  EXPECT_EQ(sample_.folder.read("site/torch_gcu/__init__.py"), "version = 1\n");
  EXPECT_EQ(sample_.folder.read("bin/run"), "#!/usr/bin/python3.8\nx\n");
  EXPECT_THAT(sample_.folder.read("bin/torch-info"), HasSubstr("from torch_gcu import main\n"));
  EXPECT_EQ(sample_.folder.read("prefix/share/t"), "data");
  EXPECT_EQ(sample_.folder.read("include/torch-gcu/t.h"), "header");
  EXPECT_EQ(sample_.folder.read(info_ + "INSTALLER"), "topsctl\n");
  EXPECT_EQ(sample_.folder.read(info_ + "REQUESTED"), "");
  EXPECT_THAT(sample_.folder.read(info_ + "direct_url.json"), HasSubstr("file:///bundle/a.whl"));
  EXPECT_THAT(entries("site"), SizeIs(2)) << "nothing of the work is left";
  EXPECT_EQ(fs::status(sample_.folder / "bin/run").permissions(), fs::perms(0755));
  EXPECT_EQ(fs::status(sample_.folder / "site/torch_gcu").permissions(), fs::perms(0755));
}

TEST_F(InstalledNatively, CanBeReadByAllWhateverTheUmask) {
  fs::remove(sample_.folder / "site");
  const mode_t before = ::umask(077);
  install();
  ::umask(before);
  for (const char* path : {"site", "site/torch_gcu", "bin", "prefix", "prefix/share", "include",
                           "include/torch-gcu", "bin/run"}) {
    EXPECT_EQ(fs::status(sample_.folder / path).permissions(), fs::perms(0755)) << path;
  }
  EXPECT_EQ(fs::status(sample_.folder / "site/torch_gcu/lib.so").permissions(), fs::perms(0644));
}

TEST_F(InstalledNatively, IsRecordedCompletely) {
  install();
  ASSERT_THAT(installed(), SizeIs(1));
  for (const RecordLine& line : parse_record(installed()[0].record, "x")) {
    const fs::path file = sample_.host.resolve(recorded_path(installed()[0], line.path));
    EXPECT_TRUE(fs::is_regular_file(file)) << line.path;
    EXPECT_EQ(line.sha256.empty(), line.path.ends_with("/RECORD")) << line.path;
    if (line.sha256.empty()) continue;
    EXPECT_EQ(digest_of_file(file).base64url(), line.sha256) << line.path;
  }
  EXPECT_THAT(installed()[0].files, Contains("../bin/torch-info"));
  EXPECT_THAT(installed()[0].files, Not(Contains(HasSubstr(".data/"))));
}

TEST_F(InstalledNatively, BringsNoFilesThatInstallersWrite) {
  for (const std::string name : {"INSTALLER", "REQUESTED", "direct_url.json"})
    wheel_.members.push_back({wheel_.info() + "/" + name, "poetry\n"});
  wheel_.make_record();
  install();
  EXPECT_EQ(sample_.folder.read(info_ + "INSTALLER"), "topsctl\n");
  EXPECT_EQ(sample_.folder.read(info_ + "REQUESTED"), "");
  std::vector<std::string> recorded = installed()[0].files;
  std::sort(recorded.begin(), recorded.end());
  EXPECT_EQ(std::adjacent_find(recorded.begin(), recorded.end()), recorded.end());
}

TEST_F(InstalledNatively, IsRecordedWithTheDigestsOfTheWheel) {
  std::string& record = wheel_.record;
  RecordDigest digest;
  digest.begin("sha512");
  digest.update("bytes");
  const auto line = record.find("torch_gcu/lib.so,");
  record.replace(line, record.find(",5\n", line) - line,
                 "torch_gcu/lib.so,sha512=" + digest.base64url());
  install();
  const auto lines = parse_record(installed()[0].record, "x");
  EXPECT_THAT(lines, Contains(testing::Field(&RecordLine::algorithm, "sha512")));
}

TEST_F(InstalledNatively, IsRefusedIfTwoFilesHaveOnePlaceThere) {
  wheel_.members.push_back({data_ + "data/bin/torch-info", "x"});
  wheel_.make_record();
  WheelInstallation same = request();
  same.scheme.data = "";  // so that data and scripts share /bin
  const Error error = thrown_by([&] { require_installable(sample_.host, same); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("two files have the path '/bin/torch-info'"));
}

TEST_F(InstalledNatively, IsRefusedIfAFileIsInThePlaceOfADirectoryThere) {
  wheel_.members.push_back({data_ + "data/bin/run/x", "x"});
  wheel_.make_record();
  WheelInstallation same = request();
  same.scheme.data = "";
  EXPECT_THAT(thrown_by([&] { require_installable(sample_.host, same); }).message(),
              HasSubstr("'/bin/run' is both a file and a directory"));
}

TEST_F(InstalledNatively, IsRefusedWithFaults) {
  wheel_.entry_points = "[console_scripts]\n../../evil = torch_gcu:main\n";
  wheel_.make_record();
  EXPECT_THAT(refusal().message(), HasSubstr("the command would be written outside its directory"));
}

TEST_F(InstalledNatively, TakesThePlaceOfTheVersionBefore) {
  install();
  sample_.folder.write("site/torch_gcu/__pycache__/__init__.cpython-38.pyc", "old code");
  sample_.folder.write("site/torch_gcu/mine.ini", "mine");
  wheel_ = SampleWheel();
  wheel_.version = "2.0";
  wheel_.members.push_back({"torch_gcu/lib/new.py", "new"});
  std::erase_if(wheel_.members, [](const Member& m) { return m.name == "torch_gcu/lib.so"; });
  wheel_.make_record();
  EXPECT_GT(install().removed, 0U);
  ASSERT_THAT(installed(), SizeIs(1));
  EXPECT_EQ(installed()[0].version, "2.0");
  EXPECT_EQ(sample_.folder.read("site/torch_gcu/lib/new.py"), "new");
  EXPECT_EQ(sample_.folder.read("site/torch_gcu/mine.ini"), "mine");
  EXPECT_FALSE(fs::exists(sample_.folder / "site/torch_gcu/lib.so"));
  EXPECT_FALSE(fs::exists(sample_.folder / "site/torch_gcu/__pycache__"));
  EXPECT_THAT(entries("bin"), IsEmpty());
}

TEST_F(InstalledNatively, TwiceIsTheSame) {
  install();
  const std::string record = installed()[0].record;
  install();
  EXPECT_EQ(installed()[0].record, record);
}

TEST_F(InstalledNatively, IsRefusedThroughALink) {
  fs::create_directory_symlink(elsewhere_.make_folder("theirs"), sample_.folder / "site/torch_gcu");
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_EQ(error.message(), "'/site/torch_gcu' is a link: topsctl does not install through links");
  EXPECT_TRUE(fs::is_empty(elsewhere_ / "theirs"));
}

TEST_F(InstalledNatively, IsRefusedOverAVersionWithoutRecord) {
  sample_.folder.write("site/torch_gcu-1.dist-info/METADATA", "Name: torch_gcu\nVersion: 1\n");
  EXPECT_THAT(refusal().message(), HasSubstr("has no RECORD"));
}

TEST_F(InstalledNatively, IsRefusedWithABadEntryPoint) {
  wheel_.entry_points = "[console_scripts]\na = torch_gcu\n";
  wheel_.make_record();
  EXPECT_EQ(refusal().code(), ErrorCode::bad_package);
  EXPECT_THAT(entries("site"), IsEmpty());
}

TEST_F(InstalledNatively, IsRefusedWithMembersThatAreNoFiles) {
  for (const Member& member : {Member{"torch_gcu/link", "/etc/passwd", '2'}, Member{"../out", "x"},
                               Member{"/etc/x", "x"}, Member{data_ + "other/x", "x"}}) {
    wheel_ = SampleWheel();
    wheel_.members.push_back(member);
    wheel_.make_record();
    EXPECT_THAT(refusal().message(), HasSubstr("is not a file")) << member.name;
  }
  EXPECT_THAT(entries("site"), IsEmpty());
}

TEST_F(InstalledNatively, LeavesItsWorkToARestoreWhenAMemberIsNotWhatRecordSays) {
  wheel_.members[1].bytes = "Bytes";
  EXPECT_THAT(thrown_by([&] { install(); }).message(), HasSubstr("does not match RECORD: its"));
  EXPECT_THAT(entries("site"), testing::ElementsAre(wheel_staging_folder));
}

}  // namespace
}  // namespace topsctl
