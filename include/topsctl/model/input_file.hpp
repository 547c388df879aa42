// Files beside the packages that decide what an install does, and who signed them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

struct Signer {
  std::string key;      // its id, as `ssh-keygen -l` prints it: "SHA256:..."
  std::string comment;  // of the line by which the key is trusted; empty: none
  bool operator==(const Signer&) const = default;
};

struct InputFile {
  enum class Kind { lock, stack };
  Kind kind = Kind::lock;
  std::string file;                 // as it was given
  std::string sha256;               // of its bytes, in lower-case hex
  std::string created_at;           // of a lock, as it says; empty: a stack
  std::optional<Signer> signed_by;  // nothing: nobody
  bool operator==(const InputFile&) const = default;
};
inline std::string_view name(InputFile::Kind kind) {
  return kind == InputFile::Kind::lock ? "lock" : "stack";
}

}  // namespace topsctl
