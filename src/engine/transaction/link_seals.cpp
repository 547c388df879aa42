// Reads kept links in the background, and notes what they hold.
#include "topsctl/engine/transaction/link_seals.hpp"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

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

void leave_processor_and_disk_to_others() {
  constexpr int nicest = 19;
  const auto thread = static_cast<id_t>(::gettid());
  ::setpriority(PRIO_PROCESS, thread, nicest);
  ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, thread, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
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
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.keeping == Keeping::link) links_.emplace(kept.content, link_place(kept, store_));
  }
  if (links_.empty() || !file_.is_open()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { seal_all(stop); });
}

void LinkSealer::seal_all(const std::stop_token& stop) {
  leave_processor_and_disk_to_others();
  for (const auto& [content, link] : links_) {
    if (stop.stop_requested()) return;
    try {
      seal(content, link);
    } catch (const Error&) {
      // It has none, then.
    }
  }
}

void LinkSealer::seal(const std::string& content, const fs::path& link) {
  const Descriptor file = opened(link, O_RDONLY);
  const auto before = times_of(file);
  // What is the machine's still will be let go by the commit.
  if (!before || (is_finishing_ && before->names > 1)) return;
  LinkSeal seal{sha256_of_file(file, link.string()), before->ctime_ns};
  note(content, seal);
  seals_.insert_or_assign(content, std::move(seal));
}

void LinkSealer::note(const std::string& content, const LinkSeal& seal) {
  write_all(file_, line_of(content, seal), store_ / seals_name);
}

void LinkSealer::finish() {
  is_finishing_ = true;
  if (thread_.joinable()) thread_.join();
  for (const auto& [content, seal] : seals_) {
    const fs::path& link = links_.at(content);
    const auto now = times_of(opened(link, O_PATH));
    if (!now || now->ctime_ns == seal.ctime_ns) continue;
    // A name that has gone changes the inode's time, too. With all names there, somebody did
    // something else.
    if (now->names > 1 && is_broken(seal, link)) continue;
    note(content, {seal.sha256, now->ctime_ns});
  }
}

}  // namespace topsctl
