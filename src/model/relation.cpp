// Prints relations between packages, and evaluates them.
#include "topsctl/model/relation.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {

std::string_view symbol(VersionTest test) {
  switch (test) {
    case VersionTest::any:
      return "";
    case VersionTest::earlier:
      return "<<";
    case VersionTest::at_most:
      return "<=";
    case VersionTest::equal:
      return "=";
    case VersionTest::at_least:
      return ">=";
    case VersionTest::later:
      return ">>";
  }
  return "";
}

std::string to_text(const Relation& relation) {
  std::string text = relation.name;
  if (!relation.architecture.empty()) text += concat(':', relation.architecture);
  if (relation.test != VersionTest::any)
    text += concat(" (", symbol(relation.test), ' ', relation.version, ')');
  if (!relation.architectures.empty())
    text += concat(" [", joined(relation.architectures, " "), ']');
  if (!relation.profiles.empty()) text += concat(' ', relation.profiles);
  return text;
}

std::string to_text(const Clause& clause) {
  std::string text;
  for (const Relation& relation : clause.alternatives) {
    if (!text.empty()) text += " | ";
    text += to_text(relation);
  }
  return text;
}

std::string to_text(const std::vector<Clause>& clauses) {
  std::string text;
  for (const Clause& clause : clauses) {
    if (!text.empty()) text += ", ";
    text += to_text(clause);
  }
  return text;
}

bool accepts(const Relation& relation, std::string_view version) {
  if (relation.test == VersionTest::any) return true;
  if (trimmed(version).empty()) return false;
  const int order = compare_debian_versions(version, relation.version);
  switch (relation.test) {
    case VersionTest::any:
      break;
    case VersionTest::earlier:
      return order < 0;
    case VersionTest::at_most:
      return order <= 0;
    case VersionTest::equal:
      return order == 0;
    case VersionTest::at_least:
      return order >= 0;
    case VersionTest::later:
      return order > 0;
  }
  return true;
}

namespace {

// An architecture by dpkg's tupletable: ABI, C library, kernel, processor.
using ArchitectureTuple = std::array<std::string_view, 4>;

// The default C library; empty if dpkg does not know the kernel.
std::string_view libc_of(std::string_view kernel) {
  struct Known {
    std::string_view kernel;
    std::string_view libc;
  };
  constexpr Known known[] = {{"linux", "gnu"},        {"kfreebsd", "gnu"}, {"knetbsd", "gnu"},
                             {"kopensolaris", "gnu"}, {"hurd", "gnu"},     {"darwin", "bsd"},
                             {"dragonflybsd", "bsd"}, {"freebsd", "bsd"},  {"netbsd", "bsd"},
                             {"openbsd", "bsd"},      {"aix", "sysv"},     {"solaris", "sysv"},
                             {"uclinux", "uclibc"},   {"mint", "tos"}};
  for (const Known& one : known) {
    if (one.kernel == kernel) return one.libc;
  }
  return {};
}

// Processor names that imply an ABI too.
struct NamedAbi {
  std::string_view name;
  std::string_view abi;
  std::string_view processor;
};
constexpr NamedAbi named_abis[] = {{"armhf", "eabihf", "arm"},
                                   {"armel", "eabi", "arm"},
                                   {"x32", "x32", "amd64"},
                                   {"arm64ilp32", "ilp32", "arm64"},
                                   {"powerpcspe", "spe", "powerpc"},
                                   {"mips64", "abi64", "mips64"},
                                   {"mips64el", "abi64", "mips64el"},
                                   {"mips64r6", "abi64", "mips64r6"},
                                   {"mips64r6el", "abi64", "mips64r6el"},
                                   {"mipsn32", "abin32", "mips64"},
                                   {"mipsn32el", "abin32", "mips64el"},
                                   {"mipsn32r6", "abin32", "mips64r6"},
                                   {"mipsn32r6el", "abin32", "mips64r6el"}};

// Nothing for an invalid architecture name.
std::optional<ArchitectureTuple> tuple_of(const std::vector<std::string_view>& pieces) {
  if (pieces.size() > 3) return std::nullopt;
  ArchitectureTuple tuple{"base", "gnu", "linux", pieces.back()};
  for (const NamedAbi& named : named_abis) {
    if (named.name == tuple[3]) {
      tuple[0] = named.abi;
      tuple[3] = named.processor;
      break;
    }
  }
  if (pieces.size() >= 2) {
    tuple[2] = pieces[pieces.size() - 2];
    tuple[1] = libc_of(tuple[2]);
    if (tuple[1].empty()) return std::nullopt;
  }
  if (pieces.size() == 3) {
    tuple[1] = pieces.front();
    if (tuple[2] != "linux" || (tuple[1] != "musl" && tuple[1] != "uclibc")) return std::nullopt;
  }
  return tuple;
}

std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto end = name.find('-');
    pieces.push_back(name.substr(0, end));
    if (end == std::string_view::npos || pieces.size() > 4) return pieces;
    name.remove_prefix(end + 1);
  }
}

// "linux-any" and "any-amd64" are wildcards: omitted parts on the left are any too.
bool is_architecture(std::string_view architecture, std::string_view pattern) {
  if (pattern == architecture || pattern == "any") return true;
  const std::vector<std::string_view> pieces = pieces_of(pattern);
  if (pieces.size() > 4) return false;
  std::optional<ArchitectureTuple> wanted;
  if (std::find(pieces.begin(), pieces.end(), "any") != pieces.end()) {
    wanted.emplace().fill("any");
    std::copy(pieces.rbegin(), pieces.rend(), wanted->rbegin());
  } else {
    wanted = tuple_of(pieces);
  }
  const std::optional<ArchitectureTuple> actual = tuple_of(pieces_of(architecture));
  if (!wanted || !actual) return false;
  return std::equal(wanted->begin(), wanted->end(), actual->begin(),
                    [](auto piece, auto own) { return piece == "any" || piece == own; });
}

}  // namespace

bool concerns_architecture(const Relation& relation, std::string_view architecture) {
  if (relation.architectures.empty()) return true;
  const std::string own = lower_case(architecture);
  bool concerns = false;
  for (const std::string& listed : relation.architectures) {
    const std::string pattern = lower_case(listed);
    if (pattern.starts_with('!')) {
      if (is_architecture(own, std::string_view(pattern).substr(1))) return false;
      concerns = true;
    } else if (is_architecture(own, pattern)) {
      return true;
    }
  }
  return concerns;
}

}  // namespace topsctl
