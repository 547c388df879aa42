// Trees in archives, packed into debs: what dpkg sees of them, and what is refused.
#include "topsctl/host/debian/tree_deb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Trees : public testing::Test {
 protected:
  void run(const std::string& command) const {
    const std::string line = concat("cd ", shell_quoted(folder_.path().string()), " && ", command);
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  std::string archive(const std::string& name) const { return (folder_ / name).string(); }
  TreeDeb as_vccl() const { return {"vccl", "2.26.62-1+cuda12.6", "/opt/vccl", "nccl.txz"}; }
  // Of what the commands leave in the folder `tree`.
  std::string packed(const std::string& commands) {
    run(concat("rm -rf tree a.tar.xz && mkdir -p tree/nccl/lib && ", commands,
               " && tar -C tree --numeric-owner --owner=1000 -cJf a.tar.xz ."));
    const fs::path deb = folder_ / concat("made-", ++made_, ".deb");
    write_tree_deb(archive("a.tar.xz"), as_vccl(), deb);
    return deb.string();
  }
  std::string refusal(const std::string& commands) {
    return thrown_by([&] { packed(commands); }).message();
  }
  static Package read(const std::string& deb) {
    const FoundFiles found{"it", {{deb, "it.deb"}}};
    Package package = read_inventory(found).packages.at(0);
    read_payload(package);
    return package;
  }

  TemporaryFolder folder_;
  int made_ = 0;
};

TEST_F(Trees, ArePackagesBelowTheirPrefix) {
  const Package package = read(packed(
      "echo lib > tree/nccl/lib/libnccl.so.2.26 && ln -s libnccl.so.2.26 "
      "tree/nccl/lib/libnccl.so.2 "
      "&& mkdir tree/nccl/bin && echo x > tree/nccl/bin/tool && chmod 4777 tree/nccl/bin/tool && "
      "ln tree/nccl/bin/tool tree/nccl/bin/zz"));
  EXPECT_EQ(package.problem, "");
  EXPECT_EQ(package.name, "vccl");
  EXPECT_EQ(package.version, "2.26.62-1+cuda12.6");
  EXPECT_EQ(package.architecture, "amd64");
  ASSERT_TRUE(package.files);
  std::vector<std::string> seen;
  for (const PayloadEntry& entry : *package.files) {
    EXPECT_EQ(entry.owner, "root/root") << entry.path;
    EXPECT_EQ(entry.mode & 07022U, entry.type == PayloadEntry::Type::symlink ? 022U : 0U)
        << entry.path;
    seen.push_back(concat(entry.path, entry.link_target.empty() ? "" : " -> ", entry.link_target));
  }
  EXPECT_THAT(
      seen, testing::UnorderedElementsAre(
                "/opt", "/opt/vccl", "/opt/vccl/bin", "/opt/vccl/bin/tool",
                "/opt/vccl/bin/zz -> /opt/vccl/bin/tool", "/opt/vccl/lib",
                "/opt/vccl/lib/libnccl.so.2 -> libnccl.so.2.26", "/opt/vccl/lib/libnccl.so.2.26"));
}

TEST_F(Trees, GiveTheSameBytes) {
  const std::string first = packed("echo lib > tree/nccl/lib/libnccl.so.2");
  write_tree_deb(archive("a.tar.xz"), as_vccl(), folder_ / "again.deb");
  EXPECT_EQ(read_text(first), read_text(folder_ / "again.deb"));
}

TEST_F(Trees, AreTakenByDpkg) {
  const std::string deb = packed("echo lib > tree/nccl/lib/libnccl.so.2");
  run(concat("dpkg-deb --info ", deb, " >info && dpkg-deb --contents ", deb,
             " >contents && dpkg-deb --ctrl-tarfile ", deb, " | tar -xO ./md5sums >md5sums"));
  EXPECT_THAT(read_text(folder_ / "info"), HasSubstr("Packed by topsctl from nccl.txz."));
  EXPECT_THAT(read_text(folder_ / "contents"), HasSubstr("./opt/vccl/lib/libnccl.so.2"));
  EXPECT_EQ(read_text(folder_ / "md5sums"),
            "7e65df4db6cda11f7a9d4b50df9bcae4  opt/vccl/lib/libnccl.so.2\n");
}

TEST_F(Trees, WithoutAFolderOfTheirOwnArePutAsTheyAre) {
  run("mkdir -p tree/lib && echo x >tree/lib/libnccl.so.2 && tar -C tree -czf a.tgz lib");
  write_tree_deb(archive("a.tgz"), as_vccl(), folder_ / "a.deb");
  EXPECT_EQ(read((folder_ / "a.deb").string()).files->back().path, "/opt/vccl/lib/libnccl.so.2");
}

TEST_F(Trees, DoNotLeadOutOfTheirFolder) {
  EXPECT_THAT(refusal("ln -s /etc/passwd tree/nccl/lib/x"),
              HasSubstr("is a link that points outside it"));
  EXPECT_THAT(refusal("ln -s ../../../x tree/nccl/lib/x"),
              HasSubstr("is a link that points outside it"));
  EXPECT_THAT(refusal("mkfifo tree/nccl/lib/x"), HasSubstr("is not a file, a directory or a link"));
  EXPECT_THAT(refusal("mkdir tree/other && echo x >tree/other/x && echo x >tree/nccl/x"),
              HasSubstr("it has two top-level entries:"));
  EXPECT_THAT(refusal("true"), HasSubstr("it contains no file"));
  run("mkdir -p tree/nccl && echo x >tree/nccl/x && tar -C tree --transform 's,^nccl,../nccl,' -P "
      "-cf a.tar nccl");
  EXPECT_THAT(
      thrown_by([&] { write_tree_deb(archive("a.tar"), as_vccl(), folder_ / "b.deb"); }).message(),
      HasSubstr("points outside it"));
}

}  // namespace
}  // namespace topsctl
