// Reads an observer's records in order.
#include "topsctl/engine/observation/observed_record.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>
#include <unordered_map>

#include "engine/observation/observed_store.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/engine/transaction/manifest.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t longest_record = 1U << 20U;
constexpr std::uint64_t most_parted = 256ULL << 20U;  // bytes of a file

std::string record_of(const fs::path& place) {
  std::error_code failure;
  const fs::path target = fs::read_symlink(place, failure);
  return failure ? read_text(place, longest_record) : target.string();
}

std::vector<KeptPath> records_in(const fs::path& folder) {
  std::vector<fs::path> places;
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (is_digits(at->path().filename().string())) places.push_back(at->path());
  }
  if (failure) throw system_error(failure.value(), "read directory", folder.string());
  std::sort(places.begin(), places.end());
  std::vector<KeptPath> records;
  records.reserve(places.size());
  for (const fs::path& place : places) records.push_back(parse_kept_path(record_of(place)));
  return records;
}

// The first name of a file in this order has its content.
void put_first_names_first(Snapshot& snapshot) {
  std::map<std::string, std::vector<KeptPath*>> groups;
  std::unordered_map<std::string, KeptPath*> places;
  for (KeptPath& kept : snapshot.paths) places.emplace(kept.path, &kept);
  for (KeptPath& kept : snapshot.paths) {
    if (!kept.same_file.empty()) groups[kept.same_file].push_back(&kept);
  }
  for (auto& [head_path, others] : groups) {
    const auto head = places.find(head_path);
    if (head == places.end())
      throw Error(ErrorCode::journal_damaged, "the snapshot record is damaged");
    KeptPath* first = head->second;
    for (KeptPath* other : others) {
      if (other->path < first->path) first = other;
    }
    if (first != head->second) {
      first->content = std::exchange(head->second->content, {});
      first->keeping = std::exchange(head->second->keeping, Keeping::nothing);
      first->same_file.clear();
      others.push_back(head->second);
    }
    for (KeptPath* other : others) {
      if (other == first) continue;
      other->same_file = first->path;
      other->state.sha256 = head->second->state.sha256;
    }
    first->state.sha256 = head->second->state.sha256;
  }
}

}  // namespace

void close_observation(const fs::path& store) {
  const fs::path folder = store / observed_folder;
  const Descriptor lock(::open((folder / observed_lock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return;  // nothing was observed
    throw system_error(errno, "open", folder.string());
  }
  // The observer holds it while it backs up one path. Signals do not interrupt the wait, because a
  // restore may need it.
  constexpr std::int64_t timeout_ms = 60'000;
  const WaitLimit limit(timeout_ms);
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const bool may_go_on = errno == EINTR || errno == EWOULDBLOCK;
    if (!may_go_on || limit.is_over()) throw system_error(errno, "lock", folder.string());
    constexpr std::chrono::milliseconds pause{2};
    std::this_thread::sleep_for(pause);
  }
  const Descriptor closed(::open((folder / observed_closed).c_str(),
                                 O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!closed.is_open()) throw system_error(errno, "write", folder.string());
}

std::size_t adopt_observed(Snapshot& snapshot, const fs::path& store) {
  close_observation(store);
  const fs::path folder = store / observed_folder;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return 0;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) places.emplace(snapshot.paths[i].path, i);
  const std::size_t before = snapshot.paths.size();
  bool is_changed = false;
  for (KeptPath& record : records_in(folder)) {
    const auto [place, is_new] = places.emplace(record.path, snapshot.paths.size());
    if (is_new) {
      snapshot.paths.push_back(std::move(record));
      is_changed = true;
      continue;
    }
    KeptPath& known = snapshot.paths[place->second];
    if (known.keeping != Keeping::link || record.keeping != Keeping::both) continue;
    known.keeping = record.keeping;
    known.state.sha256 = record.state.sha256;
    snapshot.unread.erase(known.path);
    is_changed = true;
  }
  if (!is_changed) return 0;
  put_first_names_first(snapshot);
  const std::size_t added = snapshot.paths.size() - before;
  std::sort(snapshot.paths.begin(), snapshot.paths.end(),
            [](const KeptPath& a, const KeptPath& b) { return a.path < b.path; });
  replace_snapshot_record(snapshot, store);
  return added;
}

void adopt_observed(const Host& host, const Transaction& transaction) {
  const fs::path store = host.resolve(transaction.folder) / snapshot_folder;
  close_observation(store);
  if (!has_record(store)) return;
  Snapshot snapshot = load_snapshot(store);
  static_cast<void>(adopt_observed(snapshot, store));
}

void replace_links_by_copies(const Host& host, Snapshot& snapshot, const fs::path& store) {
  const FileTree tree(host.root);
  bool is_changed = false;
  for (KeptPath& kept : snapshot.paths) {
    const bool is_observed = kept.keeping == Keeping::link &&
                             std::strtoul(kept.content.c_str() + 1, nullptr, 10) >= first_observed;
    if (!is_observed || kept.state.size > most_parted) continue;
    const fs::path link = link_place(kept, store);
    if (tree.identity(kept.path) != file_identity(link.string())) continue;
    kept.state.sha256 = copy_with_digest(link, store / kept.content);
    kept.keeping = Keeping::both;
    is_changed = true;
  }
  if (!is_changed) return;
  sync_file_system(store);
  replace_snapshot_record(snapshot, store);
}

}  // namespace topsctl
