// The metadata of wheels: what each field becomes, and what is no wheel.
#include "topsctl/host/python/wheel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/archive/zip_bytes.hpp"
#include "support/open_zip.hpp"
#include "support/sample_wheel.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Package metadata_of(const std::string& name, const std::string& bytes) {
  Package package;
  const OpenZip zip(name, bytes);
  read_wheel_metadata(zip.reader(), name, package);
  return package;
}

Package metadata_of(const SampleWheel& wheel) {
  return metadata_of(wheel.file_name(), wheel.bytes());
}

std::string refusal(const std::string& name, const std::string& bytes) {
  const Error error = thrown_by([&] { metadata_of(name, bytes); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_FALSE(error.hint().empty());
  return error.message();
}

// The members of a sound wheel, with the metadata file of that name replaced.
std::vector<Member> with(const SampleWheel& wheel, const std::string& file,
                         const std::string& text) {
  std::vector<Member> members = wheel.all_members();
  members.push_back({wheel.info() + "/RECORD", wheel.record});
  for (Member& member : members) {
    if (member.name.ends_with("/" + file)) member.bytes = text;
  }
  return members;
}

TEST(Wheels, SayWhatTheyAre) {
  SampleWheel wheel;
  wheel.entry_points = "[console_scripts]\ntorch-info = torch_gcu:main\n[gui_scripts]\nview=v:w\n";
  wheel.members.push_back({"torch_gcu-1.10.0+2.5.136.data/scripts/run.sh", "#!/bin/sh\n"});
  wheel.members.push_back({"torch_gcu-1.10.0+2.5.136.data/purelib/extra.py", "x\n"});
  wheel.members.push_back({"torch_gcu-1.10.0+2.5.136.data/data/etc/x", "x\n"});
  const Package package = metadata_of(wheel.make_record());
  EXPECT_EQ(package.name, "torch_gcu");
  EXPECT_EQ(package.version, "1.10.0+2.5.136");
  EXPECT_EQ(package.architecture, "any");
  EXPECT_EQ(package.python->requires_python, ">=3.6");
  EXPECT_EQ(package.python->minor, "3.8");
  EXPECT_THAT(package.depends, ElementsAre("numpy", "six"));
  EXPECT_THAT(package.scripts, UnorderedElementsAre("torch-info", "view", "run.sh"));
  EXPECT_EQ(package.record, wheel.record);
  EXPECT_TRUE(package.files_are_claims);
  EXPECT_THAT(*package.files, Contains(Field(&PayloadEntry::path, "extra.py")));
  EXPECT_THAT(*package.files,
              Contains(Field(&PayloadEntry::path, "torch_gcu-1.10.0+2.5.136.data/data/etc/x")));
}

TEST(Wheels, TellWhatMadeThem) {
  SampleWheel wheel;
  const std::string text =
      "Wheel-Version: 1.9\nGenerator: bdist_wheel (0.37)\nRoot-Is-Purelib: True\n"
      "Tag: py2-none-any\nTag: py3-none-any\n";
  wheel.make_record();
  const Package package = metadata_of("Torch.GCU-1.10.0+2.5.136-7-py2.py3-none-any.whl",
                                      zip_bytes(with(wheel, "WHEEL", text)));
  ASSERT_TRUE(package.wheel.has_value());
  EXPECT_EQ(package.wheel->file_name, "Torch.GCU");
  EXPECT_EQ(package.wheel->file_version, "1.10.0+2.5.136");
  EXPECT_EQ(package.wheel->build, "7");
  EXPECT_EQ(package.wheel->dist_info, wheel.info());
  EXPECT_EQ(package.wheel->wheel_version, "1.9");
  EXPECT_EQ(package.wheel->generator, "bdist_wheel (0.37)");
  EXPECT_TRUE(package.wheel->root_is_purelib);
  EXPECT_THAT(package.wheel->file_tags, ElementsAre("py2.py3-none-any"));
  EXPECT_THAT(package.wheel->wheel_tags, ElementsAre("py2-none-any", "py3-none-any"));
  EXPECT_THAT(package.python->tags,
              ElementsAre("py2-none-any", "py3-none-any", "py2.py3-none-any"));
  EXPECT_EQ(package.python->minor, std::nullopt);
}

TEST(Wheels, HaveSummaryAndLicenceInOneLine) {
  SampleWheel wheel;
  const Package package = metadata_of(
      wheel.file_name(),
      zip_bytes(with(wheel.make_record(), "METADATA",
                     "Name: torch_gcu\nVersion: 1\nSummary: runs \x1b[31mtorch\n  on cards\n"
                     "License: BSD\n  and more\n\nSummary: prose\n")));
  EXPECT_EQ(package.wheel->summary, "runs ?[31mtorch");
  EXPECT_EQ(package.wheel->license, "BSD");
}

// What differs is a finding; nothing is refused for it.
TEST(Wheels, MayBeNamedUnlikeTheirMetadata) {
  SampleWheel wheel;
  wheel.make_record();
  const Package renamed = metadata_of("other-1.0-py3-none-any.whl", wheel.bytes());
  EXPECT_EQ(renamed.name, "torch_gcu");
  EXPECT_EQ(renamed.wheel->file_name, "other");
  EXPECT_EQ(renamed.wheel->file_version, "1.0");
  const Package said =
      metadata_of(wheel.file_name(),
                  zip_bytes(with(wheel, "METADATA", "Name: numpy\nVersion: 0.19.1.115.gcu\n")));
  EXPECT_EQ(said.name, "numpy");
  EXPECT_EQ(said.version, "0.19.1.115.gcu");
}

TEST(Wheels, MayBundleOtherDistributions) {
  SampleWheel wheel;
  for (const char* folder : {"torch_gcu/vendor/six-1.0.dist-info", "six-1.0.dist-info",
                             "torch_gcu/torch_gcu-9.dist-info"}) {
    wheel.members.push_back({concat(folder, "/METADATA"), "Name: six\nVersion: 1\n"});
    wheel.members.push_back({concat(folder, "/RECORD"), ""});
  }
  const Package package = metadata_of(wheel.make_record());
  EXPECT_EQ(package.name, "torch_gcu");
  EXPECT_EQ(package.record, wheel.record);
}

TEST(Wheels, WithTwoFoldersOfMetadataGoByTheFileName) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu-2.0.dist-info/METADATA", "Name: torch_gcu\nVersion: 2.0\n"});
  EXPECT_EQ(metadata_of(wheel.make_record()).version, "1.10.0+2.5.136");
  EXPECT_THAT(refusal("torch_gcu-3.0-py3-none-any.whl", wheel.bytes()),
              HasSubstr("not a wheel: two metadata directories,"));
}

TEST(Wheels, OfLaterFormatsAreRefused) {
  SampleWheel wheel;
  wheel.make_record();
  EXPECT_THAT(refusal(wheel.file_name(), zip_bytes(with(wheel, "WHEEL", "Wheel-Version: 2.0\n"))),
              HasSubstr("unsupported Wheel-Version 2.0"));
}

TEST(Wheels, WithoutOneOfTheirMetadataFilesAreRefused) {
  SampleWheel wheel;
  wheel.make_record();
  for (const std::string missing : {"METADATA", "WHEEL", "RECORD"}) {
    std::vector<Member> members = with(wheel, "", "");
    std::erase_if(members, [&](const Member& m) { return m.name.ends_with("/" + missing); });
    EXPECT_THAT(refusal(wheel.file_name(), zip_bytes(members)),
                HasSubstr("not a wheel: no " + missing + " for 'torch_gcu'"));
  }
  EXPECT_THAT(refusal(wheel.file_name(), zip_bytes({{"a", "b"}})), HasSubstr("no METADATA"));
  EXPECT_THAT(refusal("torch_gcu.whl", wheel.bytes()), HasSubstr("not a wheel file name"));
}

TEST(Wheels, ListNoNamesThatPointOut) {
  SampleWheel wheel;
  wheel.members.push_back({"../evil.py", "x"});
  const Package package = metadata_of(wheel.make_record());
  for (const PayloadEntry& file : *package.files) {
    EXPECT_THAT(file.path, testing::Not(HasSubstr("evil")));
  }
}

TEST(Wheels, WithMoreFilesThanAnySoundOneAreRefused) {
  std::vector<Member> members(100'001, Member{"", ""});
  for (std::size_t i = 0; i < members.size(); ++i) members[i].name = std::to_string(i);
  std::string bytes = zip_bytes(members);
  // The count of the old end record is too short for so many.
  const std::string end = bytes.substr(bytes.size() - 22);
  bytes.resize(bytes.size() - 22);
  const std::uint64_t size = number_at(end, 12, 4);
  const std::uint64_t offset = number_at(end, 16, 4);
  const std::string count = detail::little(members.size(), 8);
  bytes += "PK\6\6" + detail::little(44, 8) + std::string(12, '\0') + count + count +
           detail::little(size, 8) + detail::little(offset, 8) + "PK\6\7" + detail::little(0, 4) +
           detail::little(size + offset, 8) + detail::little(1, 4) + end.substr(0, 8) +
           "\xff\xff\xff\xff" + end.substr(12);
  EXPECT_THAT(refusal("a-1-py3-none-any.whl", bytes), HasSubstr("decompression bomb: "));
}

}  // namespace
}  // namespace topsctl
