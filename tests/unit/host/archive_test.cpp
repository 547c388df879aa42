// Streaming of tar and zip archives, hostile entries included.
#include "topsctl/host/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../support/archives.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Type = PayloadEntry::Type;

ArchiveReader open_tar(const TemporaryFolder& folder, const std::string& bytes) {
  return ArchiveReader::tar(folder.write("archive.tar", bytes), 0, bytes.size(), "archive.tar");
}

ArchiveReader open_zip(const TemporaryFolder& folder, const std::string& bytes) {
  return ArchiveReader::zip(folder.write("archive.zip", bytes), "archive.zip");
}

TEST(TarArchives, GiveEntriesWithTheirContent) {
  const TemporaryFolder folder;
  ArchiveReader reader = open_tar(folder, tar_bytes({{"./", "", '5'},
                                                     {"./usr/", "", '5'},
                                                     {"./usr//lib/./a.so", "bytes"},
                                                     {"usr/lib/b.so", "", '2', "a.so"},
                                                     {"usr/lib/c.so", "", '1', "./usr/lib/a.so"}}));
  EXPECT_EQ(reader.next()->path, "");
  const auto usr = reader.next();
  EXPECT_EQ(usr->path, "usr");
  EXPECT_EQ(usr->type, Type::directory);
  const auto a = reader.next();
  EXPECT_EQ(a->path, "usr/lib/a.so");
  EXPECT_EQ(a->type, Type::file);
  EXPECT_EQ(a->size, 5U);
  EXPECT_EQ(a->mode, 0644U);
  EXPECT_EQ(reader.text(5), "bytes");
  const auto b = reader.next();
  EXPECT_EQ(b->type, Type::symlink);
  EXPECT_EQ(b->link_target, "a.so");
  const auto c = reader.next();
  EXPECT_EQ(c->type, Type::hardlink);
  EXPECT_EQ(c->link_target, "./usr/lib/a.so");
  EXPECT_FALSE(reader.next().has_value());
}

TEST(TarArchives, MayLieWithinAFile) {
  const TemporaryFolder folder;
  const std::string tar = tar_bytes({{"a", "inner"}});
  const auto file = folder.write("outer", "before" + tar + "after");
  ArchiveReader reader = ArchiveReader::tar(file, 6, tar.size(), "outer");
  EXPECT_EQ(reader.next()->path, "a");
  EXPECT_EQ(reader.text(100), "inner");
  EXPECT_FALSE(reader.next().has_value());
}

TEST(TarArchives, RefuseMoreTextThanWanted) {
  const TemporaryFolder folder;
  ArchiveReader reader = open_tar(folder, tar_bytes({{"a", std::string(1000, 'x')}}));
  reader.next();
  const Error error = thrown_by([&] { reader.text(999); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("larger than 999 B"));
}

TEST(TarArchives, RefuseEveryTruncationOfTheirContent) {
  const TemporaryFolder folder;
  const std::string tar = tar_bytes({{"a", std::string(700, 'x')}, {"b", "y"}});
  for (const std::size_t length : {100U, 511U, 512U, 600U, 1100U, 1600U, 2100U}) {
    const Error error = thrown_by([&] {
      ArchiveReader reader = open_tar(folder, tar.substr(0, length));
      std::size_t seen = 0;
      while (reader.next()) {
        while (!reader.piece().empty()) {
        }
        ++seen;
      }
      if (seen < 2) throw Error(ErrorCode::bad_package, "entries are missing");
    });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << length;
  }
}

TEST(TarArchives, RefuseWhatIsNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { open_tar(folder, std::string(2000, 'x')).next(); }).code(),
            ErrorCode::bad_package);
}

class HostileNames : public testing::TestWithParam<const char*> {};

TEST_P(HostileNames, AreRefusedInTarAndZip) {
  const TemporaryFolder folder;
  for (const bool zip : {false, true}) {
    const std::vector<Member> members = {{"good", ""}, {GetParam(), "evil"}};
    ArchiveReader reader =
        zip ? open_zip(folder, zip_bytes(members)) : open_tar(folder, tar_bytes(members));
    const Error error = thrown_by([&] {
      while (reader.next()) {
      }
    });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << GetParam();
    EXPECT_THAT(error.message(), HasSubstr("points out of the package")) << GetParam();
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HostileNames,
                         testing::Values("../evil", "a/../../evil", "/etc/evil", "./../evil", "..",
                                         "a/..", "//evil"));

TEST(ZipArchives, GiveEntriesWithTheirContent) {
  const TemporaryFolder folder;
  ArchiveReader reader =
      open_zip(folder, zip_bytes({{"a/", "", '5'}, {"a/b.txt", "bytes"}, {"l", "a", '2'}}));
  std::vector<std::string> seen;
  while (const auto entry = reader.next()) {
    seen.push_back(entry->path + (entry->type == Type::directory ? " folder"
                                  : entry->type == Type::symlink ? " link"
                                                                 : " " + reader.text(10)));
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("a folder", "a/b.txt bytes", "l link"));
}

TEST(ZipArchives, KeepNamesThatAreNotAscii) {
  const TemporaryFolder folder;
  ArchiveReader reader = open_zip(folder, zip_bytes({{"库/é.py", "x"}}));
  EXPECT_EQ(reader.next()->path, "库/é.py");
}

TEST(TarArchives, KeepNamesThatAreNotAscii) {
  const TemporaryFolder folder;
  ArchiveReader reader = open_tar(folder, tar_bytes({{"库/é.so", "x"}, {"\xff.so", "y"}}));
  EXPECT_EQ(reader.next()->path, "库/é.so");
  EXPECT_EQ(reader.next()->path, "\xff.so");
}

TEST(ZipArchives, RefuseContentThatIsNotWhatTheirDirectorySays) {
  const TemporaryFolder folder;
  std::string bytes = zip_bytes({{"a", "payload of a"}});
  bytes[bytes.find("payload")] = 'P';
  ArchiveReader reader = open_zip(folder, bytes);
  reader.next();
  EXPECT_EQ(thrown_by([&] { reader.text(100); }).code(), ErrorCode::bad_package);
}

TEST(ZipArchives, RefuseWhatIsNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { open_zip(folder, "no zip at all, but long enough for one"); }).code(),
            ErrorCode::bad_package);
  EXPECT_EQ(thrown_by([&] { open_zip(folder, ""); }).code(), ErrorCode::bad_package);
}

TEST(Archives, ThatAreMissingAreAnError) {
  const TemporaryFolder folder;
  thrown_by([&] { ArchiveReader::tar(folder / "none", 0, 10, "none"); });
  thrown_by([&] { ArchiveReader::zip(folder / "none", "none"); });
}

}  // namespace
}  // namespace topsctl
