// RECORD files and Python tags.
#include <algorithm>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/wheel.hpp"

namespace topsctl {

namespace {

// One CSV line, RFC 4180; fields may be quoted.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_quotes && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().push_back('"');
      ++i;
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (c == ',' && !in_quotes) {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  return fields;
}

std::optional<std::string> dotted(std::string_view digits) {
  // "38" is 3.8, "310" is 3.10: the major version has one digit.
  if (digits.size() < 2 || !is_digits(digits)) return std::nullopt;
  return concat(digits.substr(0, 1), ".", digits.substr(1));
}

std::optional<std::string> minor_of(std::string_view tag) {
  for (const std::string_view prefix : {"py", "cp"}) {
    if (!tag.starts_with(prefix)) continue;
    const std::string_view rest = tag.substr(prefix.size());
    const auto dot = rest.find('.');
    if (dot == 1 && is_digits(rest.substr(0, 1)) && is_digits(rest.substr(2))) {
      return std::string(rest);
    }
    return dotted(rest);
  }
  return std::nullopt;
}

}  // namespace

std::vector<RecordLine> parse_record(std::string_view text, const std::string& subject) {
  std::vector<RecordLine> lines;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.empty()) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() != 3 || fields[0].empty()) {
      throw Error(ErrorCode::bad_package,
                  concat("cannot read ", in_quotes(subject), ": RECORD has a damaged line ",
                         in_quotes(shortened(line, 80))),
                  "get the wheel again from the vendor's bundle");
    }
    RecordLine record{fields[0], ""};
    constexpr std::string_view algorithm = "sha256=";
    if (fields[1].starts_with(algorithm)) record.sha256 = fields[1].substr(algorithm.size());
    lines.push_back(std::move(record));
  }
  return lines;
}

std::optional<std::string> python_minor(const std::vector<std::string>& tags) {
  std::set<std::string> minors;
  for (const std::string& tag : tags) {
    const std::string python(tag.substr(0, tag.find('-')));
    if (const auto whole = minor_of(python)) {
      minors.insert(*whole);
      continue;
    }
    for (const std::string& part : split(python, '.')) {
      const auto minor = minor_of(part);
      if (!minor) return std::nullopt;
      minors.insert(*minor);
    }
  }
  if (minors.size() != 1) return std::nullopt;
  return *minors.begin();
}

}  // namespace topsctl
