// Replaces files by patched ones.
#include "engine/execution/file_patch.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The kernel's clock for file times.
std::int64_t file_time_now_ns() {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * ns_per_s + now.tv_nsec;
}

[[noreturn]] void refuse_changed(const PatchFile& file) {
  throw Error(ErrorCode::busy, format("{} was modified since it was read", in_quotes(file.path)),
              "stop the program that writes to it, and run the same command again");
}

}  // namespace

void keep_times_of_own_folders(Snapshot& snapshot, const fs::path& store) {
  std::set<std::string> holding;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type == FileState::Type::file)
      holding.insert(fs::path(kept.path).parent_path().string());
  }
  for (KeptPath& kept : snapshot.paths) {
    if (kept.state.type != FileState::Type::directory) continue;
    if (!holding.contains(kept.path) || kept.state.uid != ::geteuid())
      kept.keeping = Keeping::released;
  }
  replace_snapshot_record(snapshot, store);
}

std::string perform(const Host& host, const PatchFile& file, const Snapshot& snapshot,
                    const fs::path& temporary) {
  const auto kept = std::find_if(snapshot.paths.begin(), snapshot.paths.end(),
                                 [&](const KeptPath& each) { return each.path == file.path; });
  if (kept == snapshot.paths.end() || kept->state.sha256 != file.before_sha256)
    refuse_changed(file);
  const fs::path content = temporary / "content";
  write_plainly(content, file.content, 0600);
  const auto entry = FileTree(host.root).find(file.path);
  if (!entry || entry->state(Content::digest) != kept->state) refuse_changed(file);
  FileState patched = kept->state;
  patched.mtime_ns = file_time_now_ns();
  entry->replace(patched, content);
  return format("{} bytes", file.content.size());
}

}  // namespace topsctl
