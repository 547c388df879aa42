// Reads names, times and zip directories of checkpoints.
#include "engine/launch/checkpoints.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> suffixes = {".pt", ".pth", ".ckpt"};
constexpr std::array<std::string_view, 11> parts = {
    "rank", "shard", "part", "of", "gpu", "gcu", "card", "node", "mp", "states", "worker"};
constexpr std::array<std::string_view, 5> counters = {"epoch", "ep", "step", "iter", "iteration"};
constexpr const char* last_file = "last_checkpoint";
constexpr std::uint64_t most_last = 4096;  // bytes
constexpr std::int64_t ns_per_s = 1'000'000'000;

bool is_checkpoint_name(const std::string& name) {
  const std::string suffix = fs::path(name).extension().string();
  return !name.starts_with('.') && !name.starts_with("best") &&
         std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

// Whether the text before a number ends with one of these words: "epoch_3_rank_" ends with "rank".
template <class Words>
bool is_number_of(const Words& words, std::string_view before) {
  while (!before.empty() && std::string_view("_-.= ").find(before.back()) != std::string_view::npos)
    before.remove_suffix(1);
  const std::string text = lower_case(before);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.ends_with(word); });
}

struct NumberInName {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool counts = false;    // a counter: epochs, steps
  bool measures = false;  // part of a decimal number, such as a loss
};

std::vector<NumberInName> numbers_of_name(std::string_view stem) {
  std::vector<NumberInName> numbers;
  const auto is_digit = [&](std::size_t at) {
    return at < stem.size() && stem[at] >= '0' && stem[at] <= '9';
  };
  for (std::size_t at = 0; at < stem.size(); ++at) {
    if (!is_digit(at)) continue;
    NumberInName number{at, at, false, false};
    while (is_digit(number.end)) ++number.end;
    number.counts = is_number_of(counters, stem.substr(0, at));
    const bool follows_point = at >= 2 && stem[at - 1] == '.' && is_digit(at - 2);
    const bool has_point =
        number.end < stem.size() && stem[number.end] == '.' && is_digit(number.end + 1);
    number.measures = !number.counts && (follows_point || has_point);
    numbers.push_back(number);
    at = number.end;
  }
  return numbers;
}

// "checkpoint_epoch_2_step_100.pt": all counters determine its age. Without a known counter, the
// last number does, unless it numbers a part: "epoch_3_rank_0".
Checkpoint named(const fs::path& path) {
  const std::string name = path.filename().string();
  Checkpoint found{path.string(), name, {}, 0};
  const std::string stem = name.substr(0, name.size() - path.extension().string().size());
  std::vector<NumberInName> numbers = numbers_of_name(stem);
  if (numbers.empty() || is_number_of(parts, stem.substr(0, numbers.back().begin))) return found;
  if (std::none_of(numbers.begin(), numbers.end(), [](const auto& each) { return each.counts; })) {
    for (NumberInName& each : numbers) each.measures = false;
    numbers.back().counts = true;
  }
  for (const NumberInName& each : numbers) {
    if (!each.counts) continue;
    std::uint64_t number = 0;
    const char* end = stem.data() + each.end;
    if (std::from_chars(stem.data() + each.begin, end, number).ec != std::errc()) return found;
    found.numbers.push_back(number);
  }
  for (auto each = numbers.rbegin(); each != numbers.rend(); ++each) {
    if (each->counts || each->measures)
      found.family.replace(each->begin, each->end - each->begin, "#");
  }
  return found;
}

Descriptor open_folder(const fs::path& folder) {
  return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::int64_t written_at(const struct stat& status) {
  return status.st_mtim.tv_sec * ns_per_s + status.st_mtim.tv_nsec;
}

// Nothing if it is not a regular file with a single name.
std::optional<bool> is_whole(const Descriptor& folder, const std::string& name,
                             Checkpoint& checkpoint) {
  const Descriptor file(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  checkpoint.mtime_ns = written_at(status);
  checkpoint.owner = status.st_uid;
  try {
    const ZipReader zip({file.get(), 0, static_cast<std::uint64_t>(status.st_size)},
                        in_quotes(checkpoint.path));
    return !zip.entries().empty();
  } catch (const Error&) {
    return false;
  }
}

// The name of MMEngine's last checkpoint file.
std::string last_name(const fs::path& folder) {
  try {
    const auto text = read_text_if_present(folder / last_file, most_last);
    return text ? fs::path(trimmed(*text)).filename().string() : std::string();
  } catch (const Error&) {
    return {};
  }
}

void sort_by_age(std::vector<Checkpoint>& whole, const std::string& last) {
  std::map<std::string, std::int64_t> newest;  // time of a family
  for (const Checkpoint& each : whole)
    newest[each.family] = std::max(newest[each.family], each.mtime_ns);
  const auto key = [&](const Checkpoint& each) {
    const bool is_last = fs::path(each.path).filename() == last;
    return std::tuple(is_last, newest.at(each.family), each.family, each.numbers, each.mtime_ns);
  };
  std::sort(whole.begin(), whole.end(),
            [&](const Checkpoint& a, const Checkpoint& b) { return key(a) < key(b); });
}

}  // namespace

CheckpointFolder checkpoints_in(const fs::path& folder) {
  CheckpointFolder found{folder.string(), {}, {}};
  const Descriptor open = open_folder(folder);
  if (!open.is_open()) return found;
  std::error_code failure;
  for (fs::directory_iterator at(concat("/proc/self/fd/", open.get()), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!is_checkpoint_name(name)) continue;
    Checkpoint checkpoint = named(folder / name);
    const auto whole = is_whole(open, name, checkpoint);
    if (!whole) continue;
    if (*whole)
      found.whole.push_back(std::move(checkpoint));
    else
      found.unfinished.push_back(checkpoint.path);
  }
  sort_by_age(found.whole, last_name(folder));
  std::sort(found.unfinished.begin(), found.unfinished.end());
  return found;
}

std::optional<Checkpoint> newest_since(const CheckpointFolder& folder, std::int64_t since_ns) {
  const auto found =
      std::find_if(folder.whole.rbegin(), folder.whole.rend(),
                   [&](const Checkpoint& each) { return each.mtime_ns >= since_ns; });
  return found == folder.whole.rend() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> remove_older_checkpoints(const CheckpointFolder& folder, std::size_t keep,
                                                  std::int64_t since_ns, std::int64_t settled_ns) {
  std::vector<std::string> removed;
  const Descriptor open = open_folder(folder.path);
  const auto is_of_this_run = [&](const Checkpoint& each) {
    return !each.numbers.empty() && each.mtime_ns >= since_ns && each.owner == ::geteuid();
  };
  for (const Checkpoint& each : folder.whole) {
    const Checkpoint& newest = folder.whole.back();
    if (!is_of_this_run(each) || &each == &newest || each.mtime_ns > newest.mtime_ns) continue;
    const auto newer =
        std::count_if(folder.whole.begin(), folder.whole.end(), [&](const Checkpoint& other) {
          return other.family == each.family && is_of_this_run(other) &&
                 other.numbers > each.numbers && other.mtime_ns >= each.mtime_ns &&
                 other.mtime_ns < settled_ns;
        });
    if (static_cast<std::size_t>(newer) < std::max<std::size_t>(keep, 1)) continue;
    const std::string name = fs::path(each.path).filename().string();
    struct stat status {};
    if (::fstatat(open.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || written_at(status) != each.mtime_ns ||
        ::unlinkat(open.get(), name.c_str(), 0) != 0)
      continue;
    removed.push_back(each.path);
  }
  return removed;
}

}  // namespace topsctl
