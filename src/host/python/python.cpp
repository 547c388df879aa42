// Queries interpreters through embedded probes, and reads dist-info directories.
#include "topsctl/host/python/python.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/python/distributions.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/content/stanza.hpp"
#include "topsctl/host/python/interpreters.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/json_reader.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t probe_timeout_ms = 60'000;

RunResult run_probe(const Host& host, const std::string& executable, const char* probe,
                    const std::vector<std::string>& arguments,
                    const std::map<std::string, std::string>& environment,
                    std::int64_t timeout_ms) {
  const auto source = embedded_file(concat("probes/", probe));
  if (!source) throw Error(ErrorCode::internal, format("probe {} is missing", in_quotes(probe)));
  // -I: neither the environment nor the user's own packages; -B: no byte code is written.
  std::vector<std::string> argv = {executable, "-I", "-B", "-c", std::string(*source)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Command command = host.command(argv, timeout_ms);
  for (const auto& [name, value] : environment) command.environment[name] = value;
  return host.runner->run(command);
}

std::vector<std::string> texts_of(const JsonReader& reader, const char* key) {
  return reader.at(key).texts();
}

std::string text_or_empty(const Json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

// Empty for an interpreter that could not report all values.
InstallScheme scheme_of(const Json& answer) {
  const auto found = answer.find("scheme");
  if (found == answer.end() || !found->is_object()) return {};
  InstallScheme scheme;
  const std::array<std::pair<const char*, std::string*>, 6> fields = {
      {{"interpreter", &scheme.interpreter},
       {"purelib", &scheme.purelib},
       {"platlib", &scheme.platlib},
       {"scripts", &scheme.scripts},
       {"data", &scheme.data},
       {"headers", &scheme.headers}}};
  for (const auto& [key, path] : fields) {
    const auto value = found->find(key);
    if (value == found->end() || !value->is_string()) return {};
    *path = value->get<std::string>();
    if (!path->starts_with('/') || printable(*path) != *path) return {};
    *path = fs::path(*path).lexically_normal().string();
  }
  return scheme;
}

PythonFacts parse_answer(const std::string& text) {
  const Json answer = parse_json(text, "the interpreter's answer");
  const JsonReader reader(answer, "the interpreter's answer");
  PythonFacts facts;
  facts.executable = reader.at("executable").text();
  facts.version = reader.at("version").text();
  facts.minor = reader.at("minor").text();
  facts.cache_tag = text_or_empty(answer, "cache_tag");
  facts.pip_version = text_or_empty(answer, "pip_version");
  facts.site_directories = texts_of(reader, "site_directories");
  facts.script_directories = texts_of(reader, "script_directories");
  facts.scheme = scheme_of(answer);
  facts.externally_managed = reader.at("externally_managed").boolean();
  facts.in_virtual_environment = reader.at("in_virtual_environment").boolean();
  return facts;
}

InstalledWheel read_dist_info(const Host& host, const std::string& site,
                              const std::string& folder) {
  InstalledWheel wheel;
  wheel.site_directory = site;
  wheel.dist_info = folder;
  const std::string base = concat(site, "/", folder, "/");
  const auto metadata = read_text_if_present(host.resolve(concat(base, "METADATA")));
  if (metadata) {
    const Stanza stanza = parse_stanza(*metadata);
    wheel.name = printable(stanza.value("Name"));
    wheel.version = printable(stanza.value("Version"));
  }
  if (wheel.name.empty()) wheel.name = folder.substr(0, folder.find('-'));
  const auto record = read_text_if_present(host.resolve(concat(base, "RECORD")));
  if (record) {
    wheel.record = *record;
    for (const RecordLine& line : parse_record(*record, folder)) wheel.files.push_back(line.path);
  }
  return wheel;
}

std::vector<std::string> entries_ending(const Host& host, const std::string& site,
                                        std::string_view ending) {
  std::vector<std::string> folders;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.resolve(site), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(ending)) folders.push_back(name);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool is_one_of(const std::string& normalized, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return normalized_name(name) == normalized; });
}

}  // namespace

std::vector<InstalledWheel> read_installed_wheels(const Host& host, const PythonFacts& python,
                                                  const std::vector<std::string>& names) {
  std::vector<InstalledWheel> wheels;
  for (const std::string& site : python.site_directories) {
    for (const std::string& folder : entries_ending(host, site, ".dist-info")) {
      if (is_one_of(normalized_name(folder.substr(0, folder.find('-'))), names))
        wheels.push_back(read_dist_info(host, site, folder));
    }
  }
  return wheels;
}

std::vector<InstalledWheel> read_installed_eggs(const Host& host, const PythonFacts& python,
                                                const std::vector<std::string>& names) {
  std::vector<InstalledWheel> eggs;
  for (const std::string& site : python.site_directories) {
    for (const std::string& entry : entries_ending(host, site, ".egg-info")) {
      if (!is_one_of(normalized_name(entry.substr(0, entry.find_first_of("-."))), names)) continue;
      InstalledWheel egg = read_distribution(host.resolve(concat(site, "/", entry)));
      egg.site_directory = site;
      egg.dist_info = entry;
      eggs.push_back(std::move(egg));
    }
  }
  return eggs;
}

std::map<std::string, std::string> distributions_that_own(const Host& host,
                                                          const PythonFacts& python,
                                                          const std::set<std::string>& paths) {
  std::map<std::string, std::string> owners;
  for (const std::string& site : python.site_directories) {
    for (const std::string& folder : entries_ending(host, site, ".dist-info")) {
      const InstalledWheel wheel = read_dist_info(host, site, folder);
      for (const std::string& file : wheel.files) {
        const std::string path = recorded_path(wheel, file);
        if (paths.contains(path)) owners.emplace(path, wheel.name);
      }
    }
  }
  return owners;
}

std::optional<PythonFacts> read_python(const Host& host, const std::string& interpreter,
                                       const std::vector<std::string>& wheels) {
  const std::string executable = found_in_path(host, interpreter);
  struct stat status {};
  if (executable.find('/') != std::string::npos &&
      (::stat(host.resolve(executable).c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
       (status.st_mode & 0111U) == 0)) {
    return std::nullopt;
  }
  RunResult result;
  try {
    result = run_probe(host, executable, "interpreter.py", {}, {}, probe_timeout_ms);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::host_unfit) return std::nullopt;
    // In another root, only chroot(2) can fail with EPERM, unless we are root.
    if (error.code() == ErrorCode::permission && (host.root == "/" || is_root_user()))
      return std::nullopt;
    throw;
  }
  if (!result.ok() || result.report.empty()) return std::nullopt;
  PythonFacts facts;
  try {
    facts = parse_answer(result.report);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_stack) return std::nullopt;  // not an answer of the probe
    throw;
  }
  facts.wheels = read_installed_wheels(host, facts, wheels);
  facts.eggs = read_installed_eggs(host, facts, wheels);
  for (const std::string& site : facts.site_directories) {
    for (const std::string& entry : entries_ending(host, site, ".egg-info")) {
      facts.egg_infos.push_back(entry.substr(0, entry.find_first_of("-.")));
    }
  }
  return facts;
}

std::string recorded_path(const InstalledWheel& wheel, const std::string& path) {
  const fs::path base = path.starts_with('/') ? fs::path() : fs::path(wheel.site_directory);
  return (base / path).lexically_normal().string();
}

}  // namespace topsctl
