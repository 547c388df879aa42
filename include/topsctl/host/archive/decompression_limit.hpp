// Archives that expand to excessive data (decompression bombs).
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"

namespace topsctl {

// An Error{bad_package} of its own type, to distinguish a bomb from damage.
class DecompressionBomb : public Error {
 public:
  // "cannot read 'SUBJECT': a decompression bomb: WHY".
  DecompressionBomb(std::string_view subject, std::string_view why);
};

}  // namespace topsctl
