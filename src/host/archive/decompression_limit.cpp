// The message for archives that expand to excessive data.
#include "topsctl/host/archive/decompression_limit.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

DecompressionBomb::DecompressionBomb(std::string_view subject, std::string_view why)
    : Error(ErrorCode::bad_package,
            format("cannot read {}: decompression bomb: {}", in_quotes(subject), why),
            "do not install this file: no valid package is made like this") {}

}  // namespace topsctl
