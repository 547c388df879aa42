// All that comes by a link.
#pragma once

#include <array>
#include <string>

#include "topsctl/host/network/psk_tls.hpp"

namespace topsctl {

inline std::string all_of(PskTlsLink& link) {
  std::string all;
  std::array<char, 4096> bytes{};
  for (std::size_t got = link.read(bytes); got > 0; got = link.read(bytes))
    all.append(bytes.data(), got);
  return all;
}

}  // namespace topsctl
