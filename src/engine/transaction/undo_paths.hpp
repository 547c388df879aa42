// What kinds of paths an undo meets, and what was kept of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// The rest of a path in dpkg's folder; nothing for any other.
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
// Whether a path is byte code of a source that is kept. It is restored with the source, also if
// another program wrote it.
bool is_code_of_kept(const Snapshot& snapshot, const std::string& path);

// nullptr: the snapshot has no such path.
const KeptPath* kept_at(const Snapshot& snapshot, std::string_view path);

// The content of a file in its store; empty where none was kept. Throws Error{journal_damaged}
// unless it is what was kept.
std::string kept_text(const KeptPath& file, const std::filesystem::path& store);

}  // namespace topsctl
