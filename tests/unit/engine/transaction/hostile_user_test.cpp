// Another user who may write into a folder of the write set, and changes it while a snapshot is
// taken or put back: nothing outside of it is read, changed or removed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "support/sample_host.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// TOPSCTL_ATTACK_ROUNDS=1000 is for a campaign.
const int rounds = [] {
  const char* const wanted = std::getenv("TOPSCTL_ATTACK_ROUNDS");
  return wanted == nullptr ? 50 : std::atoi(wanted);
}();

// Does something over and over until it is ended.
class Attacker {
 public:
  explicit Attacker(std::function<void()> act)
      : thread_([this, act = std::move(act)] {
          while (!is_over_) {
            act();
            ++acts_;
          }
        }) {}
  ~Attacker() { end(); }
  int end() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return acts_;
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::atomic<int> acts_ = 0;
  std::thread thread_;
};

void exchange(const fs::path& a, const fs::path& b) {
  ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
}

class HostileUsers : public testing::Test {
 protected:
  HostileUsers() {
    for (const char* name : {"kept", "link", "new", "inner/x", "inner/new"}) {
      sample_.folder.write(std::string("precious/") + name, "precious");
    }
    for (const char* name : {"kept", "inner/x"}) sample_.folder.write(opt(name), "as it was");
    fs::create_symlink("kept", root() / opt("link"));
    fs::permissions(root() / opt("kept"), fs::perms(06755));
    write_set_.paths = {"/opt/d",      "/opt/d/kept",    "/opt/d/link",     "/opt/d/new",
                        "/opt/d/link", "/opt/d/inner/x", "/opt/d/inner/new"};
    write_set_.unpacked = write_set_.paths;
    std::sort(write_set_.unpacked.begin(), write_set_.unpacked.end());
    folder_ = Descriptor(::open((root() / "opt/d").c_str(), O_PATH | O_DIRECTORY));
    precious_ = states_of_precious();
  }

  static std::string opt(const std::string& name) { return "opt/d/" + name; }
  const fs::path& root() const { return sample_.folder.path(); }
  std::vector<FileState> states_of_precious() const {
    std::vector<FileState> states = {file_state(root() / "precious", Content::ignore)};
    for (const char* name : {"kept", "link", "new", "inner", "inner/x", "inner/new"}) {
      states.push_back(file_state(root() / "precious" / name, Content::digest));
    }
    return states;
  }
  void take() {
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, write_set_, store_.path(), summary);
  }
  // As an install does, in the folder itself wherever it lies now.
  void change() const {
    ::unlinkat(folder_.get(), "kept", 0);
    ::unlinkat(folder_.get(), "link", 0);
    for (const char* name : {"kept", "link", "new", "inner/x", "inner/new"}) {
      const Descriptor file(::openat(folder_.get(), name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
      if (file.is_open()) static_cast<void>(!::write(file.get(), "changed", 7));
    }
  }
  void restore_again_and_again() {
    for (int i = 0; i < rounds; ++i) {
      change();
      static_cast<void>(restore_snapshot(sample_.host, snapshot_, store_.path()));
      ASSERT_EQ(states_of_precious(), precious_) << "round " << i;
    }
  }
  void expect_that_all_is_well_in_the_end() {
    EXPECT_EQ(states_of_precious(), precious_);
    EXPECT_THAT(restore_snapshot(sample_.host, snapshot_, store_.path()), IsEmpty());
    EXPECT_THAT(compare_with_snapshot(sample_.host, snapshot_, store_.path()).differing, IsEmpty());
  }

  SampleHost sample_;
  TemporaryFolder store_;
  WriteSet write_set_;
  Snapshot snapshot_;
  Descriptor folder_;
  std::vector<FileState> precious_;
};

TEST_F(HostileUsers, PutALinkInThePlaceOfAFolderDuringARestore) {
  take();
  const fs::path other = root() / "opt/other";
  fs::create_symlink("../precious", other);
  Attacker attacker([&] { exchange(root() / "opt/d", other); });
  restore_again_and_again();
  EXPECT_GT(attacker.end(), rounds);
  if (fs::is_symlink(root() / "opt/d")) exchange(root() / "opt/d", other);
  change();
  expect_that_all_is_well_in_the_end();
}

// The name of a file that is being put back cannot be known before, and is of no use after.
TEST_F(HostileUsers, PutLinksInThePlaceOfUnfinishedFiles) {
  take();
  const fs::path folder = root() / "opt/d";
  Attacker attacker([&] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(".topsctl-")) continue;
      ::unlink(entry.path().c_str());
      ::symlink("../../precious/kept", entry.path().c_str());
    }
    for (const char* index : {"0", "1", "2", "3", "4", "5", "6", "7", "8"}) {
      const fs::path guess = folder / (std::string(".topsctl-restore-") + index);
      ::symlink("../../precious/kept", guess.c_str());
    }
  });
  restore_again_and_again();
  attacker.end();
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(".topsctl-")) fs::remove(entry.path());
  }
  change();
  expect_that_all_is_well_in_the_end();
}

TEST_F(HostileUsers, PutLinksAndPipesInThePlaceOfWhatIsKept) {
  const fs::path fifo = root() / "opt/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const fs::path other = root() / "opt/other";
  fs::create_symlink("../precious", other);
  Attacker attacker([&] {
    exchange(root() / "opt/d", other);
    ::syscall(SYS_renameat2, folder_.get(), "inner/x", AT_FDCWD, fifo.c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < rounds / 4; ++i) {
    const TemporaryFolder store;
    WriteSetSummary summary;
    Snapshot snapshot;
    try {
      snapshot = take_snapshot(sample_.host, write_set_, store.path(), summary);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::busy) << error.message();
    }
    for (const KeptPath& kept : snapshot.paths) {
      if (kept.content.empty()) continue;
      const bool is_ours = kept.path.starts_with("/opt/");
      EXPECT_EQ(TemporaryFolder::read_bytes(content_place(kept, store.path())),
                is_ours ? "as it was" : "precious")
          << kept.path << " in round " << i;
    }
  }
  EXPECT_GT(attacker.end(), rounds / 4);
}

}  // namespace
}  // namespace topsctl
