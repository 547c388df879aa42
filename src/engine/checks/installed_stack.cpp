// Finds the stack of a host in the journals, else by dpkg's packages.
#include "topsctl/engine/checks/installed_stack.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/stack/stack_parser.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_stack = 4U << 20U;

// The installed packages of required debs, one for each component; nothing if one is missing.
std::optional<std::vector<FoundVersion>> found_debs(const Stack& stack,
                                                    const std::vector<TargetPackage>& packages) {
  std::vector<FoundVersion> found;
  for (const Component& component : stack.components) {
    if (component.kind != PackageKind::deb || !component.required) continue;
    const std::size_t before = found.size();
    for (const std::string& name : component.names) {
      const TargetPackage* package = package_named(packages, name);
      if (package == nullptr || !is_installed(package->status) ||
          !has_version(stack, component, package->version))
        continue;
      found.push_back({component.id, name, package->version});
      break;
    }
    if (found.size() == before) return std::nullopt;
  }
  if (found.empty()) return std::nullopt;
  return found;
}

// At the release of the packages. If they have several, uses that of the first: the checks report
// the differences.
Stack at_release_of(const Stack& stack, std::vector<FoundVersion> found) {
  std::optional<std::string> release = release_of(stack, found, "").release;
  if (!release) {
    found.resize(1);
    release = release_of(stack, found, "").release;
  }
  return at_release(stack, release.value_or(""));
}

std::optional<Stack> stack_of_packages(const Host& host, const std::vector<Stack>& stacks) {
  try {
    return stack_among(stacks, read_packages(host));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::host_unfit && error.code() != ErrorCode::permission) throw;
    return std::nullopt;
  }
}

}  // namespace

std::optional<Transaction> install_in_effect(const Host& host) {
  try {
    std::vector<FoundTransaction> all = find_transactions(host);
    for (auto each = all.rbegin(); each != all.rend(); ++each) {
      const auto state = each->transaction.state();
      if (!each->damage && each->transaction.kind() == TransactionKind::install &&
          (state == TransactionState::committed ||
           (state == TransactionState::pruned && each->transaction.was_committed())))
        return std::move(each->transaction);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
  }
  return std::nullopt;
}

namespace {

std::optional<Stack> stack_of_install(const Host& host, const std::vector<Stack>& stacks) {
  const std::optional<Transaction> install = install_in_effect(host);
  if (!install) return std::nullopt;
  const InstalledStack installed = stack_of(*install);
  if (installed.is_of_file) {
    const std::string copy = copied_stack(host, *install).string();
    return at_release(parse_stack(read_text(copy, most_stack), format("stack {}", in_quotes(copy))),
                      installed.release);
  }
  for (const Stack& stack : stacks) {
    if (stack.name == installed.name) return at_release(stack, installed.release);
  }
  return std::nullopt;
}

Stack default_stack() {
  std::vector<Stack> stacks = known_stacks();
  const auto found = std::find_if(stacks.begin(), stacks.end(),
                                  [](const Stack& stack) { return stack.is_default; });
  return found == stacks.end() ? stacks.front() : *found;
}

}  // namespace

std::optional<Stack> stack_among(const std::vector<Stack>& stacks,
                                 const std::vector<TargetPackage>& packages) {
  for (const Stack& stack : stacks) {
    if (const auto found = found_debs(stack, packages)) return at_release_of(stack, *found);
  }
  return std::nullopt;
}

std::optional<Stack> installed_stack(const Host& host) {
  const std::vector<Stack> stacks = known_stacks();
  std::optional<Stack> installed = stack_of_install(host, stacks);
  return installed ? installed : stack_of_packages(host, stacks);
}

Stack stack_on(const Host& host, const std::string& choice) {
  if (choice.empty()) {
    std::optional<Stack> installed = installed_stack(host);
    return installed ? *std::move(installed) : default_stack();
  }
  Stack chosen = load_stack(choice);
  if (chosen.releases.range.from.empty() || !chosen.release.empty()) return chosen;
  const std::optional<Transaction> install = install_in_effect(host);
  const InstalledStack installed = install ? stack_of(*install) : InstalledStack{};
  if (installed.name == chosen.name) return at_release(chosen, installed.release);
  return stack_of_packages(host, {chosen}).value_or(chosen);
}

}  // namespace topsctl
