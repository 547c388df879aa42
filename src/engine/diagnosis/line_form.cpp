// Recognizes the forms of lines, by hand-written parsers.
#include "engine/diagnosis/line_form.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/diagnosis/line_label.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_lines = 400;

// "exitcode  : -9 (pid: 12)": the value after the key, if the line has this form.
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

bool is_of_word(char each) {
  return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
         (each >= '0' && each <= '9') || each == '_';
}

// The key of a quoted value: `"message": "..."`, `error='...'`.
std::string_view key_before(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" ='\":[(");
  if (last == std::string_view::npos || last + 1 == text.size()) return {};
  const std::string_view head = text.substr(0, last + 1);
  std::size_t begin = head.size();
  while (begin > 0 && is_of_word(head[begin - 1])) --begin;
  return head.substr(begin);
}

bool is_said_by_logger(std::string_view before) {
  constexpr std::array<std::string_view, 9> keys = {
      "message", "msg", "log", "error", "exception", "exc_info", "stderr", "event", "detail"};
  return std::find(keys.begin(), keys.end(), key_before(before)) != keys.end();
}

// The position of the mark that ends the quotation begun at `begin`, or npos.
std::size_t end_of_quotation(std::string_view words, std::size_t begin) {
  for (std::size_t at = begin + 1; at < words.size(); ++at) {
    if (words[at] == '\\') {
      ++at;
      continue;
    }
    const bool is_inner = at + 1 < words.size() && is_of_word(words[at + 1]);
    if (words[at] == words[begin] && !is_inner) return at;
  }
  return std::string_view::npos;
}

}  // namespace

bool is_exception(std::string_view words) {
  constexpr std::array<std::string_view, 6> ends = {"Error", "Exception", "Interrupt",
                                                    "Exit",  "Timeout",   "Expired"};
  std::size_t size = 0;
  while (size < words.size() && (is_of_word(words[size]) || words[size] == '.')) ++size;
  const std::string_view type = words.substr(0, size);
  const std::string_view rest = words.substr(size);
  if (type.empty() || !(trimmed(rest).empty() || rest.starts_with(": "))) return false;
  // The description of a progress bar is text of the program, not an error.
  if (rest.find("%|") != std::string_view::npos && trimmed(rest).ends_with("]")) return false;
  const std::string_view own = type.substr(type.rfind('.') + 1);
  if (own.empty() || own[0] < 'A' || own[0] > 'Z') return false;
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) {
    return own.ends_with(end) && (own.size() > end.size() || end == "Exception");
  });
}

bool is_of_what_python_ignores(std::string_view words) {
  return words.starts_with("Exception ignored in") || words.starts_with("--- Logging error ---") ||
         words.starts_with("Error in atexit._run_exitfuncs");
}

bool is_frame(std::string_view words) {
  if (!words.starts_with("  File \"")) return false;
  const std::size_t line = words.find("\", line ");
  if (line == std::string_view::npos) return false;
  std::string_view rest = words.substr(line + 8);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(digits);
  return digits > 0 && (trimmed(rest).empty() || rest.starts_with(", in "));
}

std::string_view exception_of(std::string_view traceback) {
  const std::string_view last = traceback.substr(traceback.rfind('\n') + 1);
  return is_exception(last) ? last : std::string_view();
}

std::optional<CodeFrame> last_own_frame(std::string_view traceback) {
  constexpr std::array<std::string_view, 5> others = {"/site-packages/", "/dist-packages/",
                                                      "/lib/python", "<frozen ", "/torchrun"};
  constexpr std::string_view before_line = "\", line ";
  std::optional<CodeFrame> last;
  for (std::size_t at = 0; at < traceback.size();) {
    const std::size_t end = std::min(traceback.find('\n', at), traceback.size());
    const std::string_view line = traceback.substr(at, end - at);
    at = end + 1;
    if (!is_frame(line)) continue;
    const std::size_t file = line.find('"') + 1;
    const std::size_t middle = line.find(before_line);
    const std::string_view rest = line.substr(middle + before_line.size());
    const std::size_t in = rest.find(", in ");
    const CodeFrame frame{line.substr(file, middle - file), number_of(rest).value_or(0),
                          in == std::string_view::npos ? "" : trimmed(rest.substr(in + 5))};
    const bool is_own = std::none_of(others.begin(), others.end(), [&](std::string_view other) {
      return frame.file.find(other) != std::string_view::npos;
    });
    if (is_own) last = frame;
  }
  return last;
}

std::string without_source_lines(std::string_view traceback) {
  std::string out;
  for (std::size_t at = 0; at < traceback.size();) {
    const std::size_t end = std::min(traceback.find('\n', at), traceback.size() - 1) + 1;
    const std::string_view line = traceback.substr(at, end - at);
    if (!line.starts_with("    ")) out.append(line);
    at = end;
  }
  return out;
}

QuotedLine quoted_line(std::string_view words) {
  QuotedLine line;
  for (std::size_t at = 0; at < words.size(); ++at) {
    line.around.push_back(words[at]);
    const bool is_mark = words[at] == '"' || words[at] == '\'';
    if (!is_mark || (at > 0 && is_of_word(words[at - 1]))) continue;
    const std::size_t end = end_of_quotation(words, at);
    if (end == std::string_view::npos || is_said_by_logger(words.substr(0, at))) continue;
    line.quoted.push_back(words.substr(at + 1, end - at - 1));
    line.around.push_back(words[at]);
    at = end;
  }
  return line;
}

int srun_status(std::string_view words) {
  constexpr std::string_view told = ": Exited with exit code ";
  if (!words.starts_with("srun: error: ")) return 0;
  const std::size_t at = words.find(told);
  if (at == std::string_view::npos) return 0;
  return number_of(words.substr(at + told.size())).value_or(0);
}

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
