// RECORD files: CSV with a digest and a size for each path.
#include "topsctl/host/python/wheel_record.hpp"

#include <charconv>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_lines = 200'000;

[[noreturn]] void refuse_record(const std::string& subject, const std::string& why) {
  throw Error(ErrorCode::bad_package, format("cannot read {}: RECORD {}", in_quotes(subject), why),
              "get a new copy of the wheel from the vendor's bundle");
}

// Parses one line like Python's csv module: quotes count only at the beginning of a field. Always
// three fields: missing ones are empty, and extra ones are ignored, as by pip.
std::vector<std::string> csv_fields(std::string_view line) {
  enum class State { begins, plain, quoted, quote_in_quoted } state = State::begins;
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '"' && state == State::begins) {
      state = State::quoted;
    } else if (c == '"' && state == State::quoted) {
      state = State::quote_in_quoted;
    } else if (c == ',' && state != State::quoted) {
      if (fields.size() == 3) break;
      fields.emplace_back();
      state = State::begins;
    } else {
      fields.back().push_back(c);
      state = state == State::quoted || (state == State::quote_in_quoted && c == '"')
                  ? State::quoted
                  : State::plain;
    }
  }
  fields.resize(3);
  return fields;
}

// Makers differ in alphabet and padding.
std::string plain_base64(std::string_view digest) {
  while (digest.ends_with('=')) digest.remove_suffix(1);
  std::string out(digest);
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

RecordLine line_of(std::vector<std::string> fields) {
  RecordLine line;
  line.path = std::move(fields[0]);
  if (const auto equals = fields[1].find('='); equals != std::string::npos) {
    line.algorithm = lower_case(fields[1].substr(0, equals));
    line.digest = plain_base64(std::string_view(fields[1]).substr(equals + 1));
    if (line.algorithm == "sha256") line.sha256 = line.digest;
  }
  std::uint64_t size = 0;
  const char* const end = fields[2].data() + fields[2].size();
  const auto [at, failure] = std::from_chars(fields[2].data(), end, size);
  if (failure == std::errc() && at == end) line.size = size;
  return line;
}

}  // namespace

std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject) {
  std::vector<RecordLine> lines;
  while (!text.empty()) {
    const auto end = text.find_first_of("\r\n");
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    std::vector<std::string> fields = csv_fields(line);
    if (fields[0].empty()) {
      refuse_record(subject, format("has a damaged line {}", in_quotes(shortened(line, 80))));
    }
    if (lines.size() == most_lines) {
      refuse_record(subject, format("has more than {} lines", most_lines));
    }
    lines.push_back(line_of(std::move(fields)));
  }
  return lines;
}

}  // namespace topsctl
