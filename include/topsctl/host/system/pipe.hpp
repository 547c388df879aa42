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

// Over a socket of this machine (unix(7)): a word, and with it a descriptor unless that is -1. Safe
// after fork. False with errno set if the other end is gone.
bool send_descriptor(int socket, int descriptor, int word);
// The other end of it: not open if none came. The word stays as it is if nothing came.
Descriptor receive_descriptor(int socket, int& word);

}  // namespace topsctl
