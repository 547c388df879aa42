// Digests of the files that are kept as links, taken while the packages' steps run.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

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

// Seals the links of a snapshot one after another, by a thread that leaves processor and disk to
// all others. What it has not come to when topsctl is killed has no seal, and goes by size and
// time.
class LinkSealer {
 public:
  LinkSealer(const Snapshot& snapshot, std::filesystem::path store);
  // Stops early.
  ~LinkSealer() = default;
  LinkSealer(const LinkSealer&) = delete;
  LinkSealer& operator=(const LinkSealer&) = delete;

  // Waits until each link has its seal whose file is no longer that of the machine, and notes how
  // the others' inodes are now. The caller syncs.
  void finish();

 private:
  void seal_all(const std::stop_token& stop);
  void seal(const std::string& content, const std::filesystem::path& link);
  void note(const std::string& content, const LinkSeal& seal);

  std::filesystem::path store_;
  std::map<std::string, std::filesystem::path> links_;  // by content; not changed once it runs
  LinkSeals seals_;                                     // of the thread, until it has ended
  Descriptor file_;
  std::atomic<bool> is_finishing_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace topsctl
