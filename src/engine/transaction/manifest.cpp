// Writes and reads the record of a snapshot.
#include "topsctl/engine/transaction/manifest.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace {

// File names and attributes are bytes, JSON strings are UTF-8: all bytes except plain ASCII, and
// those that JSON would escape, are written as %XX.
std::string encoded(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%' && c != '"' && c != '\\') {
      out.push_back(c);
    } else {
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return out;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  throw Error(ErrorCode::journal_damaged, "a name in the snapshot record is damaged");
}

std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) {
      throw Error(ErrorCode::journal_damaged, "a name in the snapshot record is damaged");
    }
    out.push_back(static_cast<char>(digit_value(text[i + 1]) * 16 + digit_value(text[i + 2])));
    i += 2;
  }
  return out;
}

// The record may name only paths of the host and files of its own store: another program may have
// written it.
bool is_canonical(std::string_view path) {
  if (path == "/") return true;
  if (!path.starts_with('/') || path.find('\0') != std::string_view::npos) return false;
  const std::vector<std::string> parts = split(path.substr(1), '/');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part != "." && part != "..";
  });
}

bool is_content_name(std::string_view name) {
  for (const std::string_view kind : {"merged-", "c"}) {
    if (name.starts_with(kind)) return is_digits(name.substr(kind.size()));
  }
  return false;
}

void require_sound(const Snapshot& snapshot) {
  std::set<std::string_view> paths;
  for (const KeptPath& kept : snapshot.paths) {
    const bool is_sound =
        is_canonical(kept.path) && (kept.content.empty() || is_content_name(kept.content)) &&
        (kept.same_file.empty() || paths.contains(kept.same_file)) &&
        kept.state.type >= FileState::Type::absent && kept.state.type <= FileState::Type::special;
    if (!is_sound) {
      throw Error(ErrorCode::journal_damaged,
                  format("the snapshot record is damaged at {}", in_quotes(kept.path)));
    }
    paths.insert(kept.path);
  }
  for (const PathFamily& family : snapshot.families) {
    if (is_canonical(family.directory) && family.prefix.find('/') == std::string::npos) continue;
    throw Error(ErrorCode::journal_damaged,
                format("the snapshot record is damaged at {}", in_quotes(family.directory)));
  }
}

// One JSON object on one line, whose strings need no escapes. A manifest has as many as an install
// has files, and a JSON library would take ten times as long.
class LineWriter {
 public:
  void text(std::string_view key, std::string_view value) {
    begin(key);
    line_.append(1, '"').append(value).append(1, '"');
  }
  template <typename Number>
  void number(std::string_view key, Number value) {
    begin(key);
    line_.append(std::to_string(value));
  }
  void flag(std::string_view key, bool value) {
    begin(key);
    line_.append(value ? "true" : "false");
  }
  void texts(std::string_view key, const std::map<std::string, std::string>& values) {
    begin(key);
    LineWriter inner;
    for (const auto& [name, value] : values) inner.text(encoded(name), encoded(value));
    line_.append(inner.ended());
  }
  std::string ended() { return std::move(line_.append(1, '}')); }

 private:
  void begin(std::string_view key) {
    if (line_.size() > 1) line_.push_back(',');
    line_.append(1, '"').append(key).append("\":");
  }

  std::string line_ = "{";
};

KeptPath kept_path(const Json& line) {
  KeptPath kept;
  kept.path = decoded(line.at("path").get<std::string>());
  kept.is_unpacked = line.value("unpacked", false);
  kept.is_found = line.value("found", false);
  FileState& state = kept.state;
  state.type = static_cast<FileState::Type>(line.at("type").get<int>());
  if (state.type == FileState::Type::absent) return kept;
  state.mode = line.at("mode").get<unsigned>();
  state.uid = line.at("uid").get<unsigned>();
  state.gid = line.at("gid").get<unsigned>();
  state.mtime_ns = line.at("mtime_ns").get<std::int64_t>();
  if (state.type == FileState::Type::special) state.rdev = line.at("rdev").get<std::uint64_t>();
  if (state.type == FileState::Type::symlink) {
    state.target = decoded(line.at("target").get<std::string>());
  }
  if (state.type == FileState::Type::file) {
    state.size = line.at("size").get<std::uint64_t>();
    state.sha256 = line.at("sha256").get<std::string>();
    kept.content = line.at("content").get<std::string>();
    kept.same_file = decoded(line.at("same_file").get<std::string>());
    if (!kept.content.empty()) {
      kept.keeping = line.value("linked", false) ? Keeping::link
                     : line.value("both", false) ? Keeping::both
                                                 : Keeping::copy;
    }
  }
  if (line.value("released", false)) kept.keeping = Keeping::released;
  if (const auto xattrs = line.find("xattrs"); xattrs != line.end()) {
    for (const auto& [name, value] : xattrs->items()) {
      state.xattrs.emplace(decoded(name), decoded(value.get<std::string>()));
    }
  }
  return kept;
}

}  // namespace

std::string kept_path_line(const KeptPath& kept) {
  const FileState& state = kept.state;
  LineWriter line;
  line.text("path", encoded(kept.path));
  line.number("type", static_cast<int>(state.type));
  if (kept.keeping == Keeping::released) line.flag("released", true);
  if (kept.is_unpacked) line.flag("unpacked", true);
  if (kept.is_found) line.flag("found", true);
  if (state.type == FileState::Type::absent) return line.ended();
  line.number("mode", state.mode);
  line.number("uid", state.uid);
  line.number("gid", state.gid);
  line.number("mtime_ns", state.mtime_ns);
  if (state.type == FileState::Type::special) line.number("rdev", state.rdev);
  if (state.type == FileState::Type::symlink) line.text("target", encoded(state.target));
  if (state.type == FileState::Type::file) {
    line.number("size", state.size);
    line.text("sha256", state.sha256);
    line.text("content", kept.content);
    line.text("same_file", encoded(kept.same_file));
    line.flag("linked", kept.keeping == Keeping::link);
    line.flag("both", kept.keeping == Keeping::both);
  }
  if (!state.xattrs.empty()) line.texts("xattrs", state.xattrs);
  return line.ended();
}

KeptPath parse_kept_path(const std::string& line) {
  try {
    return kept_path(json_or_null(line));
  } catch (const Json::exception&) {
    throw Error(ErrorCode::journal_damaged, "a line of the snapshot record is damaged");
  }
}

std::string manifest_text(const Snapshot& snapshot) {
  Json families = Json::array();
  for (const PathFamily& family : snapshot.families) {
    families.push_back({{"directory", encoded(family.directory)},
                        {"prefix", encoded(family.prefix)},
                        {"own", family.is_own}});
  }
  Json first = {{"families", std::move(families)}};
  if (snapshot.debs) {
    Json& debs = first["debs"] = Json::array();
    for (const std::string& name : *snapshot.debs) debs.push_back(encoded(name));
  }
  std::string text = to_line(first) + "\n";
  std::vector<std::string> lines(snapshot.paths.size());
  for_each_index(lines.size(),
                 [&](std::size_t i) { lines[i] = kept_path_line(snapshot.paths[i]); });
  for (const std::string& line : lines) text.append(line).push_back('\n');
  text += to_line({{"paths", snapshot.paths.size()}, {"sha256", sha256_of(text)}}) + "\n";
  return text;
}

Snapshot parse_manifest(const std::string& text) {
  try {
    std::vector<std::string> lines = split(text, '\n');
    if (lines.size() < 3 || !lines.back().empty()) {
      throw Error(ErrorCode::journal_damaged, "the snapshot record is truncated");
    }
    lines.pop_back();
    Snapshot snapshot;
    const Json first = json_or_null(lines.front());
    for (const Json& family : first.at("families")) {
      snapshot.families.push_back({decoded(family.at("directory").get<std::string>()),
                                   decoded(family.at("prefix").get<std::string>()),
                                   Writing::in_place, family.value("own", false)});
    }
    if (const auto debs = first.find("debs"); debs != first.end()) {
      snapshot.debs.emplace();
      for (const Json& name : *debs) snapshot.debs->push_back(decoded(name.get<std::string>()));
    }
    snapshot.paths.resize(lines.size() - 2);
    for_each_index(snapshot.paths.size(), [&](std::size_t i) {
      snapshot.paths[i] = kept_path(json_or_null(lines[i + 1]));
    });
    const Json last = json_or_null(lines.back());
    if (last.at("paths").get<std::size_t>() != snapshot.paths.size()) {
      throw Error(ErrorCode::journal_damaged, "the snapshot record is truncated");
    }
    // Earlier versions of topsctl wrote no digest.
    const std::string_view before(text.data(), text.size() - lines.back().size() - 1);
    if (last.size() > 1 && last.at("sha256").get<std::string>() != sha256_of(before)) {
      throw Error(ErrorCode::journal_damaged, "the snapshot record is damaged");
    }
    require_sound(snapshot);
    return snapshot;
  } catch (const Json::exception&) {
    throw Error(ErrorCode::journal_damaged, "the snapshot record is damaged");
  }
}

}  // namespace topsctl
