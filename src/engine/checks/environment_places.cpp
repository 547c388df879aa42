// Finds the places that set environment variables on a host.
#include "topsctl/engine/checks/environment_places.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_bytes = 4ULL << 20U;

// Paths on the host of a directory's files with this ending, in order.
std::vector<std::string> files_in(const Host& host, const std::string& folder,
                                  std::string_view ending) {
  std::vector<std::string> files;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.resolve(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(ending)) files.push_back(concat(folder, "/", name));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Of root and of the requesting user, by the host's own accounts.
std::vector<std::string> homes_of(const Host& host) {
  std::string of_root = "/root";
  std::string of_user;
  const std::string user = requesting_user(host.environment);
  std::string accounts;
  try {
    accounts = read_text_if_present(host.resolve("/etc/passwd"), most_bytes).value_or("");
  } catch (const Error&) {
    // Without accounts, uses root's usual home.
  }
  for (const std::string& line : split(accounts, '\n')) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 7 || !fields[5].starts_with('/')) continue;
    if (fields[0] == "root") of_root = fields[5];
    if (fields[0] == user) of_user = fields[5];
  }
  if (of_user.empty() || of_user == of_root) return {of_root};
  return {of_root, of_user};
}

std::string own_environment(const Host& host) {
  std::string text;
  for (const auto& [name, value] : host.environment) text += concat(name, "=", value, '\0');
  return text;
}

class Places {
 public:
  Places(const Host& host, const Stack& stack, std::vector<std::string>& warnings)
      : host_(host), stack_(stack), warnings_(warnings) {}

  void add_file(const std::string& path, PlaceKind kind) {
    std::string text;
    try {
      const fs::path file = host_.resolve(path);
      std::error_code failure;
      if (!fs::is_regular_file(file, failure)) return;
      // A file with several names is read once.
      const std::string real = file.string();
      if (std::find(seen_.begin(), seen_.end(), real) != seen_.end()) return;
      seen_.push_back(real);
      text = read_text(file, most_bytes);
    } catch (const Error& error) {
      warnings_.push_back(format("not checked: {}", error.message()));
      return;
    }
    add(path, kind, text);
  }

  void add(const std::string& name, PlaceKind kind, std::string_view text) {
    EnvironmentPlace place;
    place.name = printable(name);
    place.kind = kind;
    place.is_of_stack = name == stack_.environment.file;
    const NameFilter concerns = [](std::string_view variable) {
      return variable_catalogue().concerns(variable);
    };
    switch (kind) {
      case PlaceKind::shell:
        place.set = shell_assignments(text, concerns);
        break;
      case PlaceKind::login:
        place.set.assignments = login_assignments(text, concerns);
        break;
      case PlaceKind::unit:
        place.set.assignments = unit_assignments(text, concerns);
        break;
      case PlaceKind::process:
        place.set.assignments = process_assignments(text, concerns);
        break;
    }
    if (!place.set.assignments.empty()) places_.push_back(std::move(place));
  }

  void add_process(std::int64_t process) {
    const fs::path file = concat("/proc/", process, "/environ");
    std::error_code failure;
    if (!fs::exists(file, failure)) {
      throw Error(ErrorCode::usage, format("process {} does not exist", process),
                  "list the processes with `ps -e`; it may run on another host");
    }
    add(format("process {}", process), PlaceKind::process, read_text(file, most_bytes));
  }

  void add_this_process(const Host& host) {
    const std::size_t before = places_.size();
    add("this process", PlaceKind::process, own_environment(host));
    if (places_.size() > before) places_.back().is_here = true;
  }

  std::vector<EnvironmentPlace> take() { return std::move(places_); }

 private:
  const Host& host_;
  const Stack& stack_;
  std::vector<std::string>& warnings_;
  std::vector<std::string> seen_;
  std::vector<EnvironmentPlace> places_;
};

}  // namespace

std::vector<EnvironmentPlace> environment_places(const Host& host, const Stack& stack,
                                                 std::optional<std::int64_t> process,
                                                 std::vector<std::string>& warnings) {
  Places places(host, stack, warnings);
  places.add_file("/etc/environment", PlaceKind::login);
  places.add_file("/etc/profile", PlaceKind::shell);
  places.add_file(stack.environment.file, PlaceKind::shell);
  for (const std::string& file : files_in(host, "/etc/profile.d", ".sh"))
    places.add_file(file, PlaceKind::shell);
  places.add_file("/etc/bash.bashrc", PlaceKind::shell);
  const std::vector<std::string>& left = variable_catalogue().files;
  for (const std::string& home : homes_of(host)) {
    for (const char* name : {".profile", ".bash_profile", ".bashrc"})
      places.add_file(concat(home, "/", name), PlaceKind::shell);
    for (const std::string& file : left)
      if (file.starts_with("~/")) places.add_file(concat(home, file.substr(1)), PlaceKind::shell);
  }
  for (const std::string& file : left)
    if (file.starts_with('/')) places.add_file(file, PlaceKind::shell);
  const std::string units = "/etc/systemd/system";
  for (const std::string& file : files_in(host, units, ".service"))
    places.add_file(file, PlaceKind::unit);
  for (const std::string& folder : files_in(host, units, ".service.d")) {
    for (const std::string& file : files_in(host, folder, ".conf"))
      places.add_file(file, PlaceKind::unit);
  }
  if (host.root == "/") places.add_this_process(host);
  if (process) places.add_process(*process);
  return places.take();
}

std::string_view name(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::shell:
      return "shell";
    case PlaceKind::login:
      return "login";
    case PlaceKind::unit:
      return "unit";
    case PlaceKind::process:
      return "process";
  }
  return "shell";
}

}  // namespace topsctl
