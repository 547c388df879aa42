// Writes environments in each consumer's syntax and quoting.
#include "topsctl/model/environment_formats.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view plain_path =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
// Docker reads lines of at most 64 KiB, line end included (bufio.MaxScanTokenSize).
constexpr std::size_t longest_docker_line = (std::size_t{64} << 10U) - 2;

constexpr std::array<EnvironmentFormat, 7> all_formats = {
    EnvironmentFormat::sh,         EnvironmentFormat::fish,    EnvironmentFormat::docker_env_file,
    EnvironmentFormat::dockerfile, EnvironmentFormat::systemd, EnvironmentFormat::json,
    EnvironmentFormat::modulefile};

std::string backslashed(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

bool is_control(char c) {
  return (c >= 0 && c < ' ') || c == '\x7f';
}

bool has_line_break(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

// The part of the text that the format cannot express; empty: none.
std::string obstacle(std::string_view text, EnvironmentFormat format) {
  if (format == EnvironmentFormat::sh || format == EnvironmentFormat::fish) return {};
  if (!is_utf8(text)) return "bytes that are not UTF-8";
  const bool is_by_lines =
      format == EnvironmentFormat::docker_env_file || format == EnvironmentFormat::dockerfile;
  if (is_by_lines && has_line_break(text)) return "a line break";
  if (format == EnvironmentFormat::docker_env_file && text.size() > longest_docker_line)
    return "more than 64 KiB";
  const auto is_foreign = [](char c) { return is_control(c) && c != '\t' && c != '\n'; };
  if (format == EnvironmentFormat::systemd && std::any_of(text.begin(), text.end(), is_foreign))
    return "control characters";
  return {};
}

// The same for the directories of a search path, which modulefiles set only by append-path.
std::string obstacle_of_folders(std::string_view text, EnvironmentFormat format) {
  if (format == EnvironmentFormat::modulefile && has_line_break(text)) return "a line break";
  return obstacle(text, format);
}

using ObstacleOf = std::string (*)(std::string_view text, EnvironmentFormat format);

void require_carried(const std::string& variable, std::string_view text, EnvironmentFormat format,
                     ObstacleOf obstacle_of) {
  const std::string what = obstacle_of(text, format);
  if (what.empty()) return;
  std::vector<std::string> others;
  for (const EnvironmentFormat other : all_formats) {
    if (obstacle_of(text, other).empty()) others.emplace_back(name(other));
  }
  throw Error(ErrorCode::usage,
              topsctl::format("the value of {} contains {}, which format {} cannot represent",
                              in_quotes(variable), what, in_quotes(name(format))),
              topsctl::format("use --format {}, or another value", joined(others, " or ")));
}

std::string head(const Environment& environment) {
  return concat("# Environment of ", environment.stack, ", written by topsctl.\n");
}

std::string folders_of(const SearchPath& path) {
  std::vector<std::string> folders;
  for (const SearchPathEntry& entry : path.entries) folders.push_back(entry.directory);
  return joined(folders, ":");
}

// Variables and whole search paths, for consumers that append to nothing.
std::vector<std::pair<std::string, std::string>> absolute_values(const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const EnvironmentVariable& variable : environment.variables)
    values.emplace_back(variable.name, variable.value);
  const auto joined_paths = joined_environment({}, environment);
  for (const SearchPath& path : environment.paths)
    if (!path.entries.empty()) values.emplace_back(path.name, joined_paths.at(path.name));
  return values;
}

// In single quotes fish knows \' and \\ only.
std::string fish_quoted(std::string_view text) {
  return concat("'", backslashed(text, "\\'"), "'");
}

std::string fish_text(const Environment& environment) {
  std::string text = head(environment);
  for (const EnvironmentVariable& variable : environment.variables)
    text += concat("set -gx ", variable.name, " ", fish_quoted(variable.value), "\n");
  for (const SearchPath& path : environment.paths) {
    for (const SearchPathEntry& entry : path.entries) {
      const std::string& name = path.name;
      const std::string word = fish_quoted(entry.directory);
      if (entry.if_present) text += concat("if test -d ", word, "\n");
      // fish splits only path variables at colons.
      text += concat("set -q ", name, "; and set -gx --path ", name, " $", name, "\n");
      text += concat("if test -z \"$", name, "\"\n  set -gx --path ", name, " ", word, "\n");
      text += concat("else if not contains -- ", word, " $", name, "\n  set -gx --path ", name,
                     " $", name, " ", word, "\nend\n");
      if (entry.if_present) text += "end\n";
    }
  }
  return text;
}

std::string docker_env_file(const Environment& environment) {
  std::string text = head(environment);
  for (const auto& [name, value] : absolute_values(environment)) {
    require_carried(name, concat(name, "=", value), EnvironmentFormat::docker_env_file, obstacle);
    text += concat(name, "=", value, "\n");
  }
  return text;
}

std::string dockerfile(const Environment& environment) {
  constexpr std::string_view special = "\"\\$";
  std::string text = head(environment);
  for (const EnvironmentVariable& variable : environment.variables)
    text += concat("ENV ", variable.name, "=\"", backslashed(variable.value, special), "\"\n");
  for (const SearchPath& path : environment.paths) {
    if (path.entries.empty()) continue;
    text += concat("ENV ", path.name, "=\"${", path.name, ":+${", path.name, "}:}",
                   backslashed(folders_of(path), special), "\"\n");
  }
  return text;
}

// The escapes of systemd.syntax(7); a percent sign would begin a specifier.
std::string systemd_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += concat("\\", c);
    } else {
      out += c;
      if (c == '%') out += c;
    }
  }
  return out + "\"";
}

std::string systemd_text(const Environment& environment) {
  std::string text = concat(head(environment), "[Service]\n");
  for (const auto& [name, value] : absolute_values(environment))
    text += concat("Environment=", systemd_quoted(concat(name, "=", value)), "\n");
  return text;
}

std::string json_text(const Environment& environment) {
  Json object = Json::object();
  for (const auto& [name, value] : absolute_values(environment)) object[name] = value;
  return to_text(object);
}

// A Tcl word; escapes braces too, because they would count inside a braced body.
std::string tcl_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (is_control(c)) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      out += concat("\\u00", digits[code >> 4U], digits[code & 15U]);
    } else {
      if (std::string_view("\"\\$[]{}").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

// modulecmd quotes all special characters that its setenv passes to a shell except line breaks, and
// the shell would run the next line. So the file itself prints the shell command at load (puts
// stdout, modulefile(4)); setenv does the rest, such as unload and display.
constexpr std::string_view setenv_of_lines = R"(proc setenv-of-lines {name value sh fish} {
  if {![module-info mode load]} {
    setenv $name $value
    return
  }
  switch -- [module-info shelltype] {
    sh { puts stdout "$name=$sh; export $name;" }
    fish { puts stdout "set -gx $name $fish;" }
    default { error "the value of $name has a line break, which only sh and fish can be given" }
  }
}
)";

std::string modulefile(const Environment& environment) {
  const auto& variables = environment.variables;
  std::string text = concat("#%Module1.0\n", head(environment), "module-whatis ",
                            tcl_quoted(concat("environment of ", environment.stack)), "\n");
  if (std::any_of(variables.begin(), variables.end(),
                  [](const EnvironmentVariable& each) { return has_line_break(each.value); }))
    text += setenv_of_lines;
  for (const EnvironmentVariable& each : variables) {
    const std::string value = tcl_quoted(each.value);
    text += has_line_break(each.value) ? concat("setenv-of-lines ", each.name, " ", value, " ",
                                                tcl_quoted(shell_quoted(each.value)), " ",
                                                tcl_quoted(fish_quoted(each.value)), "\n")
                                       : concat("setenv ", each.name, " ", value, "\n");
  }
  for (const SearchPath& path : environment.paths) {
    for (const SearchPathEntry& entry : path.entries) {
      const std::string word = tcl_quoted(entry.directory);
      const std::string command = concat("append-path ", path.name, " ", word);
      text += entry.if_present
                  ? concat("if {[file isdirectory ", word, "]} {\n  ", command, "\n}\n")
                  : concat(command, "\n");
    }
  }
  return text;
}

}  // namespace

std::string_view name(EnvironmentFormat format) {
  switch (format) {
    case EnvironmentFormat::sh:
      return "sh";
    case EnvironmentFormat::fish:
      return "fish";
    case EnvironmentFormat::docker_env_file:
      return "docker-env-file";
    case EnvironmentFormat::dockerfile:
      return "dockerfile";
    case EnvironmentFormat::systemd:
      return "systemd";
    case EnvironmentFormat::json:
      return "json";
    case EnvironmentFormat::modulefile:
      return "modulefile";
  }
  return "sh";
}

std::vector<std::string> environment_format_names() {
  std::vector<std::string> names;
  for (const EnvironmentFormat format : all_formats) names.emplace_back(name(format));
  return names;
}

EnvironmentFormat environment_format(std::string_view wanted) {
  const auto found = std::find_if(all_formats.begin(), all_formats.end(),
                                  [&](EnvironmentFormat format) { return name(format) == wanted; });
  if (found == all_formats.end()) {
    throw Error(ErrorCode::usage, format("unknown format {}", in_quotes(wanted)),
                format("formats: {}", joined(environment_format_names(), ", ")));
  }
  return *found;
}

bool looks_at_use(EnvironmentFormat format) {
  return format == EnvironmentFormat::sh || format == EnvironmentFormat::fish ||
         format == EnvironmentFormat::modulefile;
}

Environment as_found(Environment environment,
                     const std::function<bool(const std::string&)>& is_folder) {
  for (SearchPath& path : environment.paths) {
    std::erase_if(path.entries, [&](const SearchPathEntry& entry) {
      return entry.if_present && !is_folder(entry.directory);
    });
    for (SearchPathEntry& entry : path.entries) entry.if_present = false;
  }
  std::erase_if(environment.paths, [](const SearchPath& path) { return path.entries.empty(); });
  return environment;
}

std::string environment_text(const Environment& environment, EnvironmentFormat format) {
  for (const EnvironmentVariable& variable : environment.variables)
    require_carried(variable.name, variable.value, format, obstacle);
  for (const SearchPath& path : environment.paths)
    require_carried(path.name, folders_of(path), format, obstacle_of_folders);
  switch (format) {
    case EnvironmentFormat::sh:
      return shell_file(environment);
    case EnvironmentFormat::fish:
      return fish_text(environment);
    case EnvironmentFormat::docker_env_file:
      return docker_env_file(environment);
    case EnvironmentFormat::dockerfile:
      return dockerfile(environment);
    case EnvironmentFormat::systemd:
      return systemd_text(environment);
    case EnvironmentFormat::json:
      return json_text(environment);
    case EnvironmentFormat::modulefile:
      return modulefile(environment);
  }
  return {};
}

std::map<std::string, std::string> joined_environment(std::map<std::string, std::string> variables,
                                                      const Environment& environment) {
  for (const EnvironmentVariable& variable : environment.variables)
    variables[variable.name] = variable.value;
  for (const SearchPath& path : environment.paths) {
    std::string& value = variables[path.name];
    if (value.empty() && path.name == "PATH") value = plain_path;
    for (const SearchPathEntry& entry : path.entries) {
      const std::vector<std::string> known = split(value, ':');
      if (std::find(known.begin(), known.end(), entry.directory) != known.end()) continue;
      value += concat(value.empty() ? "" : ":", entry.directory);
    }
  }
  return variables;
}

}  // namespace topsctl
