// Looks for a text in all that a process can write to.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

// Is never in memory unless somebody asks for it: each letter follows from its place, and the same
// ones come again and again. What is given back loses its first bytes to malloc, hence so many.
struct SoughtText {
  static constexpr std::size_t length = 200;

  static char letter(std::size_t at) { return static_cast<char>('a' + (at * 7 + at * at) % 26); }
  // To be wiped by who asks.
  static std::string made() {
    std::string text;
    text.reserve(length);
    for (std::size_t i = 0; i < length; ++i) text.push_back(letter(i));
    return text;
  }
  static Secret as_secret() {
    std::string text = made();
    Secret secret(text);
    wipe(text);
    return secret;
  }

  // How often a part of it is there; more often for one that is near what was read of it.
  // `process`: its number, or "self".
  static std::size_t copies(const std::string& process = "self") {
    constexpr std::size_t block = 1U << 20U;
    constexpr std::size_t most = 1U << 30U;  // a sanitizer reserves more, and writes to little
    std::size_t found = 0;
    const Descriptor memory(
        ::open(concat("/proc/", process, "/mem").c_str(), O_RDONLY | O_CLOEXEC));
    std::ifstream maps(concat("/proc/", process, "/maps"));
    std::string bytes(block, 0);
    for (std::string line; std::getline(maps, line);) {
      const std::size_t dash = line.find('-');
      std::size_t from = 0;
      std::size_t to = 0;
      std::from_chars(line.data(), line.data() + dash, from, 16);
      std::from_chars(line.data() + dash + 1, line.data() + line.size(), to, 16);
      if (line.find(" rw-p ") == std::string::npos || to - from > most) continue;
      for (std::size_t at = from; at < to; at += block - part + 1) {
        const ssize_t got =
            ::pread(memory.get(), bytes.data(), std::min(block, to - at), static_cast<off_t>(at));
        found += copies_in(bytes.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
        wipe(bytes.data(), block);  // or what was read would be found
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t part = 32;

  // By memchr: byte by byte, a sanitizer made minutes of it.
  static std::size_t copies_in(const char* bytes, std::size_t size) {
    std::size_t found = 0;
    for (const char* at = bytes; size - static_cast<std::size_t>(at - bytes) >= part; ++at) {
      at = static_cast<const char*>(
          std::memchr(at, letter(0), size - static_cast<std::size_t>(at - bytes) - part + 1));
      if (at == nullptr) break;
      found += is_at(at) ? 1 : 0;
    }
    return found;
  }

  static bool is_at(const char* at) {
    for (std::size_t i = 0; i < part; ++i) {
      if (at[i] != letter(i)) return false;
    }
    return true;
  }
};

}  // namespace topsctl
