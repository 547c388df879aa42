// Reads torchrun's list of failures.
#include "engine/diagnosis/failure_list.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "engine/diagnosis/line_label.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_lines = 400;

// "exitcode  : -9 (pid: 12)": the value behind the key, if it is that line.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with(key)) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(key.size()));
  if (!rest.starts_with(":")) return std::nullopt;
  return trimmed(rest.substr(1));
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace

void FailureList::begin() {
  left_ = most_lines;
  last_.is_root_cause = false;
}

FailureList::Line FailureList::take(std::string_view words) {
  --left_;
  if (words.find("Root Cause (first observed failure)") != std::string_view::npos) {
    last_.is_root_cause = true;
    return Line::of_list;
  }
  if (const auto rank = value_of(words, "rank")) {
    last_.rank = number_of(*rank);
    return Line::of_list;
  }
  if (const auto time = value_of(words, "time")) {
    std::string text(*time);
    std::replace(text.begin(), text.end(), '_', ' ');
    last_.time_ms = line_time(text);
    return Line::of_list;
  }
  if (last_.is_root_cause && words.starts_with("=====")) {
    left_ = 0;
    return Line::of_list;
  }
  const auto status = value_of(words, "exitcode");
  if (!status) return Line::other;
  last_.status = number_of(*status).value_or(0);
  return Line::failure;
}

}  // namespace topsctl
