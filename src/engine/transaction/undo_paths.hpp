// Kinds of paths in a rollback, and access to their backups.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// The path relative to dpkg's directory; nothing for any other path.
std::optional<std::string> in_dpkg(std::string_view path);

// Files to which every package adds its own records: status, diversions, statoverride,
// triggers/File.
bool is_dpkg_database(std::string_view path);

bool is_loader_cache(std::string_view path);
bool is_byte_code(std::string_view path);

// dpkg's bookkeeping beside its databases, and the loader's cache, change with every package; byte
// code appears by mere use.
bool changes_by_itself(std::string_view path);

// The source of a byte code file (PEP 3147); empty for any other path.
std::string source_of_byte_code(const std::string& path);
// Whether a path is byte code of a source in the backup. It is restored with the source, even if
// another program wrote it.
bool is_code_of_kept(const Snapshot& snapshot, const std::string& path);

// nullptr: the snapshot has no such path.
const KeptPath* kept_at(const Snapshot& snapshot, std::string_view path);

// The content of a file in its store; empty if it has no backup. Throws Error{journal_damaged}
// unless it is intact.
std::string kept_text(const KeptPath& file, const std::filesystem::path& store);

}  // namespace topsctl
