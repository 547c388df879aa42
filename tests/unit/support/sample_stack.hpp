// The embedded stack as text and as a value, for tests that change it a little.
#pragma once

#include <stdexcept>
#include <string>

#include "topsctl/base/embedded.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/stack/stack_parser.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

inline std::string sample_stack_text() {
  const auto text = embedded_file("stacks/topsrider-t2x.json");
  if (!text) throw std::runtime_error("no embedded stack");
  return std::string(*text);
}

// At the release that somebody has tried.
inline Stack sample_stack() {
  return at_release(parse_stack(sample_stack_text(), "the sample"), "2.5.136");
}

inline Stack vccl_stack() {
  const auto text = embedded_file("stacks/vccl-2.26.6.json");
  if (!text) throw std::runtime_error("no embedded stack of VCCL");
  return parse_stack(*text, "VCCL's stack");
}

// The text with the first `from` replaced by `to`; `from` must occur.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "' in the text");
  return text.replace(at, from.size(), to);
}

}  // namespace topsctl
