// Puts a snapshot back, and compares the machine with it.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/snapshot.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using Type = FileState::Type;

class Restorer {
 public:
  Restorer(const Host& host, const Snapshot& snapshot, const fs::path& store)
      : host_(host), snapshot_(snapshot), store_(store) {}

  std::vector<std::string> run() {
    require_contents();
    remove_newcomers();
    for (auto kept = snapshot_.paths.rbegin(); kept != snapshot_.paths.rend(); ++kept) {
      if (kept->state.type == Type::absent) remove(kept->path);
    }
    for (std::size_t i = 0; i < snapshot_.paths.size(); ++i) attempt(snapshot_.paths[i], i);
    // Last, since every change within a folder moves its time.
    for (auto kept = snapshot_.paths.rbegin(); kept != snapshot_.paths.rend(); ++kept) {
      if (kept->state.type == Type::directory) put_attributes_back(*kept);
    }
    return std::move(failures_);
  }

 private:
  fs::path real(const std::string& path) const { return host_.literal(path); }

  void require_contents() const {
    for (const KeptPath& kept : snapshot_.paths) {
      if (kept.content.empty()) continue;
      const FileState copy = file_state(store_ / kept.content, Content::digest);
      if (copy.type != Type::file || copy.sha256 != kept.state.sha256) {
        throw Error(ErrorCode::rollback_incomplete,
                    concat("the kept copy of ", in_quotes(kept.path), " is missing or damaged"),
                    "nothing was restored; the transaction's folder is left as it is for a person "
                    "to look at");
      }
    }
  }

  void note_failure(const std::string& path, const std::string& why) {
    failures_.push_back(concat(printable(path), ": ", why));
  }

  void remove(const std::string& path) {
    try {
      remove_in_place(path);
    } catch (const Error& error) {
      note_failure(path, error.message());
    }
  }

  void remove_in_place(const std::string& path) {
    const fs::path target = real(path);
    const FileState now = state_in_place(host_, path, Content::ignore);
    if (now.type == Type::absent) return;
    const int result =
        now.type == Type::directory ? ::rmdir(target.c_str()) : ::unlink(target.c_str());
    if (result != 0) {
      note_failure(path, errno == ENOTEMPTY
                             ? "the folder holds files that the transaction did not make"
                             : "cannot be removed");
    }
  }

  void remove_newcomers() {
    const std::vector<std::string> paths = newcomers(host_, snapshot_);
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) remove(*path);
  }

  void attempt(const KeptPath& kept, std::size_t index) {
    if (kept.state.type == Type::absent) return;
    try {
      put_back(kept, index);
    } catch (const Error& error) {
      note_failure(kept.path, error.message());
    }
  }

  void put_back(const KeptPath& kept, std::size_t index) {
    const fs::path target = real(kept.path);
    // The folders above were put back before; if one could not be, nothing is written through what
    // stands there.
    if (canonical_in_root(host_.root, kept.path) != kept.path) {
      throw Error(ErrorCode::rollback_incomplete,
                  "a link stands in the place of one of its folders");
    }
    const FileState now = file_state(target, Content::digest);
    if (now.type == Type::directory && kept.state.type != Type::directory) remove(kept.path);
    if (kept.state.type == Type::directory) {
      if (now.type == Type::directory) return;
      if (now.type != Type::absent) remove(kept.path);
      make_directories(target, 0700);
      return;
    }
    const fs::path temporary = target.parent_path() / concat(".topsctl-restore-", index);
    if (!kept.same_file.empty()) {
      link_again(kept, temporary);
    } else if (now != kept.state) {
      replace_with(target, kept.state, store_ / kept.content, temporary);
    }
  }

  // The first name of the file was put back before: names are sorted.
  void link_again(const KeptPath& kept, const fs::path& temporary) {
    const fs::path target = real(kept.path);
    const fs::path first = real(kept.same_file);
    const FileIdentity wanted = file_identity(first);
    const FileIdentity found = file_identity(target);
    if (wanted.device == found.device && wanted.inode == found.inode) return;
    ::unlink(temporary.c_str());
    if (::link(first.c_str(), temporary.c_str()) != 0 ||
        ::rename(temporary.c_str(), target.c_str()) != 0) {
      throw system_error(errno, "put back", kept.path);
    }
  }

  void put_attributes_back(const KeptPath& kept) {
    try {
      const fs::path target = real(kept.path);
      const FileState now = state_in_place(host_, kept.path, Content::ignore);
      if (now.type == Type::directory && now != kept.state) apply_attributes(target, kept.state);
    } catch (const Error& error) {
      note_failure(kept.path, error.message());
    }
  }

  const Host& host_;
  const Snapshot& snapshot_;
  const fs::path& store_;
  std::vector<std::string> failures_;
};

}  // namespace

std::vector<std::string> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                          const fs::path& store) {
  return Restorer(host, snapshot, store).run();
}

RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot) {
  RollbackProof proof;
  const auto real = [&](const std::string& path) { return host.literal(path); };
  for (const KeptPath& kept : snapshot.paths) {
    ++proof.paths_checked;
    const FileState now = state_in_place(host, kept.path, Content::digest);
    bool equal = now == kept.state;
    if (equal && !kept.same_file.empty()) {
      const FileIdentity a = file_identity(real(kept.path));
      const FileIdentity b = file_identity(real(kept.same_file));
      equal = a.device == b.device && a.inode == b.inode;
    }
    if (!equal) proof.differing.push_back(printable(kept.path));
  }
  for (const std::string& path : newcomers(host, snapshot)) {
    ++proof.paths_checked;
    proof.differing.push_back(printable(path));
  }
  return proof;
}

}  // namespace topsctl
