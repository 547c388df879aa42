// Pipes, descriptor passing, and arguments for exec(3).
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Close-on-exec. Throws Error.
Pipe make_pipe();

// Pointers to the texts, with a null at the end; the texts must outlive them.
std::vector<char*> c_strings(std::vector<std::string>& texts);

// Sends a word over a unix(7) socket, with a descriptor unless that is -1. Safe after fork. False
// with errno set if the other end is gone.
bool send_descriptor(int socket, int descriptor, int word);
// The receiving end: returns a descriptor that is not open if none came. The word is unchanged if
// nothing came.
Descriptor receive_descriptor(int socket, int& word);

}  // namespace topsctl
