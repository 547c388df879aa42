// Finds Python interpreters by their names and runs each of them once.
#include "topsctl/host/python/interpreters.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>

#include "host/python/distributions.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_asked = 16;
constexpr std::size_t most_opt_folders = 200;
constexpr std::chrono::minutes patience{2};

struct Candidate {
  std::string path;
  bool is_named = false;
};

std::vector<std::string> names_in(const Host& host, const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.resolve(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_interpreter_name(std::string_view name) {
  constexpr std::string_view plain = "python3";
  if (!name.starts_with(plain)) return false;
  name.remove_prefix(plain.size());
  return name.empty() || (name.starts_with('.') && is_digits(name.substr(1)));
}

std::vector<Candidate> candidates(const Host& host, const std::vector<std::string>& named,
                                  const std::vector<std::string>& usual) {
  std::vector<Candidate> found;
  for (const std::string& name : named) found.push_back({found_in_path(host, name), true});
  for (const std::string& name : usual) {
    std::error_code failure;
    std::string path = found_in_path(host, name);
    if (fs::exists(host.resolve(path), failure)) found.push_back({std::move(path), false});
  }
  std::vector<std::string> folders = {"/usr/bin", "/usr/local/bin"};
  for (const std::string& name : names_in(host, "/opt")) {
    if (folders.size() < most_opt_folders) folders.push_back(concat("/opt/", name, "/bin"));
  }
  for (const std::string& folder : folders) {
    for (const std::string& name : names_in(host, folder)) {
      if (is_interpreter_name(name)) found.push_back({concat(folder, "/", name), false});
    }
  }
  return found;
}

// The identity of an interpreter, to detect duplicates.
std::string identity(const Host& host, const std::string& path) {
  std::string program = canonical_in_root(host.root, path, LastLink::follow);
  const std::string folder = fs::path(path).parent_path().parent_path().string();
  std::error_code failure;
  if (!fs::exists(host.resolve(concat(folder, "/pyvenv.cfg")), failure)) return program;
  return concat(canonical_in_root(host.root, folder, LastLink::follow), "\n", program);
}

// The output of a program may contain any bytes.
void make_printable(PythonFacts& python) {
  python.version = printable(python.version);
  python.minor = printable(python.minor);
  for (std::string& name : python.egg_infos) name = printable(name);
  for (auto* paths : {&python.site_directories, &python.script_directories}) {
    std::erase_if(
        *paths, [](const std::string& path) { return !is_utf8(path) || printable(path) != path; });
  }
  std::erase_if(python.egg_infos, [](const std::string& name) { return name.empty(); });
  std::erase_if(python.wheels, [](const InstalledWheel& wheel) { return wheel.name.empty(); });
}

}  // namespace

std::string open_part_of(const Host& host, const std::string& interpreter) {
  if (can_others_change(host, interpreter)) return interpreter;
  std::set<std::string> prefixes;
  for (const std::string& program :
       {interpreter, canonical_in_root(host.root, interpreter, LastLink::follow)})
    prefixes.insert(fs::path(program).parent_path().parent_path().string());
  if (prefixes.contains("/usr")) prefixes.insert("/usr/local");
  for (const std::string& prefix : prefixes) {
    for (const char* library : {"/lib", "/lib64"}) {
      const std::string above = concat(prefix == "/" ? "" : prefix, library);
      for (const std::string& name : names_in(host, above)) {
        if (!name.starts_with("python3")) continue;
        for (const char* kind : {"", "/dist-packages", "/site-packages"}) {
          std::string place = concat(above, "/", name, kind);
          std::error_code failure;
          if (fs::exists(host.resolve(place), failure) && can_others_change(host, place))
            return place;
        }
      }
    }
  }
  return {};
}

std::string described(const std::string& interpreter, const std::string& part) {
  return interpreter == part ? in_quotes(part)
                             : format("{} through {}", in_quotes(interpreter), in_quotes(part));
}

std::string found_in_path(const Host& host, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  for (const char* folder :
       {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}) {
    std::string path = concat(folder, "/", name);
    std::error_code failure;
    if (fs::is_regular_file(host.resolve(path), failure)) return path;
  }
  return name;
}

std::vector<PythonFacts> find_interpreters(
    const Host& host, const std::vector<std::string>& named, const std::vector<std::string>& usual,
    const std::function<void(const std::string& why)>& left_out) {
  std::vector<PythonFacts> pythons;
  std::set<std::string> seen;
  std::size_t asked = 0;
  const auto started = host.clock->steady();
  for (const Candidate& candidate : candidates(host, named, usual)) {
    std::string is;
    try {
      is = identity(host, candidate.path);
    } catch (const Error&) {
      left_out(format("{} is a symbolic link loop", in_quotes(candidate.path)));
      continue;
    }
    if (seen.contains(is)) continue;
    const std::string open = candidate.is_named ? "" : open_part_of(host, candidate.path);
    if (!open.empty()) {
      left_out(
          format("{} can be changed by users other than root; name it with --python to query it",
                 described(candidate.path, open)));
      continue;
    }
    seen.insert(is);
    if (++asked > most_asked || host.clock->steady() - started > patience) {
      left_out(format("{} and later interpreters were not queried", in_quotes(candidate.path)));
      break;
    }
    auto python = read_python(host, candidate.path, {});
    if (!python) {
      left_out(format("{} does not answer", in_quotes(candidate.path)));
      continue;
    }
    python->executable = candidate.path;
    python->wheels = read_distributions(host, *python);
    make_printable(*python);
    pythons.push_back(std::move(*python));
  }
  return pythons;
}

}  // namespace topsctl
