// Arguments of a call: what is asked of them, and how they change.
#pragma once

#include <string_view>
#include <vector>

#include "engine/diagnosis/code_pattern.hpp"
#include "engine/diagnosis/text_edits.hpp"
#include "topsctl/host/system/pattern.hpp"
#include "topsctl/model/catalogue/rewrite.hpp"

namespace topsctl {

struct AskedArgument {
  const ArgumentRule* rule = nullptr;
  const Pattern* matches = nullptr;  // null: any value
};

// A plain string literal in single quotes, or the source of another expression.
std::string value_text(const PythonCode& code, TokenRange value);

// Whether the arguments are as they are asked for; then their changes are added.
bool change_arguments(const PythonCode& code, TokenRange arguments,
                      const std::vector<AskedArgument>& asked, std::vector<TextEdit>& changes);

}  // namespace topsctl
