// A report as one self-contained HTML page.
#include "cli/report_html.hpp"

#include <algorithm>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// Every pair of colours has a contrast of 4.5 at least, in both schemes. On a narrow screen a row
// is a block, and each cell a line with the name of its column before.
constexpr std::string_view style_sheet = R"(
:root { color-scheme: light dark; --text: #1c1c1c; --page: #fff; --label: #595959; --line: #d0d0d0;
  --good: #17692b; --bad: #b3261e; --attention: #7a4f00; --open: #595959; --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --page: #17191c; --label: #b4b4b4; --line: #4a4d52;
    --good: #7bd394; --bad: #ff9c94; --attention: #f2c55c; --open: #b4b4b4; --link: #9cc2ff }
}
body { font: 16px/1.5 sans-serif; margin: 0 auto; max-width: 72em; padding: 1em; color: var(--text);
  background: var(--page); overflow-wrap: break-word }
h1 { font-size: 1.4em; line-height: 1.3 }
h2 { font-size: 1.15em; margin: 2em 0 .4em }
h3 { font-size: 1em; margin: 1.4em 0 .4em }
section { border-top: 1px solid var(--line); margin-top: 2em }
a { color: var(--link) }
table { border-collapse: collapse; width: 100% }
table.facts { width: auto }
th, td { text-align: left; vertical-align: top; padding: .25em 1.2em .25em 0;
  border-bottom: 1px solid var(--line) }
th { color: var(--label); font-weight: normal }
td { white-space: pre-wrap }
.short { white-space: nowrap }
.long { overflow-wrap: anywhere }
.good { color: var(--good) }
.bad { color: var(--bad) }
.attention { color: var(--attention) }
.open { color: var(--open) }
@media (max-width: 60em) {
  thead { display: none }
  table, tbody, tr, th, td { display: block }
  tr { border-bottom: 1px solid var(--line); padding: .4em 0 }
  th, td { border: 0; padding: .1em 0 }
  .short { white-space: normal }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--label) }
}
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

constexpr std::size_t longest_whole = 20;   // characters that fit every screen in one piece
constexpr std::size_t digits_of_group = 8;  // of a digest
constexpr std::size_t most_whole = 6;       // columns whose cells may all be in one piece

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// A piece of a word without separators. A digest may break between groups of its digits; other text
// that is too long for a screen breaks where necessary.
std::string piece_html(std::string_view piece) {
  if (piece.size() <= longest_whole) return escaped(piece);
  if (!is_hex(piece)) return concat("<span class=\"long\">", escaped(piece), "</span>");
  std::string html;
  for (std::size_t i = 0; i < piece.size(); i += digits_of_group)
    html += concat(i == 0 ? "" : "<wbr>", piece.substr(i, digits_of_group));
  return html;
}

// A long word, such as a path, may break after its separators.
std::string word_html(std::string_view word) {
  if (word.size() <= longest_whole) return escaped(word);
  constexpr std::string_view separators = "/_-.,:;=@+";
  std::string html;
  while (!word.empty()) {
    const std::size_t end = std::min(word.find_first_of(separators), word.size() - 1);
    const bool is_separator = separators.find(word[end]) != std::string_view::npos;
    html += piece_html(word.substr(0, is_separator ? end : end + 1));
    if (is_separator) html += escaped(word.substr(end, 1));
    word.remove_prefix(end + 1);
    if (!word.empty()) html += "<wbr>";
  }
  return html;
}

std::string text_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(" \n\t"), text.size());
    html += word_html(text.substr(0, blank));
    html += text.substr(blank, blank == text.size() ? 0 : 1);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return html;
}

struct MarkLook {
  const char* name;
  const char* sign;
};

MarkLook look_of(Mark mark) {
  switch (mark) {
    case Mark::good:
      return {"good", "\u2713"};
    case Mark::bad:
      return {"bad", "\u2717"};
    case Mark::attention:
      return {"attention", "!"};
    case Mark::open:
      return {"open", "\u2013"};
    case Mark::none:
      break;
  }
  return {"", ""};
}

// A result has a sign beside its colour.
std::string marked_html(Mark mark, const std::string& text) {
  if (mark == Mark::none) return text_html(text);
  const MarkLook look = look_of(mark);
  return format("<span class=\"{}\">{} {}</span>", look.name, look.sign, text_html(text));
}

std::string part_anchor(std::size_t index) {
  return concat("target-", index + 1);
}

std::string cell_html(const ReportPage::Section& section, std::size_t row, std::size_t column) {
  const std::string& text = section.rows[row][column];
  std::string content =
      section.result == column ? marked_html(mark_of_result(text), text) : text_html(text);
  if (section.leads_to_parts && column == 0)
    content = format("<a href=\"#{}\">{}</a>", part_anchor(row - 1), content);
  const std::size_t columns = section.rows.front().size();
  const bool is_only = columns == 1;
  const bool is_whole = text.size() <= longest_whole && columns <= most_whole;
  return format(
      "<td{}{}>{}</td>", is_whole ? " class=\"short\"" : "",
      is_only ? std::string() : format(" data-label=\"{}\"", escaped(section.rows.front()[column])),
      content);
}

std::string section_html(const ReportPage::Section& section, const char* heading) {
  std::string html =
      format("<{}>{}</{}>\n<table>\n<thead><tr>", heading, escaped(section.title), heading);
  for (const std::string& label : section.rows.front())
    html += format("<th scope=\"col\">{}</th>", escaped(label));
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 1; row < section.rows.size(); ++row) {
    html += "<tr>";
    for (std::size_t column = 0; column < section.rows[row].size(); ++column)
      html += cell_html(section, row, column);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

std::string facts_html(const ReportPage& page) {
  if (page.facts.empty()) return "";
  std::string html = "<table class=\"facts\">\n<tbody>\n";
  for (const auto& [label, value] : page.facts) {
    html += format("<tr><th scope=\"row\" class=\"short\">{}</th><td>{}</td></tr>\n",
                   escaped(label), marked_html(label == "error" ? Mark::bad : Mark::none, value));
  }
  return html + "</tbody>\n</table>\n";
}

Mark mark_of_whole(const ReportPage& page) {
  return page.failed ? Mark::bad : Mark::good;
}

std::string part_html(const ReportPage& part, std::size_t index) {
  std::string html =
      format("<section id=\"{}\">\n<h2>{}</h2>\n", part_anchor(index), escaped(part.title));
  html += facts_html(part);
  for (const ReportPage::Section& section : part.sections) html += section_html(section, "h3");
  return html + "</section>\n";
}

}  // namespace

std::string report_html(const ReportPage& page) {
  std::string html =
      concat("<!DOCTYPE html>\n<html lang=\"", name(used_language()),
             "\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
             escaped(page.title), "</title>\n<style>", style_sheet, "</style>\n</head>\n<body>\n");
  html += format("<h1>{}</h1>\n", marked_html(mark_of_whole(page), page.title));
  // With several hosts, the targets come first.
  if (page.parts.empty()) html += facts_html(page);
  html += page.picture;
  for (const ReportPage::Section& section : page.sections) html += section_html(section, "h2");
  if (!page.parts.empty())
    html += concat("<h2>", escaped(page.facts_title), "</h2>\n", facts_html(page));
  for (std::size_t i = 0; i < page.parts.size(); ++i) html += part_html(page.parts[i], i);
  return html + "</body>\n</html>\n";
}

}  // namespace topsctl
