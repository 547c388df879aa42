// The Python in a Jupyter notebook (nbformat 4).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace topsctl {

struct NotebookCode {
  struct Place {
    int cell = 0;  // among all cells, from 1
    int line = 0;  // in it, from 1
  };
  std::string text;           // all code cells; lines for IPython itself become "pass"
  std::vector<Place> places;  // for each line of the text
};

// Nothing if it is not a notebook.
std::optional<NotebookCode> code_of_notebook(const std::string& json);

}  // namespace topsctl
