// Pages of commands on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "cli/render.hpp"

namespace topsctl {

// A page of docs/commands in the form of a manual page: bold headings, the examples after the
// synopsis, paragraphs in lines that fit `style.width()`, lists of options in columns.
std::string rendered_page(std::string_view markdown, const Style& style);

// For standard output: in lines that fit the terminal, or 80 columns in a pipe or a file.
std::string shown_page(std::string_view markdown, const Style& style);

// Executes PAGER, else less, if standard output is a terminal and the text is longer than its
// screen. Returns if the text fits, or if there is no pager.
void read_in_pager(const std::string& text, const Style& style);

// The short help of a command; on a terminal, continuation lines of a description are indented.
std::string fitted_help(std::string_view text, const Style& style);

}  // namespace topsctl
