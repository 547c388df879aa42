// The result of a verification as a document.
#pragma once

#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The body of `topsctl verify --json`. `stack` has no name if none was chosen.
Json verify_body(const Stack& stack, const Verification& verification);

}  // namespace topsctl
