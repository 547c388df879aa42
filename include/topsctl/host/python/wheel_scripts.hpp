// The commands that a wheel brings: launchers of entry points, and scripts that ask for an
// interpreter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/python/entry_points.hpp"

namespace topsctl {

// The first line, or lines, of a script for that interpreter; the kernel takes no longer ones than
// 127 bytes and none with a space in the name, then /bin/sh starts it.
std::string shebang(const std::string& interpreter);
// The text that pip writes for an entry point.
std::string launcher_text(const EntryPoint& entry, const std::string& interpreter);
// A script with its first line "#!python..." replaced; nothing if it begins otherwise.
std::optional<std::string> with_interpreter(std::string_view script,
                                            const std::string& interpreter);

// Whether a script had this digest (urlsafe base64 of SHA-256) while its first line was "#!python":
// an old pip (20.3.4) puts the interpreter there, and records the digest from before.
bool had_digest_before_rewriting(std::string_view script, std::string_view sha256);

// Whether a script of a wheel's .data is the launcher of an entry point that setuptools made: the
// installer makes it anew.
bool is_launcher_of(std::string_view script_name, const std::vector<EntryPoint>& entries);

}  // namespace topsctl
