// Reads linked files while the steps run, and records their digests.
#include "topsctl/engine/transaction/link_seals.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/priority.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* seals_name = "seals";
constexpr std::int64_t ns_per_second = 1'000'000'000;

struct InodeTimes {
  std::int64_t ctime_ns = 0;
  nlink_t names = 0;
};

std::optional<InodeTimes> times_of(const Descriptor& file) {
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return InodeTimes{status.st_ctim.tv_sec * ns_per_second + status.st_ctim.tv_nsec,
                    status.st_nlink};
}

Descriptor opened(const fs::path& link, int mode) {
  return Descriptor(::open(link.c_str(), mode | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

// "c12 <sha256> <ctime> <crc>".
std::string line_of(const std::string& content, const LinkSeal& seal) {
  const std::string text = concat(content, " ", seal.sha256, " ", seal.ctime_ns);
  return concat(text, " ", crc32c(text), "\n");
}

bool is_broken(const LinkSeal& seal, const fs::path& link) {
  const auto times = times_of(opened(link, O_PATH));
  if (times && times->ctime_ns == seal.ctime_ns) return false;
  const Descriptor file = opened(link, O_RDONLY);
  return times_of(file) && sha256_of_file(file, link.string()) != seal.sha256;
}

}  // namespace

LinkSeals read_link_seals(const fs::path& store) {
  LinkSeals seals;
  for (const std::string& line :
       split(read_text_if_present(store / seals_name).value_or(""), '\n')) {
    const std::vector<std::string> parts = split(line, ' ');
    if (parts.size() != 4) continue;
    LinkSeal seal{parts[1]};
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), seal.ctime_ns);
    if (line_of(parts[0], seal) == line + "\n") seals.insert_or_assign(parts[0], seal);
  }
  return seals;
}

bool has_broken_seal(const KeptPath& kept, const fs::path& store, const LinkSeals& seals) {
  if (kept.keeping != Keeping::link) return false;
  const auto seal = seals.find(kept.content);
  return seal != seals.end() && is_broken(seal->second, link_place(kept, store));
}

LinkSealer::LinkSealer(const Snapshot& snapshot, fs::path store)
    : store_(std::move(store)),
      file_(::open((store_ / seals_name).c_str(),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  std::set<std::string_view> contents;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.keeping == Keeping::link && contents.insert(kept.content).second)
      links_.push_back({kept.content, link_place(kept, store_), {}});
  }
  if (!file_.is_open()) return;
  const std::size_t useful = std::min<std::size_t>(usual_threads(), links_.size());
  for (std::size_t i = 0; i < useful; ++i) threads_.emplace_back([this] { seal_links(); });
}

LinkSealer::~LinkSealer() {
  is_ending_ = true;
}

void LinkSealer::seal_links() {
  // The I/O priority follows the CPU priority (ioprio_set(2)).
  std::optional<LowPriority> low(std::in_place);
  for (std::size_t i = next_++; i < links_.size() && !is_ending_; i = next_++) {
    if (is_finishing_) low.reset();
    try {
      seal(links_[i]);
    } catch (const Error&) {
      // It stays without a seal.
    }
  }
}

void LinkSealer::seal(Link& link) {
  const Descriptor file = opened(link.place, O_RDONLY);
  const auto before = times_of(file);
  // A link to a file that the host still has is released by the commit.
  if (!before || (is_finishing_ && before->names > 1)) return;
  link.seal = {sha256_of_file(file, link.place.string()), before->ctime_ns};
  note(link);
}

// A line is one write; O_APPEND separates it from those of other threads.
void LinkSealer::note(const Link& link) {
  write_all(file_, line_of(link.content, link.seal), store_ / seals_name);
}

void LinkSealer::finish() {
  is_finishing_ = true;
  threads_.clear();  // waits
  for (Link& link : links_) {
    if (link.seal.sha256.empty()) continue;
    const auto now = times_of(opened(link.place, O_PATH));
    if (!now || now->ctime_ns == link.seal.ctime_ns) continue;
    // Removing a name changes the inode's time too. If all names still exist, another operation
    // changed it.
    if (now->names > 1 && is_broken(link.seal, link.place)) continue;
    link.seal.ctime_ns = now->ctime_ns;
    note(link);
  }
}

}  // namespace topsctl
