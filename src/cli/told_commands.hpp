// Commands that a text tells its reader to type, completed so that they work where they are read.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {

// Where the reader sits, and what is known there.
struct ToldWhere {
  const OptionTable* program = nullptr;
  const OptionTable* command = nullptr;  // that told it, with what was given; null: not known
  std::string target = {};               // as it was given, of another host; empty: this one
  std::string target_options = {};       // by which it is reached: "--target root@h1 -F file"
  bool is_root = true;
  // Words of the bundle that was installed last; empty: none is there. Nothing: it is not known.
  std::function<std::optional<std::string>()> bundle = {};
};

// Of `topsctl ...` in backquotes, and behind "next:": with the bundle and the files that are known,
// --root or --target as for the command that tells it, and sudo. Other text stays.
std::string told_where(const ToldWhere& where, const std::string& text);
// The same of its hint.
Error told_where(const ToldWhere& where, const Error& error);
// The same of what a command says; its text stays if it is data.
void tell_where(const ToldWhere& where, Output& output);

}  // namespace topsctl
