// Files beside the packages that control an install, with their signers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

struct Signer {
  std::string key;      // key id, as printed by `ssh-keygen -l`: "SHA256:..."
  std::string comment;  // from the line that makes the key trusted; empty: none
  bool operator==(const Signer&) const = default;
};

struct InputFile {
  enum class Kind { lock, stack };
  Kind kind = Kind::lock;
  std::string file;                 // as given
  std::string sha256;               // of its bytes, in lower-case hex
  std::string created_at;           // of a lock, as written in it; empty: a stack
  std::optional<Signer> signed_by;  // nothing: not signed
  bool operator==(const InputFile&) const = default;
};
inline std::string_view name(InputFile::Kind kind) {
  return kind == InputFile::Kind::lock ? "lock" : "stack";
}

}  // namespace topsctl
