// Self-extracting archives: real ones of makeself, and headers of older versions.
#include "topsctl/host/archive/makeself.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string made(const TemporaryFolder& folder, std::vector<std::string> options) {
  folder.write("tree/setup.sh", "#!/bin/sh\ntouch " + (folder / "executed").string() + "\n");
  folder.write("tree/sdk/data.bin", std::string(200'000, 'x'));
  std::vector<std::string> argv = {"makeself", "--quiet"};
  argv.insert(argv.end(), options.begin(), options.end());
  const std::string file = (folder / "sample.run").string();
  argv.insert(argv.end(),
              {(folder / "tree").string(), file, "A sample of TopsRider", "./setup.sh", "-y"});
  output_of(argv);
  return TemporaryFolder::read_bytes(file);
}

struct Read {
  RunfileParts parts;
  std::vector<std::string> names;
};

Read read(const std::string& bytes) {
  const RunfileHeader header =
      parse_runfile_header(std::string_view(bytes).substr(0, 131072), "a.run");
  Read read;
  const auto source = text_source(bytes);
  read.parts = read_runfile(*source, header, "a.run", [&](std::size_t, Source& part) {
    auto peeked = std::make_unique<PeekedSource>(borrowed(part));
    const std::string compression(header.is_base64() ? "base64" : compression_of(peeked->peek(18)));
    const auto plain = decompressed(std::move(peeked), compression, {}, "a.run");
    TarReader tar(*plain, "a.run");
    while (const auto entry = tar.next()) {
      if (entry->type == PayloadEntry::Type::file) read.names.push_back(entry->path);
    }
  });
  return read;
}

class RealRunfiles : public testing::TestWithParam<const char*> {};

TEST_P(RealRunfiles, AreReadWithoutRunningAnything) {
  const TemporaryFolder folder;
  const std::string bytes = made(folder, {GetParam(), "--sha256"});
  ASSERT_TRUE(looks_like_runfile(std::string_view(bytes).substr(0, 131072)));
  const RunfileHeader header = parse_runfile_header(bytes, "a.run");
  EXPECT_EQ(header.label, "A sample of TopsRider");
  EXPECT_THAT(header.start_script, HasSubstr("./setup.sh"));
  ASSERT_EQ(header.sizes.size(), 1U);
  EXPECT_EQ(header.payload_offset + header.sizes[0], bytes.size());
  const Read found = read(bytes);
  EXPECT_TRUE(found.parts.are_sound);
  EXPECT_THAT(found.parts.checksums, Contains("md5 ok"));
  EXPECT_THAT(found.parts.checksums, Contains("sha256 ok"));
  EXPECT_THAT(found.names, testing::UnorderedElementsAre("setup.sh", "sdk/data.bin"));
  EXPECT_FALSE(std::filesystem::exists(folder / "executed"));
}

INSTANTIATE_TEST_SUITE_P(Each, RealRunfiles,
                         testing::Values("--gzip", "--bzip2", "--xz", "--zstd", "--nocomp", "--lz4",
                                         "--base64"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

TEST(Runfiles, WithAChangedByteHaveAWrongChecksum) {
  const TemporaryFolder folder;
  std::string bytes = made(folder, {"--nocomp"});
  bytes[bytes.find(std::string(1000, 'x')) + 500] ^= 1;
  const Read found = read(bytes);
  EXPECT_FALSE(found.parts.are_sound);
  EXPECT_THAT(found.parts.checksums, Contains("md5 wrong"));
}

TEST(Runfiles, WithACrcAloneAreChecked) {
  const TemporaryFolder folder;
  std::string bytes = made(folder, {"--nocomp", "--nomd5"});
  EXPECT_THAT(read(bytes).parts.checksums, Contains("crc ok"));
  bytes[bytes.find(std::string(1000, 'x')) + 500] ^= 1;
  EXPECT_THAT(read(bytes).parts.checksums, Contains("crc wrong"));
}

TEST(Runfiles, WithoutAnyChecksumSaySo) {
  const TemporaryFolder folder;
  const Read found = read(made(folder, {"--nocomp", "--nomd5", "--nocrc"}));
  EXPECT_THAT(found.parts.checksums,
              ElementsAre("md5 not used", "sha256 not used", "crc not used"));
  EXPECT_TRUE(found.parts.are_sound);
}

TEST(Runfiles, CutShortAreRefused) {
  const TemporaryFolder folder;
  const std::string bytes = made(folder, {"--gzip"});
  for (const std::size_t length : {bytes.size() - 1, bytes.size() - 100, std::size_t{19'000}}) {
    EXPECT_EQ(thrown_by([&] { read(bytes.substr(0, length)); }).code(), ErrorCode::bad_package);
  }
}

TEST(Runfiles, ThatAreEncryptedAreNamed) {
  const TemporaryFolder folder;
  folder.write("password", "secret\n");
  const std::string bytes = made(folder, {"--ssl-encrypt", "--ssl-passwd", "secret"});
  EXPECT_THAT(thrown_by([&] { read(bytes); }).message(), HasSubstr("it is encrypted"));
}

TEST(Runfiles, ThatArePackedInAnotherWayNameIt) {
  const TemporaryFolder folder;
  const std::string bytes = made(folder, {"--base64"});
  for (const std::string name : {"lzo", "bzip3", "gpg", "gpg-asymmetric"}) {
    std::string other = bytes;
    other.replace(other.find("Compression: base64"), 19, "Compression: " + name);
    const Error error = thrown_by([&] { read(other); });
    EXPECT_THAT(error.message(), HasSubstr("compressed with " + name));
    EXPECT_THAT(error.hint(), HasSubstr("--noexec"));
  }
}

TEST(Runfiles, OfBase64AreNotEncryptedWhereMakeselfNamesTheCommandAsIfTheyWere) {
  const TemporaryFolder folder;
  std::string bytes = made(folder, {"--base64"});
  // Makeself 2.7.1 has a command there, and no password.
  bytes.replace(bytes.find("decrypt_cmd=\"\""), 14, "decrypt_cmd=\"base64 -d\"");
  EXPECT_THAT(read(bytes).names, testing::UnorderedElementsAre("setup.sh", "sdk/data.bin"));
}

TEST(RunfileHeaders, NameTheirCompression) {
  const TemporaryFolder folder;
  const RunfileHeader header = parse_runfile_header(made(folder, {"--xz"}), "a.run");
  EXPECT_EQ(header.compression, "xz");
  EXPECT_TRUE(header.is_understood);
}

class OldRunfileHeaders : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(OldRunfileHeaders, AreUnderstood) {
  const auto& [version, head] = GetParam();
  const std::string payload = "payload";
  std::string header =
      concat("#!/bin/sh\n# This script was generated using Makeself ", version,
             "\n\nCRCsum=\"0000000000\"\n"
             "MD5=\"",
             std::string(32, '0'),
             "\"\nTMPROOT=${TMPDIR:=/tmp}\n\n"
             "label=\"old one\"\nscript=\"./install\"\nscriptargs=\"\"\ntargetdir=\"x\"\n"
             "filesizes=\"7\"\nkeep=n\n\noffset=`",
             head,
             " \"$0\" | wc -c | tr -d \" \"`\n"
             "exit 0\nlast line\n");
  ASSERT_EQ(std::count(header.begin(), header.end(), '\n'), 17);
  const RunfileHeader found = parse_runfile_header(header + payload, "old.run");
  EXPECT_EQ(found.makeself_version, version);
  EXPECT_EQ(found.label, "old one");
  EXPECT_EQ(found.payload_offset, header.size());
  EXPECT_THAT(found.sizes, ElementsAre(7U));
}

INSTANTIATE_TEST_SUITE_P(Each, OldRunfileHeaders,
                         testing::Values(std::pair("2.1.5", "head -n 17"),
                                         std::pair("2.0.1", "head -17")),
                         [](const auto& info) {
                           return std::string(
                               info.param.second == std::string("head -17") ? "of_2_0" : "of_2_1");
                         });

TEST(RunfileHeaders, ThatAreNoneOrDamagedAreRefused) {
  const std::string start = "#!/bin/sh\n# generated using Makeself 2.4.5\nCRCsum=\"1\"\n";
  for (const std::string& text :
       {std::string(), std::string("#!/bin/sh\necho\n"), start, start + "skip=\"999999999999\"\n",
        start + "skip=\"-1\"\n", start + "skip=\"500\"\n", start + "filesizes=\"x\"\nskip=\"2\"\n",
        start + "filesizes=\"99999999999999999999999\"\nskip=\"2\"\n"}) {
    EXPECT_EQ(thrown_by([&] { parse_runfile_header(text, "a.run"); }).code(),
              ErrorCode::bad_package)
        << text;
  }
}

TEST(RunfileHeaders, AreNeverExpanded) {
  const std::string text =
      "#!/bin/sh\n# generated using Makeself 2.4.5\nCRCsum=\"1\"\nlabel=\"$(touch "
      "/tmp/x)`id`\"\nskip=\"2\"\n";
  EXPECT_EQ(parse_runfile_header(text, "a.run").label, "$(touch /tmp/x)`id`");
}

}  // namespace
}  // namespace topsctl
