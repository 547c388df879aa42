// The device nodes of accelerator cards.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct CardNodes {
  std::int64_t there = 0;
  std::string first_missing;  // empty: none
  std::string no_device;      // a path that should be a node and is not a device; empty: none
};

// Checks the nodes prefix0, prefix1, ... of this number of cards.
CardNodes card_nodes(const Host& host, const std::string& prefix, std::int64_t cards);

}  // namespace topsctl
