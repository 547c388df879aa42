// The smallest library that exports a symbol, made byte by byte.
#pragma once

#include <string>

#include "sample_elf.hpp"

namespace topsctl {

// An ELF-64 file whose one exported symbol is ecclGetVersion.
inline std::string small_library() {
  SampleElf<> library;
  library.soname = "libeccl.so";
  library.symbols = {{"ecclGetVersion", true}};
  return library.bytes();
}

}  // namespace topsctl
