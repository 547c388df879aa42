// Wheels that are to be installed: each way in which one is not what it should be is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/programs.hpp"
#include "support/sample_wheel.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "support/zips.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/package_findings.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_install.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class WheelsToInstall : public testing::Test {
 protected:
  Package read(const SampleWheel& wheel) { return read(wheel.file_name(), wheel.bytes()); }
  Package read(const std::string& name, const std::string& bytes) {
    Package package;
    const auto file = folder_.write(name, bytes);
    read_wheel_metadata(file, package);
    read_wheel_payload(file, package);
    return package;
  }
  std::string refusal(const SampleWheel& wheel) {
    return refusal(wheel.file_name(), wheel.bytes());
  }
  std::string refusal(const std::string& name, const std::string& bytes) {
    const Error error = thrown_by([&] { read(name, bytes); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  // What makes an install refuse it: findings of the severity error that nobody can accept.
  std::string faults(const SampleWheel& wheel) {
    const std::string name = wheel.file_name();
    Package package;
    package.kind = PackageKind::wheel;
    package.path = name;
    const auto file = folder_.write(name, wheel.bytes());
    read_wheel_metadata(file, package);
    const Contents contents = read_wheel_payload(file, package);
    std::string text;
    for (const Finding& finding : package_findings(package, &contents)) {
      if (finding.severity < Severity::error || !is_final_for_wheels(finding.id)) continue;
      text += concat(finding.id, " ", finding.evidence.front().source, ": ",
                     finding.evidence.front().text, "\n");
    }
    return text;
  }

  TemporaryFolder folder_;
  SampleWheel wheel_ = SampleWheel().make_record();
};

TEST_F(WheelsToInstall, SayWhatTheyAre) {
  wheel_.entry_points =
      "[console_scripts]\ntorch-info = torch_gcu:main\n# d = e\n[gui_scripts]\nview=v:w\n"
      "[other]\nnot = this\n";
  wheel_.members.push_back({"torch_gcu-1.10.0+2.5.136.data/scripts/run.sh", "#!/bin/sh\n"});
  wheel_.members.push_back({"torch_gcu-1.10.0+2.5.136.data/purelib/extra.py", "x\n"});
  const Package package = read(wheel_.make_record());
  EXPECT_EQ(package.name, "torch_gcu");
  EXPECT_EQ(package.version, "1.10.0+2.5.136");
  EXPECT_EQ(package.architecture, "any");
  ASSERT_TRUE(package.python.has_value());
  EXPECT_EQ(package.python->requires_python, ">=3.6");
  EXPECT_THAT(package.python->tags, ElementsAre("py3.8-none-any"));
  EXPECT_EQ(package.python->minor, "3.8");
  EXPECT_THAT(package.depends, ElementsAre("numpy", "six"));
  EXPECT_THAT(package.scripts, UnorderedElementsAre("torch-info", "view", "run.sh"));
  EXPECT_EQ(package.record, wheel_.record);
  EXPECT_THAT(*package.files, Contains(Field(&PayloadEntry::path, "torch_gcu/lib.so")));
  EXPECT_THAT(*package.files, Contains(Field(&PayloadEntry::path, "extra.py")));
  EXPECT_THAT(*package.files,
              Contains(Field(&PayloadEntry::path, "torch_gcu-1.10.0+2.5.136.dist-info/RECORD")));
  EXPECT_EQ(package.files->size(), 2U + 1U + 4U);
}

// libdeflate takes it, and so inspect does.
TEST_F(WheelsToInstall, ThatPipRefusesForTheirCompressionAreRefused) {
  wheel_.members.push_back({"torch_gcu/py.typed", ""});
  wheel_.make_record();
  SampleZip zip;
  for (const Member& member : wheel_.all_members())
    zip.members.push_back({member.name, member.bytes});
  zip.members.push_back({wheel_.info() + "/RECORD", wheel_.record});
  EXPECT_EQ(read(wheel_.file_name(), zip.bytes()).name, "torch_gcu");
  zip.members[2] = refused_by_zlib("torch_gcu/py.typed");
  EXPECT_THAT(refusal(wheel_.file_name(), zip.bytes()), HasSubstr("damaged deflate data"));
}

TEST_F(WheelsToInstall, OfPythonsOwnZipWriterAreRead) {
  for (const Member& member : wheel_.all_members())
    folder_.write("tree/" + member.name, member.bytes);
  folder_.write("tree/" + wheel_.info() + "/RECORD", wheel_.record);
  output_of({"/usr/bin/python3", "-c",
             "import pathlib, sys, zipfile\n"
             "with zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED) as out:\n"
             "    for path in sorted(pathlib.Path(sys.argv[1]).rglob('*')):\n"
             "        out.write(path, path.relative_to(sys.argv[1]))\n",
             (folder_ / "tree").string(), (folder_ / wheel_.file_name()).string()});
  Package package;
  read_wheel_metadata(folder_ / wheel_.file_name(), package);
  read_wheel_payload(folder_ / wheel_.file_name(), package);
  EXPECT_EQ(package.version, "1.10.0+2.5.136");
  EXPECT_EQ(package.files->size(), 5U);
}

TEST_F(WheelsToInstall, MayHoldNamesThatAreNotAscii) {
  wheel_.members.push_back({"torch_gcu/说明.txt", "text\n"});
  const Package package = read(wheel_.make_record());
  EXPECT_THAT(*package.files, Contains(Field(&PayloadEntry::path, "torch_gcu/说明.txt")));
}

// pip refuses it as it refuses one with files.
TEST_F(WheelsToInstall, TellOfMetadataOfAnotherDistributionThatIsAnEmptyDirectory) {
  SampleWheel wheel = wheel_.make_record();
  wheel.members.push_back({"numpy-1.0.dist-info/", ""});
  wheel.members.push_back({wheel.info() + "/", ""});
  wheel.members.push_back({"torch_gcu/vendored-1.0.dist-info/", ""});
  const Package package = read(wheel);
  EXPECT_THAT(*package.files, Contains(Field(&PayloadEntry::path, "numpy-1.0.dist-info")));
  EXPECT_THAT(*package.files, Not(Contains(Field(&PayloadEntry::path, wheel.info()))));
  EXPECT_THAT(*package.files, Not(Contains(Field(&PayloadEntry::path, HasSubstr("vendored")))));
}

TEST_F(WheelsToInstall, MayBeForAnyPython) {
  wheel_.tag = "py3-none-any";
  EXPECT_EQ(read(wheel_.make_record()).python->minor, std::nullopt);
}

TEST_F(WheelsToInstall, MayBundleAnotherDistribution) {
  wheel_.members.push_back(
      {"torch_gcu/vendor/six-1.0.dist-info/METADATA", "Name: six\nVersion: 1\n"});
  wheel_.members.push_back({"six-1.0.dist-info/METADATA", "Name: six\nVersion: 1\n"});
  wheel_.members.push_back({"six-1.0.dist-info/RECORD", ""});
  const Package package = read(wheel_.make_record());
  EXPECT_EQ(package.name, "torch_gcu");
  EXPECT_EQ(package.record, wheel_.record);
}

TEST_F(WheelsToInstall, AreRefusedWhenTheRecordOfABundledDistributionWasChanged) {
  wheel_.members.push_back({"six-1.0.dist-info/RECORD", "as the vendor made it"});
  wheel_.make_record();
  wheel_.members.back().bytes = "changed";
  EXPECT_THAT(faults(wheel_), HasSubstr("digest-mismatch six-1.0.dist-info/RECORD"));
}

TEST_F(WheelsToInstall, AreRefusedWhenAFileIsNotWhatRecordSays) {
  wheel_.members[1].bytes = "Bytes";
  EXPECT_THAT(faults(wheel_), HasSubstr("digest-mismatch torch_gcu/lib.so: RECORD says"));
}

TEST_F(WheelsToInstall, AreRefusedWhenMetadataIsNotWhatRecordSays) {
  SampleWheel other = wheel_;
  other.entry_points = "[console_scripts]\n";
  EXPECT_THAT(faults(other), AllOf(HasSubstr("file-not-listed"), HasSubstr("entry_points.txt")));
}

TEST_F(WheelsToInstall, AreRefusedWhenAFileIsMissing) {
  wheel_.members.pop_back();
  EXPECT_THAT(faults(wheel_), HasSubstr("listed-file-missing torch_gcu/lib.so"));
}

TEST_F(WheelsToInstall, AreRefusedWhenAFileIsNotRecorded) {
  wheel_.members.push_back({"evil.pth", "import os\n"});
  EXPECT_THAT(faults(wheel_), HasSubstr("file-not-listed evil.pth"));
}

TEST_F(WheelsToInstall, AreRefusedWhenRecordHasNoHash) {
  wheel_.record += "extra.py,,\n";
  wheel_.members.push_back({"extra.py", ""});
  EXPECT_THAT(faults(wheel_), HasSubstr("digest-not-given extra.py"));
}

TEST_F(WheelsToInstall, MayHaveAStrongerHashInRecord) {
  wheel_.members.push_back({"extra.py", ""});
  wheel_.record +=
      "extra.py,sha512=z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg_SpIdNs6c5H0NE8XYXysP-"
      "DGNKHfuwvY7kxvUdBeoGlO"
      "DJ6-SfaPg,0\n";
  EXPECT_EQ(faults(wheel_), "");
  wheel_.members.back().bytes = "x";
  EXPECT_THAT(faults(wheel_), HasSubstr("digest-mismatch extra.py"));
}

TEST_F(WheelsToInstall, AreKnownWithoutFilesBeforeTheirPayloadIsRead) {
  Package package;
  read_wheel_metadata(folder_.write(wheel_.file_name(), wheel_.bytes()), package);
  EXPECT_FALSE(package.files.has_value());
  EXPECT_FALSE(package.files_are_claims);
  EXPECT_EQ(package.record, "");
}

TEST_F(WheelsToInstall, AreRefusedWhenAMemberIsThereTwice) {
  wheel_.members.push_back(wheel_.members[0]);
  EXPECT_THAT(faults(wheel_), HasSubstr("duplicate-entry torch_gcu/__init__.py"));
}

TEST_F(WheelsToInstall, AreRefusedWhenAMemberIsALink) {
  wheel_.members.push_back({"torch_gcu/link.so", "/etc/passwd", '2'});
  EXPECT_THAT(faults(wheel_.make_record()), HasSubstr("wheel-link torch_gcu/link.so"));
}

TEST_F(WheelsToInstall, AreRefusedWhenAMemberPointsOut) {
  wheel_.members.push_back({"../evil.py", "x"});
  EXPECT_THAT(faults(wheel_.make_record()), HasSubstr("entry-escapes ../evil.py"));
}

TEST_F(WheelsToInstall, AreRefusedWhenTheyWriteWhereNoInstallerDoes) {
  for (const char* path : {"unknown/etc/x", "x"}) {
    SampleWheel wheel = wheel_;
    wheel.members.push_back({wheel.name + "-" + wheel.version + ".data/" + path, "x"});
    EXPECT_THAT(faults(wheel.make_record()), HasSubstr("no installer has a location for it"));
  }
}

TEST_F(WheelsToInstall, MayHaveDataAndHeaders) {
  for (const std::string kind : {"data", "headers"}) {
    const std::string path = wheel_.name + "-" + wheel_.version + ".data/" + kind + "/a/x";
    SampleWheel wheel = wheel_;
    wheel.members.push_back({path, "x"});
    EXPECT_THAT(*read(wheel.make_record()).files, Contains(Field(&PayloadEntry::path, path)));
  }
}

TEST_F(WheelsToInstall, AreRefusedWithoutOneOfTheirMetadataFiles) {
  for (const std::string missing : {"METADATA", "WHEEL", "RECORD"}) {
    std::vector<Member> members = wheel_.all_members();
    members.push_back({wheel_.info() + "/RECORD", wheel_.record});
    std::erase_if(members, [&](const Member& m) { return m.name.ends_with("/" + missing); });
    EXPECT_THAT(refusal(wheel_.file_name(), zip_bytes(members)),
                HasSubstr("not a wheel: no " + missing + " for 'torch_gcu'"));
  }
}

TEST_F(WheelsToInstall, AreRefusedWhenTheFileNameIsOfAnother) {
  EXPECT_THAT(refusal("other-1.0-py3-none-any.whl", wheel_.bytes()),
              HasSubstr(": METADATA names the package 'torch_gcu'"));
  EXPECT_THAT(refusal("torch_gcu.whl", wheel_.bytes()), HasSubstr("not a wheel file name"));
}

TEST_F(WheelsToInstall, AreRefusedWhenMetadataSaysOtherwise) {
  std::vector<Member> members = wheel_.all_members();
  members.push_back({wheel_.info() + "/RECORD", wheel_.record});
  for (Member& member : members) {
    if (member.name.ends_with("METADATA")) member.bytes = "Name: numpy\nVersion: 1\n";
  }
  EXPECT_THAT(refusal(wheel_.file_name(), zip_bytes(members)),
              HasSubstr(": METADATA names the package 'numpy'"));
  for (Member& member : members) {
    if (member.name.ends_with("METADATA")) member.bytes = "Name: torch_gcu\n";
  }
  EXPECT_THAT(refusal(wheel_.file_name(), zip_bytes(members)), HasSubstr("no Name or no Version"));
}

TEST_F(WheelsToInstall, AreRefusedWhenTheyAreNoZip) {
  EXPECT_THAT(refusal(wheel_.file_name(), "no zip"), HasSubstr("cannot read 'torch_gcu-"));
  EXPECT_THAT(refusal(wheel_.file_name(), ""), HasSubstr("cannot read 'torch_gcu-"));
}

TEST_F(WheelsToInstall, AreRefusedWhenCutShortAnywhere) {
  const std::string whole = wheel_.bytes();
  for (std::size_t length = 0; length < whole.size(); length += 53) {
    EXPECT_THAT(refusal(wheel_.file_name(), whole.substr(0, length)), HasSubstr("cannot read"))
        << length;
  }
}

TEST_F(WheelsToInstall, AreRefusedWithADamagedRecord) {
  wheel_.record = "garbage\n";
  EXPECT_THAT(faults(wheel_), HasSubstr("listed-file-missing garbage"));
  wheel_.record = ",,\n";
  EXPECT_THAT(refusal(wheel_), HasSubstr("RECORD has a damaged line"));
}

TEST_F(WheelsToInstall, MayHaveAWrongSizeInRecord) {
  wheel_.record.replace(wheel_.record.find(",5\n"), 3, ",6\n");
  EXPECT_EQ(faults(wheel_), "");
}

TEST_F(WheelsToInstall, AreRefusedWhenACommandWouldBeWrittenElsewhere) {
  wheel_.entry_points = "[console_scripts]\n../../evil = torch_gcu:main\n";
  EXPECT_THAT(faults(wheel_.make_record()), HasSubstr("entry-escapes entry_points.txt"));
}

TEST_F(WheelsToInstall, AreRefusedWhenPipCouldNotUninstallThem) {
  wheel_.entry_points = "[console_scripts]\na = torch_gcu:main\na = torch_gcu:main\n";
  EXPECT_THAT(faults(wheel_.make_record()), HasSubstr("wheel-malformed entry_points.txt"));
}

TEST_F(WheelsToInstall, AreRefusedWithTextsThatPipDoesNotRead) {
  for (const std::string name : {"METADATA", "WHEEL", "RECORD"}) {
    std::vector<Member> members = wheel_.all_members();
    members.push_back({wheel_.info() + "/RECORD", wheel_.record});
    for (Member& member : members) {
      if (member.name.ends_with("/" + name)) member.bytes += "X: caf\xe9\n";
    }
    Package package;
    read_wheel_metadata(folder_.write(wheel_.file_name(), zip_bytes(members)), package);
    EXPECT_THAT(package.wheel->faults, ElementsAre(Field(&WheelFault::place, name)));
  }
}

}  // namespace
}  // namespace topsctl
