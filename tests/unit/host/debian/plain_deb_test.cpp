// Copies of debs that need no decoding: the same archives, and no copy where it would not be one.
#include "topsctl/host/debian/plain_deb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t ample = 1U << 24U;

class PlainDebs : public testing::Test {
 protected:
  fs::path build(const std::string& compression) {
    folder_.write("tree/DEBIAN/control", control_text("tops-eccl", "2"));
    std::string noise;
    for (unsigned i = 0, x = 1; i < 600'001; ++i)
      noise.push_back(static_cast<char>((x = x * 75 + 74) >> 7U));
    folder_.write("tree/usr/lib/libeccl.so", noise);
    folder_.write("tree/usr/share/doc/名 字", "text\n");
    const fs::path file = folder_ / (compression + ".deb");
    output_of({"dpkg-deb", "--root-owner-group", "-Z" + compression, "--build",
               (folder_ / "tree").string(), file.string()});
    return file;
  }
  PlainDeb read(const fs::path& file, std::uint64_t bytes = ample) {
    Package package;
    read_deb_control(file, package);
    SpaceBudget budget(bytes);
    PlainDeb plain = read_deb_to_plain(file, package, copy_, budget);
    files_ = package.files;
    EXPECT_EQ(budget.take(bytes - (plain.is_written ? plain.size : 0)), true);
    EXPECT_EQ(budget.take(1), false);
    EXPECT_EQ(fs::exists(copy_), plain.is_written);
    return plain;
  }
  static std::string archive_of(const fs::path& deb, const char* which) {
    return output_of({"dpkg-deb", which, deb.string()});
  }

  TemporaryFolder folder_;
  fs::path copy_ = folder_ / "copy.deb";
  std::optional<std::vector<PayloadEntry>> files_;
};

TEST_F(PlainDebs, HaveTheVeryArchivesOfTheOriginal) {
  for (const char* compression : {"gzip", "xz", "zstd"}) {
    const fs::path file = build(compression);
    const PlainDeb plain = read(file);
    ASSERT_TRUE(plain.is_written) << compression;
    EXPECT_EQ(plain.sha256, sha256_of_file(file));
    EXPECT_EQ(plain.size, fs::file_size(copy_));
    EXPECT_GT(plain.size, 600'001U);
    for (const char* which : {"--fsys-tarfile", "--ctrl-tarfile"}) {
      EXPECT_TRUE(archive_of(file, which) == archive_of(copy_, which)) << compression << which;
    }
    EXPECT_EQ(output_of({"ar", "t", copy_.string()}), "debian-binary\ncontrol.tar\ndata.tar\n");
    Package package;
    read_deb_control(file, package);
    EXPECT_EQ(read_deb_payload(file, package).unpacked_size, plain.contents.unpacked_size);
    EXPECT_EQ(package.files, files_);
    fs::remove(copy_);
  }
}

TEST_F(PlainDebs, AreNotMadeWithoutRoom) {
  const fs::path file = build("xz");
  EXPECT_FALSE(read(file, 500'000).is_written);
  EXPECT_EQ(read(file, 500'000).sha256, sha256_of_file(file));
  EXPECT_EQ(files_->size(), 6U);
}

TEST_F(PlainDebs, AreNotMadeOfWhatIsNotCompressed) {
  EXPECT_FALSE(read(build("none")).is_written);
}

TEST_F(PlainDebs, AreNotMadeWhereTheyWouldLoseASignature) {
  const fs::path file = build("xz");
  folder_.write("_gpgorigin", "signature");
  output_of({"ar", "q", file.string(), (folder_ / "_gpgorigin").string()});
  const PlainDeb plain = read(file);
  EXPECT_FALSE(plain.is_written);
  EXPECT_EQ(plain.sha256, sha256_of_file(file));
}

TEST_F(PlainDebs, AreNotMadeOfDamagedPackages) {
  const fs::path file = build("xz");
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder_.write("xz.deb", bytes);
  Package package;
  read_deb_control(file, package);
  SpaceBudget budget(ample);
  const Error error = thrown_by([&] { read_deb_to_plain(file, package, copy_, budget); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_FALSE(fs::exists(copy_));
  EXPECT_TRUE(budget.take(ample));
}

}  // namespace
}  // namespace topsctl
