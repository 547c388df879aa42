// All data of wheels: each way in which it does not match RECORD is told, and the rest is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "support/open_zip.hpp"
#include "support/sample_wheel.hpp"
#include "support/small_library.hpp"
#include "support/thrown.hpp"
#include "support/zips.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/record_digest.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_contents.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Read {
  Package package;
  Contents contents;
};

Read read(const std::string& name, const std::string& bytes, unsigned threads = 2) {
  const OpenZip zip(name, bytes);
  Read read;
  read_wheel_metadata(zip.reader(), name, read.package);
  read.contents = read_wheel_contents(zip.reader(), read.package, {.threads = threads});
  return read;
}

Contents contents_of(const SampleWheel& wheel) {
  return read(wheel.file_name(), wheel.bytes()).contents;
}

auto is_mismatch(Mismatch::Kind kind, const std::string& path) {
  return AllOf(Field(&Mismatch::kind, kind), Field(&Mismatch::path, path));
}

auto is_strange(StrangeEntry::Kind kind, const std::string& path) {
  return AllOf(Field(&StrangeEntry::kind, kind), Field(&StrangeEntry::path, path));
}

// A member of 12 bytes fits into half of 24, and what does not fit is left to zlib.
TEST(WheelContents, AreReadInAsMuchMemoryAsThereIsForAllThreads) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu/py.typed", ""});
  wheel.make_record();
  SampleZip sample;
  for (const Member& member : wheel.all_members())
    sample.members.push_back({member.name, member.bytes});
  sample.members.push_back({wheel.info() + "/RECORD", wheel.record});
  sample.members[2] = refused_by_zlib("torch_gcu/py.typed");
  const OpenZip zip(wheel.file_name(), sample.bytes());
  Package package;
  read_wheel_metadata(zip.reader(), wheel.file_name(), package);
  EXPECT_EQ(read_wheel_contents(zip.reader(), package, {.threads = 2, .memory = 24}).files_checked,
            5U);
  const Error error =
      thrown_by([&] { read_wheel_contents(zip.reader(), package, {.threads = 2, .memory = 23}); });
  EXPECT_THAT(error.message(), HasSubstr("damaged deflate data"));
}

// Two are read at once, and end at different times.
TEST(WheelContents, ThatAreReadSideBySideAreNotMixedUp) {
  SampleWheel wheel;
  for (std::size_t i = 0; i < 9; ++i)
    wheel.members.push_back(
        {"torch_gcu/" + std::to_string(i), std::string(i * 90'001, static_cast<char>('a' + i))});
  wheel.make_record();
  EXPECT_THAT(contents_of(wheel).mismatches, IsEmpty());
  for (const std::size_t changed : {4U, 7U, 10U}) {
    Member& member = wheel.members[changed];
    const std::string before = member.bytes;
    member.bytes.back() = '?';
    for (const unsigned threads : {1U, 2U, 3U}) {
      EXPECT_THAT(read(wheel.file_name(), wheel.bytes(), threads).contents.mismatches,
                  ElementsAre(is_mismatch(Mismatch::Kind::digest, member.name)));
    }
    member.bytes = before;
  }
}

TEST(WheelContents, OfSoundWheelsAreWhatRecordSays) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu-1.10.0+2.5.136.data/purelib/extra.py", "x = 1\n"});
  wheel.make_record();
  const Read got = read(wheel.file_name(), wheel.bytes());
  EXPECT_EQ(got.contents.list_name, "RECORD");
  EXPECT_THAT(got.contents.mismatches, IsEmpty());
  EXPECT_THAT(got.contents.strange, IsEmpty());
  EXPECT_EQ(got.contents.files_checked, 5U);
  std::uint64_t size = wheel.record.size();
  for (const Member& member : wheel.all_members()) size += member.bytes.size();
  EXPECT_EQ(got.contents.unpacked_size, size);
  EXPECT_FALSE(got.package.files_are_claims);
  EXPECT_THAT(*got.package.files,
              Contains(AllOf(Field(&PayloadEntry::path, "extra.py"), Field(&PayloadEntry::size, 6U),
                             Field(&PayloadEntry::mode, 0644U))));
}

TEST(WheelContents, AreTheSameWithAnyNumberOfThreads) {
  SampleWheel wheel;
  for (int i = 0; i < 200; ++i) {
    wheel.members.push_back({concat("torch_gcu/", i, i % 3 == 0 ? ".so" : ".sh"),
                             concat("export ECCL_X=", i % 7, "\n", std::string(i * 10, 'x'))});
  }
  wheel.make_record();
  for (int i = 0; i < 50; ++i) wheel.members[2 + i * 3].bytes += "changed";
  const Read one = read(wheel.file_name(), wheel.bytes(), 1);
  EXPECT_EQ(one.contents.mismatches.size(), 50U);
  EXPECT_FALSE(one.contents.settings.empty());
  for (const unsigned threads : {0U, 2U, 3U, 16U}) {
    const Read other = read(wheel.file_name(), wheel.bytes(), threads);
    EXPECT_EQ(other.contents, one.contents) << threads;
    EXPECT_EQ(other.package, one.package) << threads;
  }
}

TEST(WheelContents, ThatWereChangedAreTold) {
  SampleWheel wheel;
  wheel.make_record();
  wheel.members[1].bytes = "Bytes";
  const Contents contents = contents_of(wheel);
  ASSERT_THAT(contents.mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::digest, "torch_gcu/lib.so")));
  EXPECT_EQ(contents.mismatches[0].expected.size(), 43U);
  EXPECT_EQ(contents.mismatches[0].found.size(), 43U);
  EXPECT_NE(contents.mismatches[0].expected, contents.mismatches[0].found);
}

TEST(WheelContents, ThatAreMissingOrUnlistedAreTold) {
  SampleWheel wheel;
  wheel.make_record();
  wheel.members.pop_back();
  wheel.members.push_back({"evil.pth", "import os\n"});
  EXPECT_THAT(contents_of(wheel).mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::unlisted, "evil.pth"),
                          is_mismatch(Mismatch::Kind::missing, "torch_gcu/lib.so")));
}

TEST(WheelContents, WithoutADigestAreTold) {
  SampleWheel wheel;
  wheel.make_record();
  wheel.members.push_back({"none.py", ""});
  wheel.members.push_back({"weak.py", ""});
  wheel.record += "none.py,,\nweak.py,md5=1B2M2Y8AsgTpgAmY7PhCfg,0\n";
  const Contents contents = contents_of(wheel);
  ASSERT_THAT(contents.mismatches, ElementsAre(is_mismatch(Mismatch::Kind::no_digest, "none.py"),
                                               is_mismatch(Mismatch::Kind::no_digest, "weak.py")));
  EXPECT_EQ(contents.mismatches[1].expected, "md5=1B2M2Y8AsgTpgAmY7PhCfg");
}

TEST(WheelContents, MayHaveStrongerDigests) {
  SampleWheel wheel;
  wheel.make_record();
  for (const std::string algorithm : {"sha384", "sha512"}) {
    RecordDigest digest;
    digest.begin(algorithm);
    digest.update("content");
    wheel.members.push_back({algorithm + ".py", "content"});
    wheel.record += concat(algorithm, ".py,", algorithm, "=", digest.base64url(), ",7\n");
  }
  EXPECT_THAT(contents_of(wheel).mismatches, IsEmpty());
  wheel.members.back().bytes = "Content";
  EXPECT_THAT(contents_of(wheel).mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::digest, "sha512.py")));
}

TEST(WheelContents, OfAnotherSizeThanListedAreTold) {
  SampleWheel wheel;
  wheel.make_record();
  const auto size = wheel.record.find(",5\n");
  ASSERT_NE(size, std::string::npos);
  wheel.record.replace(size, 3, ",6\n");
  const Contents contents = contents_of(wheel);
  ASSERT_THAT(contents.mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::size, "torch_gcu/lib.so")));
  EXPECT_EQ(contents.mismatches[0].expected, "6");
  EXPECT_EQ(contents.mismatches[0].found, "5");
}

TEST(WheelContents, ListedTwiceMustMeetBothLines) {
  SampleWheel wheel;
  wheel.make_record();
  wheel.record += "torch_gcu/lib.so,sha256=" + std::string(43, 'A') + ",5\n";
  EXPECT_THAT(contents_of(wheel).mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::digest, "torch_gcu/lib.so")));
}

TEST(WheelContents, OfSignaturesAreExempt) {
  SampleWheel wheel;
  wheel.make_record();
  wheel.members.push_back({wheel.info() + "/RECORD.jws", "{}"});
  wheel.members.push_back({wheel.info() + "/RECORD.p7s", "x"});
  EXPECT_THAT(contents_of(wheel).mismatches, IsEmpty());
  wheel.members.push_back({"six-1.dist-info/RECORD.jws", "{}"});
  EXPECT_THAT(contents_of(wheel).mismatches,
              ElementsAre(is_mismatch(Mismatch::Kind::unlisted, "six-1.dist-info/RECORD.jws")));
}

TEST(WheelContents, WithNamesThatReadOtherwiseThanTheyAreAreTold) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu/\u202egnp.py", "x"});
  wheel.members.push_back({"torch_gcu/\u8bf4.py", "x"});
  wheel.make_record();
  EXPECT_THAT(read(wheel.file_name(), wheel.bytes()).contents.strange,
              ElementsAre(is_strange(StrangeEntry::Kind::bad_name, "torch_gcu/?gnp.py")));
}

TEST(WheelContents, ThatNoSoundWheelHoldsAreTold) {
  SampleWheel wheel;
  wheel.members.push_back({"../evil.py", "x"});
  wheel.members.push_back({"/etc/cron.d/evil", "x"});
  wheel.members.push_back({"torch_gcu/lib.so", "bytes"});
  wheel.members.push_back({"torch_gcu/inside", "../torch_gcu/lib.so", '2'});
  wheel.members.push_back({"torch_gcu/out", "../../etc/passwd", '2'});
  wheel.members.push_back({"torch_gcu/absolute", "/etc/passwd", '2'});
  wheel.members.push_back({std::string("torch_gcu/a\0b", 13), "x"});
  wheel.make_record();
  const Read got = read(wheel.file_name(), wheel.bytes());
  EXPECT_THAT(got.contents.strange,
              ElementsAre(is_strange(StrangeEntry::Kind::escapes, "../evil.py"),
                          is_strange(StrangeEntry::Kind::escapes, "/etc/cron.d/evil"),
                          is_strange(StrangeEntry::Kind::bad_name, "torch_gcu/a?b"),
                          is_strange(StrangeEntry::Kind::link_escapes, "torch_gcu/absolute"),
                          is_strange(StrangeEntry::Kind::duplicate, "torch_gcu/lib.so"),
                          is_strange(StrangeEntry::Kind::link_escapes, "torch_gcu/out")));
  EXPECT_THAT(*got.package.files,
              Contains(AllOf(Field(&PayloadEntry::path, "torch_gcu/inside"),
                             Field(&PayloadEntry::type, PayloadEntry::Type::symlink),
                             Field(&PayloadEntry::link_target, "../torch_gcu/lib.so"))));
  EXPECT_THAT(got.contents.mismatches, IsEmpty());
}

TEST(WheelContents, TellElfFilesFromStandIns) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu/libeccl.so", small_library()});
  wheel.members.push_back({"torch_gcu/libfake.so.1", "0123456789abcdef"});
  const Contents contents = contents_of(wheel.make_record());
  ASSERT_THAT(contents.elf_files, ElementsAre(Field(&ElfFile::path, "torch_gcu/libeccl.so")));
  EXPECT_THAT(contents.not_elf,
              ElementsAre("torch_gcu/lib.so (5 bytes)", "torch_gcu/libfake.so.1 (16 bytes)"));
}

TEST(WheelContents, TellWhichVariablesAreSet) {
  SampleWheel wheel;
  wheel.members.push_back({"torch_gcu/run.sh", "export ECCL_ALGO=ring\n"});
  wheel.members.push_back({"torch_gcu/env.py", "os.environ['ECCL_ALGO'] = 'ring'\n"});
  wheel.members.push_back({"torch_gcu/notes.md", "ECCL_ALGO=tree\n"});
  EXPECT_THAT(contents_of(wheel.make_record()).settings,
              ElementsAre(Pair(Setting{"ECCL_ALGO", "ring"}, 2U)));
}

TEST(WheelContents, TellOfAThousandMismatchesAtMost) {
  SampleWheel wheel;
  for (int i = 0; i < 1200; ++i) wheel.members.push_back({concat("x/", i), ""});
  EXPECT_EQ(contents_of(wheel).mismatches.size(), 1000U);
}

TEST(WheelContents, ThatCannotBeReadAreRefused) {
  SampleWheel wheel;
  wheel.make_record();
  SampleZip zip;
  for (const Member& member : wheel.all_members())
    zip.members.push_back({member.name, member.bytes});
  zip.members.push_back({wheel.info() + "/RECORD", wheel.record});
  zip.members[0].crc = 1;
  for (const unsigned threads : {1U, 4U}) {
    const Error error = thrown_by([&] { read(wheel.file_name(), zip.bytes(), threads); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_THAT(error.message(), HasSubstr("its CRC does not match"));
  }
}

TEST(WheelContents, ThatTogetherGrowTooLargeAreBombs) {
  SampleWheel wheel;
  wheel.make_record();
  SampleZip zip;
  for (const Member& member : wheel.all_members())
    zip.members.push_back({member.name, member.bytes});
  zip.members.push_back({wheel.info() + "/RECORD", wheel.record});
  ZipMember bomb{"zeros", ""};
  bomb.packed = std::string(1U << 20U, '\0');
  bomb.size = 1000ULL << 20U;
  for (int i = 0; i < 9; ++i) zip.members.push_back(bomb);
  EXPECT_THAT(thrown_by([&] { read(wheel.file_name(), zip.bytes()); }).message(),
              HasSubstr("decompression bomb: 9.0 MiB become 8.8 GiB"));
}

TEST(WheelContents, TellHowFarTheyAreRead) {
  SampleWheel wheel;
  wheel.make_record();
  const OpenZip zip(wheel.file_name(), wheel.bytes());
  Package package;
  read_wheel_metadata(zip.reader(), wheel.file_name(), package);
  std::atomic<std::uint64_t> told = 0;
  read_wheel_contents(zip.reader(), package,
                      {.threads = 2, .on_bytes = [&](std::uint64_t bytes) { told += bytes; }});
  std::uint64_t all = 0;
  for (const ZipEntry& entry : zip.reader().entries()) all += entry.compressed_size;
  EXPECT_EQ(told, all);
}

}  // namespace
}  // namespace topsctl
