// Streaming of tar archives: those of real programs, and such as nobody should make.
#include "topsctl/host/archive/tar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using Type = PayloadEntry::Type;

// A tar in memory with its reader.
struct Tar {
  explicit Tar(std::string text) : bytes(std::move(text)), source(text_source(bytes)) {}
  std::string bytes;
  std::unique_ptr<Source> source;
  TarReader reader{*source, "archive.tar"};
};

TEST(Tars, GiveEntriesWithTheirContent) {
  Tar tar(tar_bytes({{"./", "", '5'},
                     {"./usr/", "", '5'},
                     {"./usr//lib/./a.so", "bytes"},
                     {"usr/lib/b.so", "", '2', "a.so"},
                     {"usr/lib/c.so", "", '1', "./usr/lib/a.so"}}));
  EXPECT_EQ(tar.reader.next()->path, "");
  const auto usr = tar.reader.next();
  EXPECT_EQ(usr->path, "usr");
  EXPECT_EQ(usr->raw_path, "./usr/");
  EXPECT_EQ(usr->type, Type::directory);
  const auto a = tar.reader.next();
  EXPECT_EQ(a->path, "usr/lib/a.so");
  EXPECT_EQ(a->type, Type::file);
  EXPECT_EQ(a->size, 5U);
  EXPECT_EQ(a->mode, 0644U);
  EXPECT_EQ(tar.reader.text(5), "bytes");
  const auto b = tar.reader.next();
  EXPECT_EQ(b->type, Type::symlink);
  EXPECT_EQ(b->link_target, "a.so");
  const auto c = tar.reader.next();
  EXPECT_EQ(c->type, Type::hardlink);
  EXPECT_EQ(c->link_target, "./usr/lib/a.so");
  EXPECT_FALSE(tar.reader.next().has_value());
}

TEST(Tars, RefuseEntriesOfTwoSizes) {
  std::string bytes = tar_bytes({{"a", "content"}});
  // GNU's magic, and the size of a sparse file beside the other one.
  bytes.replace(257, 8, "ustar  ");
  bytes.replace(483, 3, "012");
  bytes.replace(148, 8, "        ");
  const unsigned sum =
      std::accumulate(bytes.begin(), bytes.begin() + 512, 0U,
                      [](unsigned all, char c) { return all + static_cast<unsigned char>(c); });
  std::snprintf(bytes.data() + 148, 8, "%06o", sum);
  Tar tar(bytes);
  EXPECT_EQ(tar.reader.next()->size, 10U);
  EXPECT_THAT(thrown_by([&] { tar.reader.text(99); }).message(),
              HasSubstr("the size of an entry differs from its header"));
}

// What GNU tar makes of a file that is as long, with a byte here and there.
std::string sparse_tar(const std::string& format, std::uint64_t size, const std::string& middle) {
  const TemporaryFolder folder;
  folder.write("sparse", "a");
  std::filesystem::resize_file(folder / "sparse", size / 2);
  std::ofstream(folder / "sparse", std::ios::app) << middle;
  std::filesystem::resize_file(folder / "sparse", size);
  return output_of({"tar", "-C", folder.path().string(), "--sparse", "--format=" + format, "-cf",
                    "-", "sparse"});
}

TEST(SparseTars, GiveTheirHolesAsZeros) {
  for (const char* format : {"gnu", "posix"}) {
    const std::string bytes = sparse_tar(format, 3'000'000, "middle");
    EXPECT_LT(bytes.size(), 100'000U);
    Tar tar(bytes);
    const auto entry = tar.reader.next();
    EXPECT_TRUE(entry->is_sparse);
    EXPECT_EQ(entry->size, 3'000'000U);
    std::string expected(3'000'000, '\0');
    expected[0] = 'a';
    expected.replace(1'500'000, 6, "middle");
    EXPECT_TRUE(tar.reader.text(4'000'000) == expected) << format;
    EXPECT_FALSE(tar.reader.next().has_value());
  }
}

TEST(SparseTars, WithHolesWithoutAnEndAreBombs) {
  Tar tar(sparse_tar("gnu", 40ULL << 30U, "x"));
  ASSERT_TRUE(tar.reader.next().has_value());
  const Error error = thrown_by([&] {
    while (!tar.reader.piece().empty()) {
    }
  });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("decompression bomb: more than 16.0 GiB of holes"));
}

class TarFormats : public testing::TestWithParam<std::string> {};

TEST_P(TarFormats, KeepModesOwnersTimesAndLongNames) {
  const TemporaryFolder folder;
  const std::string deep = std::string(120, 'd') + "/" + std::string(110, 'n') + ".so";
  const bool old = GetParam() == "v7";
  const std::string name = old ? "short.so" : deep;
  folder.write("tree/" + name, "bytes");
  folder.write("tree/库/é.py", "x");
  ::chmod((folder / "tree" / name).c_str(), 04755);
  Tar tar(output_of({"tar", "-C", (folder / "tree").string(), "--format=" + GetParam(),
                     "--owner=root:0", "--group=staff:50", "--mtime=@1700000000", "--sort=name",
                     "-cf", "-", "."}));
  bool seen = false;
  bool seen_name = false;
  while (const auto entry = tar.reader.next()) {
    seen_name = seen_name || entry->path == "库/é.py";
    if (entry->path != name) continue;
    seen = true;
    EXPECT_EQ(entry->mode, 04755U);
    EXPECT_EQ(entry->owner, old ? "0/50" : "root/staff");
    EXPECT_EQ(entry->mtime, 1700000000);
    EXPECT_EQ(tar.reader.text(100), "bytes");
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(seen_name) << "names are bytes, whatever the locale";
}

INSTANTIATE_TEST_SUITE_P(Each, TarFormats, testing::Values("gnu", "pax", "v7"),
                         [](const auto& info) { return info.param; });

TEST(Tars, KnowDevicesAndPipes) {
  Tar tar(tar_bytes({{"c", "", '3'}, {"b", "", '4'}, {"p", "", '6'}}));
  EXPECT_EQ(tar.reader.next()->type, Type::character_device);
  EXPECT_EQ(tar.reader.next()->type, Type::block_device);
  EXPECT_EQ(tar.reader.next()->type, Type::fifo);
}

TEST(Tars, RefuseMoreTextThanWanted) {
  Tar tar(tar_bytes({{"a", std::string(1000, 'x')}}));
  tar.reader.next();
  const Error error = thrown_by([&] { tar.reader.text(999); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("larger than 999 B"));
}

TEST(Tars, RefuseEveryTruncationOfTheirContent) {
  const std::string whole = tar_bytes({{"a", std::string(700, 'x')}, {"b", "y"}});
  for (const std::size_t length : {100U, 511U, 512U, 600U, 1100U, 1600U, 2100U}) {
    const Error error = thrown_by([&] {
      Tar tar(whole.substr(0, length));
      std::size_t seen = 0;
      while (tar.reader.next()) {
        while (!tar.reader.piece().empty()) {
        }
        ++seen;
      }
      if (seen < 2) throw Error(ErrorCode::bad_package, "entries are missing");
    });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << length;
  }
}

TEST(Tars, RefuseWhatIsNone) {
  EXPECT_EQ(thrown_by([&] { Tar(std::string(2000, 'x')).reader.next(); }).code(),
            ErrorCode::bad_package);
}

TEST(Tars, HandOnWhatTheirSourceThrows) {
  class Failing : public Source {
   public:
    std::string_view piece() override { throw Error(ErrorCode::no_space, "cannot read the disk"); }
  } failing;
  EXPECT_EQ(thrown_by([&] { TarReader(failing, "a").next(); }).code(), ErrorCode::no_space);
}

TEST(Tars, AreReadToTheEndOfTheirSource) {
  std::string bytes = tar_bytes({{"a", "x"}});
  bytes += std::string(586 * 512, '\0');
  Tar tar(bytes);
  while (tar.reader.next()) {
  }
  EXPECT_TRUE(tar.source->piece().empty());
}

class StrangeNames : public testing::TestWithParam<const char*> {};

TEST_P(StrangeNames, AreMarked) {
  EXPECT_TRUE(path_escapes(GetParam()));
  Tar tar(tar_bytes({{"good", ""}, {GetParam(), "evil"}}));
  EXPECT_FALSE(tar.reader.next()->escapes);
  EXPECT_TRUE(tar.reader.next()->escapes);
}

INSTANTIATE_TEST_SUITE_P(Each, StrangeNames,
                         testing::Values("../evil", "a/../../evil", "/etc/evil", "./../evil", "..",
                                         "a/..", "//evil"));

TEST(DeepNames, AreRefused) {
  const auto levels = [](std::size_t count) {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) path += "d/";
    return path + "file";
  };
  EXPECT_NO_THROW(require_shallow(levels(127), "a.whl"));
  const Error error = thrown_by([&] { require_shallow(levels(128), "a.whl"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), testing::HasSubstr("is nested more than 128 directories deep"));
  EXPECT_LT(error.message().size(), 250U);
}

TEST(PlainPaths, LoseWhatMeansNothing) {
  EXPECT_EQ(plain_path("./a//b/./c/"), "a/b/c");
  EXPECT_EQ(plain_path("./"), "");
  EXPECT_EQ(plain_path("..a/b.."), "..a/b..");
  EXPECT_FALSE(path_escapes("..a/b../...c"));
}

}  // namespace
}  // namespace topsctl
