// Reads labels of lines: by hand, as each line that may matter is looked at.
#include "engine/diagnosis/line_label.hpp"

#include <array>
#include <charconv>
#include <chrono>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_rank = 1'000'000;
constexpr std::size_t time_is_within = 64;    // bytes
constexpr std::size_t time_look_back = 4096;  // bytes before a line, for a time

// A number of at most 7 digits at the front, which is taken off.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const std::size_t most = std::min<std::size_t>(text.size(), 7);
  const auto [end, error] = std::from_chars(text.data(), text.data() + most, value);
  if (error != std::errc() || end == text.data() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

std::optional<int> bracketed_rank(std::string_view& text) {
  if (!take(text, "[")) return std::nullopt;
  if (take(text, "rank") || take(text, "default")) {
    const auto rank = take_number(text);
    return rank && take(text, "]:") ? rank : std::nullopt;
  }
  // mpirun's: job and rank.
  if (!take_number(text) || !take(text, ",")) return std::nullopt;
  const auto rank = take_number(text);
  if (!rank || !take(text, "]")) return std::nullopt;
  return take(text, "<stderr>:") || take(text, "<stdout>:") ? rank : std::nullopt;
}

// "  3: ", as srun --label has it.
std::optional<int> numbered_rank(std::string_view& text) {
  while (take(text, " ")) {
  }
  const auto rank = take_number(text);
  return rank && *rank < most_rank && take(text, ": ") ? rank : std::nullopt;
}

// Digits of a fixed form such as "dddd-dd-dd"; other characters stand for themselves.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !is_digit : text[i] != form[i]) return false;
  }
  return true;
}

int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + count, value);
  return value;
}

std::int64_t moment(int year, int month, int day, std::string_view clock) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return 0;
  std::int64_t ms = duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count();
  ms += (digits(clock, 0, 2) * 3600 + digits(clock, 3, 2) * 60 + digits(clock, 6, 2)) * 1000LL;
  if (clock.size() >= 12 && (clock[8] == '.' || clock[8] == ',') &&
      has_form(clock.substr(9), "ddd"))
    ms += digits(clock, 9, 3);
  return ms;
}

// A time at the front, where exactly `count` digits stand.
std::optional<std::int64_t> time_at(std::string_view text, std::size_t count) {
  // glog: "W20250921 10:00:00.123456", and without a year "W0921 10:00:00.123456"
  if (count == 8 && has_form(text, "dddddddd dd:dd:dd."))
    return moment(digits(text, 0, 4), digits(text, 4, 2), digits(text, 6, 2), text.substr(9));
  if (count == 4) {
    const bool is_date = has_form(text, "dddd-dd-dd") || has_form(text, "dddd/dd/dd");
    if (is_date && text.size() > 11 && has_form(text.substr(11), "dd:dd:dd"))
      return moment(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), text.substr(11));
    if (has_form(text, "dddd dd:dd:dd."))
      return moment(1970, digits(text, 0, 2), digits(text, 2, 2), text.substr(5));
  }
  if (count == 2 && has_form(text, "dd/dd dd:dd:dd"))
    return moment(1970, digits(text, 0, 2), digits(text, 3, 2), text.substr(6));
  return std::nullopt;
}

// What follows "rank", "worker", "stderr" and the like in a name.
std::optional<int> number_behind(std::string_view name, std::string_view word) {
  const auto at = name.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(at + word.size());
  while (!rest.empty() && (rest[0] == '_' || rest[0] == '-' || rest[0] == '.'))
    rest.remove_prefix(1);
  return take_number(rest);
}

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

LineLabel line_label(std::string_view line) {
  // Before all others, as `topsctl launch` writes it.
  constexpr std::string_view stamp = "dddd-dd-ddTdd:dd:dd.dddZ ";
  if (has_form(line, stamp)) {
    const LineLabel label = line_label(line.substr(stamp.size()));
    return {label.rank, label.size + stamp.size()};
  }
  for (const auto form : {bracketed_rank, numbered_rank}) {
    std::string_view rest = line;
    const auto rank = form(rest);
    if (!rank) continue;
    take(rest, " ");
    return {rank, line.size() - rest.size()};
  }
  return {};
}

std::optional<std::int64_t> line_time(std::string_view line) {
  const std::string_view head = line.substr(0, time_is_within);
  const auto is_digit = [&](std::size_t at) { return head[at] >= '0' && head[at] <= '9'; };
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (!is_digit(at)) continue;
    const std::size_t begin = at;
    while (at < head.size() && is_digit(at)) ++at;
    // Each form begins with so many digits; what is before them is not looked at.
    for (const std::size_t count : {8U, 4U, 2U}) {
      if (at - begin < count) continue;
      if (const auto time = time_at(head.substr(at - count), count)) return time;
    }
  }
  return std::nullopt;
}

void LineClock::begin(std::uint64_t position, std::string_view before) {
  position_ = position;
  before_ = before.substr(before.size() - std::min(before.size(), time_look_back));
}

void LineClock::keep(std::string_view text) {
  if (text.size() < time_look_back) {
    tail_.append(text);
    tail_.erase(0, tail_.size() - std::min(tail_.size(), time_look_back));
  } else {
    tail_ = text.substr(text.size() - time_look_back);
  }
}

std::optional<std::int64_t> LineClock::time_of(std::string_view line) {
  if (const auto time = line_time(line)) return time;
  const std::uint64_t oldest = position_ - std::min<std::uint64_t>(position_, time_look_back);
  const std::uint64_t least = std::max(oldest, searched_to_);
  std::uint64_t end = position_;
  for (const std::string_view part : {before_, std::string_view(tail_)}) {
    const std::size_t size = std::min<std::uint64_t>(end - least, part.size());
    end -= size;
    if (look_for_time(part.substr(part.size() - size), end)) break;
  }
  searched_to_ = position_;
  if (!timed_ || timed_->first < oldest) return std::nullopt;
  return timed_->second;
}

// The last line with a time in this part of the log, which begins at `position`.
bool LineClock::look_for_time(std::string_view rest, std::uint64_t position) {
  while (!rest.empty()) {
    const bool has_end = rest.ends_with('\n') || rest.ends_with('\r');
    const std::string_view text = rest.substr(0, rest.size() - (has_end ? 1 : 0));
    const std::size_t begin = text.empty() ? 0 : line_begin(text, text.size() - 1, 0);
    if (const auto time = line_time(text.substr(begin))) {
      timed_ = {position + begin, *time};
      return true;
    }
    rest = rest.substr(0, begin);
  }
  return false;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_line_end(text[at])) ++at;
  return at;
}

std::size_t line_begin(std::string_view text, std::size_t position, std::size_t least) {
  std::size_t begin = position + 1;
  while (begin > least && !is_line_end(text[begin - 1])) --begin;
  return begin;
}

std::size_t behind_line_end(std::string_view text, std::size_t end) {
  const std::size_t at = std::min(text.find_first_not_of('\r', end), text.size());
  return at < text.size() && text[at] == '\n' ? at + 1 : at;
}

std::size_t size_of_whole_lines(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\r');
  const std::size_t end = text.find_last_of(line_ends, last);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::string_view plain_line(std::string_view line, std::string& room) {
  std::size_t at = line.find('\033');
  if (at == std::string_view::npos) return line;
  room = line.substr(0, at);
  for (; at < line.size(); ++at) {
    if (line[at] != '\033') {
      room.push_back(line[at]);
      continue;
    }
    const char kind = at + 1 < line.size() ? line[at + 1] : '\0';
    // A title or a link ends with a bell or with ESC \ (ECMA-48, 8.3.89); one without end is a
    // text.
    const std::size_t bell = kind == ']' ? line.find_first_of("\a\033", at + 2) : std::string::npos;
    if (bell != std::string::npos) {
      at = line.substr(bell).starts_with("\033\\") ? bell + 1 : bell - (line[bell] == '\a' ? 0 : 1);
      continue;
    }
    if (kind != '[') continue;
    // A control sequence ends at its first letter (ECMA-48, 5.4).
    at += 2;
    while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
  }
  return room;
}

std::optional<int> rank_of_path(const std::filesystem::path& path) {
  const std::string name = lower_case(path.filename().string());
  for (const std::string_view word : {"rank", "worker", "local_rank", "proc"}) {
    if (const auto rank = number_behind(name, word)) return rank;
  }
  const std::string folder = path.parent_path().filename().string();
  const bool is_torchrun =
      name.starts_with("stderr") || name.starts_with("stdout") || name == "error.json";
  if (is_torchrun && is_digits(folder) && folder.size() <= 6) return std::stoi(folder);
  if (lower_case(folder).find("rank") != std::string::npos)
    return number_behind(lower_case(folder), "rank");
  return std::nullopt;
}

int attempt_of_path(const std::filesystem::path& path) {
  for (const auto& part : path) {
    if (const auto attempt = number_behind(part.string(), "attempt_")) return *attempt;
  }
  return 0;
}

}  // namespace topsctl
