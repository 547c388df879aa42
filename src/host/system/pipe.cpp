// Makes pipes, and argument lists for exec.
#include "topsctl/host/system/pipe.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "topsctl/base/error.hpp"

namespace topsctl {

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(errno, "make", "a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> c_strings(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace topsctl
