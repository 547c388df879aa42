// Parses a control file by dpkg's rules: first its lines, then the values of known fields.
#include "host/debian/control_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {

namespace {

// dpkg treats the DOS end-of-file mark as a line end.
constexpr std::string_view line_ends = "\n\x1a";
constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::size_t longest_package_name = 200;  // it is part of file names

struct ControlField {
  std::string name;   // in dpkg's spelling, if known
  std::string value;  // with its line ends, trimmed at both ends
};

enum class Kind { text, truth, multi_arch, priority, relation, plain_relation, file, forbidden };
struct KnownField {
  std::string_view name;
  Kind kind;
};

// A plain relation has no alternatives.
constexpr std::array<KnownField, 34> known_fields = {{
    {"Package", Kind::text},
    {"Essential", Kind::truth},
    {"Protected", Kind::truth},
    {"Status", Kind::forbidden},
    {"Priority", Kind::priority},
    {"Section", Kind::text},
    {"Installed-Size", Kind::text},
    {"Origin", Kind::text},
    {"Maintainer", Kind::text},
    {"Bugs", Kind::text},
    {"Architecture", Kind::text},
    {"Multi-Arch", Kind::multi_arch},
    {"Source", Kind::text},
    {"Version", Kind::text},
    {"Revision", Kind::text},
    {"Config-Version", Kind::forbidden},
    {"Replaces", Kind::plain_relation},
    {"Provides", Kind::plain_relation},
    {"Depends", Kind::relation},
    {"Pre-Depends", Kind::relation},
    {"Recommends", Kind::relation},
    {"Suggests", Kind::relation},
    {"Breaks", Kind::plain_relation},
    {"Conflicts", Kind::plain_relation},
    {"Enhances", Kind::relation},
    {"Conffiles", Kind::text},
    {"Filename", Kind::file},
    {"Size", Kind::file},
    {"MD5sum", Kind::file},
    {"SHA256", Kind::file},
    {"MSDOS-Filename", Kind::file},
    {"Description", Kind::text},
    {"Triggers-Pending", Kind::forbidden},
    {"Triggers-Awaited", Kind::forbidden},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> other_names = {{
    {"Recommended", "Recommends"},
    {"Optional", "Suggests"},
    {"Class", "Priority"},
    {"Package-Revision", "Revision"},
    {"Package_Revision", "Revision"},
}};

const KnownField* known(std::string_view name) {
  const auto found = std::find_if(
      known_fields.begin(), known_fields.end(),
      [&](const KnownField& field) { return lower_case(field.name) == lower_case(name); });
  return found == known_fields.end() ? nullptr : &*found;
}

std::string name_of_dpkg(std::string_view name) {
  for (const auto& [other, usual] : other_names) {
    if (lower_case(other) == lower_case(name)) return std::string(usual);
  }
  const KnownField* field = known(name);
  return std::string(field == nullptr ? name : field->name);
}

bool is_blank(char c) {
  return blanks.find(c) != std::string_view::npos;
}

// Cuts the text into fields.
class ControlLines {
 public:
  ControlLines(std::string_view text, const std::string& subject) : rest_(text), subject_(subject) {
    // dpkg ignores a single character on a last line without an end.
    if (rest_.size() > 1 && rest_[rest_.size() - 2] == '\n' && rest_.back() != '\n')
      rest_.remove_suffix(1);
  }

  std::vector<ControlField> fields() {
    skip_empty_lines();
    if (rest_.empty()) refuse("it is empty");
    std::vector<ControlField> fields;
    while (!rest_.empty() && !is_line_end(rest_.front())) {
      fields.push_back(next());
    }
    skip_empty_lines();
    if (!rest_.empty()) refuse("it continues after an empty line");
    return fields;
  }

 private:
  static bool is_line_end(char c) { return line_ends.find(c) != std::string_view::npos; }

  void skip_empty_lines() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(line_ends), rest_.size()));
  }

  std::string_view take_line() {
    const auto end = rest_.find_first_of(line_ends);
    if (end == std::string_view::npos) refuse("its last line has no newline");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  ControlField next() {
    const std::string_view line = take_line();
    const auto colon = line.find(':');
    const std::string_view shown = line.substr(0, 60);
    if (colon == std::string_view::npos) refuse("a line without a colon", shown);
    std::string_view name = line.substr(0, colon);
    while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
    if (name.empty()) refuse("a field without a name", shown);
    if (name.find_first_of(blanks) != std::string_view::npos) {
      refuse("a field whose name contains a blank", shown);
    }
    if (name.front() == '-') refuse("a field whose name begins with '-'", shown);
    std::string value(line.substr(colon + 1));
    // The first character of a line shows whether it continues the value.
    while (!rest_.empty() && is_blank(rest_.front())) {
      const std::string_view more = take_line();
      if (more.find_first_not_of(blanks) == std::string_view::npos) {
        refuse("a blank line within a field", name);
      }
      value.append("\n").append(more);
    }
    if (rest_.empty() && value.find_first_not_of(blanks) == std::string::npos) {
      refuse("an empty field at its end", name);
    }
    value.erase(0, value.find_first_not_of(blanks));
    value.erase(value.find_last_not_of(blanks) + 1);
    return {name_of_dpkg(name), std::move(value)};
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw DpkgRefusal(subject_, format("the control file: {}", why));
  }
  [[noreturn]] void refuse(std::string_view why, std::string_view where) const {
    throw DpkgRefusal(subject_, format("the control file has {}: {}", why, in_quotes(where)));
  }

  std::string_view rest_;
  const std::string& subject_;
};

class FieldJudge {
 public:
  FieldJudge(const std::vector<ControlField>& fields, const std::string& subject)
      : fields_(fields), subject_(subject) {}

  void judge() {
    std::set<std::string> names;
    for (const ControlField& field : fields_) {
      if (!names.insert(lower_case(field.name)).second) refuse(field, "is duplicated");
      judge(field);
    }
    judge_required("Package");
    judge_required("Version");
    judge_required("Architecture");
    judge_name(value("Package"));
    const std::string version = value("Version");
    if (const auto fault = version_fault(version); !fault.empty())
      refuse({"Version", version}, fault);
  }

 private:
  std::string value(std::string_view name) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const ControlField& field) { return field.name == name; });
    return found == fields_.end() ? std::string() : found->value;
  }

  void judge_required(const char* name) const {
    if (value(name).empty())
      throw DpkgRefusal(subject_, format("the control file has no field {}", in_quotes(name)));
  }

  void judge_name(const std::string& name) const {
    if (!is_package_name(name) || name.size() > longest_package_name)
      refuse({"Package", name}, "is not a valid package name");
  }

  void judge(const ControlField& field) {
    const KnownField* of_dpkg = known(field.name);
    if (of_dpkg == nullptr) {
      if (field.name.size() < 2) refuse(field, "has a one-letter name");
      return;
    }
    switch (of_dpkg->kind) {
      case Kind::forbidden:
        return refuse(field, "is allowed only in dpkg's own files");
      case Kind::file:
        return judge_file(field);
      case Kind::truth:
        return judge_word(field, {"yes", "no"});
      case Kind::multi_arch:
        return judge_word(field, {"no", "same", "allowed", "foreign"});
      case Kind::priority:
        return judge_priority(field);
      case Kind::relation:
      case Kind::plain_relation:
        return judge_relations(field, of_dpkg->kind == Kind::plain_relation);
      case Kind::text:
        break;
    }
    if (of_dpkg->name == "Conffiles") judge_conffiles(field);
  }

  void judge_word(const ControlField& field, const std::vector<std::string>& words) const {
    if (field.value.empty() ||
        std::find(words.begin(), words.end(), lower_case(field.value)) != words.end()) {
      return;
    }
    refuse(field, "has a value unknown to dpkg");
  }

  // Accepts any word except one that extends a known one.
  void judge_priority(const ControlField& field) const {
    for (const std::string_view known :
         {"required", "important", "standard", "optional", "extra", "unknown"}) {
      if (lower_case(field.value).starts_with(known) && field.value.size() > known.size())
        refuse(field, "has more than one word");
    }
  }

  // The same number of words as in the first such field: dpkg takes them for parts of one package.
  void judge_file(const ControlField& field) {
    if (field.value.empty()) refuse(field, "is empty");
    std::size_t count = 0;
    bool was_blank = true;
    for (const char c : field.value) {
      const bool blank = c == '\n' || is_blank(c);
      if (was_blank && !blank) ++count;
      was_blank = blank;
    }
    if (file_words_.value_or(count) != count) refuse(field, "has a different number of words");
    file_words_ = count;
  }

  void judge_conffiles(const ControlField& field) const {
    std::vector<std::string> lines = split(field.value, '\n');
    if (!field.value.empty() && !field.value.starts_with('\n'))
      refuse(field, "has text on its first line");
    for (const std::string& line : lines) {
      if (!line.empty() && trimmed(line).find(' ') == std::string_view::npos)
        refuse(field, "has a line with only one word");
    }
  }

  void judge_relations(const ControlField& field, bool is_plain) const {
    std::vector<Clause> clauses;
    try {
      clauses = parse_relations(field.value, field.name);
    } catch (const Error& error) {
      throw DpkgRefusal(subject_, format("field {}: {}", in_quotes(field.name), error.message()));
    }
    for (const Clause& clause : clauses) {
      if (is_plain && clause.alternatives.size() > 1) refuse(field, "has alternatives ('|')");
      for (const Relation& relation : clause.alternatives) {
        if (!relation.architectures.empty() || !relation.profiles.empty())
          refuse(field, "has '[...]' or '<...>', which are for source packages");
      }
    }
  }

  [[noreturn]] void refuse(const ControlField& field, std::string_view why) const {
    throw DpkgRefusal(subject_, format("field {} of the control file {}: {}", in_quotes(field.name),
                                       why, in_quotes(shortened(field.value, 60))));
  }

  const std::vector<ControlField>& fields_;
  const std::string& subject_;
  std::optional<std::size_t> file_words_;
};

}  // namespace

Stanza read_control_file(std::string_view text, const std::string& subject) {
  const std::vector<ControlField> fields = ControlLines(text, subject).fields();
  FieldJudge(fields, subject).judge();
  Stanza stanza;
  for (const ControlField& field : fields) {
    std::vector<std::string> lines = split(field.value, '\n');
    for (std::string& line : lines) line = trimmed(line);
    stanza.fields.emplace_back(field.name, joined(lines, "\n"));
  }
  return stanza;
}

}  // namespace topsctl
