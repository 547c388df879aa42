// What one pass over a deb's data finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/small_library.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/debian/deb_contents.hpp"
#include "topsctl/host/debian/deb_control.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string md5(const std::string& bytes) {
  Md5 digest;
  digest.update(bytes);
  return digest.hex();
}

struct Read {
  Package package;
  Contents contents;
};

Read read(const std::string& bytes) {
  Read read;
  const auto source = text_source(bytes);
  read_deb_members(
      *source, "a.deb", {}, read.package,
      {[&](Source& tar) { read_control_archive(tar, "a.deb", read.package); },
       [&](Source& tar) { read_data_archive(tar, "a.deb", read.package, read.contents); }});
  return read;
}

Read read_data(const std::vector<Member>& data, const std::string& md5sums = {}) {
  return read(deb_bytes(control_text("a", "1"), data, md5sums));
}

TEST(Digests, OfMd5AreThoseOfTheStandard) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  Md5 digest;
  digest.update("message ");
  digest.update("digest");
  EXPECT_EQ(digest.hex(), "f96b697d7cb7938d525a2f31aaf161d0");
  digest.update("abc");
  EXPECT_EQ(digest.hex(), "900150983cd24fb0d6963f7d28e17f72") << "it began anew";
}

TEST(DebContents, ThatAreAsMd5sumsSaysHaveNoMismatch) {
  const Read found =
      read_data({{"./usr/a", "one"}, {"./usr/b", "", '1', "./usr/a"}, {"./usr/c", "three"}},
                md5("one") + "  usr/a\n" + md5("one") + "  usr/b\n" + md5("three") + " *./usr/c\n");
  EXPECT_THAT(found.contents.mismatches, IsEmpty());
  EXPECT_EQ(found.contents.list_name, "md5sums");
  EXPECT_EQ(found.contents.files_checked, 3U);
  EXPECT_EQ(found.contents.unpacked_size, 8U);
  ASSERT_TRUE(found.package.files.has_value());
  EXPECT_FALSE(found.package.files_are_claims);
  EXPECT_EQ((*found.package.files)[1].link_target, "/usr/a");
}

TEST(DebContents, ThatDifferFromMd5sumsAreNamed) {
  const Read found =
      read_data({{"./usr/a", "one"}, {"./usr/b", "two"}},
                md5("two") + "  usr/b\n" + md5("else") + "  usr/a\n" + md5("x") + "  usr/gone\n");
  ASSERT_THAT(found.contents.mismatches, SizeIs(2));
  EXPECT_EQ(found.contents.mismatches[0],
            (Mismatch{Mismatch::Kind::digest, "/usr/a", md5("else"), md5("one")}));
  EXPECT_EQ(found.contents.mismatches[1],
            (Mismatch{Mismatch::Kind::missing, "/usr/gone", md5("x"), ""}));
}

TEST(DebContents, KnowModesOwnersTimesAndTypes) {
  const TemporaryFolder folder;
  folder.write("tree/DEBIAN/control", control_text("a", "1"));
  folder.write("tree/usr/bin/x", "bytes");
  ::chmod((folder / "tree/usr/bin/x").c_str(), 04755);
  output_of({"dpkg-deb", "--root-owner-group", "--build", (folder / "tree").string(),
             (folder / "a.deb").string()});
  const Read found = read(TemporaryFolder::read_bytes(folder / "a.deb"));
  EXPECT_EQ(found.package.deb->compression, "xz");
  EXPECT_EQ(found.package.deb->format, "2.0");
  const PayloadEntry& file = found.package.files->back();
  EXPECT_EQ(file.path, "/usr/bin/x");
  EXPECT_EQ(file.mode, 04755U);
  EXPECT_EQ(file.owner, "root/root");
  EXPECT_GT(file.mtime, 1'500'000'000);
}

std::vector<std::string> strange(const Read& found) {
  std::vector<std::string> names;
  for (const StrangeEntry& entry : found.contents.strange) {
    names.push_back(concat(name(entry.kind), " ", entry.path));
  }
  return names;
}

TEST(StrangeEntries, AreNamedAndTheRestIsReadOn) {
  const Read found = read_data({{"./usr/a", "x"},
                                {"../etc/cron.d/evil", "x"},
                                {"/etc/evil", "x"},
                                {"./usr/link", "", '2', "../../outside"},
                                {"./usr/fine", "", '2', "../etc/x"},
                                {"./usr/absolute", "", '2', "/opt/x"},
                                {"./dev/sda", "", '4'},
                                {"./usr/a", "again"},
                                {"./usr/z", "last"}});
  EXPECT_THAT(strange(found),
              ElementsAre("escapes ../etc/cron.d/evil", "escapes /etc/evil",
                          "link-escapes /usr/link", "device /dev/sda", "duplicate /usr/a"));
  EXPECT_EQ(found.package.files->back().path, "/usr/z");
}

TEST(StrangeEntries, AreThoseThatGoThroughALinkOfTheSamePackage) {
  const Read found =
      read_data({{"./usr/out", "", '2', "/etc"}, {"./usr/out/passwd", "x"}, {"./usr/outer", "x"}});
  EXPECT_THAT(strange(found), ElementsAre("link-escapes /usr/out/passwd"));
}

// dpkg links the target of the host into place and gives it the entry's owner and mode.
TEST(StrangeEntries, AreHardLinksToWhatIsNoEarlierFileOfThePackage) {
  const Read found = read_data({{"./usr/a", "x"},
                                {"./usr/fine", "", '1', "./usr/a"},
                                {"./usr/chain", "", '1', "usr//fine"},
                                {"./etc/shadow2", "", '1', "./etc/shadow"},
                                {"./etc/shadow3", "", '1', "./etc/shadow2"},
                                {"./usr/early", "", '1', "./usr/later"},
                                {"./usr/itself", "", '1', "./usr/itself"},
                                {"./usr/later", "x"},
                                {"./usr/link", "", '2', "later"},
                                {"./usr/linked", "", '1', "./usr/link"},
                                {"./usr/folder", "", '5'},
                                {"./usr/of-folder", "", '1', "./usr/folder"}});
  ASSERT_THAT(strange(found),
              ElementsAre("hard-link-outside /etc/shadow2", "hard-link-outside /etc/shadow3",
                          "hard-link-outside /usr/early", "hard-link-outside /usr/itself",
                          "hard-link-outside /usr/linked", "hard-link-outside /usr/of-folder"));
  EXPECT_EQ(found.contents.strange.front().detail, "/etc/shadow");
}

TEST(StrangeEntries, AreNamesThatReadOtherwiseThanTheyAre) {
  EXPECT_THAT(
      strange(read_data({{"./opt/\u202egnp.sh", "x"}, {"./opt/\u8bf4", "x"}, {"./\xe9", ""}})),
      ElementsAre("bad-name /opt/?gnp.sh"));
}

TEST(StrangeEntries, ArePipesToo) {
  EXPECT_THAT(strange(read_data({{"./run/pipe", "", '6'}})), ElementsAre("device /run/pipe"));
}

TEST(DebContents, TellLibrariesFromStandIns) {
  const Read found = read_data({{"./usr/lib/libeccl.so", small_library()},
                                {"./usr/lib/libfake.so.1", "sixteen bytes ok"},
                                {"./usr/lib/libc.so", "/* GNU ld script */ GROUP ( x )"},
                                {"./usr/lib/libterm.so", "/* We use a linker script as a link */"},
                                {"./usr/share/gdb/libx.so.6.0.30-gdb.py", "import gdb"},
                                {"./usr/lib/libx.so.1.TOC", "libx.so.1"},
                                {"./usr/share/readme", "text"}});
  ASSERT_THAT(found.contents.elf_files, SizeIs(1));
  EXPECT_EQ(found.contents.elf_files[0].path, "/usr/lib/libeccl.so");
  EXPECT_EQ(found.contents.elf_files[0].facts.machine, "x86-64");
  EXPECT_THAT(found.contents.not_elf, ElementsAre("/usr/lib/libfake.so.1 (16 bytes)"));
}

TEST(Debs, OfTheOldFormatAreRead) {
  const TemporaryFolder folder;
  folder.write("tree/DEBIAN/control", control_text("a", "1"));
  folder.write("tree/usr/bin/x", "bytes");
  output_of({"dpkg-deb", "--deb-format=0.939000", "--build", (folder / "tree").string(),
             (folder / "a.deb").string()});
  const std::string bytes = TemporaryFolder::read_bytes(folder / "a.deb");
  EXPECT_TRUE(looks_like_deb(bytes));
  const Read found = read(bytes);
  EXPECT_EQ(found.package.name, "a");
  EXPECT_EQ(found.package.deb->format, "0.939000");
  EXPECT_EQ(found.package.files->back().path, "/usr/bin/x");
  for (std::size_t part = 0; part < 10; ++part) {
    thrown_by([&] { read(bytes.substr(0, bytes.size() * part / 10)); });
  }
}

TEST(Debs, MayHaveMembersThatDpkgPassesOver) {
  const std::string control = tar_bytes({{"./control", control_text("a", "1")}});
  const std::string data = tar_bytes({{"./usr/a", "x"}});
  const Read found = read(ar_bytes({{"debian-binary/", "2.0\n"},
                                    {"_gpgorigin", "odd"},
                                    {"control.tar/", control},
                                    {"_gpgbuilder", "x"},
                                    {"data.tar", data},
                                    {"later", "whatever"}}));
  EXPECT_EQ(found.package.name, "a");
  EXPECT_THAT(*found.package.files, SizeIs(1));
}

TEST(Debs, WithOtherMembersBeforeTheDataAreRefused) {
  const std::string control = tar_bytes({{"./control", control_text("a", "1")}});
  const std::string data = tar_bytes({});
  for (const auto& members :
       {std::vector<Member>{
            {"debian-binary", "2.0\n"}, {"x", ""}, {"control.tar", control}, {"data.tar", data}},
        std::vector<Member>{
            {"debian-binary", "2.0\n"}, {"data.tar", data}, {"control.tar", control}},
        std::vector<Member>{
            {"debian-binary", "3.0\n"}, {"control.tar", control}, {"data.tar", data}},
        std::vector<Member>{
            {"debian-binary", "2.0\n"}, {"control.tar.rar", control}, {"data.tar", data}}}) {
    EXPECT_EQ(thrown_by([&] { read(ar_bytes(members)); }).code(), ErrorCode::bad_package);
  }
}

TEST(Debs, ClaimTheirFilesByMd5sumsAndConffiles) {
  Package package;
  const std::string bytes = deb_bytes(control_text("a", "1"), {},
                                      md5("x") + "  usr/a\nnonsense\n" + md5("x") + "  ../evil\n");
  const auto source = text_source(bytes);
  read_deb_members(*source, "a.deb", {}, package,
                   {[&](Source& tar) { read_control_archive(tar, "a.deb", package); }, {}});
  ASSERT_TRUE(package.files.has_value());
  EXPECT_TRUE(package.files_are_claims);
  ASSERT_THAT(*package.files, SizeIs(1));
  EXPECT_EQ(package.files->front().path, "/usr/a");
}

TEST(Debs, KeepTheirScriptsAndRelations) {
  Package package;
  const std::string control = control_text("a", "1") +
                              "Depends: libc6 (>= 2.27),\n libelf1 | libelf2\nConflicts: old\n"
                              "Replaces: old (<< 2)\nMulti-Arch: same\nEssential: yes\n";
  const std::string bytes =
      ar_bytes({{"debian-binary", "2.0\n"},
                {"control.tar", tar_bytes({{"./control", control},
                                           {"./preinst", "#!/bin/sh\nset -e\n"},
                                           {"./conffiles", "/etc/a.conf\n"},
                                           {"./triggers", "activate-noawait ldconfig\n"}})},
                {"data.tar", tar_bytes({})}});
  const auto source = text_source(bytes);
  read_deb_members(*source, "a.deb", {}, package,
                   {[&](Source& tar) { read_control_archive(tar, "a.deb", package); }, {}});
  EXPECT_EQ(package.deb->depends, "libc6 (>= 2.27), libelf1 | libelf2");
  EXPECT_THAT(package.depends, ElementsAre("libc6 (>= 2.27)", "libelf1 | libelf2"));
  EXPECT_THAT(package.displaces, ElementsAre("old", "old"));
  EXPECT_EQ(package.deb->multi_arch, "same");
  EXPECT_TRUE(package.deb->essential);
  EXPECT_THAT(package.deb->conffiles, ElementsAre("/etc/a.conf"));
  ASSERT_THAT(package.deb->scripts, SizeIs(1));
  EXPECT_EQ(package.deb->scripts[0].text, "#!/bin/sh\nset -e\n");
}

Package package_with(const std::vector<Member>& members) {
  Package package;
  const std::string bytes = ar_bytes({{"debian-binary", "2.0\n"},
                                      {"control.tar", tar_bytes(members)},
                                      {"data.tar", tar_bytes({})}});
  const auto source = text_source(bytes);
  read_deb_members(*source, "a.deb", {}, package,
                   {[&](Source& tar) { read_control_archive(tar, "a.deb", package); }, {}});
  return package;
}

TEST(ControlArchives, HideNoScriptBehindALink) {
  const Member control{"./control", control_text("a", "1")};
  const Member script{"./preinst", "#!/bin/sh\nreboot\n"};
  const Package package = package_with({control, script, {"./postinst", "", '1', "./preinst"}});
  ASSERT_THAT(package.deb->scripts, SizeIs(2));
  EXPECT_EQ(package.deb->scripts[0].name, "postinst");
  EXPECT_EQ(package.deb->scripts[0].text, script.bytes);
  for (const Member& link : {Member{"./postinst", "", '1', "./elsewhere"},
                             Member{"./postinst", "", '2', "/etc/passwd"}}) {
    EXPECT_EQ(thrown_by([&] { package_with({control, link}); }).code(), ErrorCode::bad_package);
  }
}

TEST(ControlArchives, AreReadAsTheyAreUnpacked) {
  const Member control{"./control", control_text("a", "1")};
  EXPECT_EQ(package_with({{"./control", "no field\n"}, control}).name, "a");
  thrown_by([&] { package_with({control, {"./control", "no field\n"}}); });
  thrown_by([&] { package_with({control, {"./extra/", "", '5'}}); });
  thrown_by([&] { package_with({control, {"./extra/a", "x"}}); });
}

}  // namespace
}  // namespace topsctl
