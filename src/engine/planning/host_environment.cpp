// Derives the environment from packages that dpkg has installed.
#include "topsctl/engine/planning/host_environment.hpp"

#include <filesystem>
#include <system_error>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/stack_payload.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/environment_formats.hpp"

namespace topsctl {

namespace {

// The files of a build directory, such as build/lib.
std::vector<std::string> built_payload(const Host& host, const Stack& stack,
                                       const std::string& library) {
  const std::filesystem::path folder = std::filesystem::absolute(library).lexically_normal();
  const std::string file = (folder / stack.backend.library).string();
  std::error_code failure;
  if (!std::filesystem::exists(host.resolve(folder.string()), failure))
    throw Error(ErrorCode::bad_input, format("no such directory: {}", missing_path(library)),
                "build the library, then give the directory that it is in: --library build/lib");
  if (stack.backend.library.empty() ||
      !std::filesystem::is_regular_file(host.resolve(file), failure))
    throw Error(ErrorCode::bad_input,
                format("no {} in {}", stack.backend.library, in_quotes(folder.string())),
                "build the library, then give the directory that it is in: --library build/lib");
  return {file};
}

}  // namespace

std::vector<std::string> profile_warnings(const Stack& stack, const std::string& name) {
  std::vector<std::string> warnings;
  const ProfileRule* profile = stack.profile(name);
  if (profile == nullptr) return warnings;
  for (const std::string& omitted : profile->omits)
    warnings.push_back(format("profile {} omits {}", profile->name, omitted));
  return warnings;
}

Environment environment_of_host(const Host& host, const Stack& stack, const SettingOptions& wishes,
                                const std::optional<std::string>& file,
                                std::vector<std::string>& warnings) {
  const KeptSettings kept = environment_settings_in(file.value_or(""));
  if (!kept.warning.empty()) warnings.push_back(kept.warning);
  const auto debs = debs_of_stack(host, stack, read_packages(host));
  Environment environment = derive_environment(
      stack,
      wishes.library.empty() ? stack_payload({}, debs) : built_payload(host, stack, wishes.library),
      changed_settings(kept.settings, wishes, stack.profile_names(), warnings));
  for (std::string& warning : profile_warnings(stack, wishes.profile))
    warnings.push_back(std::move(warning));
  if (!environment.left_out.empty()) {
    const std::string names = joined(environment.left_out, ", ");
    warnings.push_back(
        debs.empty()
            ? format("no value for {}: no package of stack '{}' is installed", names, stack.name)
            : format("no value for {}: no installed package provides what it is taken from",
                     names));
  }
  return environment;
}

Environment environment_for_programs(const Host& host, const Stack& stack,
                                     const SettingOptions& wishes,
                                     std::vector<std::string>& warnings) {
  const auto file = read_text_if_present(host.resolve(stack.environment.file));
  const auto is_there = [&](const std::string& folder) {
    std::error_code failure;
    return std::filesystem::is_directory(host.resolve(folder), failure);
  };
  return as_found(environment_of_host(host, stack, wishes, file, warnings), is_there);
}

}  // namespace topsctl
