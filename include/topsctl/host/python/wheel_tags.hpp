// The Python versions that the tags of a wheel mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The minor version that a wheel is for, from its Python tags: "py3.8", "py38" and "cp38" mean 3.8
// and nothing else (pip reads "py3.8" as the set {py3, 8} and would install it anywhere); nothing
// if they mean several, as "py3", "cp36.cp37" and "cp38-abi3" do, or no Python 3 at all.
std::optional<std::string> python_minor(const std::vector<std::string>& tags);

// Whether tags mean a minor version ("3.8"), in the same reading: "py3" means any 3, "py2" none,
// "cp36.cp37" these two, "cp36-abi3" 3.6 and all after it.
bool is_for_python(const std::vector<std::string>& tags, std::string_view minor);

}  // namespace topsctl
