// All known diagnoses: built-in ones and the operator's.
#pragma once

#include <filesystem>
#include <string_view>

#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

inline constexpr const char* diagnoses_folder = "/etc/topsctl/diagnoses.d";

// The diagnoses for stacks of this backend (for_backend()). The operator's records come from *.json
// of the directory, in the order of their names; a record replaces an earlier one of the same id.
// Throws Error{bad_input} for a malformed file, an invalid pattern, and a record that contradicts
// its examples.
DiagnosisCatalogue known_diagnoses(std::string_view backend,
                                   const std::filesystem::path& folder = diagnoses_folder);

}  // namespace topsctl
