// Pipes, and what exec(3) wants.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Closed by exec. Throws Error.
Pipe make_pipe();

// Pointers to the texts and a null at the end; the texts must outlive them.
std::vector<char*> c_strings(std::vector<std::string>& texts);

}  // namespace topsctl
