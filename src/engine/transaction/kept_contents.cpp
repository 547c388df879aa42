// Compares the contents of a store with their digests.
#include "topsctl/engine/transaction/kept_contents.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/engine/transaction/link_seals.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using KeptType = FileState::Type;

// The link that identifies the original file must exist, with any content.
bool has_its_file(const KeptPath& kept, const fs::path& store) {
  return kept.keeping != Keeping::both ||
         file_state(link_place(kept, store), Content::ignore).type == KeptType::file;
}

// Whether the host still has the same file: then it is not restored.
bool is_in_place(const FileTree& tree, const KeptPath& kept) {
  return kept.keeping != Keeping::both && !kept.state.sha256.empty() &&
         tree.state(kept.path, Content::digest) == kept.state;
}

LostContent lost_content(const FileTree& tree, const KeptPath& kept, const fs::path& store,
                         const LinkSeals& seals) {
  const bool has_digest = !kept.state.sha256.empty();
  const FileState found =
      file_state(content_place(kept, store), has_digest ? Content::digest : Content::ignore);
  const bool is_file = found.type == KeptType::file;
  const bool is_right =
      has_digest ? found.sha256 == kept.state.sha256
                 : found.size == kept.state.size && found.mtime_ns == kept.state.mtime_ns;
  if (is_file && is_right && has_its_file(kept, store) && !has_broken_seal(kept, store, seals))
    return LostContent::nothing;
  if (is_in_place(tree, kept)) return LostContent::not_needed;
  return is_file && kept.keeping == Keeping::link ? LostContent::overwritten : LostContent::missing;
}

}  // namespace

KeptContents check_contents(const Host& host, const Snapshot& snapshot, const fs::path& store) {
  const FileTree tree(host.root);
  const LinkSeals seals = read_link_seals(store);
  KeptContents contents;
  contents.lost.assign(snapshot.paths.size(), LostContent::nothing);
  for_each_index(
      snapshot.paths.size(),
      [&](std::size_t i) {
        const KeptPath& kept = snapshot.paths[i];
        if (!kept.content.empty()) contents.lost[i] = lost_content(tree, kept, store, seals);
      },
      disk_threads);
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    if (contents.lost[i] == LostContent::missing)
      contents.missing.push_back(printable(snapshot.paths[i].path));
  }
  return contents;
}

void require_contents(const KeptContents& contents) {
  if (contents.missing.empty()) return;
  throw Error(ErrorCode::rollback_incomplete,
              format("the backup of {} is missing or damaged", joined(contents.missing, ", ")),
              "nothing was restored; `topsctl recover --from-store` restores the rest, `topsctl "
              "recover --give-up` leaves the host as it is");
}

}  // namespace topsctl
