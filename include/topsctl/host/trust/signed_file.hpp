// Files with a signature beside them: FILE and FILE.sig.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/model/input_file.hpp"

namespace topsctl {

// What a signature is for: one of a lock is none of a stack.
inline constexpr std::string_view lock_namespace = "topsctl-lock";
inline constexpr std::string_view stack_namespace = "topsctl-stack";

// FILE.sig.
std::filesystem::path signature_of(const std::filesystem::path& file);
// The signature beside a file; nothing if there is none.
std::optional<std::string> read_signature(const std::filesystem::path& file);

// Who signed these bytes, which `shown` names. Throws Error{bad_package} if the signature does not
// fit or its key is not trusted on this machine; and what read_trusted_keys() throws.
Signer trusted_signer(std::string_view bytes, std::string_view signature,
                      std::string_view name_space, const std::string& shown);

// Throws Error{bad_package} if this machine demands a signature, and nobody has signed `what`.
void require_signature_by_policy(const std::optional<Signer>& signer, const std::string& what,
                                 const std::string& way_out);

}  // namespace topsctl
