// topsctl snapshot: a file that represents a host when a bundle is inspected on another one.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/target_facts.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/given_files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* standard_output = "-";

struct SnapshotCommandOptions {
  std::string root = "/";
  std::vector<std::string> pythons;
  std::string output;
};

struct WrittenFile {
  std::string path;
  std::string sha256;
  std::size_t size = 0;
};

Json summary(const TargetSnapshot& snapshot) {
  Json pythons = Json::array();
  for (const PythonFacts& python : snapshot.pythons) {
    pythons.push_back({{"executable", printable(python.executable)},
                       {"version", python.version},
                       {"pip_version", text_or_null(python.pip_version)},
                       {"distributions", python.wheels.size()}});
  }
  return {{"taken_at", snapshot.taken_at},
          {"host_name", text_or_null(snapshot.host_name)},
          {"os", snapshot.os},
          {"architecture", text_or_null(snapshot.architecture)},
          {"kernel", text_or_null(snapshot.kernel)},
          {"glibc", text_or_null(snapshot.glibc)},
          {"glibcxx", text_or_null(snapshot.glibcxx)},
          {"cxxabi", text_or_null(snapshot.cxxabi)},
          {"dpkg_version", text_or_null(snapshot.dpkg_version)},
          {"packages", snapshot.packages.size()},
          {"paths", snapshot.owners.size()},
          {"diversions", snapshot.diversions.size()},
          {"libraries", snapshot.libraries.size()},
          {"interpreters", std::move(pythons)},
          {"mounts", snapshot.mounts.size()}};
}

Json snapshot_body(const std::optional<TargetSnapshot>& snapshot, const WrittenFile& file) {
  const bool is_written = !file.path.empty();
  return {{"file", is_written ? Json(printable(file.path)) : Json(nullptr)},
          {"sha256", is_written ? Json(file.sha256) : Json(nullptr)},
          {"size", is_written ? Json(file.size) : Json(nullptr)},
          {"target", snapshot ? summary(*snapshot) : Json(nullptr)}};
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string text(const TargetSnapshot& snapshot, const WrittenFile& file, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"what", "found"}};
  rows.push_back({"os", concat(snapshot.os, ", ", or_dash(snapshot.architecture))});
  rows.push_back({"kernel", or_dash(snapshot.kernel)});
  rows.push_back({"glibc", or_dash(snapshot.glibc)});
  rows.push_back({"libstdc++", snapshot.glibcxx.empty()
                                   ? "-"
                                   : concat("GLIBCXX_", snapshot.glibcxx, ", CXXABI_",
                                            or_dash(snapshot.cxxabi))});
  rows.push_back({"dpkg", format("{} unpacks {}", or_dash(snapshot.dpkg_version),
                                 or_dash(joined(snapshot.dpkg_compressions, ", ")))});
  rows.push_back({"packages", concat(snapshot.packages.size())});
  rows.push_back({"paths", concat(snapshot.owners.size())});
  rows.push_back({"libraries", concat(snapshot.libraries.size())});
  rows.push_back({"file systems", concat(snapshot.mounts.size())});
  for (const PythonFacts& python : snapshot.pythons) {
    rows.push_back(
        {"interpreter", format("{} {}, {}, {}", printable(python.executable), python.version,
                               python.pip_version.empty() ? format("no pip")
                                                          : format("pip {}", python.pip_version),
                               counted(python.wheels.size(), "distribution"))});
  }
  return format(
      "{} of {} at {}\n{}{} {} ({})\n  sha256 {}\n{} copy the file back, then run:\n  topsctl "
      "inspect BUNDLE --against {}\n",
      style.bold(format("snapshot")), or_dash(snapshot.host_name), snapshot.taken_at,
      table(rows, style), style.bold(format("written:")), printable(file.path),
      human_size(file.size), file.sha256, style.bold(format("next:")),
      printable(fs::path(file.path).filename().string()));
}

// The host's name as part of a file name.
std::string default_name(const TargetSnapshot& snapshot) {
  std::string name = snapshot.host_name.empty() ? "host" : snapshot.host_name;
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return concat("topsctl-snapshot-", shortened(name, 100), ".json");
}

// The output path: the given name, or the host's own name in the given directory. Throws
// Error{usage} for a path that cannot become a file.
struct Place {
  fs::path folder;
  std::string name;  // empty: the host's own
};

Place place_of(const std::string& output) {
  require_folder_of(output);
  const fs::path path = fs::absolute(output.empty() ? "." : output).lexically_normal();
  std::error_code failure;
  const fs::file_type type = fs::symlink_status(path, failure).type();
  if (type == fs::file_type::directory) return {path, ""};
  // The new file replaces an existing one, which must not happen to a device.
  const bool is_replaceable = type == fs::file_type::regular || type == fs::file_type::not_found ||
                              (type == fs::file_type::symlink && !fs::is_directory(path, failure));
  if (!is_replaceable) {
    throw Error(ErrorCode::usage,
                format("cannot write the snapshot to {}", in_quotes(path.string())),
                "give a file name, or a directory that is not a symlink, with --output");
  }
  return {path.parent_path(), path.filename().string()};
}

WrittenFile written(const Place& place, const TargetSnapshot& snapshot) {
  const std::string bytes = to_text(snapshot);
  const fs::path file = place.folder / (place.name.empty() ? default_name(snapshot) : place.name);
  write_durably(file, bytes, 0644);
  return {file.string(), sha256_of(bytes), bytes.size()};
}

Output run_snapshot(const SnapshotCommandOptions& options, Session& session) {
  const bool to_standard_output = options.output == standard_output;
  if (to_standard_output && session.program->has("--json")) {
    throw Error(ErrorCode::usage, "--json and --output - both write to standard output",
                "give a file with --output, or omit --json");
  }
  const Host host = session.with_root(options.root);
  require_usable_host(host, Purpose::look);
  const Place place = to_standard_output ? Place() : place_of(options.output);
  Output output;
  output.header.command = "snapshot";
  output.header.warnings = unfinished_warnings(host);
  session.events->working("inspecting the host");
  const TargetSnapshot snapshot =
      read_target_snapshot(host, options.pythons, [&](const std::string& why) {
        output.header.warnings.push_back(format("omitted from the snapshot: {}", why));
      });
  if (to_standard_output) {
    output.text = to_text(snapshot);
    output.is_data = true;
    return output;
  }
  const WrittenFile file = written(place, snapshot);
  output.json = snapshot_body(snapshot, file);
  output.text = text(snapshot, file, session.style);
  return output;
}

}  // namespace

CommandAction define_snapshot(OptionTable& table) {
  auto options = std::make_shared<SnapshotCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.value("--python", options->pythons, "Also query this interpreter; may be repeated", "EXE");
  table.value("-o,--output", options->output, "File to write; - for standard output", "FILE");
  return {[options](Session& session) { return run_snapshot(*options, session); },
          snapshot_body(std::nullopt, {})};
}

}  // namespace topsctl
