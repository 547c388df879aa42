// Runs the programs and writes the files of plans.
#include "engine/execution/step_actions.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

// The home directory of the first user with id 0 (passwd(5)).
std::string home_of_root(const Host& host) {
  constexpr std::size_t user_number = 2;
  constexpr std::size_t home = 5;
  for (const std::string& line :
       split(read_text_if_present(host.resolve("/etc/passwd")).value_or(""), '\n')) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() > home && fields[user_number] == "0" && fields[home].starts_with('/'))
      return fields[home];
  }
  return "/root";
}

// dpkg passes its environment to scripts: uses root's login environment, because they may check
// language and character set. If the caller has no language, uses that of Host::command().
void set_login_environment(const Host& host, std::map<std::string, std::string>& environment) {
  environment["HOME"] = home_of_root(host);
  environment["USER"] = environment["LOGNAME"] = "root";
  std::map<std::string, std::string> language;
  for (const auto& [name, value] : host.environment) {
    if (name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_")) language[name] = value;
  }
  if (language.empty()) return;
  environment.erase("LC_ALL");
  environment.merge(language);
}

RunResult result_of(const Host& host, const RunCommand& run, std::vector<std::string> argv,
                    const StepPlaces& places, const ProcessSetup* setup, EventSink& events) {
  for (std::string& argument : argv) {
    if (argument.starts_with(stage_placeholder)) {
      argument.replace(0, stage_placeholder.size(), places.stage);
    }
  }
  Command command = host.command(argv, run.timeout_s * 1000);
  command.environment.insert({{"DEBIAN_FRONTEND", "noninteractive"},
                              {"DPKG_FRONTEND_LOCKED", "1"},
                              {"PYTHONDONTWRITEBYTECODE", "1"},
                              {"TMPDIR", places.temporary}});
  command.environment["HOME"] = places.temporary;
  if (run.program == "dpkg") {
    command.environment["PATH"] = script_path;
    set_login_environment(host, command.environment);
  }
  command.setup = setup;
  command.on_output = [&](std::string_view piece) { events.output(piece); };
  return host.runner->run(command);
}

RunResult result_of(const Host& host, const RunCommand& run, const StepPlaces& places,
                    EventSink& events) {
  if (!run.unobserved_argv.empty()) {
    RunResult first = result_of(host, run, run.unobserved_argv, places, nullptr, events);
    if (!first.ok()) return first;
  }
  return result_of(host, run, run.argv, places, places.setup, events);
}

}  // namespace

std::string perform(const Host& host, const RunCommand& run, const StepPlaces& places,
                    EventSink& events) {
  const RunResult result = result_of(host, run, places, events);
  if (result.ok()) return result.ending();
  const std::string said = printable(telling_lines(result.output, 12), Lines::keep);
  throw Error(
      ErrorCode::step_failed,
      format("{} failed: {}{}{}", run.program, result.ending(), said.empty() ? "" : "\n", said),
      "see the log for the full output");
}

std::string perform(const Host& host, const WriteFile& file) {
  const std::filesystem::path path = host.resolve_parent(file.path);
  make_directories(path.parent_path(), 0755);
  write_durably(path, file.content, file.mode);
  return format("{} bytes", file.content.size());
}

}  // namespace topsctl
