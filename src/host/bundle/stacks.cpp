// Finds stacks in the binary, in the operator's folder and in files.
#include "topsctl/host/bundle/stacks.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/folder_files.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/trust/signed_file.hpp"
#include "topsctl/model/stack_parser.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_stack = 4ULL << 20U;

void add_or_replace(std::vector<Stack>& stacks, Stack stack) {
  const auto same = std::find_if(stacks.begin(), stacks.end(),
                                 [&](const Stack& known) { return known.name == stack.name; });
  if (same == stacks.end()) {
    stacks.push_back(std::move(stack));
  } else {
    *same = std::move(stack);
  }
}

std::string text_of_stack(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    throw Error(ErrorCode::bad_stack, format("no stack file {}", in_quotes(file.string())),
                "give the path of a JSON stack file, or the name of a known stack");
  }
  return read_text(file, most_stack);
}

Stack parsed_stack(const std::string& text, const fs::path& file) {
  return parse_stack(text, format("stack {}", in_quotes(file.string())));
}

bool means_file(const std::string& choice) {
  return choice.find('/') != std::string::npos || choice.ends_with(".json");
}

// What is verified is what is parsed.
ChosenStack read_named_stack(const std::string& file) {
  const std::string text = text_of_stack(file);
  InputFile input{InputFile::Kind::stack, printable(file), sha256_of(text), "", std::nullopt};
  if (const auto signature = read_signature(file))
    input.signed_by = trusted_signer(text, *signature, stack_namespace, file);
  return {parsed_stack(text, file), std::move(input)};
}

// Ids of required components for which the inventory has nothing that could be chosen.
std::vector<std::string> missing_components(const Stack& stack, const Inventory& inventory) {
  std::vector<std::string> missing;
  for (const Component& component : stack.components) {
    const bool found = std::any_of(inventory.packages.begin(), inventory.packages.end(),
                                   [&](const Package& package) {
                                     // A broken one counts as there: the install then says what is
                                     // wrong with it.
                                     if (package.verdict == Verdict::broken)
                                       return is_named_like(component, package);
                                     return package.verdict != Verdict::archived &&
                                            matching_component(stack, package) == &component;
                                   });
    if (component.required && !found) missing.push_back(component.id);
  }
  return missing;
}

std::size_t required_components(const Stack& stack) {
  return static_cast<std::size_t>(
      std::count_if(stack.components.begin(), stack.components.end(),
                    [](const Component& component) { return component.required; }));
}

}  // namespace

std::vector<Stack> known_stacks() {
  std::vector<Stack> stacks;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with("stacks/")) continue;
    add_or_replace(stacks, parse_stack(file.bytes, format("stack {}", in_quotes(file.name))));
  }
  for (const fs::path& file : files_with_extension(stacks_directory, ".json"))
    add_or_replace(stacks, parsed_stack(text_of_stack(file), file));
  return stacks;
}

Stack load_stack(const std::string& choice) {
  if (means_file(choice)) return read_named_stack(choice).stack;
  std::vector<std::string> names;
  for (Stack& stack : known_stacks()) {
    if (stack.name == choice) return std::move(stack);
    names.push_back(stack.name);
  }
  throw Error(
      ErrorCode::bad_stack,
      format("unknown stack {}{}", in_quotes(choice), did_you_mean(choice, names)),
      format("known stacks: {}; or give a stack file with --stack FILE", joined(names, ", ")));
}

std::vector<Stack> stacks_meant(const std::string& choice) {
  return choice.empty() ? known_stacks() : std::vector<Stack>{load_stack(choice)};
}

ChosenStack chosen_stack(const std::string& choice, const Inventory& inventory) {
  if (choice.empty()) return {matching_stack(inventory)};
  if (!means_file(choice)) return {load_stack(choice)};
  ChosenStack chosen = read_named_stack(choice);
  require_signature_by_policy(
      chosen.file->signed_by, format("stack {}", in_quotes(choice)),
      "sign it with `topsctl lock --sign KEY FILE`, or choose a known stack");
  return chosen;
}

Stack matching_stack(const Inventory& inventory) {
  std::optional<Stack> best;
  std::string nearest_name;  // of which most is there
  std::size_t nearest_found = 0;
  std::vector<std::string> nearest_missing;
  for (Stack& stack : known_stacks()) {
    const std::vector<std::string> missing = missing_components(stack, inventory);
    if (!missing.empty()) {
      const std::size_t found = required_components(stack) - missing.size();
      if (nearest_name.empty() || found > nearest_found) {
        nearest_name = stack.name;
        nearest_found = found;
        nearest_missing = missing;
      }
    } else if (!best || stack.components.size() > best->components.size()) {
      best = std::move(stack);
    }
  }
  if (best) return *best;
  throw Error(ErrorCode::bad_bundle,
              format("the bundle holds no complete stack: {} lacks {}", in_quotes(nearest_name),
                     joined(nearest_missing, ", ")),
              "add the missing packages, choose parts with --stack and --components, or give a "
              "stack file with "
              "--stack FILE");
}

}  // namespace topsctl
