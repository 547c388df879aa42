// The far end of a transfer: takes chunks, checks them, and puts files where they are wanted.
#pragma once

#include <filesystem>
#include <optional>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// A folder beside which, and those below it, nothing may be filled; no command is run then, and no
// other host spoken to.
using OnlyBelow = std::optional<std::filesystem::path>;

// Speaks on two descriptors until the first ends or the files are there. What goes wrong is told in
// a failure frame. Whether it went well.
bool serve_transfer(const Host& host, const Descriptor& input, const Descriptor& output,
                    const OnlyBelow& only_below = {});

}  // namespace topsctl
