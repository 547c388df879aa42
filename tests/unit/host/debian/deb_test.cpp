// Debian packages: real ones of dpkg-deb, and such as no tool makes.
#include "topsctl/host/debian/deb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* control =
    "Package: tops-eccl\nVersion: 2.5.136-1\nArchitecture: amd64\nMaintainer: nobody "
    "<n@example.org>\n"
    "Installed-Size: 12\nPre-Depends: dpkg (>= 1.15)\nDepends: libc6 (>= 2.27),\n libelf1 | "
    "libelf2\n"
    "Description: a sample\n of several lines\n";

// Builds a package with dpkg-deb and returns its file.
fs::path build_deb(const TemporaryFolder& folder, const std::string& compression) {
  folder.write("tree/DEBIAN/control", control);
  folder.write("tree/DEBIAN/md5sums", "d41d8cd98f00b204e9800998ecf8427e  usr/lib/libeccl.so\n");
  std::string noise;
  for (unsigned i = 0, x = 1; i < 60'000; ++i)
    noise.push_back(static_cast<char>((x = x * 75 + 74) >> 7U));
  folder.write("tree/usr/lib/libeccl.so", noise);
  folder.write("tree/usr/share/doc/名 字", "text\n");
  if (!fs::exists(folder / "tree/usr/lib/link.so")) {
    fs::create_symlink("libeccl.so", folder / "tree/usr/lib/link.so");
    fs::create_hard_link(folder / "tree/usr/lib/libeccl.so", folder / "tree/usr/lib/same.so");
  }
  const fs::path file = folder / ("sample-" + compression + ".deb");
  output_of({"dpkg-deb", "--root-owner-group", "-Z" + compression, "--build",
             (folder / "tree").string(), file.string()});
  return file;
}

const PayloadEntry* entry(const Package& package, const std::string& path) {
  const auto found = std::find_if(package.files->begin(), package.files->end(),
                                  [&](const PayloadEntry& e) { return e.path == path; });
  return found == package.files->end() ? nullptr : &*found;
}

// Reads all there is; the Error if that fails.
std::optional<Error> failure_of(const fs::path& file) {
  try {
    Package package;
    read_deb_control(file, package);
    read_deb_payload(file, package);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

class RealDebs : public testing::TestWithParam<std::string> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(RealDebs, AreReadInFull) {
  const fs::path file = build_deb(folder_, GetParam());
  Package package;
  read_deb_control(file, package);
  EXPECT_EQ(package.name, "tops-eccl");
  EXPECT_EQ(package.version, "2.5.136-1");
  EXPECT_EQ(package.architecture, "amd64");
  EXPECT_EQ(package.installed_size, 12U * 1024U);
  EXPECT_THAT(package.depends,
              ElementsAre("dpkg (>= 1.15)", "libc6 (>= 2.27)", "libelf1 | libelf2"));
  EXPECT_THAT(package.md5sums, HasSubstr("usr/lib/libeccl.so"));
  EXPECT_FALSE(package.files.has_value());
  read_deb_payload(file, package);
  ASSERT_NE(entry(package, "/usr/lib"), nullptr);
  EXPECT_EQ(entry(package, "/usr/lib")->type, PayloadEntry::Type::directory);
  ASSERT_NE(entry(package, "/usr/share/doc/名 字"), nullptr);
  EXPECT_EQ(entry(package, "/usr/lib/link.so")->type, PayloadEntry::Type::symlink);
  const bool first = entry(package, "/usr/lib/same.so")->type == PayloadEntry::Type::hardlink;
  EXPECT_EQ(entry(package, first ? "/usr/lib/libeccl.so" : "/usr/lib/same.so")->size, 60'000U);
}

TEST_P(RealDebs, AreRefusedWhenTheyAreNotThoseOfBefore) {
  const fs::path file = build_deb(folder_, GetParam());
  Package package;
  read_deb_control(file, package);
  package.version = "2.4.87-1";
  const auto error = thrown_by([&] { read_deb_payload(file, package); });
  EXPECT_THAT(error.message(), HasSubstr("changed while it was read"));
}

TEST_P(RealDebs, AreRefusedWhenCutShortAnywhere) {
  const fs::path file = build_deb(folder_, GetParam());
  const std::string whole = TemporaryFolder::read_bytes(file);
  std::vector<std::size_t> lengths = {0, 1, 7, 8, 9, 67, 68, 72, 131, 132, 133, 200};
  for (std::size_t part = 1; part < 20; ++part) lengths.push_back(whole.size() * part / 20);
  lengths.push_back(whole.size() - 2);  // the last byte may be padding
  for (const std::size_t length : lengths) {
    const auto error = failure_of(folder_.write("cut.deb", whole.substr(0, length)));
    ASSERT_TRUE(error.has_value()) << length << " of " << whole.size();
    EXPECT_EQ(error->code(), ErrorCode::bad_package) << length;
    EXPECT_THAT(error->message(), HasSubstr("cannot read 'cut.deb'")) << length;
    EXPECT_FALSE(error->hint().empty()) << length;
  }
}

// What dpkg-deb refuses would only come out in the middle of an install.
TEST_P(RealDebs, AreRefusedWhenDpkgWouldRefuseThem) {
  if (GetParam() == "none") GTEST_SKIP() << "needs a checksum: plain tar has none";
  const fs::path file = build_deb(folder_, GetParam());
  const std::string whole = TemporaryFolder::read_bytes(file);
  const std::size_t data = whole.find("data.tar") + 60;
  for (int part = 1; part <= 12; ++part) {
    const std::size_t at =
        part == 12 ? whole.size() - 6 : data + (whole.size() - data) * unsigned(part) / 12;
    std::string damaged = whole;
    damaged[std::min(at, whole.size() - 1)] ^= 0x10;
    const fs::path copy = folder_.write("damaged.deb", damaged);
    const bool refused_by_dpkg =
        !run_program(
             {"sh", "-c", "exec dpkg-deb --fsys-tarfile \"$1\" >/dev/null", "sh", copy.string()})
             .ok();
    if (refused_by_dpkg) {
      EXPECT_TRUE(failure_of(copy).has_value()) << "byte " << at << " of " << whole.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RealDebs, testing::Values("gzip", "xz", "zstd", "none"),
                         [](const auto& info) { return info.param; });

// A tar may go on behind its own end, and the last checksum lies behind that.
TEST_P(RealDebs, AreRefusedForDamageBehindTheEndOfTheTar) {
  if (GetParam() == "none") GTEST_SKIP() << "needs a checksum: plain tar has none";
  const std::string suffix = GetParam() == "gzip" ? ".gz" : GetParam() == "xz" ? ".xz" : ".zst";
  const std::string tar =
      tar_bytes({{"./usr/x", std::string((2U << 18U) - 1536, 'x')}}) + std::string(8192, '\0');
  ASSERT_EQ(tar.size() % (1U << 18U), 8192U) << "a piece of its own holds only what is behind";
  const std::string data = run_program({GetParam(), "-c"}, tar).output;
  const std::string whole = ar_bytes({{"debian-binary", "2.0\n"},
                                      {"control.tar", tar_bytes({{"./control", control}})},
                                      {"data.tar" + suffix, data}});
  const fs::path sound = folder_.write("sound.deb", whole);
  ASSERT_FALSE(failure_of(sound).has_value());
  for (std::size_t back = 2; back <= 34; back += 4) {
    std::string damaged = whole;
    damaged[whole.size() - back] ^= 0x10;
    const fs::path copy = folder_.write("damaged.deb", damaged);
    if (!run_program(
             {"sh", "-c", "exec dpkg-deb --fsys-tarfile \"$1\" >/dev/null", "sh", copy.string()})
             .ok()) {
      EXPECT_TRUE(failure_of(copy).has_value()) << back << " bytes before the end";
    }
  }
}

std::string sample_control() {
  return control_text("a", "1");
}

TEST(Debs, MayBeMadeByHand) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.deb", deb_bytes(sample_control(), {{"./usr/x", "y"}}));
  EXPECT_FALSE(failure_of(file).has_value());
}

std::string refusal_of_deb(const std::string& bytes) {
  const TemporaryFolder folder;
  const auto error = failure_of(folder.write("a.deb", bytes));
  EXPECT_TRUE(error.has_value());
  if (!error) return "";
  EXPECT_EQ(error->code(), ErrorCode::bad_package);
  return error->message();
}

TEST(Debs, AreRefusedWhenTheyAreNoArArchive) {
  EXPECT_THAT(refusal_of_deb("not an archive"), HasSubstr("cannot read 'a.deb'"));
  EXPECT_THAT(refusal_of_deb(std::string(5000, 'x')), HasSubstr("damaged"));
}

TEST(Debs, AreRefusedWhenOnlyTheFirstBytesAreWrong) {
  std::string bytes = deb_bytes(sample_control(), {});
  bytes[0] = '?';
  EXPECT_THAT(refusal_of_deb(bytes), HasSubstr("cannot read 'a.deb'"));
}

TEST(Debs, AreRefusedWithoutOneOfTheirMembers) {
  const std::string tar = tar_bytes({{"./control", sample_control()}});
  EXPECT_THAT(refusal_of_deb(ar_bytes({{"x", "2.0\n"}})), HasSubstr("no member 'debian-binary'"));
  EXPECT_THAT(refusal_of_deb(ar_bytes({{"debian-binary", "2.0\n"}})),
              HasSubstr("no member 'control.tar'"));
  EXPECT_THAT(refusal_of_deb(ar_bytes({{"debian-binary", "2.0\n"}, {"control.tar", tar}})),
              HasSubstr("no member 'data.tar'"));
  EXPECT_THAT(
      refusal_of_deb(ar_bytes({{"control.tar", tar}, {"data.tar", tar}, {"debian-binary", ""}})),
      HasSubstr("no member 'debian-binary'"));
}

TEST(Debs, AreRefusedWithoutControlFile) {
  const std::string tar = tar_bytes({{"./other", "x"}});
  EXPECT_THAT(refusal_of_deb(
                  ar_bytes({{"debian-binary", "2.0\n"}, {"control.tar", tar}, {"data.tar", tar}})),
              HasSubstr("no control file"));
}

TEST(Debs, AreRefusedWithoutARequiredField) {
  for (const char* field : {"Package", "Version", "Architecture"}) {
    std::string text = sample_control();
    text.replace(text.find(field), 1, "X");
    EXPECT_THAT(refusal_of_deb(deb_bytes(text, {})), HasSubstr(concat("no field '", field, "'")));
  }
}

TEST(Debs, AreRefusedForNamesThatCouldBeMistaken) {
  for (const char* name : {"--force", "../x", "a b", "a/b", ".hidden", "a;b"}) {
    EXPECT_THAT(refusal_of_deb(deb_bytes(control_text(name, "1"), {})),
                HasSubstr("is not a valid package name"))
        << name;
  }
  for (const char* version : {"-1", "1/2", "1 2", "$(id)"}) {
    EXPECT_THAT(refusal_of_deb(deb_bytes(control_text("a", version), {})),
                HasSubstr("field 'Version'"));
  }
}

TEST(Debs, AreRefusedWhenAnEntryPointsOut) {
  for (const char* name : {"../etc/passwd", "./usr/../../etc/passwd", "/etc/passwd"}) {
    EXPECT_THAT(refusal_of_deb(deb_bytes(sample_control(), {{name, "x"}})),
                HasSubstr("points outside the package"));
  }
}

TEST(Debs, AreRefusedForHeadersThatLie) {
  const std::string whole = deb_bytes(sample_control(), {});
  for (const char* size : {"9999999999", "-1        ", "4x        ", "          "}) {
    std::string bytes = whole;
    bytes.replace(8 + 48, 10, size);
    EXPECT_THAT(refusal_of_deb(bytes), HasSubstr("cannot read")) << size;
  }
  std::string bytes = whole;
  bytes.replace(8 + 58, 2, "xx");
  EXPECT_THAT(refusal_of_deb(bytes), HasSubstr("a member header is damaged"));
}

TEST(Debs, AreRefusedForCountlessMembers) {
  EXPECT_THAT(refusal_of_deb(ar_bytes(std::vector<Member>(100, {"debian-binary", ""}))),
              HasSubstr("too many members"));
}

TEST(Debs, ThatAreMissingAreNoBadPackages) {
  Package package;
  const Error error = thrown_by([&] { read_deb_control("/nonexistent/a.deb", package); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
}

TEST(Debs, AreKnownByTheirFirstBytes) {
  EXPECT_TRUE(looks_like_deb("!<arch>\ndebian-binary"));
  EXPECT_FALSE(looks_like_deb("!<arch>"));
  EXPECT_FALSE(looks_like_deb("PK\3\4"));
}

}  // namespace
}  // namespace topsctl
