// Derives releases from versions, and applies them to stacks.
#include "topsctl/model/stack/stack_release.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

using Numbers = std::set<std::string>;

constexpr std::string_view digits = "0123456789";

bool follows_release(const Component& component) {
  return component.version == release_placeholder || component.version == series_placeholder;
}

// "2.5" of "2.5.136".
std::string series_of(std::string_view number) {
  const auto second = number.find('.');
  return std::string(
      number.substr(0, second == std::string_view::npos ? second : number.find('.', second + 1)));
}

// "3.0.1" of "1:3.0.1-2".
std::string_view first_number(std::string_view version) {
  const auto epoch = version.find(':');
  if (epoch != std::string_view::npos) version.remove_prefix(epoch + 1);
  std::string_view number = version.substr(0, version.find_first_not_of("0123456789."));
  while (number.ends_with('.')) number.remove_suffix(1);
  return number;
}

// The releases that a version may be of.
Numbers releases_in(const Stack& stack, std::string_view version) {
  Numbers found;
  for (std::string& number : numbers_of(version)) {
    if (is_within(stack.releases.range, number)) found.insert(std::move(number));
  }
  return found;
}

bool has_series(const Numbers& numbers, const std::string& series) {
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](const std::string& number) { return series_of(number) == series; });
}

// The possible releases of all components whose version follows the release.
class Followers {
 public:
  Followers(const Stack& stack, const std::vector<FoundVersion>& found) {
    for (const FoundVersion& each : found) {
      const Component* component = stack.component(each.component);
      if (component == nullptr || !follows_release(*component)) continue;
      const Numbers numbers = releases_in(stack, each.version);
      if (numbers.empty()) continue;
      const bool is_exact = component->version == release_placeholder;
      Numbers& known = (is_exact ? exact_ : in_series_)[component->id];
      known.insert(numbers.begin(), numbers.end());
      if (first_.empty()) first_ = component->id;
      for (const std::string& number : numbers) witnesses_.emplace(number, each.package);
    }
  }

  bool empty() const { return first_.empty(); }

  // Releases with a package of each component. Components that only share the first numbers of the
  // release contribute these numbers.
  std::vector<std::string> common() const {
    std::vector<std::string> releases;
    for (const std::string& number : numbers_of_first()) {
      if (follow(number)) releases.push_back(number);
    }
    std::sort(releases.begin(), releases.end(), [](const std::string& a, const std::string& b) {
      return compare_debian_versions(a, b) < 0;
    });
    return releases;
  }

  std::vector<std::pair<std::string, std::string>> witnesses() const {
    return {witnesses_.begin(), witnesses_.end()};
  }

  bool follow(const std::string& release) const {
    const auto has = [&](const auto& entry) { return entry.second.contains(release); };
    const auto fits = [&](const auto& entry) {
      return has_series(entry.second, series_of(release));
    };
    return std::all_of(exact_.begin(), exact_.end(), has) &&
           std::all_of(in_series_.begin(), in_series_.end(), fits);
  }

 private:
  const Numbers& numbers_of_first() const {
    return exact_.empty() ? in_series_.at(first_) : exact_.begin()->second;
  }

  std::map<std::string, Numbers> exact_;
  std::map<std::string, Numbers> in_series_;
  std::map<std::string, std::string> witnesses_;  // a package by release
  std::string first_;                             // component
};

std::string choice_of(const Stack& stack, const std::string& release) {
  return concat(stack.name, "@", release);
}

}  // namespace

bool is_within(const VersionRange& range, std::string_view number) {
  return range.from.empty() || (compare_debian_versions(number, range.from) >= 0 &&
                                compare_debian_versions(number, range.below) < 0);
}

std::string to_text(const VersionRange& range) {
  return range.from.empty() ? std::string()
                            : format("{} or later, below {}", range.from, range.below);
}

std::vector<std::string> numbers_of(std::string_view version) {
  std::vector<std::string> numbers;
  for (auto at = version.find_first_of(digits); at != std::string_view::npos;
       at = version.find_first_of(digits, at)) {
    std::string_view number = version.substr(at, version.find_first_not_of("0123456789.", at) - at);
    at += number.size();
    while (number.ends_with('.')) number.remove_suffix(1);
    if (number.find('.') != std::string_view::npos) numbers.emplace_back(number);
  }
  return numbers;
}

bool has_version(const Stack& stack, const Component& component, std::string_view version) {
  if (!is_within(component.within, first_number(version))) return false;
  if (follows_release(component)) return !releases_in(stack, version).empty();
  return version_contains(version, component.version);
}

std::string wanted_version(const Stack& stack, const Component& component) {
  if (follows_release(component)) return to_text(stack.releases.range);
  return component.version.empty() ? to_text(component.within) : component.version;
}

Stack at_release(const Stack& stack, const std::string& release) {
  if (stack.releases.range.from.empty() || !stack.release.empty() || release.empty()) return stack;
  Stack made = stack;
  made.release = release;
  for (Component& component : made.components) {
    if (component.version == release_placeholder) component.version = release;
    if (component.version == series_placeholder) component.version = series_of(release);
  }
  return made;
}

void require_release(const Stack& stack, const std::string& release) {
  const VersionRange& range = stack.releases.range;
  if (range.from.empty()) {
    throw Error(ErrorCode::bad_stack, format("stack {} has no releases", in_quotes(stack.name)),
                format("give --stack {}", stack.name));
  }
  if (numbers_of(release) != std::vector<std::string>{release} || !is_within(range, release)) {
    throw Error(ErrorCode::bad_stack,
                format("stack {} has no release {}", in_quotes(stack.name), in_quotes(release)),
                format("its releases: {}", to_text(range)));
  }
}

std::string title_of(const Stack& stack) {
  return stack.release.empty() ? stack.name : concat(stack.name, " ", stack.release);
}

bool is_tested(const Stack& stack) {
  const std::vector<std::string>& tested = stack.releases.tested;
  return stack.release.empty() ||
         std::find(tested.begin(), tested.end(), stack.release) != tested.end();
}

std::string untested_release(const Stack& stack) {
  return format("release {} of {} is untested (tested: {})", stack.release, stack.name,
                stack.releases.tested.empty() ? "none" : joined(stack.releases.tested, ", "));
}

FoundRelease release_of(const Stack& stack, const std::vector<FoundVersion>& found,
                        const std::string& declared) {
  FoundRelease result;
  if (stack.releases.range.from.empty()) return result;
  const bool is_declared =
      numbers_of(declared).size() == 1 && is_within(stack.releases.range, declared);
  const Followers followers(stack, found);
  if (followers.empty()) return result;
  if (is_declared && followers.follow(declared)) {
    result.release = declared;
    return result;
  }
  std::vector<std::string> common = followers.common();
  if (common.size() == 1) result.release = common.front();
  if (common.size() > 1) result.several = std::move(common);
  if (!result.release && result.several.empty()) result.mixed = followers.witnesses();
  return result;
}

std::string release_in_setup(std::string_view json) {
  try {
    const Json document = parse_json(json, std::string(setup_file));
    const auto version = document.is_object() ? document.find("version") : document.end();
    if (version == document.end() || !version->is_string()) return {};
    const auto text = version->get<std::string>();
    return numbers_of(text) == std::vector<std::string>{text} ? text : std::string();
  } catch (const Error&) {
    return {};  // only the vendor's installer needs it
  }
}

Stack resolved(const Stack& stack, const Inventory& inventory) {
  if (!stack.release.empty()) return stack;
  std::vector<FoundVersion> found;
  for (const Package& package : inventory.packages) {
    if (package.verdict == Verdict::archived || package.verdict == Verdict::broken) continue;
    const Component* component = matching_component(stack, package);
    if (component == nullptr) continue;
    found.push_back(
        {component->id, printable(concat(package.name, " ", package.version)), package.version});
  }
  const FoundRelease release = release_of(stack, found, inventory.release);
  if (!release.several.empty()) {
    throw Error(ErrorCode::bad_bundle,
                format("the bundle has several releases of {}: {}", in_quotes(stack.name),
                       joined(release.several, ", ")),
                format("choose one with --stack {}", choice_of(stack, release.several.back())));
  }
  if (!release.mixed.empty()) {
    std::vector<std::string> packages;
    for (const auto& [unused, package] : release.mixed) packages.push_back(package);
    throw Error(ErrorCode::bad_bundle,
                format("the bundle mixes releases of {}: {}", in_quotes(stack.name),
                       joined(packages, ", ")),
                format("use packages of one release only, or choose one with --stack {}",
                       choice_of(stack, release.mixed.back().first)));
  }
  return at_release(stack, release.release.value_or(""));
}

}  // namespace topsctl
