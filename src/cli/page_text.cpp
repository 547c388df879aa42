// Renders the Markdown subset of the pages.
#include "cli/page_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/finding_text.hpp"
#include "cli/training/live_view.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

constexpr std::string_view page_indent = "    ";
constexpr std::size_t page_columns = 80;  // without a terminal, as man(1) has them
constexpr std::string_view code_indent = "    ";
// LESS like git's default: quit if the text fits on the screen, keep colours. LESSSECURE: no shell
// from it. LESSCHARSET: a minimal system lacks the locale that its environment names.
constexpr const char* pager =
    "LESS=\"${LESS-FRX}\" LESSSECURE=1 LESSCHARSET=\"${LESSCHARSET-utf-8}\"\n"
    "export LESS LESSSECURE LESSCHARSET\n"
    "if [ -n \"$PAGER\" ]; then eval \"exec $PAGER\"\n"
    "elif command -v less >/dev/null 2>&1; then exec less\n"
    "else exec cat; fi";

struct Section {
  std::string heading;
  std::vector<std::string> lines;
};

// Pages are written in English and in Chinese.
bool is_synopsis(const Section& section) {
  return section.heading == "Synopsis" || section.heading == "用法";
}

bool is_examples(const Section& section) {
  return section.heading == "Examples" || section.heading == "示例";
}

// The first section has the title as its heading.
std::vector<Section> sections_of(std::string_view markdown) {
  std::vector<Section> sections;
  for (const std::string& line : split(markdown, '\n')) {
    if (line.starts_with("# ") || line.starts_with("## ")) {
      sections.push_back({line.substr(line.find(' ') + 1), {}});
    } else if (!sections.empty()) {
      sections.back().lines.push_back(line);
    }
  }
  return sections;
}

// `code` and **strong** in bold, [text](place) as text.
std::string inline_text(std::string_view text, const Style& style) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto enclosed = [&](std::string_view mark) -> std::optional<std::string_view> {
      if (!text.substr(at).starts_with(mark)) return std::nullopt;
      const auto end = text.find(mark, at + mark.size());
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view inner = text.substr(at + mark.size(), end - at - mark.size());
      at = end + mark.size();
      return inner;
    };
    if (const auto strong = enclosed("**")) {
      out += style.bold(std::string(*strong));
    } else if (const auto code = enclosed("`")) {
      // Each word separately, so that lines may be broken between them.
      std::vector<std::string> words = split(*code, ' ');
      for (std::string& word : words) word = style.bold(word);
      out += joined(words, " ");
    } else if (const auto close = text.find("](", at);
               text[at] == '[' && close != std::string_view::npos) {
      const auto end = text.find(')', close);
      out += text.substr(at + 1, close - at - 1);
      at = end == std::string_view::npos ? text.size() : end + 1;
    } else {
      out.push_back(text[at++]);
    }
  }
  return out;
}

// An option line has a name, at least two blanks, and a description.
std::string option_line(std::string_view indentation, std::string_view text, const Style& style) {
  if (indentation.size() + display_width(text) <= style.width())
    return concat(indentation, text, "\n");
  constexpr std::size_t least_room = 24;
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const auto gap = text.find("  ", begin);
  std::size_t meaning = gap == std::string_view::npos ? begin : text.find_first_not_of(' ', gap);
  std::size_t hanging = indentation.size() + meaning;
  // If a description has too little space, does not wrap the line.
  if (meaning == begin || hanging + least_room > style.width()) {
    meaning = begin;
    hanging = indentation.size() + begin + 4;
  }
  return wrapped(text.substr(meaning), concat(indentation, text.substr(0, meaning)), style.width(),
                 hanging);
}

// The lines of a synopsis, each joined with its continuation lines.
std::vector<std::string> joined_synopsis(const std::vector<std::string>& lines) {
  std::vector<std::string> joined;
  for (const std::string& line : lines) {
    const bool continues = line.find_first_not_of(' ') != std::string::npos &&
                           line.find_first_not_of(' ') > code_indent.size() && !joined.empty();
    if (continues) {
      joined.back() += concat(" ", trimmed(line));
    } else {
      joined.push_back(line);
    }
  }
  return joined;
}

std::string list_mark(std::string_view line) {
  if (line.starts_with("- ")) return "- ";
  const auto digits = line.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && line.substr(digits).starts_with(". ")
             ? std::string(line.substr(0, digits + 2))
             : std::string();
}

// Chinese is written without blanks, but beside Latin letters.
bool has_blank_between(std::string_view before, std::string_view after) {
  if (before.empty()) return false;
  for (const std::string_view mark : {"，", "。", "；", "：", "、", "）", "”"}) {
    if (before.ends_with(mark)) return false;
  }
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  return is_ascii(before.back()) || is_ascii(after.front());
}

std::string rendered_lines(const std::vector<std::string>& lines, const Style& style) {
  std::string text;
  std::string paragraph;
  std::string mark;
  const auto finish = [&] {
    if (!paragraph.empty())
      text += wrapped(inline_text(paragraph, style), concat(page_indent, mark), style.width());
    paragraph.clear();
    mark.clear();
  };
  bool is_blank_before = true;
  for (const std::string& line : lines) {
    const bool is_blank = trimmed(line).empty();
    const std::string item = list_mark(line);
    if (line.starts_with("### ")) {
      finish();
      text += concat("  ", style.bold(line.substr(4)), "\n");
    } else if (is_blank || !item.empty() || (line.starts_with(code_indent) && paragraph.empty())) {
      finish();
      if (is_blank && !is_blank_before) text += "\n";
      if (line.starts_with(code_indent) && !is_blank)
        text += option_line(code_indent, line.substr(code_indent.size()), style);
      if (!item.empty()) {
        mark = item;
        paragraph = line.substr(item.size());
      }
    } else {
      paragraph += concat(has_blank_between(paragraph, trimmed(line)) ? " " : "", trimmed(line));
    }
    is_blank_before = is_blank;
  }
  finish();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::string rendered_page(std::string_view markdown, const Style& style) {
  std::vector<Section> sections = sections_of(markdown);
  const auto place_of = [&](bool (*is_it)(const Section&)) {
    return std::find_if(sections.begin(), sections.end(), is_it);
  };
  const auto examples = place_of(is_examples);
  const auto synopsis = place_of(is_synopsis);
  if (examples != sections.end() && synopsis < examples)
    std::rotate(synopsis + 1, examples, examples + 1);
  std::string text;
  for (const Section& section : sections) {
    const bool is_title = &section == &sections.front();
    if (!text.empty()) text += "\n";
    text += concat(style.bold(is_title ? section.heading : upper_case(section.heading)), "\n");
    text += rendered_lines(is_synopsis(section) ? joined_synopsis(section.lines) : section.lines,
                           style);
  }
  return text;
}

std::string fitted_help(std::string_view text, const Style& style) {
  if (style.columns == 0) return std::string(text);
  std::string out;
  for (const std::string& line : split(trimmed(text), '\n')) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += option_line(line.substr(0, indent), line.substr(indent), style);
  }
  return out;
}

std::string shown_page(std::string_view markdown, const Style& style) {
  if (style.columns != 0) return rendered_page(markdown, style);
  Style fitted = style;
  fitted.columns = page_columns;
  return rendered_page(markdown, fitted);
}

void read_in_pager(const std::string& text, const Style& style) {
  if (style.columns == 0 || split(text, '\n').size() <= terminal_size(STDOUT_FILENO).rows) return;
  try {
    const Descriptor file = open_nameless_file();
    write_all(file, text, "the page");
    if (::lseek(file.get(), 0, SEEK_SET) != 0 || ::dup2(file.get(), STDIN_FILENO) < 0) return;
    exec_program({"/bin/sh", "-c", pager}, process_environment());
  } catch (const Error&) {
    // Without a pager, the caller prints the text.
  }
}

}  // namespace topsctl
