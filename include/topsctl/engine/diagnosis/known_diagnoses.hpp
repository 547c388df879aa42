// All diagnoses that are known here: those built in, and the operator's own.
#pragma once

#include <filesystem>
#include <string_view>

#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

inline constexpr const char* diagnoses_folder = "/etc/topsctl/diagnoses.d";

// Those that concern the stacks of this backend (for_backend()). The operator's records come from
// the folder's *.json in the order of their names; one with the id of another takes its place.
// Throws Error{bad_input} for a file that is malformed, a pattern that cannot be used, and a record
// that does not do what its examples say.
DiagnosisCatalogue known_diagnoses(std::string_view backend,
                                   const std::filesystem::path& folder = diagnoses_folder);

}  // namespace topsctl
