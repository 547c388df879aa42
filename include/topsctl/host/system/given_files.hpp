// Files that the command line names: pipes of the shell, directories of new files.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// All bytes of a pipe, in an unnamed file. Throws Error{interrupted, terminated} as soon as a
// signal comes, Error{no_space} if they take more than half of the free space; `name` is for
// errors.
Descriptor saved_pipe(int pipe, const std::string& name);
// If the path is a pipe that the shell has opened, such as /dev/fd/63 for `<(...)`, or /dev/stdin:
// puts a file with all its bytes in its place, so that it can be read more than once and from any
// position.
void save_shell_pipe(const std::string& path);

// Throws Error{usage} if the directory of a file to write does not exist, with a suggestion.
void require_folder_of(const std::filesystem::path& file);

}  // namespace topsctl
