// Parser of fields with relations between packages (policy 7.1).
#include "topsctl/model/relation_parser.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr std::size_t most_relations = 10'000;
constexpr std::size_t most_shown = 60;  // bytes of the field in a message

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Begins with a letter or digit, followed by these or `others`.
bool is_word(std::string_view text, std::string_view others) {
  return !text.empty() && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
         });
}

bool holds_only(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

// A number that strtol accepts, at most INT_MAX.
bool is_epoch(std::string_view text) {
  const bool is_minus = text.starts_with('-');
  if (is_minus || text.starts_with('+')) text.remove_prefix(1);
  if (!is_digits(text)) return false;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (is_minus) return text.empty();
  return text.size() < 10 || (text.size() == 10 && text <= "2147483647");
}

// Lines that begin with '#' are comments.
std::string without_comments(std::string_view field) {
  std::string kept;
  while (!field.empty()) {
    const auto end = std::min(field.find('\n'), field.size() - 1) + 1;
    if (field.front() != '#') kept.append(field.substr(0, end));
    field.remove_prefix(end);
  }
  return kept;
}

class Parser {
 public:
  Parser(std::string_view field, const std::string& subject, RelationSource source)
      : rest_(field), subject_(subject), source_(source) {}

  std::vector<Clause> clauses() {
    std::vector<Clause> clauses;
    skip_space();
    if (rest_.empty()) return clauses;
    do {
      Clause& clause = clauses.emplace_back();
      do {
        if (++relations_ > most_relations) refuse(format("more than {} relations", most_relations));
        clause.alternatives.push_back(relation());
      } while (skip('|'));
    } while (skip(','));
    if (!rest_.empty()) refuse("a comma is missing");
    return clauses;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(ErrorCode::bad_package,
                format("cannot read {}: relation {}: {}{}", in_quotes(subject_), relations_, what,
                       rest_.empty() ? std::string(" at the end")
                                     : format(" at {}", in_quotes(shortened(rest_, most_shown)))),
                "dpkg refuses such a package: ask the vendor for one whose relations follow Debian "
                "policy 7.1");
  }

  void skip_space() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    skip_space();
    return true;
  }

  // Up to white space or one of the characters.
  std::string_view word(std::string_view ends) const {
    const auto end = std::find_if(rest_.begin(), rest_.end(), [&](char c) {
      return is_space(c) || ends.find(c) != std::string_view::npos;
    });
    return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  }

  Relation relation() {
    Relation relation;
    const std::string_view name = word(":(,|[<");
    if (name.empty()) refuse("a package name is missing");
    if (!is_package_name(name)) refuse("an invalid package name");
    relation.name = lower_case(name);
    rest_.remove_prefix(name.size());
    if (rest_.starts_with(':')) {
      rest_.remove_prefix(1);
      const std::string_view architecture = word("(,|[<");
      if (!is_word(architecture, "-")) refuse("an invalid architecture");
      relation.architecture = architecture;
      rest_.remove_prefix(architecture.size());
    }
    skip_space();
    if (skip('(')) read_version(relation);
    if (skip('[')) read_architectures(relation);
    while (skip('<')) read_profiles(relation);
    return relation;
  }

  // policy 7.1: "<" and ">" are "<=" and ">="; dpkg interprets a version without an operator as
  // "=".
  VersionTest version_test() {
    if (rest_.starts_with("<>") || rest_.starts_with("><")) refuse("unknown comparison operator");
    for (const VersionTest test : {VersionTest::earlier, VersionTest::at_most,
                                   VersionTest::at_least, VersionTest::later, VersionTest::equal}) {
      if (rest_.starts_with(symbol(test))) {
        rest_.remove_prefix(symbol(test).size());
        return test;
      }
    }
    if (skip('<')) return VersionTest::at_most;
    if (skip('>')) return VersionTest::at_least;
    return VersionTest::equal;
  }

  void read_version(Relation& relation) {
    relation.test = version_test();
    skip_space();
    const std::string_view version = word("()");
    if (const std::string_view fault = version_fault(version, source_); !fault.empty())
      refuse(fault);
    relation.version = version;
    rest_.remove_prefix(version.size());
    skip_space();
    if (!skip(')')) refuse("a version that does not end with ')'");
  }

  void read_architectures(Relation& relation) {
    while (!skip(']')) {
      const std::string_view listed = word("],|(<[");
      if (!is_word(listed.substr(listed.starts_with('!') ? 1 : 0), "-"))
        refuse("an invalid architecture");
      relation.architectures.emplace_back(listed);
      rest_.remove_prefix(listed.size());
      skip_space();
    }
    if (relation.architectures.empty()) refuse("an empty list of architectures");
  }

  void read_profiles(Relation& relation) {
    std::string terms;
    while (!skip('>')) {
      const std::string_view term = word(">,|(<[");
      if (!is_word(term.substr(term.starts_with('!') ? 1 : 0), "-+."))
        refuse("an invalid build profile");
      terms.append(terms.empty() ? "" : " ").append(term);
      rest_.remove_prefix(term.size());
      skip_space();
    }
    if (terms.empty()) refuse("an empty list of build profiles");
    relation.profiles.append(concat(relation.profiles.empty() ? "<" : " <", terms, '>'));
  }

  std::string_view rest_;
  const std::string& subject_;
  RelationSource source_;
  std::size_t relations_ = 0;
};

}  // namespace

std::string_view version_fault(std::string_view version, RelationSource source) {
  if (version.empty()) return "an empty version";
  if (const auto colon = version.find(':'); colon != std::string_view::npos) {
    if (!is_epoch(version.substr(0, colon)))
      return "an epoch that is not a number below 2147483648";
    version.remove_prefix(colon + 1);
  }
  const auto dash = version.rfind('-');
  const std::string_view upstream = version.substr(0, dash);
  const std::string_view revision =
      dash == std::string_view::npos ? std::string_view{} : version.substr(dash + 1);
  if (upstream.empty()) return "an empty version";
  if (dash != std::string_view::npos && revision.empty()) return "an empty revision";
  if (source == RelationSource::status_file) return {};
  if (!is_digit(upstream.front())) return "a version that does not start with a digit";
  if (!holds_only(upstream, ".-+~:")) return "a version with a forbidden character";
  if (!holds_only(revision, ".+~")) return "a revision with a forbidden character";
  return {};
}

bool is_package_name(std::string_view name) {
  return is_word(name, "-+._");
}

std::vector<Clause> parse_relations(std::string_view field, const std::string& subject,
                                    RelationSource source) {
  if (field.size() > most_bytes)
    throw Error(ErrorCode::bad_package,
                format("cannot read {}: a field has {}, at most {} are allowed", in_quotes(subject),
                       human_size(field.size()), human_size(most_bytes)),
                "no valid package has such a field: ask the vendor for a correct one");
  const std::string text = without_comments(field);
  return Parser(text, subject, source).clauses();
}

}  // namespace topsctl
