// Zip archives: what sound ones hold, and each way in which one lies about itself.
#include "topsctl/host/archive/zip.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "support/zips.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A zip on disk, open for as long as it is looked at.
class Zips : public testing::Test {
 protected:
  ZipReader reader(const std::string& bytes, std::uint64_t skipped = 0) {
    const auto file = folder_.write("sample.zip", bytes);
    file_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return ZipReader({file_.get(), skipped, bytes.size() - skipped}, "sample.zip");
  }
  ZipReader reader(const SampleZip& zip) { return reader(zip.bytes()); }

  static std::string pieces(const ZipReader& zip, const ZipEntry& entry, ZipBuffers& buffers) {
    const auto source = zip.open(entry, buffers);
    return whole_text(*source, 1U << 30U, "sample.zip");
  }
  // By each way of reading, which must agree.
  std::string content(const ZipReader& zip, const ZipEntry& entry) {
    const std::string whole = zip.text(entry, 1U << 30U);
    EXPECT_EQ(pieces(zip, entry, at_once_), whole);
    EXPECT_EQ(pieces(zip, entry, streams_), whole);
    return whole;
  }
  std::string refusal(const std::string& bytes) {
    const Error error = thrown_by([&] {
      const ZipReader zip = reader(bytes);
      for (const ZipEntry& entry : zip.entries()) content(zip, entry);
    });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_FALSE(error.hint().empty());
    EXPECT_THAT(error.message(), HasSubstr("cannot read 'sample.zip'"));
    return error.message();
  }
  // The first entry can be listed, but by no way be read.
  std::string reading_refusal(const SampleZip& zip) {
    const ZipReader opened = reader(zip);
    const ZipEntry entry = opened.entries().at(0);
    const Error error = thrown_by([&] { opened.text(entry, 1U << 30U); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_FALSE(error.hint().empty());
    for (ZipBuffers* const buffers : {&at_once_, &streams_}) {
      EXPECT_EQ(thrown_by([&] { pieces(opened, entry, *buffers); }).message(), error.message());
    }
    return error.message();
  }

  TemporaryFolder folder_;
  Descriptor file_;
  ZipBuffers at_once_;
  ZipBuffers streams_{0};
};

std::string text_of(std::size_t size) {
  std::string out;
  while (out.size() < size) out += "line " + std::to_string(out.size() * 7919 % 10'007) + "\n";
  out.resize(size);
  return out;
}

// Larger than a piece.
const ZipMember& large_member() {
  static const ZipMember member = [] {
    ZipMember large{"large", ""};
    const std::string block = text_of(1U << 16U);
    for (int i = 0; i < 2 * 16; ++i) large.bytes += block;
    large.packed = deflated(large.bytes, 1);
    return large;
  }();
  return member;
}

TEST_F(Zips, SayWhatTheyHold) {
  SampleZip sample{
      {{"a/b.py", "print(1)\n"}, {"./c//d", "stored", 0, 0100755}, {"e/", "", 0, 040755}}};
  sample.members.push_back({"link", "a/b.py", 0, 0120777});
  const ZipReader zip = reader(sample);
  ASSERT_EQ(zip.entries().size(), 4U);
  const ZipEntry& first = zip.entries()[0];
  EXPECT_EQ(first.path, "a/b.py");
  EXPECT_EQ(first.type, PayloadEntry::Type::file);
  EXPECT_EQ(first.size, 9U);
  EXPECT_EQ(first.mode, 0644U);
  EXPECT_EQ(first.method, 8U);
  EXPECT_EQ(first.mtime, 1735732800);  // 2025-01-01 12:00
  EXPECT_EQ(content(zip, first), "print(1)\n");
  EXPECT_EQ(zip.entries()[1].raw_path, "./c//d");
  EXPECT_EQ(zip.entries()[1].path, "c/d");
  EXPECT_EQ(zip.entries()[1].mode, 0755U);
  EXPECT_EQ(content(zip, zip.entries()[1]), "stored");
  EXPECT_EQ(zip.entries()[2].type, PayloadEntry::Type::directory);
  EXPECT_EQ(zip.entries()[3].type, PayloadEntry::Type::symlink);
}

TEST_F(Zips, MayBeEmptyOrHaveAComment) {
  EXPECT_TRUE(reader(SampleZip{}).entries().empty());
  SampleZip sample{{{"a", "b"}}};
  sample.comment = std::string(65'535, 'c');
  const ZipReader zip = reader(sample);
  EXPECT_EQ(content(zip, zip.entries()[0]), "b");
}

TEST_F(Zips, MayHaveZip64FieldsAndDataDescriptors) {
  SampleZip sample{{{"a", text_of(1000)}, {"b", "content"}}};
  sample.members[0].has_zip64_field = true;
  sample.members[1].has_descriptor = true;
  sample.members[1].local_extra = std::string("\x55\x54\0\0", 4);
  sample.has_zip64_end = true;
  const ZipReader zip = reader(sample);
  EXPECT_EQ(content(zip, zip.entries()[0]), text_of(1000));
  EXPECT_EQ(content(zip, zip.entries()[1]), "content");
}

TEST_F(Zips, MayFollowOtherBytes) {
  for (const bool zip64 : {false, true}) {
    SampleZip sample{{{"a", "content"}}};
    sample.prepended = "#!/bin/sh\nexec unzip $0\n";
    sample.has_zip64_end = zip64;
    const ZipReader zip = reader(sample);
    EXPECT_EQ(content(zip, zip.entries()[0]), "content");
  }
}

TEST_F(Zips, MayLieInAStretchOfAFile) {
  const ZipReader zip = reader("1234567" + SampleZip{{{"a", "b"}, {"s", "stored", 0}}}.bytes(), 7);
  EXPECT_EQ(content(zip, zip.entries()[0]), "b");
  const auto range = zip.open(zip.entries()[1])->range();
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(folder_.read("sample.zip").substr(range->offset, range->size), "stored");
  EXPECT_FALSE(zip.open(zip.entries()[0])->range().has_value());
}

TEST_F(Zips, OfPythonsWriterAreRead) {
  output_of({"/usr/bin/python3", "-c",
             "import sys, zipfile\n"
             "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as out:\n"
             "    out.writestr('small', b'x' * 100)\n"
             "    with out.open('wide', 'w', force_zip64=True) as member:\n"
             "        for i in range(200000): member.write(b'%d\\n' % (i * 7919 % 10007))\n"
             "    out.writestr(zipfile.ZipInfo('\u8bf4\u660e.txt'), b'stored')\n",
             (folder_ / "python.zip").string()});
  const ZipReader zip = reader(folder_.read("python.zip"));
  ASSERT_EQ(zip.entries().size(), 3U);
  EXPECT_EQ(content(zip, zip.entries()[0]), std::string(100, 'x'));
  EXPECT_EQ(content(zip, zip.entries()[1]).size(), zip.entries()[1].size);
  EXPECT_EQ(zip.entries()[2].path, "说明.txt");
}

TEST_F(Zips, MarkNamesThatPointOut) {
  const ZipReader zip =
      reader(SampleZip{{{"../evil", "x"}, {"/etc/passwd", "x"}, {"a/../b", "x"}, {"a..b", "x"}}});
  std::vector<bool> marked;
  for (const ZipEntry& entry : zip.entries()) marked.push_back(entry.escapes);
  EXPECT_THAT(marked, ElementsAre(true, true, true, false));
}

TEST_F(Zips, ListWhatTheyCannotRead) {
  EXPECT_THAT(reading_refusal({{{"secret", "x", 0, 0100644, 0x801}}}), HasSubstr("encrypted"));
  EXPECT_THAT(reading_refusal({{{"secret", "x", 0, 0100644, 0x40}}}), HasSubstr("encrypted"));
  EXPECT_THAT(reading_refusal({{{"packed", "x", 14}}}),
              HasSubstr("compressed with a method that wheels do not use"));
  EXPECT_THAT(reading_refusal({{{"patch", "x", 8, 0100644, 0x20}}}),
              HasSubstr("compressed with a method that wheels do not use"));
  EXPECT_THAT(reading_refusal({{{std::string("a\0b", 3), "x"}}}),
              HasSubstr("its name contains a NUL byte"));
  EXPECT_THAT(reading_refusal({{{"", "x"}}}), HasSubstr("has no name"));
}

TEST_F(Zips, AreRefusedWhereALocalHeaderSaysOtherwise) {
  ZipMember other_name{"a.py", "x"};
  other_name.local_name = "b.py";
  EXPECT_THAT(reading_refusal({{other_name}}),
              HasSubstr("its local header does not match the central directory"));
  ZipMember longer_name{"a.py", "x"};
  longer_name.local_name = "a.pyc";
  EXPECT_THAT(reading_refusal({{longer_name}}),
              HasSubstr("its local header does not match the central directory"));
  ZipMember other_method{"a.py", "x", 0};
  other_method.local_method = 8;
  EXPECT_THAT(reading_refusal({{other_method}}),
              HasSubstr("its local header does not match the central directory"));
}

TEST_F(Zips, AreRefusedWhereContentIsNotWhatTheDirectorySays) {
  for (const unsigned method : {0U, 8U}) {
    ZipMember wrong{"a", text_of(500), method};
    wrong.crc = 1;
    EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("its CRC does not match"));
  }
  ZipMember shorter{"a", text_of(500)};
  shorter.size = 600;
  EXPECT_THAT(reading_refusal({{shorter}}), AnyOf(HasSubstr("damaged"), HasSubstr("smaller")));
  ZipMember longer{"a", text_of(500)};
  longer.size = 400;
  EXPECT_THAT(reading_refusal({{longer}}), HasSubstr("decompression bomb: "));
  ZipMember garbage{"a", "x"};
  garbage.packed = "\xff\xff\xff";
  EXPECT_THAT(reading_refusal({{garbage}}), HasSubstr("damaged deflate data"));
  ZipMember followed{"a", "x"};
  followed.packed = deflated("x") + "more";
  EXPECT_THAT(reading_refusal({{followed}}), HasSubstr("trailing bytes after its deflate data"));
  ZipMember two_sizes{"a", "abc", 0};
  two_sizes.size = 4;
  EXPECT_THAT(reading_refusal({{two_sizes}}),
              HasSubstr("stored uncompressed with a different size"));
}

TEST_F(Zips, AreRefusedWhereAStreamIsNotWhatTheDirectorySays) {
  ZipMember wrong = large_member();
  wrong.crc = 1;
  EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("its CRC does not match"));
  wrong.crc.reset();
  wrong.size = wrong.bytes.size() - 1;
  EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("decompression bomb: "));
  wrong.size = wrong.bytes.size() + 1;
  EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("smaller than"));
  wrong.size.reset();
  *wrong.packed += "more";
  EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("trailing bytes after its deflate data"));
  wrong.packed->resize(wrong.packed->size() / 2);
  EXPECT_THAT(reading_refusal({{wrong}}), HasSubstr("damaged deflate data"));
}

TEST_F(Zips, ThatClaimMoreThanDeflateCanPackAreBombs) {
  ZipMember bomb{"a", std::string(1000, '\0')};
  bomb.size = 1'000'000;
  EXPECT_THAT(reading_refusal({{bomb}}), HasSubstr("decompression bomb: "));
  const std::string zeros(3'000'000, '\0');
  const ZipReader honest = reader(SampleZip{{{"zeros", zeros}}});
  EXPECT_TRUE(content(honest, honest.entries()[0]) == zeros);
}

TEST_F(Zips, WhoseEntriesOverlapAreBombs) {
  ZipMember twin{"b", "same"};
  twin.offset = 0;
  EXPECT_THAT(refusal(SampleZip{{{"a", "same"}, twin}}.bytes()), HasSubstr("overlaps another"));
  // The whole of a member inside another one.
  const std::string inner = SampleZip{{{"in", "x", 0}}}.bytes().substr(0, 33);
  ZipMember outer{"out", inner + "rest", 0};
  ZipMember hidden{"in", "x", 0};
  hidden.offset = 33;
  EXPECT_THAT(refusal(SampleZip{{outer, hidden}}.bytes()), HasSubstr("overlaps another"));
  // Only the local header shows that the data reach into the next entry.
  ZipMember long_extra{"a", "xy", 0};
  long_extra.local_extra = std::string(4, '\0');
  std::string bytes = SampleZip{{long_extra, {"b", "z", 0}}}.bytes();
  bytes[28] = 8;
  EXPECT_THAT(refusal(bytes), HasSubstr("overlaps another"));
}

TEST_F(Zips, WithEntriesOutsideAreRefused) {
  for (const std::uint64_t offset : {std::uint64_t{1000}, std::uint64_t{0xFFFFFFFE}}) {
    ZipMember far{"a", "x"};
    far.offset = offset;
    EXPECT_THAT(refusal(SampleZip{{far}}.bytes()), HasSubstr("lies outside"));
  }
  ZipMember huge{"a", "x"};
  huge.has_zip64_field = true;
  huge.compressed_size = ~0ULL;
  EXPECT_THAT(refusal(SampleZip{{huge}}.bytes()), HasSubstr("lies outside"));
  huge.compressed_size = 3;
  huge.offset = ~0ULL - 5;
  EXPECT_THAT(refusal(SampleZip{{huge}}.bytes()), HasSubstr("lies outside"));
}

TEST_F(Zips, WithADamagedDirectoryAreRefused) {
  SampleZip sample{{{"a", "x"}}};
  sample.extra_directory = "more";
  EXPECT_THAT(refusal(sample.bytes()), HasSubstr("a damaged zip central directory"));
  std::string miscounted = SampleZip{{{"a", "x"}, {"b", "y"}}}.bytes();
  for (const std::size_t back : {12U, 14U}) miscounted[miscounted.size() - back] = 1;
  EXPECT_THAT(refusal(miscounted), HasSubstr("a damaged zip central directory"));
  for (const std::size_t back : {12U, 14U}) miscounted[miscounted.size() - back] = 3;
  EXPECT_THAT(refusal(miscounted), HasSubstr("a damaged zip central directory"));
  ZipMember no_field{"a", "x"};
  no_field.size = 0xFFFFFFFF;
  EXPECT_THAT(refusal(SampleZip{{no_field}}.bytes()), HasSubstr("a damaged zip64 field"));
}

TEST_F(Zips, InSeveralPartsAreRefused) {
  for (const std::size_t back : {18U, 16U, 14U}) {
    std::string bytes = SampleZip{{{"a", "x"}}}.bytes();
    bytes[bytes.size() - back] = 7;
    EXPECT_THAT(refusal(bytes), HasSubstr("a multi-part zip archive")) << back;
  }
}

TEST_F(Zips, WhoseTwoEndRecordsDifferAreRefused) {
  SampleZip sample{{{"a", "x"}}};
  sample.has_zip64_end = true;
  std::string bytes = sample.bytes();
  bytes[bytes.size() - 14] = 2;
  bytes[bytes.size() - 13] = 0;
  bytes[bytes.size() - 12] = 2;
  bytes[bytes.size() - 11] = 0;
  EXPECT_THAT(refusal(bytes), HasSubstr("a damaged zip64 end record"));
}

TEST_F(Zips, WithAbsurdListsAreBombs) {
  std::string end = SampleZip{}.bytes();
  SampleZip wide;
  wide.has_zip64_end = true;
  end = wide.bytes();
  // A million and one entries.
  const std::string count = detail::little(1'000'001, 8);
  end.replace(24, 8, count).replace(32, 8, count);
  EXPECT_THAT(refusal(end), HasSubstr("decompression bomb: 1000001 entries"));
}

TEST_F(Zips, ThatAreNoneAreRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("PK"), std::string(21, 'x'), std::string(200'000, 'x')}) {
    EXPECT_THAT(refusal(bytes), HasSubstr("not a zip archive, or a truncated one"));
  }
}

std::string everything() {
  SampleZip sample{{{"a/b.py", text_of(50)}, {"stored", "stored text", 0}, {"e/", "", 0, 040755}}};
  sample.members[0].has_zip64_field = true;
  sample.members[1].has_descriptor = true;
  sample.has_zip64_end = true;
  return sample.bytes();
}

TEST_F(Zips, AreRefusedWhenCutShortAnywhere) {
  const std::string whole = everything();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    refusal(whole.substr(0, length));
  }
}

TEST_F(Zips, WithAFlippedBitAreReadOrRefused) {
  const std::string whole = everything();
  const ZipReader sound = reader(whole);
  for (std::size_t bit = 0; bit < whole.size() * 8; bit += 3) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1U << (bit % 8)));
    try {
      const ZipReader zip = reader(damaged);
      for (const ZipEntry& entry : zip.entries()) {
        // What can be read is what was packed: the CRC stands for it.
        const std::string text = content(zip, entry);
        EXPECT_TRUE(text == text_of(50) || text == "stored text" || text.empty()) << bit;
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_package) << bit;
    }
  }
}

TEST_F(Zips, CutShortWhileTheyAreReadAreRefused) {
  const ZipReader zip = reader(SampleZip{{{"a", text_of(100'000)}, {"b", "x", 0}}});
  std::filesystem::resize_file(folder_ / "sample.zip", 1000);
  for (const ZipEntry& entry : zip.entries()) {
    for (ZipBuffers* const buffers : {&at_once_, &streams_}) {
      EXPECT_THAT(thrown_by([&] { pieces(zip, entry, *buffers); }).message(),
                  HasSubstr("truncated"));
    }
    EXPECT_THAT(thrown_by([&] { zip.text(entry, 1U << 20U); }).message(), HasSubstr("truncated"));
  }
}

TEST_F(Zips, AreNeverReadAsTextBeyondTheBound) {
  const ZipReader zip = reader(SampleZip{{{"a", text_of(1000)}}});
  EXPECT_EQ(zip.text(zip.entries()[0], 1000).size(), 1000U);
  EXPECT_THAT(thrown_by([&] { zip.text(zip.entries()[0], 999); }).message(),
              HasSubstr("larger than 999 B"));
}

}  // namespace
}  // namespace topsctl
