// Completes commands that a text recommends, so that they work where they are read.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {

// The reader's place, and the known values.
struct ToldWhere {
  const OptionTable* program = nullptr;
  const OptionTable* command = nullptr;  // the current command, with the given options; null:
                                         // unknown
  std::string target = {};               // as given, for another host; empty: this one
  std::string target_options = {};       // options for reaching it: "--target root@h1 -F file"
  bool is_root = true;
  // Words of the last installed bundle; empty: no bundle. Nothing: unknown.
  std::function<std::optional<std::string>()> bundle = {};
};

// Completes `topsctl ...` in backquotes, and after "next:": with the bundle and known files, --root
// or --target as for the current command, and sudo. Leaves other text unchanged.
std::string told_where(const ToldWhere& where, const std::string& text);
// The same for its hint.
Error told_where(const ToldWhere& where, const Error& error);
// The same for a command's output; leaves its text unchanged if it is data.
void tell_where(const ToldWhere& where, Output& output);

}  // namespace topsctl
