// Parses labels of lines by hand, because each relevant line is parsed.
#include "engine/diagnosis/line_label.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_rank = 1'000'000;
constexpr std::size_t longest_host = 64;      // bytes
constexpr std::size_t longest_braces = 256;   // bytes, of Loki's labels
constexpr std::size_t time_look_back = 4096;  // bytes before a line, for a time
constexpr int most_labels = 6;
constexpr std::string_view docker_line = "{\"log\":\"";
constexpr std::size_t time_is_within = 64;  // bytes

// Removes and returns a number of at most 7 digits at the beginning.
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
    if (!rank || !take(text, "]:")) return std::nullopt;
    take(text, " ");
    return rank;
  }
  // mpirun's: job and rank; a newer one writes the job's name before.
  const std::size_t at = text.find('@');
  if (text.starts_with("prterun-") && at < text.find(',')) text.remove_prefix(at + 1);
  if (!take_number(text) || !take(text, ",")) return std::nullopt;
  const auto rank = take_number(text);
  if (!rank || !take(text, "]")) return std::nullopt;
  if (!take(text, "<stderr>:") && !take(text, "<stdout>:")) return std::nullopt;
  take(text, " ");
  return rank;
}

// "  3: ", as srun --label has it.
std::optional<int> numbered_rank(std::string_view& text) {
  while (take(text, " ")) {
  }
  const auto rank = take_number(text);
  return rank && *rank < most_rank && take(text, ": ") ? rank : std::nullopt;
}

// Digits of a fixed form such as "dddd-dd-dd"; other characters match themselves.
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

// "2025-09-21T10:00:01.123Z " and the like, as containers and `topsctl launch` write it.
bool take_stamp(std::string_view& text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (!has_form(text, form)) return false;
  std::string_view rest = text.substr(form.size());
  if (take(rest, "."))
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  const bool has_zone = has_form(rest, "+dd:dd") || has_form(rest, "-dd:dd");
  if (has_zone) rest.remove_prefix(6);
  if (!has_zone && !take(rest, "Z")) return false;
  if (!take(rest, " ")) return false;
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "})
    take(rest, stream);
  const std::size_t end = rest.find("} ");
  if (rest.starts_with("{") && end < longest_braces && rest.find("=\"") < end)
    rest.remove_prefix(end + 2);
  text = rest;
  return true;
}

bool is_of_host(char each) {
  return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
         (each >= '0' && each <= '9') || each == '-' || each == '.' || each == '_';
}

// Text that only training programs write, after the name of the host.
bool leaves_no_doubt(std::string_view words) {
  std::string_view rest = words;
  return words.starts_with("Traceback (most recent call last)") || bracketed_rank(rest) ||
         has_form(words, "[dddd-dd-dd");
}

// "[pod/train-0/main] ", "(RayTrainWorker pid=7, ip=10.0.0.1) ", "node3: ", "train-0  | ".
std::string_view take_host(std::string_view& text, const HostNames& hosts) {
  for (const auto& [begin, end, word] :
       {std::array<std::string_view, 3>{"[pod/", "] ", "[pod/"}, {"(", ") ", " pid="}}) {
    const std::size_t at = text.substr(0, longest_braces).find(end);
    if (!text.starts_with(begin) || at == std::string_view::npos || text.find(word) > at) continue;
    const std::string_view host = text.substr(0, at);
    text.remove_prefix(at + 2);
    return host;
  }
  std::size_t size = 0;
  while (size < text.size() && is_of_host(text[size])) ++size;
  const std::string_view host = text.substr(0, size);
  std::string_view rest = text.substr(size);
  if (host.empty() || size > longest_host) return {};
  if (!take(rest, ": ")) {
    while (take(rest, " ")) {
    }
    if (!take(rest, "| ")) return {};
  }
  // "ERROR: [2025-09-21" names no host.
  const bool is_level = std::none_of(host.begin(), host.end(), [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
  });
  if (!hosts.contains(host) && (is_level || is_digits(host) || !leaves_no_doubt(rest))) return {};
  text = rest;
  return host;
}

constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// The milliseconds by which local time is ahead of UTC, from the zone at the beginning.
std::int64_t zone_ms(std::string_view text) {
  const bool has_colon = has_form(text.substr(std::min<std::size_t>(text.size(), 1)), "dd:dd");
  const bool is_plain = has_form(text.substr(std::min<std::size_t>(text.size(), 1)), "dddd");
  if (text.empty() || (text[0] != '+' && text[0] != '-') || !(has_colon || is_plain)) return 0;
  const auto two = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const std::int64_t minutes = two(1) * 60 + two(has_colon ? 4 : 3);
  return (text[0] == '-' ? -minutes : minutes) * 60'000;
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
  std::string_view rest = clock.substr(8);
  if (!rest.empty() && (rest[0] == '.' || rest[0] == ','))
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  return ms - zone_ms(rest);
}

// The time at the beginning, if it starts with exactly `count` digits.
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

// "Sep 24 08:00:01" of syslog, with a year behind in dmesg -T; the digits of the day end at `end`.
std::optional<std::int64_t> syslog_time(std::string_view head, std::size_t begin, std::size_t end) {
  const std::size_t space = head.substr(0, begin).find_last_not_of(' ');
  if (space == std::string_view::npos || space < 2 || end - begin > 2) return std::nullopt;
  const auto month = std::find(months.begin(), months.end(), head.substr(space - 2, 3));
  if (month == months.end() || begin - space > 3 || !has_form(head.substr(end), " dd:dd:dd"))
    return std::nullopt;
  const std::string_view clock = head.substr(end + 1);
  const bool has_year = has_form(clock.substr(8), " dddd");
  const int year = has_year ? digits(clock, 9, 4) : 1970;
  return moment(year, static_cast<int>(month - months.begin()) + 1,
                digits(head, begin, end - begin), clock.substr(0, 8));
}

// The number after "rank", "worker", "stderr" and the like in a name.
std::optional<int> number_behind(std::string_view name, std::string_view word) {
  const auto at = name.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(at + word.size());
  while (!rest.empty() && (rest[0] == '_' || rest[0] == '-' || rest[0] == '.'))
    rest.remove_prefix(1);
  return take_number(rest);
}

}  // namespace

LineLabel line_label(std::string_view line, const HostNames& hosts) {
  LineLabel label;
  std::string_view rest = line;
  for (int taken = 0; taken < most_labels; ++taken) {
    if (take_stamp(rest)) continue;
    if (label.host.empty()) {
      label.host = take_host(rest, hosts);
      if (!label.host.empty()) continue;
    }
    if (label.rank) break;
    for (const auto form : {bracketed_rank, numbered_rank}) {
      std::string_view behind = rest;
      label.rank = form(behind);
      if (!label.rank) continue;
      rest = behind;
      break;
    }
    if (!label.rank) break;
  }
  label.size = line.size() - rest.size();
  return label;
}

std::string_view unwrapped_line(std::string_view line, std::string& room) {
  if (!line.starts_with(docker_line)) return line;
  room.clear();
  for (std::size_t at = docker_line.size(); at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      room.push_back(line[at]);
      continue;
    }
    const char escaped = line[++at];
    if (escaped == 'n' || escaped == 'r') continue;
    if (escaped == 'u' && at + 4 < line.size()) {
      unsigned code = 0;
      std::from_chars(line.data() + at + 1, line.data() + at + 5, code, 16);
      room.push_back(code < 0x80 ? static_cast<char>(code) : '?');
      at += 4;
    } else {
      room.push_back(escaped == 't' ? '\t' : escaped);
    }
  }
  return room;
}

std::optional<std::int64_t> line_time(std::string_view line) {
  // Docker writes it behind the text.
  const bool is_wrapped = line.starts_with(docker_line);
  const std::size_t told = is_wrapped ? line.rfind("\"time\":\"") : std::string_view::npos;
  const std::string_view head =
      line.substr(told == std::string_view::npos ? 0 : told, time_is_within);
  const auto is_digit = [&](std::size_t at) { return head[at] >= '0' && head[at] <= '9'; };
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (!is_digit(at)) continue;
    const std::size_t begin = at;
    while (at < head.size() && is_digit(at)) ++at;
    // Each form begins with a fixed number of digits; characters before them do not matter.
    if (const auto time = syslog_time(head, begin, at)) return time;
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
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  return at + std::min(line.find('\r'), line.size());
}

std::size_t line_begin(std::string_view text, std::size_t position, std::size_t least) {
  const char* begin = text.data() + least;
  const char* const last = text.data() + position + 1;
  for (const char end : line_ends) {
    const void* found = ::memrchr(begin, end, static_cast<std::size_t>(last - begin));
    if (found != nullptr) begin = static_cast<const char*>(found) + 1;
  }
  return static_cast<std::size_t>(begin - text.data());
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
