// Remote side of a transfer: receives chunks, verifies them, and puts files into place.
#pragma once

#include <filesystem>
#include <optional>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// If set, only this directory and those below it may be written; commands, log fetches and
// connections to other hosts are refused.
using OnlyBelow = std::optional<std::filesystem::path>;

// Serves a transfer on two descriptors until the input ends or the files are complete. Reports
// errors in a failure frame. Returns whether it succeeded.
bool serve_transfer(const Host& host, const Descriptor& input, const Descriptor& output,
                    const OnlyBelow& only_below = {});

}  // namespace topsctl
