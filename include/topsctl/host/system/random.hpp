// Cryptographically secure random bytes.
#pragma once

#include <cstddef>
#include <string>

namespace topsctl {

// From the kernel (getrandom(2)). Throws Error.
std::string random_bytes(std::size_t count);

}  // namespace topsctl
