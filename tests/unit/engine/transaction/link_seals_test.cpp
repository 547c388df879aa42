// Digests of kept links: what was written into one is seen, whatever its size and time say.
#include "topsctl/engine/transaction/link_seals.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/restore_lines.hpp"
#include "support/sample_host.hpp"
#include "topsctl/engine/transaction/kept_contents.hpp"
#include "topsctl/engine/transaction/snapshot_release.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SealedLinks : public testing::Test {
 protected:
  SealedLinks() {
    for (const char* name : {"usr/lib/a", "usr/lib/b"}) sample_.folder.write(name, name);
    WriteSet set;
    set.paths = set.replaced = {"/usr/lib/a", "/usr/lib/b"};
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, set, store_.path(), summary);
  }

  void replace(const std::string& name) const {
    sample_.folder.write(name + ".new", "new");
    fs::rename(sample_.folder / (name + ".new"), sample_.folder / name);
  }
  void seal() {
    LinkSealer sealer(snapshot_, store_.path());
    sealer.finish();
  }
  fs::path link(const std::string& path) const {
    for (const KeptPath& kept : snapshot_.paths) {
      if (kept.path == path) return link_place(kept, store_.path());
    }
    return {};
  }
  // Other bytes of the same size, and the time as it was.
  void damage(const std::string& path) const {
    const auto time = fs::last_write_time(link(path));
    std::string bytes = read_text(link(path));
    bytes.back() ^= 1;
    overwrite_bytes(link(path), bytes);
    fs::last_write_time(link(path), time);
  }
  static void overwrite_bytes(const fs::path& file, const std::string& bytes) {
    const Descriptor output(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    write_all(output, bytes, file);
  }
  std::vector<std::string> restore() {
    return lines_of(restore_snapshot(sample_.host, snapshot_, store_.path()));
  }

  SampleHost sample_;
  TemporaryFolder store_;
  Snapshot snapshot_;
};

TEST_F(SealedLinks, AreReadOnceTheirFilesAreReplaced) {
  replace("usr/lib/a");
  seal();
  EXPECT_EQ(read_link_seals(store_.path()).at(link("/usr/lib/a").filename()).sha256,
            sha256_of("usr/lib/a"));
  EXPECT_THAT(restore(), IsEmpty());
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "usr/lib/a");
}

TEST_F(SealedLinks, ShowWhatWasWrittenIntoThemSince) {
  replace("usr/lib/a");
  seal();
  damage("/usr/lib/a");
  EXPECT_THAT(restore(), ElementsAre(HasSubstr("/usr/lib/a: it was overwritten in place")));
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "new");
}

TEST_F(SealedLinks, ShowItAfterAKillToo) {
  LinkSealer sealer(snapshot_, store_.path());
  sealer.finish();  // while both are the machine's still: as far as it had come
  replace("usr/lib/b");
  EXPECT_THAT(restore(), IsEmpty()) << "only a name has gone";
}

TEST_F(SealedLinks, KeepWhatWasWrittenInPlace) {
  LinkSealer sealer(snapshot_, store_.path());
  while (read_link_seals(store_.path()).size() < 2) std::this_thread::yield();
  damage("/usr/lib/a");
  sealer.finish();
  release_unchanged(sample_.host, snapshot_, store_.path());
  const auto kept = std::find_if(snapshot_.paths.begin(), snapshot_.paths.end(),
                                 [](const KeptPath& one) { return one.path == "/usr/lib/a"; });
  EXPECT_EQ(kept->keeping, Keeping::link) << "its rollback says that it is lost";
  EXPECT_THAT(restore(), ElementsAre(HasSubstr("/usr/lib/a")));
}

TEST_F(SealedLinks, AreNotReadAgainAsLongAsTheInodeIsTheSame) {
  replace("usr/lib/a");
  seal();
  const std::string content = link("/usr/lib/a").filename();
  LinkSeals seals = read_link_seals(store_.path());
  seals.at(content).sha256 = sha256_of("something else");
  KeptPath kept;
  kept.content = content;
  kept.keeping = Keeping::link;
  EXPECT_FALSE(has_broken_seal(kept, store_.path(), seals));
  seals.at(content).ctime_ns -= 1;
  EXPECT_TRUE(has_broken_seal(kept, store_.path(), seals));
}

TEST_F(SealedLinks, LeaveOutLinesThatAreNotWhole) {
  replace("usr/lib/a");
  seal();
  const fs::path file = store_.path() / "seals";
  const std::string text = read_text(file);
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    fs::resize_file(file, 0);
    overwrite_bytes(file, text.substr(0, size));
    for (const auto& [content, seal] : read_link_seals(store_.path()))
      EXPECT_EQ(seal.sha256, sha256_of("usr/lib/a"));
  }
  fs::resize_file(file, 0);
  overwrite_bytes(file, "c1 x 99999999999999999999 1\nc1 x -1 1\n\nc1\n");
  EXPECT_THAT(read_link_seals(store_.path()), IsEmpty());
}

}  // namespace
}  // namespace topsctl
