// Where the sources of the project lie that these tests were built from.
#pragma once

#include <filesystem>

namespace topsctl {

std::filesystem::path source_tree();

}  // namespace topsctl
