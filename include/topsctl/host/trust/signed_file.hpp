// Files with a signature beside them: FILE and FILE.sig.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/model/input_file.hpp"

namespace topsctl {

// The purpose of a signature: one for a lock is not valid for a stack.
inline constexpr std::string_view lock_namespace = "topsctl-lock";
inline constexpr std::string_view stack_namespace = "topsctl-stack";

// FILE.sig.
std::filesystem::path signature_of(const std::filesystem::path& file);
// The signature beside a file; nothing if it is missing.
std::optional<std::string> read_signature(const std::filesystem::path& file);

// The signer of these bytes; `shown` is their name in errors. Throws Error{bad_package} if the
// signature does not match or its key is not trusted on this host; and the errors of
// read_trusted_keys().
Signer trusted_signer(std::string_view bytes, std::string_view signature,
                      std::string_view name_space, const std::string& shown);

// Throws Error{bad_package} if this host requires a signature, and `what` has none.
void require_signature_by_policy(const std::optional<Signer>& signer, const std::string& what,
                                 const std::string& way_out);

}  // namespace topsctl
