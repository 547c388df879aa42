// Decompresses with the decoder and with zlib, and makes bytes that are worth compressing.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "host/archive/inflate.hpp"

namespace topsctl {

struct Inflated {
  std::string bytes;
  std::optional<std::uint64_t> used;
};

// In input pieces of a given size, so that every boundary falls everywhere once.
inline Inflated inflated(std::string_view packed, std::size_t piece = 1U << 20U) {
  static Inflater inflater;
  Inflated out;
  out.used = inflater.run(
      [&](char* to, std::size_t room) {
        const std::size_t size = std::min({room, piece, packed.size()});
        packed.copy(to, size);
        packed.remove_prefix(size);
        return size;
      },
      [&](std::string_view bytes) { out.bytes.append(bytes); });
  return out;
}

// What zlib makes of it; nothing if it calls it damaged or cut short.
inline std::optional<std::string> by_zlib(std::string packed) {
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::string buffer(1U << 16U, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(out) : std::nullopt;
}

// Like program code and text: repeats near and far, runs, noise.
inline std::string mixed(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  while (out.size() < size) {
    const std::size_t length = 1 + random() % 400;
    switch (random() % 4) {
      case 0:
        for (std::size_t i = 0; i < length; ++i) out.push_back(static_cast<char>(random()));
        break;
      case 1:
        out.append(length, static_cast<char>(random() % 3));
        break;
      case 2:
        for (std::size_t i = 0; i < length; ++i) out.push_back("etaoin shrdlu\n"[random() % 14]);
        break;
      default:
        if (out.empty()) break;
        for (std::size_t i = 0, back = 1 + random() % std::min<std::size_t>(out.size(), 40'000);
             i < length; ++i) {
          out.push_back(out[out.size() - back]);
        }
    }
  }
  out.resize(size);
  return out;
}

}  // namespace topsctl
