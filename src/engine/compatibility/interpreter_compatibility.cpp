// Judges the tags of a wheel against an interpreter.
#include "engine/compatibility/interpreter_compatibility.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "topsctl/base/python_requirement.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {

namespace {

struct Tag {
  std::vector<std::string> python;
  std::vector<std::string> abi;
  std::vector<std::string> platform;
};

std::optional<Tag> parsed_tag(const std::string& text) {
  const std::vector<std::string> parts = split(text, '-');
  if (parts.size() != 3) return std::nullopt;
  return Tag{split(parts[0], '.'), split(parts[1], '.'), split(parts[2], '.')};
}

const std::vector<std::string>& tags_of(const Package& wheel) {
  if (wheel.wheel && !wheel.wheel->file_tags.empty()) return wheel.wheel->file_tags;
  return wheel.python->tags;
}

// "38" of "cp38", "cp36m", "py38" -> "3.8"; nothing for "py3" and all others.
std::optional<std::string> minor_of(std::string_view tag) {
  if (!tag.starts_with("cp") && !tag.starts_with("py")) return std::nullopt;
  tag.remove_prefix(2);
  while (!tag.empty() && tag.back() >= 'a' && tag.back() <= 'z') tag.remove_suffix(1);
  if (tag.size() < 2 || !is_digits(tag)) return std::nullopt;
  return concat(tag.substr(0, 1), ".", tag.substr(1));
}

bool is_python_met(const std::string& tag, const PythonFacts& python, bool is_stable_abi) {
  const std::string major = python.minor.substr(0, python.minor.find('.'));
  if (tag == "py" + major || tag == "cp" + major) return true;
  const auto minor = minor_of(tag);
  if (!minor) return false;
  if (is_stable_abi) return compare_debian_versions(*minor, python.minor) <= 0;
  return *minor == python.minor;
}

bool is_abi_met(const std::string& tag, const PythonFacts& python) {
  if (tag == "none" || tag == "abi3") return true;
  const auto minor = minor_of(tag);
  return minor && *minor == python.minor;
}

// The glibc version of a platform tag (PEP 513, 571, 599, 600); empty: none.
std::string glibc_of(std::string_view platform) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> legacy = {
      {{"manylinux1_", "2.5"}, {"manylinux2010_", "2.12"}, {"manylinux2014_", "2.17"}}};
  for (const auto& [prefix, glibc] : legacy) {
    if (platform.starts_with(prefix)) return std::string(glibc);
  }
  constexpr std::string_view modern = "manylinux_";
  if (!platform.starts_with(modern)) return {};
  const std::vector<std::string> parts = split(platform.substr(modern.size()), '_');
  if (parts.size() < 3 || !is_digits(parts[0]) || !is_digits(parts[1])) return {};
  return concat(parts[0], ".", parts[1]);
}

WheelVerdict platform_verdict(const Tag& tag, const TargetSnapshot& target) {
  WheelVerdict worst{WheelObstacle::architecture, ""};
  for (const std::string& platform : tag.platform) {
    const bool is_linux = platform.starts_with("linux_") || platform.starts_with("manylinux");
    const std::string machine = machine_of(target.architecture);
    if (platform == "any") return {};
    if (!is_linux || (!machine.empty() && !platform.ends_with("_" + machine))) continue;
    const std::string glibc = glibc_of(platform);
    if (glibc.empty() || target.glibc.empty() ||
        compare_debian_versions(glibc, target.glibc) <= 0) {
      return {};
    }
    worst = {WheelObstacle::glibc,
             format("its platform tag requires glibc {}, the target has {}", glibc, target.glibc)};
  }
  if (worst.why.empty()) {
    worst.why = format("its platform tag is {}, the target is {}", joined(tag.platform, "."),
                       machine_of(target.architecture));
  }
  return worst;
}

WheelVerdict python_verdict(const Package& wheel, const Tag& tag, const PythonFacts& python) {
  const bool is_stable_abi = std::find(tag.abi.begin(), tag.abi.end(), "abi3") != tag.abi.end();
  const std::optional<std::string>& only = wheel.python->minor;
  bool is_met = false;
  std::string means;
  if (only && !is_stable_abi) {
    is_met = *only == python.minor;
    means = format("it is for Python {}", *only);
  } else {
    is_met = std::any_of(tag.python.begin(), tag.python.end(), [&](const std::string& one) {
      return is_python_met(one, python, is_stable_abi);
    });
    means = format("it is for {}{}", joined(tag.python, ", "), is_stable_abi ? " and newer" : "");
  }
  if (!is_met) return {WheelObstacle::python, means};
  const bool is_abi = std::any_of(tag.abi.begin(), tag.abi.end(),
                                  [&](const std::string& one) { return is_abi_met(one, python); });
  if (!is_abi) return {WheelObstacle::python, format("its ABI tag is {}", joined(tag.abi, "."))};
  return {WheelObstacle::none, means};
}

// "cpython-36" of "core.cpython-36m-x86_64-linux-gnu.so"
std::optional<std::string> native_tag(std::string_view path) {
  if (!path.ends_with(".so")) return std::nullopt;
  constexpr std::string_view mark = ".cpython-";
  const auto at = path.rfind(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = path.substr(at + mark.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (digits.empty()) return std::nullopt;
  return concat("cpython-", digits);
}

WheelVerdict native_verdict(const Package& wheel, const PythonFacts& python) {
  if (!wheel.files) return {};
  std::set<std::string> found;
  for (const PayloadEntry& entry : *wheel.files) {
    if (const auto tag = native_tag(entry.path)) found.insert(*tag);
  }
  if (found.empty() || python.cache_tag.empty() || found.contains(python.cache_tag)) return {};
  return {WheelObstacle::native_code,
          format("its native modules are built for {}, the interpreter is {}",
                 joined({found.begin(), found.end()}, ", "), python.cache_tag)};
}

}  // namespace

std::string machine_of(std::string_view dpkg_architecture) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> machines = {
      {{"amd64", "x86_64"},
       {"arm64", "aarch64"},
       {"i386", "i686"},
       {"ppc64el", "ppc64le"},
       {"armhf", "armv7l"}}};
  for (const auto& [architecture, machine] : machines) {
    if (architecture == dpkg_architecture) return std::string(machine);
  }
  return std::string(dpkg_architecture);
}

WheelVerdict wheel_verdict(const Package& wheel, const PythonFacts& python,
                           const TargetSnapshot& target) {
  if (!wheel.python) return {WheelObstacle::none, "it does not mention Python"};
  WheelVerdict verdict{WheelObstacle::python, "it has no readable tag"};
  for (const std::string& text : tags_of(wheel)) {
    const auto tag = parsed_tag(text);
    if (!tag) continue;
    verdict = platform_verdict(*tag, target);
    if (verdict.fits()) verdict = python_verdict(wheel, *tag, python);
    if (verdict.fits()) break;
  }
  if (!verdict.fits()) return verdict;
  const std::string& needs = wheel.python->requires_python;
  if (!accepts_python_version(needs, python.version.empty() ? python.minor : python.version)) {
    return {WheelObstacle::python, format("its Requires-Python is {}", in_quotes(needs))};
  }
  const WheelVerdict native = native_verdict(wheel, python);
  return native.fits() ? verdict : native;
}

}  // namespace topsctl
