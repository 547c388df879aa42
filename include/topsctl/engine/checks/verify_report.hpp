// What a climb comes to as a document.
#pragma once

#include <string>

#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The body of `topsctl verify --json`. `stack`: its name; empty: none was chosen.
Json verify_body(const std::string& stack, const Verification& verification);

}  // namespace topsctl
