// Digests that are taken while a program runs which leaves cores idle.
#pragma once

#include <atomic>
#include <filesystem>
#include <thread>

#include "topsctl/engine/snapshot.hpp"
#include "topsctl/host/known_digests.hpp"

namespace topsctl {

// From construction to finish() the snapshot is another thread's.
class BackgroundDigests {
 public:
  // Takes the digests of the links in the store first, and then those of the files that stand at
  // the snapshot's paths now.
  BackgroundDigests(const Host& host, Snapshot& snapshot, std::filesystem::path store);
  ~BackgroundDigests();
  BackgroundDigests(const BackgroundDigests&) = delete;
  BackgroundDigests& operator=(const BackgroundDigests&) = delete;

  // Ends it, and takes what is missing of the links' digests. Throws Error if one cannot be read.
  void finish();
  const KnownDigests& known() const { return known_; }

 private:
  void work();
  void stop();

  const Host& host_;
  Snapshot& snapshot_;
  std::filesystem::path store_;
  KnownDigests known_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace topsctl
