// Reads templates of jobs and fills them in.
#include "topsctl/engine/cluster/job_template.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view filter_characters = "abcdefghijklmnopqrstuvwxyz_0123456789";

TemplateBlock block_in(const JsonReader& reader) {
  TemplateBlock block;
  reader.expect_keys({"each", "when", "lines"});
  const auto each = reader.find("each");
  const auto when = reader.find("when");
  if (each.has_value() == when.has_value()) reader.reject("expected either 'each' or 'when'");
  block.kind = each ? TemplateBlock::Kind::each : TemplateBlock::Kind::when;
  block.name = (each ? *each : *when).text();
  for (const JsonReader& line : reader.at("lines").items()) block.lines.push_back(line.any_text());
  return block;
}

TemplateFile file_in(const JsonReader& reader) {
  TemplateFile file;
  reader.expect_keys({"name", "executable", "lines"});
  file.name = reader.at("name").text();
  if (file.name.find('/') != std::string::npos || file.name.front() == '.')
    reader.at("name").reject("expected a file name");
  file.is_executable = reader.flag_at("executable");
  for (const JsonReader& line : reader.at("lines").items()) {
    if (line.is_text())
      file.blocks.push_back({TemplateBlock::Kind::always, {}, {line.any_text()}});
    else
      file.blocks.push_back(block_in(line));
  }
  return file;
}

// A placeholder in a line: its range, its word and its filter.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string word;
  std::string filter;
};

std::optional<Place> next_place(const std::string& line, std::size_t from) {
  for (auto begin = line.find('@', from); begin != std::string::npos;
       begin = line.find('@', begin + 1)) {
    auto end = line.find_first_not_of(name_characters, begin + 1);
    if (end == std::string::npos || end == begin + 1) continue;
    Place place{begin, end, line.substr(begin + 1, end - begin - 1), {}};
    if (line[end] == ':') {
      const auto filter_end = line.find_first_not_of(filter_characters, end + 1);
      if (filter_end == std::string::npos) continue;
      place.filter = line.substr(end + 1, filter_end - end - 1);
      end = filter_end;
    }
    if (line[end] != '@') continue;
    place.end = end + 1;
    return place;
  }
  return std::nullopt;
}

std::string doubled(const std::string& text, char what) {
  std::string twice;
  for (const char c : text) {
    if (c == what) twice.push_back(c);
    twice.push_back(c);
  }
  return twice;
}

class Filler {
 public:
  Filler(const JobTemplate& form, const TemplateValues& values) : form_(form), values_(values) {}

  std::string line(const std::string& text, const TemplateWords& own) const {
    std::string filled;
    std::size_t from = 0;
    while (const auto place = next_place(text, from)) {
      filled += text.substr(from, place->begin - from);
      filled += filtered(*place, own);
      from = place->end;
    }
    return filled + text.substr(from);
  }

  std::string block(const TemplateBlock& block) const {
    if (block.kind == TemplateBlock::Kind::always) return lines(block, {});
    const auto list = values_.lists.find(block.name);
    if (block.kind == TemplateBlock::Kind::when) {
      const bool is_there =
          list != values_.lists.end() ? !list->second.empty() : !word(block.name, {}).empty();
      return is_there ? lines(block, {}) : std::string();
    }
    if (list == values_.lists.end()) refuse(format("unknown list {}", in_quotes(block.name)));
    std::string text;
    for (const TemplateWords& member : list->second) text += lines(block, member);
    return text;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::bad_input,
                format("cannot use launcher {}: {}", in_quotes(form_.name), why),
                "see `topsctl help launch` for what a template may contain");
  }

  const std::string& word(const std::string& name, const TemplateWords& own) const {
    const auto mine = own.find(name);
    if (mine != own.end()) return mine->second;
    const auto common = values_.words.find(name);
    if (common == values_.words.end()) refuse(format("unknown placeholder @{}@", name));
    return common->second;
  }

  std::string filtered(const Place& place, const TemplateWords& own) const {
    const std::string& value = word(place.word, own);
    // In a comment or a YAML block, quoting cannot protect a line end.
    if (has_harmful_character(value) || !is_utf8(value))
      throw Error(ErrorCode::bad_input,
                  format("cannot use {} in a job: it has control characters or is not UTF-8",
                         in_quotes(value)),
                  "use files, directories and arguments without them");
    if (place.filter == "sh") return shell_quoted(value);
    if (place.filter == "json") return to_line(value);
    if (place.filter == "k8s") return to_line(doubled(value, '$'));
    if (place.filter == "sbatch") {
      if (value.find('\\') != std::string::npos)
        throw Error(ErrorCode::bad_input,
                    format("cannot use {} in a job: sbatch drops '\\'", in_quotes(value)),
                    "use a directory without it in its path");
      return shell_quoted(doubled(value, '%'));
    }
    if (!place.filter.empty()) refuse(format("unknown filter {}", in_quotes(place.filter)));
    return value;
  }

  std::string lines(const TemplateBlock& block, const TemplateWords& own) const {
    std::string text;
    for (const std::string& each : block.lines) text += concat(line(each, own), "\n");
    return text;
  }

  const JobTemplate& form_;
  const TemplateValues& values_;
};

}  // namespace

JobTemplate job_template_in(const JsonReader& reader) {
  JobTemplate form;
  reader.expect_keys(
      {"schema", "name", "title", "needs", "sorts_hosts", "as_root", "submit", "files"});
  static_cast<void>(reader.at("schema").integer(1, 1));
  form.name = reader.at("name").text();
  form.title = reader.at("title").text();
  form.needs = reader.texts_at("needs");
  form.sorts_hosts = reader.flag_at("sorts_hosts");
  if (const auto word = reader.find("as_root")) form.as_root = word->text();
  form.submit = reader.at("submit").texts();
  for (const JsonReader& file : reader.at("files").items()) form.files.push_back(file_in(file));
  if (form.files.empty()) reader.at("files").reject("expected at least one file");
  return form;
}

bool uses(const JobTemplate& form, const std::string& name) {
  const auto mentions = [&](const std::string& line) {
    std::size_t from = 0;
    while (const auto place = next_place(line, from)) {
      if (place->word == name) return true;
      from = place->end;
    }
    return false;
  };
  for (const TemplateFile& file : form.files) {
    for (const TemplateBlock& block : file.blocks) {
      if (block.name == name || std::any_of(block.lines.begin(), block.lines.end(), mentions))
        return true;
    }
  }
  return false;
}

std::vector<std::string> missing_values(const JobTemplate& form, const TemplateValues& values) {
  std::vector<std::string> missing;
  for (const std::string& need : form.needs) {
    const auto word = values.words.find(need);
    const auto list = values.lists.find(need);
    const bool is_there = (word != values.words.end() && !word->second.empty()) ||
                          (list != values.lists.end() && !list->second.empty());
    if (!is_there) missing.push_back(need);
  }
  return missing;
}

std::vector<JobFile> filled(const JobTemplate& form, const TemplateValues& values) {
  const Filler filler(form, values);
  std::vector<JobFile> files;
  for (const TemplateFile& file : form.files) {
    JobFile& job = files.emplace_back(JobFile{file.name, file.is_executable, {}});
    for (const TemplateBlock& block : file.blocks) job.text += filler.block(block);
  }
  return files;
}

std::vector<std::string> submit_command(const JobTemplate& form, const TemplateValues& values) {
  const Filler filler(form, values);
  std::vector<std::string> command;
  for (const std::string& each : form.submit) command.push_back(filler.line(each, {}));
  return command;
}

}  // namespace topsctl
