// The ordering of Python's versions (PEP 440).
#pragma once

#include <string_view>

namespace topsctl {

// Whether the version is one that PEP 440 knows, in any spelling that its normalisation takes:
// "1.10.0+2.5.136" and " V1-Alpha_2" are, "0.19.1.115.gcu" is not. Letters and digits are ASCII's.
bool is_pep440_version(std::string_view version);

// Negative if a is older than b, 0 if equal, positive if newer. PEP 440's order (local segments
// included) when both are its versions; numbers have any length. One that is not sorts before all
// that are. Two that are not are compared piece by piece: a piece is a run of digits or of other
// characters, and blanks, '.', '-', '_' and '+' only separate. Digits compare as numbers, all else
// as text in lower case, a number is newer than a word, and the longer of two versions that begin
// alike is newer (the order of Python's former LegacyVersion in spirit, defined here once).
int compare_python_versions(std::string_view a, std::string_view b);

}  // namespace topsctl
