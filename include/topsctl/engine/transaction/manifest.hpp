// The text form of a snapshot: one JSON line per path, then a line with the number of paths and the
// digest of all lines before it.
#pragma once

#include <string>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

std::string manifest_text(const Snapshot& snapshot);

// One path as one line, without the line end.
std::string kept_path_line(const KeptPath& kept);
// Throws Error{journal_damaged}.
KeptPath parse_kept_path(const std::string& line);

// Throws Error{journal_damaged} if the text is incomplete.
Snapshot parse_manifest(const std::string& text);

}  // namespace topsctl
