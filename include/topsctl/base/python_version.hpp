// The ordering of Python's versions (PEP 440).
#pragma once

#include <string_view>

namespace topsctl {

// Whether the version is PEP 440 compliant, in any spelling that its normalisation accepts:
// "1.10.0+2.5.136" and " V1-Alpha_2" are, "0.19.1.115.gcu" is not. ASCII letters and digits only.
bool is_pep440_version(std::string_view version);

// Negative if a is older than b, 0 if equal, positive if newer. Two compliant versions are ordered
// by PEP 440, local segments included; numbers have any length. A version that is not compliant
// sorts before all compliant ones. Two that are not compliant are compared piece by piece: a piece
// is a run of digits or of other characters; blanks, '.', '-', '_' and '+' only separate. Digits
// compare as numbers, other pieces as lower-case text, a number is newer than a word, and with a
// common beginning the longer version is newer (in the spirit of Python's former LegacyVersion).
int compare_python_versions(std::string_view a, std::string_view b);

}  // namespace topsctl
