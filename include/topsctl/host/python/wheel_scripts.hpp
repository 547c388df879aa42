// The commands of a wheel: launchers of entry points, and scripts that need an interpreter line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/python/entry_points.hpp"

namespace topsctl {

// The first line or lines of a script for that interpreter; the kernel accepts at most 127 bytes
// and no space in the name, so longer ones are started by /bin/sh.
std::string shebang(const std::string& interpreter);
// The text that pip writes for an entry point.
std::string launcher_text(const EntryPoint& entry, const std::string& interpreter);
// A script with its first line "#!python..." replaced; nothing if it begins differently.
std::optional<std::string> with_interpreter(std::string_view script,
                                            const std::string& interpreter);

// Whether a script had this digest (urlsafe base64 of SHA-256) with "#!python" as its first line:
// an old pip (20.3.4) inserts the interpreter, but records the digest from before.
bool had_digest_before_rewriting(std::string_view script, std::string_view sha256);

// Whether a script in a wheel's .data is a launcher that setuptools generated for an entry point:
// the installer generates it again.
bool is_launcher_of(std::string_view script_name, const std::vector<EntryPoint>& entries);

}  // namespace topsctl
