// Finds the commands in a text, and completes them.
#include "cli/told_commands.hpp"

#include <algorithm>
#include <utility>

#include "cli/render.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view program_name = "topsctl";
constexpr std::string_view with_sudo = "sudo ";
constexpr std::size_t longest_line = 1000;

bool has_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// These need root, even with a state directory of the user.
bool needs_root(const std::string& command) {
  return command == "install" || command == "repair";
}

// The words of one simple command as a shell would split it (POSIX.1-2017, XCU 2.3), each with its
// quotes. Empty for any other text: with an open quote, or with an operator or expansion, which the
// text may have from a path or from another host.
Words shell_words(std::string_view line) {
  Words words;
  std::string word;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (c == ' ' || c == '\n') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
      continue;
    }
    const bool is_escaped_text = c == '$' && next == '\'';
    if (c == '\'' || is_escaped_text) {
      std::size_t end = at + (is_escaped_text ? 2 : 1);
      while (end < line.size() && line[end] != '\'')
        end += is_escaped_text && line[end] == '\\' ? 2 : 1;
      if (end >= line.size()) return {};
      word += line.substr(at, end + 1 - at);
      at = end;
      continue;
    }
    if (std::string_view(";|&$()<>\"`\\#*?[~").find(c) != std::string_view::npos) return {};
    word += c;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

class ToldCommand {
 public:
  ToldCommand(const ToldWhere& where, std::string_view line) : where_(where) {
    is_with_sudo_ = line.starts_with(with_sudo);
    if (is_with_sudo_) line.remove_prefix(with_sudo.size());
    words_ = shell_words(line);
    const auto& parts = where.program->parts;
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
      return words_.size() > 1 && part->name == words_[1];
    });
    table_ = found == parts.end() ? nullptr : found->get();
  }

  // Empty if nothing must be added.
  std::string completed() {
    if (table_ == nullptr || has_word(words_, "-h")) return {};
    const Words before = words_;
    names_files_there_ = words_.size() > 2 && words_[2].starts_with('/');
    fill();
    const std::string root = root_option();
    std::string note;
    if (!where_.target.empty())
      note = add_target();
    else if (!root.empty() && !has_word(words_, "--root"))
      add(concat("--root ", root));
    const bool wants_sudo =
        needs_root(table_->name) && !where_.is_root && root.empty() && where_.target.empty();
    if (words_ == before && note.empty() && (is_with_sudo_ || !wants_sudo)) return {};
    return concat(is_with_sudo_ || wants_sudo ? with_sudo : "", joined(words_, " "), "`", note);
  }

 private:
  // Placeholders with a known value.
  void fill() {
    const std::string command = where_.command == nullptr ? "" : where_.command->name;
    for (std::string& word : words_) {
      std::string value;
      if (word == "BUNDLE") {
        value = all_given("bundle");
        if (command == "inspect" || command == "lock") value = all_given("path");
        // A file to sign is not a bundle.
        if (value.ends_with(".lock") || value.ends_with(".json")) value.clear();
        if (value.empty() && where_.bundle) value = where_.bundle().value_or("");
      } else if (word == "DIR" && command == "doctor") {
        value = all_given("--project");
      } else if (word == "ROOT") {
        value = all_given("--root");
        if (value.empty()) value = "/";
      } else if (word == "FILE" && has_word(words_, "lock")) {
        value = all_given("--lock");
      }
      if (!value.empty()) word = value;
    }
    const bool has_bundle = words_.size() > 2 && !words_[2].starts_with('-');
    if (table_->name == "repair" && !has_bundle && where_.bundle && where_.bundle() == "")
      words_.insert(words_.begin() + 2, "BUNDLE");
  }

  // Words that were given to the current command, for an option or an argument.
  std::string all_given(std::string_view name) const {
    const Option* option = where_.command == nullptr ? nullptr : where_.command->find(name);
    Words words;
    if (option != nullptr) {
      for (const std::string& each : option->given) words.push_back(typed_word(each));
    }
    return joined(words, " ");
  }

  // From the current command, if this one has the option too.
  std::string root_option() const {
    const std::string root = all_given("--root");
    return root == "/" || table_->find("--root") == nullptr ? "" : root;
  }

  // For a command that cannot be completed from here: where to type it.
  std::string add_target() {
    if (has_word(words_, "--target") || has_word(words_, "--hosts") ||
        joined(words_, " ").find(where_.target) != std::string::npos)
      return {};
    if (table_->name == "install" && !names_files_there_) {
      words_[1] = "deploy";
      is_with_sudo_ = false;
      add(where_.target);
      return {};
    }
    if (table_->find("--target") == nullptr) return format(" on {}", where_.target);
    is_with_sudo_ = false;  // the remote command asks for it
    add(where_.target_options);
    return {};
  }

  void add(const std::string& options) {
    words_.insert(std::find(words_.begin(), words_.end(), "--"), options);
  }

  const ToldWhere& where_;
  Words words_;
  const OptionTable* table_ = nullptr;
  bool is_with_sudo_ = false;
  bool names_files_there_ = false;  // of the target
};

bool is_reported(std::string_view text) {
  if (text.starts_with(with_sudo)) text.remove_prefix(with_sudo.size());
  return text.starts_with(program_name) && text.size() > program_name.size() &&
         (text[program_name.size()] == ' ' || text[program_name.size()] == '\n');
}

// "next: " and "run: ", as displayed.
Words labels_of_commands() {
  Words labels;
  for (const std::string& label : {format("next:"), format("run:")})
    labels.insert(labels.end(), {concat(label, " "), concat(Style{true}.bold(label), " ")});
  return labels;
}

// The size of a label with the blanks around it, at the beginning of a text; 0: none.
std::size_t size_of_label(std::string_view text, const Words& labels) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  for (const std::string& label : labels) {
    // Only a remedy is indented: "  next: ..." is a name or a line of a log.
    const bool is_indentable = label.find(format("run:")) != std::string::npos;
    if ((blanks == 0 || is_indentable) && text.substr(blanks).starts_with(label))
      return std::min(text.find_first_not_of(' ', blanks + label.size()), text.size());
  }
  return 0;
}

}  // namespace

std::string told_where(const ToldWhere& where, const std::string& text) {
  if (text.find(program_name) == std::string::npos) return text;
  const Words labels = labels_of_commands();
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool is_line = at == 0 || text[at - 1] == '\n';
    const std::size_t label =
        is_line ? size_of_label(std::string_view(text).substr(at), labels) : 0;
    if (label == 0 && text[at] != '`') {
      result += text[at++];
      continue;
    }
    const std::size_t begin = at + std::max<std::size_t>(label, 1);
    const std::size_t end = std::min(text.find(label > 0 ? '\n' : '`', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const bool is_command = is_reported(line) && line.size() < longest_line;
    std::string completed = is_command ? ToldCommand(where, line).completed() : std::string();
    if (completed.empty()) {
      result += text[at++];
      continue;
    }
    std::string before = text.substr(at, begin - at);
    if (label > 0) {
      // A note comes before the colon: the text after it is a command to type.
      const std::size_t quote = completed.rfind('`');
      before.insert(before.find(':'), completed.substr(quote + 1));
      completed.erase(quote);
    }
    result += concat(before, completed);
    at = end + (label > 0 ? 0 : 1);
  }
  return result;
}

Error told_where(const ToldWhere& where, const Error& error) {
  return {error.code(), error.message(), told_where(where, error.hint()), error.context()};
}

void tell_where(const ToldWhere& where, Output& output) {
  if (output.header.error) output.header.error = told_where(where, *output.header.error);
  for (std::string& warning : output.header.warnings) warning = told_where(where, warning);
  if (output.is_data) return;
  output.text = told_where(where, output.text);
  output.brief = told_where(where, output.brief);
}

}  // namespace topsctl
