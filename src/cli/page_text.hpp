// Pages of commands on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "cli/render.hpp"

namespace topsctl {

// A page of docs/commands as a manual page is read: bold headings, the examples behind the
// synopsis, paragraphs in lines that fit `style.width()`, lists of options in their columns.
std::string rendered_page(std::string_view markdown, const Style& style);

// Prints a page to standard output: as it is, or rendered if that is a terminal; what is longer
// than the terminal goes through PAGER, else less. False: it could not be written.
bool show_page(std::string_view markdown, const Style& style);

}  // namespace topsctl
