// Digests of the files that are backed up as links, computed while the packages' steps run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Digest of a linked file, and its inode's change time then: while the time is the same, no program
// has written into the file.
struct LinkSeal {
  std::string sha256;
  std::int64_t ctime_ns = 0;
};
// By the name of the content. Skips incomplete lines, which a power cut leaves.
using LinkSeals = std::map<std::string, LinkSeal, std::less<>>;
LinkSeals read_link_seals(const std::filesystem::path& store);

// Whether a linked file is known to have other bytes than its seal. Reads the file only if its
// inode was changed since; false without a seal.
bool has_broken_seal(const KeptPath& kept, const std::filesystem::path& store,
                     const LinkSeals& seals);

// Seals the links of a snapshot in threads with idle CPU and I/O priority, where that is permitted,
// until finish() waits for them. Links not reached when topsctl is killed have no seal and are
// compared by size and time.
class LinkSealer {
 public:
  LinkSealer(const Snapshot& snapshot, std::filesystem::path store);
  // Stops early.
  ~LinkSealer();
  LinkSealer(const LinkSealer&) = delete;
  LinkSealer& operator=(const LinkSealer&) = delete;

  // Waits until each link is sealed whose file was replaced on the host, and records the inode
  // times of the others. The caller syncs.
  void finish();

 private:
  struct Link {
    std::string content;
    std::filesystem::path place;
    LinkSeal seal;  // empty digest until sealed; written by the thread that seals it
  };

  void seal_links();
  void seal(Link& link);
  void note(const Link& link);

  std::filesystem::path store_;
  std::vector<Link> links_;  // each content once
  Descriptor file_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_finishing_ = false;
  std::atomic<bool> is_ending_ = false;
  std::vector<std::jthread> threads_;  // last: the threads use all members above
};

}  // namespace topsctl
