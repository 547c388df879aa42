// Takes digests beside the checks of an install, at a low priority.
#include "topsctl/engine/background_digests.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

#include "topsctl/base/error.hpp"
#include "topsctl/host/parallel.hpp"

namespace topsctl {

BackgroundDigests::BackgroundDigests(const Host& host, Snapshot& snapshot,
                                     std::filesystem::path store)
    : host_(host), snapshot_(snapshot), store_(std::move(store)) {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // Then all is done in finish().
  }
}

BackgroundDigests::~BackgroundDigests() {
  stop();
}

void BackgroundDigests::stop() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

void BackgroundDigests::finish() {
  stop();
  digest_links(snapshot_, store_, [] { return false; });
}

void BackgroundDigests::work() {
  constexpr int low = 10;
  // Of this thread and those that it starts: Linux gives each its own (setpriority(2)).
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), low);
  try {
    digest_links(snapshot_, store_, [this] { return is_over_.load(); });
    for_each_index(snapshot_.paths.size(), [&](std::size_t i) {
      if (!is_over_) known_.take(host_.literal(snapshot_.paths[i].path));
    });
  } catch (const Error&) {
    // Whoever needs the digest reads the file, and says what is wrong with it.
  }
}

}  // namespace topsctl
