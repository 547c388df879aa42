// Finds stacks in the binary, in the operator's directory and in files.
#include "topsctl/host/bundle/stacks.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/trust/signed_file.hpp"
#include "topsctl/host/trust/site_data.hpp"
#include "topsctl/model/stack/stack_parser.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_stack = 4ULL << 20U;

void add_or_replace(std::vector<KnownStack>& stacks, KnownStack stack) {
  const auto same = std::find_if(stacks.begin(), stacks.end(), [&](const KnownStack& known) {
    return known.stack.name == stack.stack.name;
  });
  if (same == stacks.end()) {
    stacks.push_back(std::move(stack));
  } else {
    stack.stack.is_default = stack.stack.is_default || same->stack.is_default;
    *same = std::move(stack);
  }
}

std::string text_of_stack(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    throw Error(ErrorCode::bad_stack, format("no such stack file: {}", missing_path(file)),
                "give the path of a JSON stack file, or the name of a known stack");
  }
  return read_text(file, most_stack);
}

Stack parsed_stack(const std::string& text, const fs::path& file) {
  return parse_stack(text, format("stack {}", in_quotes(file.string())));
}

}  // namespace

bool means_stack_file(const std::string& choice) {
  return choice.find('/') != std::string::npos || choice.ends_with(".json");
}

// Reads once, so that the verified bytes are the parsed ones.
ChosenStack read_stack_file(const std::string& file) {
  const std::string text = text_of_stack(file);
  InputFile input{InputFile::Kind::stack, printable(file), sha256_of(text), "", std::nullopt};
  const auto signature = read_signature(file);
  if (signature) input.signed_by = trusted_signer(text, *signature, stack_namespace, file);
  return {parsed_stack(text, file), std::move(input), text, signature.value_or("")};
}

namespace {

// Ids of the required components, by whether the inventory has a package that could be chosen. A
// broken package counts as found: the install then reports what is wrong with it.
struct RequiredComponents {
  std::vector<std::string> found;
  std::vector<std::string> missing;
};

RequiredComponents required_components(const Stack& stack, const Inventory& inventory) {
  RequiredComponents required;
  for (const Component& component : stack.components) {
    if (!component.required) continue;
    const bool found = std::any_of(inventory.packages.begin(), inventory.packages.end(),
                                   [&](const Package& package) {
                                     if (package.verdict == Verdict::broken)
                                       return is_named_like(component, package);
                                     return package.verdict != Verdict::archived &&
                                            matching_component(stack, package) == &component;
                                   });
    (found ? required.found : required.missing).push_back(component.id);
  }
  return required;
}

// "eccl: wanted tops-eccl or eccl 2.5.136, found tops-eccl 3.0.1".
std::string wanted_and_found(const Stack& stack, const Component& component,
                             const Inventory& inventory) {
  std::vector<std::string> found;
  for (const Package& package : inventory.packages) {
    const bool is_broken = package.verdict == Verdict::broken;
    if (is_broken ? !is_named_like(component, package) : !is_named(component, package)) continue;
    found.push_back(
        printable(is_broken ? package.path
                            : concat(package.name, " ", package.version,
                                     package.verdict == Verdict::archived ? " (archived)" : "")));
  }
  const std::string version = wanted_version(stack, component);
  return format("{}: expected {}{}{}, found {}", component.id, joined(component.names, " or "),
                version.empty() ? "" : " ", version, found.empty() ? "none" : joined(found, ", "));
}

}  // namespace

std::vector<KnownStack> stacks_with_origin() {
  std::vector<KnownStack> stacks;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with("stacks/")) continue;
    add_or_replace(stacks, {parse_stack(file.bytes, format("stack {}", in_quotes(file.name))), "",
                            std::string(file.bytes)});
  }
  for (const SiteFile& file : read_site_data(stacks_directory, most_stack))
    add_or_replace(stacks, {parsed_stack(file.text, file.path), file.path.string(), file.text});
  return stacks;
}

std::vector<Stack> known_stacks() {
  std::vector<Stack> stacks;
  for (KnownStack& known : stacks_with_origin()) stacks.push_back(std::move(known.stack));
  return stacks;
}

Stack load_stack(const std::string& choice) {
  if (means_stack_file(choice)) return read_stack_file(choice).stack;
  const auto at = choice.find('@');
  const std::string wanted = choice.substr(0, at);
  std::vector<std::string> names;
  for (const Stack& stack : known_stacks()) {
    names.push_back(stack.name);
    if (stack.name != wanted) continue;
    if (at == std::string::npos) return stack;
    const std::string release = choice.substr(at + 1);
    require_release(stack, release);
    return at_release(stack, release);
  }
  throw Error(
      ErrorCode::bad_stack,
      format("unknown stack {}{}", in_quotes(wanted), did_you_mean(wanted, names)),
      format("known stacks: {}; or give a stack file with --stack FILE", joined(names, ", ")));
}

std::vector<Stack> stacks_meant(const std::string& choice) {
  return choice.empty() ? known_stacks() : std::vector<Stack>{load_stack(choice)};
}

ChosenStack chosen_stack(const std::string& choice, const Inventory& inventory) {
  if (choice.empty()) return {matching_stack(inventory)};
  if (!means_stack_file(choice)) return {resolved(load_stack(choice), inventory)};
  ChosenStack chosen = read_stack_file(choice);
  chosen.stack = resolved(chosen.stack, inventory);
  require_signature_by_policy(
      chosen.file->signed_by, format("stack {}", in_quotes(choice)),
      "sign it with `topsctl lock --sign KEY FILE`, or choose a known stack");
  return chosen;
}

Stack matching_stack(const Inventory& inventory) {
  std::optional<Stack> best;
  std::optional<Stack> nearest;  // the one with the most components present
  std::size_t most_found = 0;
  std::optional<Error> unclear;  // the releases of the nearest
  for (const Stack& stack : known_stacks()) {
    const RequiredComponents required = required_components(stack, inventory);
    const std::size_t found = required.found.size();
    if (!nearest || found > most_found) {
      nearest = stack;
      most_found = found;
    }
    // Of equal ones the later: the operator's own stacks come after the built-in ones.
    if (!required.missing.empty() || (best && stack.components.size() < best->components.size()))
      continue;
    try {
      best = resolved(stack, inventory);
    } catch (const Error& error) {
      unclear = error;
    }
  }
  if (best) return *best;
  if (unclear) throw *unclear;
  std::string message =
      format("the bundle has no complete stack; the closest is {}", nearest->name);
  for (const Component& component : nearest->components) {
    if (component.required)
      message += concat("\n", wanted_and_found(*nearest, component, inventory));
  }
  const std::string found = joined(required_components(*nearest, inventory).found, ",");
  throw Error(
      ErrorCode::bad_bundle, std::move(message),
      found.empty()
          ? "add the missing packages, or give a stack file with --stack FILE"
          : format("add the missing packages, choose those to install with --stack {} --components "
                   "{}, or give a stack file with --stack FILE",
                   nearest->name, found));
}

}  // namespace topsctl
