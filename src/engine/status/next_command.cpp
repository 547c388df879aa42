// Tests for problems of a host, the most urgent first.
#include "engine/status/next_command.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/text.hpp"
#include "topsctl/host/bundle/stacks.hpp"

namespace topsctl {

namespace {

namespace fs = std::filesystem;

// By its name: NAME_VERSION_ARCH.deb, NAME-VERSION-TAGS.whl.
bool is_package_of(const std::string& file, const std::vector<Stack>& stacks) {
  if (!file.ends_with(".deb") && !file.ends_with(".whl")) return false;
  const std::string name = file.substr(0, file.find(file.ends_with(".deb") ? '_' : '-'));
  return std::any_of(stacks.begin(), stacks.end(), [&](const Stack& stack) {
    return std::any_of(
        stack.components.begin(), stack.components.end(), [&](const Component& component) {
          const auto& names = component.names;
          return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
            return normalized_name(each) == normalized_name(name);
          });
        });
  });
}

// Whether it may be a bundle: packages are in it, or in its subdirectories. Reads no other
// directory.
bool has_packages(const std::string& directory) {
  constexpr int deepest = 1;
  const std::vector<Stack> stacks = known_stacks();
  std::error_code failure;
  for (fs::recursive_directory_iterator at(directory, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    if (is_package_of(at->path().filename().string(), stacks)) return true;
  }
  return false;
}

NextCommand as_root(const StatusRequest& request, const std::string& words) {
  const std::string root = request.root == "/" ? "" : concat(" --root ", typed_word(request.root));
  return {concat(request.is_root ? "" : "sudo ", "topsctl ", words, root)};
}

NextCommand for_waiting(const WaitingTransaction& waiting, const StatusRequest& request) {
  switch (waiting.state) {
    case WaitState::at_work:
      return as_root(request, "history");
    case WaitState::damaged:
      return as_root(request, "recover --from-store");
    case WaitState::lost:
      return as_root(request, "recover --give-up");
    case WaitState::conflicting:
      return as_root(request, "recover --force");
    case WaitState::unfinished:
    case WaitState::overdue:
      return as_root(request, "recover");
    case WaitState::unconfirmed:
    case WaitState::unwatched:
      break;
  }
  NextCommand next = as_root(request, concat("confirm ", waiting.id));
  next.over_new_connection = waiting.is_same_connection;
  return next;
}

// A missing package, or one of another version, cannot be fixed by a repair.
NextCommand for_damage(const HostStatus& status, const StatusRequest& request) {
  const std::vector<const CheckResult*> problems = status.problems();
  const bool is_repairable =
      std::all_of(problems.begin(), problems.end(), [](const CheckResult* problem) {
        return problem->hint.find("topsctl repair") != std::string::npos ||
               problem->id == "environment-file";
      });
  const bool may_have_bundle = !status.is_history_readable || !status.installed->bundle.empty();
  if (is_repairable && may_have_bundle) return as_root(request, "repair");
  if (!status.is_history_readable || status.installed->bundle.empty())
    return as_root(request, "verify --level files");
  std::vector<std::string> words = {"install"};
  for (const std::string& path : status.installed->bundle) words.push_back(typed_word(path));
  return as_root(request, joined(words, " "));
}

NextCommand for_shell(const ShellEnvironment& environment, const StatusRequest& request) {
  if (request.shell.program == "fish") return {"topsctl env --format fish | source"};
  if (request.shell.program.ends_with("csh")) return {"exec bash -l"};
  return {concat(". ", typed_word(environment.file))};
}

}  // namespace

NextCommand next_command(const HostStatus& status, const StatusRequest& request) {
  if (!status.waiting.empty()) return for_waiting(status.waiting.front(), request);
  if (!status.installed)
    return {has_packages(request.directory) ? "topsctl inspect ." : "topsctl help install"};
  if (!status.problems().empty()) return for_damage(status, request);
  const bool is_doubted =
      status.has_outcome(CheckStatus::warn) || status.has_outcome(CheckStatus::unknown);
  if (status.environment && !status.environment->missing.empty() && !is_doubted)
    return for_shell(*status.environment, request);
  if (!status.trainings.empty() || (status.cards && status.cards->processes > 0))
    return {"topsctl watch"};
  if (status.failed_run)
    return {concat("topsctl ", "doctor --log ", typed_word(status.failed_run->log_folder))};
  if (!status.cards || !status.cards->listed) return as_root(request, "verify --level import");
  if (static_cast<std::int64_t>(*status.cards->listed) < status.cards->wanted)
    return {"topsctl doctor"};
  return as_root(request, "verify");
}

}  // namespace topsctl
