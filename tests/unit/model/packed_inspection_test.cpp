// What comes back from a reading process: the same, or a refusal, whatever its bytes are.
#include "topsctl/model/packed_inspection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_inspection.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// With something in every member that a sample leaves empty.
Inspection full_inspection() {
  Inspection inspection = sample_inspection();
  Package& package = inspection.inventory.packages.front();
  package.python = PythonNeeds{">=3.6", {"py3-none-any"}, "3.8"};
  package.installed_size = 12;
  package.deb->conffiles = {"/etc/x"};
  package.deb->scripts = {{"postinst", std::string("\0\xff\n", 3)}};
  package.files->front().mtime = -1;
  package.record = "a,b,c\n";
  Contents& contents = inspection.contents[0];
  contents.mismatches = {{Mismatch::Kind::no_digest, "/a", "b", "c"}};
  contents.strange = {{StrangeEntry::Kind::bad_name, "/a", "b"}};
  contents.elf_files = {{"/usr/lib/libeccl.so", {}}};
  contents.elf_files.front().facts.version_needs = {{"libc.so.6", {"GLIBC_2.27"}}};
  contents.settings[{"A", "b"}] = 1ULL << 63U;
  return inspection;
}

TEST(PackedInspections, ComeBackTheSame) {
  Inspection inspection = full_inspection();
  const auto back = unpacked<Inspection>(packed(inspection));
  EXPECT_EQ(back.depth, inspection.depth);
  EXPECT_EQ(back.inventory.packages, inspection.inventory.packages);
  EXPECT_EQ(back.inventory.other_files, inspection.inventory.other_files);
  EXPECT_EQ(back.contents, inspection.contents);
  EXPECT_EQ(back.containers, inspection.containers);
  EXPECT_EQ(back.others, inspection.others);
  EXPECT_EQ(back.settings, inspection.settings);
}

TEST(PackedInspections, ComeBackWithTheirFindings) {
  std::vector<Finding> findings = {sample_finding("a", Severity::critical, "x"),
                                   sample_finding("b", Severity::info, "y")};
  EXPECT_EQ(unpacked<std::vector<Finding>>(packed(findings)), findings);
}

TEST(PackedInspections, AreRefusedWhenCutShortOrLonger) {
  Inspection inspection = full_inspection();
  const std::string bytes = packed(inspection);
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    const Error error = thrown_by([&] { unpacked<Inspection>(bytes.substr(0, size)); });
    ASSERT_EQ(error.code(), ErrorCode::bad_bundle) << size;
  }
  EXPECT_THAT(thrown_by([&] { unpacked<Inspection>(bytes + 'x'); }).message(),
              HasSubstr("cannot be understood"));
}

TEST(PackedInspections, WithAnyByteChangedAreReadOrRefused) {
  Inspection inspection = full_inspection();
  const std::string bytes = packed(inspection);
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    for (const unsigned char value : {0x00U, 0x7fU, 0xffU}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      try {
        auto back = unpacked<Inspection>(changed);
        static_cast<void>(packed(back));
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::bad_bundle);
      }
    }
  }
}

TEST(PackedValues, AreRefusedWhereTheirTypeHasNoSuchValue) {
  EXPECT_EQ(unpacked<Severity>("\x03"), Severity::critical);
  EXPECT_EQ(thrown_by([] { unpacked<Severity>("\x04"); }).code(), ErrorCode::bad_bundle);
  EXPECT_EQ(thrown_by([] { unpacked<bool>("\x02"); }).code(), ErrorCode::bad_bundle);
  EXPECT_EQ(thrown_by([] { unpacked<int>("\xff\xff\xff\xff\xff\x01"); }).code(),
            ErrorCode::bad_bundle);
  EXPECT_EQ(thrown_by([] { unpacked<std::uint64_t>(std::string(20, '\x80')); }).code(),
            ErrorCode::bad_bundle);
}

TEST(PackedValues, KeepTheirSign) {
  std::vector<std::int64_t> numbers = {0, -1, INT64_MIN, INT64_MAX, 127, 128};
  EXPECT_THAT(unpacked<std::vector<std::int64_t>>(packed(numbers)),
              ElementsAre(0, -1, INT64_MIN, INT64_MAX, 127, 128));
}

TEST(PackedValues, DoNotGrowBeyondTheirBytes) {
  std::uint64_t many = 1ULL << 60U;
  EXPECT_EQ(thrown_by([&] { unpacked<std::vector<Package>>(packed(many)); }).code(),
            ErrorCode::bad_bundle);
  EXPECT_EQ(thrown_by([&] { unpacked<std::string>(packed(many)); }).code(), ErrorCode::bad_bundle);
}

}  // namespace
}  // namespace topsctl
