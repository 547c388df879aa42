// The Python versions that a wheel's tags mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The minor version of a wheel, from its Python tags: "py3.8", "py38" and "cp38" mean only 3.8 (pip
// reads "py3.8" as the set {py3, 8} and would install it anywhere); nothing if they mean several,
// like "py3", "cp36.cp37" and "cp38-abi3", or no Python 3.
std::optional<std::string> python_minor(const std::vector<std::string>& tags);

// Whether the tags, interpreted in the same way, include a minor version ("3.8"): "py3" means any
// 3, "py2" none, "cp36.cp37" these two, "cp36-abi3" 3.6 and later.
bool is_for_python(const std::vector<std::string>& tags, std::string_view minor);

}  // namespace topsctl
