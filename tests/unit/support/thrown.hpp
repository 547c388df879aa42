// Catches the Error that a call throws, so that a test can look at all of it.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <ostream>

#include "topsctl/base/error.hpp"

namespace topsctl {

// How failing tests show a code.
inline void PrintTo(ErrorCode code, std::ostream* out) {
  *out << name(code);
}
inline void PrintTo(ExitCode code, std::ostream* out) {
  *out << name(code);
}

// The Error that `call` throws; the test fails if it throws another exception or none.
template <class Call>
Error thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception than Error: " << error.what();
    return Error(ErrorCode::internal, "");
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, "");
}

}  // namespace topsctl
