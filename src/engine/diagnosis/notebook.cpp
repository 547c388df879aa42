// Extracts the code cells of a notebook.
#include "engine/diagnosis/notebook.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

// The text of a cell, which may be a list of lines.
std::string source_of(const Json& cell) {
  const auto source = cell.find("source");
  if (source == cell.end()) return {};
  if (source->is_string()) return source->get<std::string>();
  std::string text;
  if (!source->is_array()) return text;
  for (const Json& line : *source) {
    if (line.is_string()) text += line.get_ref<const std::string&>();
  }
  return text;
}

// "%time x = 1", "!nvidia-smi", "torch?": not Python.
bool is_for_ipython(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('%') || line.starts_with('!') || line.ends_with('?');
}

// "%%bash": the whole cell is for another program. Not for magics that run Python, such as %%time.
bool is_of_other_language(std::string_view source) {
  if (!source.starts_with("%%")) return false;
  const std::string_view word = source.substr(2, source.find_first_of(" \t\r\n", 2) - 2);
  return word != "time" && word != "timeit" && word != "capture" && word != "prun";
}

void add_cell(const std::string& source, int cell, NotebookCode& code) {
  int number = 0;
  for (const std::string& line : split(source, '\n')) {
    if (is_for_ipython(line))
      code.text += concat(line.substr(0, line.find_first_not_of(" \t")), "pass");
    else
      code.text += line;
    code.text += '\n';
    code.places.push_back({cell, ++number});
  }
}

}  // namespace

std::optional<NotebookCode> code_of_notebook(const std::string& json) {
  Json document;
  try {
    document = parse_json(json, "the notebook");
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!document.is_object()) return std::nullopt;
  const auto cells = document.find("cells");
  if (cells == document.end() || !cells->is_array()) return std::nullopt;
  NotebookCode code;
  int number = 0;
  for (const Json& cell : *cells) {
    ++number;
    if (!cell.is_object()) continue;
    const auto type = cell.find("cell_type");
    if (type == cell.end() || *type != "code") continue;
    const std::string source = source_of(cell);
    if (!is_of_other_language(source)) add_cell(source, number, code);
  }
  return code;
}

}  // namespace topsctl
