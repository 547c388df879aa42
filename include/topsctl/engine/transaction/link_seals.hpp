// Digests of the files that are kept as links, taken while the packages' steps run.
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

// What a kept link held, and the time of the last change of its inode then: as long as that is the
// same, nobody can have written into it.
struct LinkSeal {
  std::string sha256;
  std::int64_t ctime_ns = 0;
};
// By the name of the content. Lines that are not whole, as a power cut leaves them, are left out.
using LinkSeals = std::map<std::string, LinkSeal, std::less<>>;
LinkSeals read_link_seals(const std::filesystem::path& store);

// Whether a kept link is known to hold other bytes than were sealed. Reads it only if its inode was
// changed since; what has no seal is not known.
bool has_broken_seal(const KeptPath& kept, const std::filesystem::path& store,
                     const LinkSeals& seals);

// Seals the links of a snapshot by threads that leave processor and disk to all others, if they
// may, until they are waited for. What they have not come to when topsctl is killed has no seal,
// and goes by size and time.
class LinkSealer {
 public:
  LinkSealer(const Snapshot& snapshot, std::filesystem::path store);
  // Stops early.
  ~LinkSealer();
  LinkSealer(const LinkSealer&) = delete;
  LinkSealer& operator=(const LinkSealer&) = delete;

  // Waits until each link has its seal whose file is no longer that of the machine, and notes how
  // the others' inodes are now. The caller syncs.
  void finish();

 private:
  struct Link {
    std::string content;
    std::filesystem::path place;
    LinkSeal seal;  // without a digest until it has one; of the thread that took it
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
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace topsctl
