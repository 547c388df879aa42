// A report as one self-contained HTML page.
#include "cli/report_html.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view style_sheet = R"(
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
h1 { font-size: 1.4em; border-left: .35em solid #2a7d3f; padding-left: .5em }
h1.failed { border-color: #b3261e }
h2 { font-size: 1.1em; margin: 1.6em 0 .4em }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .2em 1.2em .2em 0; border-bottom: 1px solid #ddd; overflow-wrap: anywhere }
th { color: #666; font-weight: normal }
td { white-space: pre-wrap }
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

}  // namespace

std::string report_html(const ReportPage& page) {
  std::string html = concat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
      escaped(page.title), "</title>\n<style>", style_sheet, "</style>\n</head>\n<body>\n<h1",
      page.failed ? " class=\"failed\"" : "", ">", escaped(page.title), "</h1>\n<table>\n");
  for (const auto& [label, value] : page.facts) {
    html += concat("<tr><th scope=\"row\">", escaped(label), "</th><td>", escaped(value),
                   "</td></tr>\n");
  }
  html += "</table>\n";
  for (const ReportPage::Section& section : page.sections) {
    html += concat("<h2>", escaped(section.title), "</h2>\n<table>\n");
    for (std::size_t i = 0; i < section.rows.size(); ++i) {
      const char* cell = i == 0 ? "th" : "td";
      html += "<tr>";
      for (const std::string& text : section.rows[i])
        html += concat("<", cell, ">", escaped(text), "</", cell, ">");
      html += "</tr>\n";
    }
    html += "</table>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace topsctl
