// Puts a harness into the box that topsctl's own readers are in (host/system/confinement.hpp), if
// TOPSCTL_FUZZ_BOX is set: a parent keeps the input at hand and tells how the confined child ended.
// The program is linked with --wrap=LLVMFuzzerTestOneInput: libFuzzer's calls come here first.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "host/system/confinement.hpp"

extern "C" int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t largest_input = 1U << 20U;
constexpr int first_descriptor = topsctl::kept_descriptor + 1;  // libFuzzer's log
constexpr int most_descriptors = 16;

// What parent and child share: the input that is read, and how many were read in the box.
struct Desk {
  std::uint64_t inputs_in_box;
  std::size_t size;
  std::array<std::uint8_t, largest_input> input;
};
Desk* desk = nullptr;  // null: no box
bool is_in_box = false;
std::vector<std::string> seeds;  // what was read before the box was closed

void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::perror(what);
  std::_Exit(1);
}

// The confinement closes all descriptors but one. Those of libFuzzer and of the harness are on
// their way to ourselves meanwhile, and get the same numbers again.
template <class Confine>
void with_descriptors(const Confine& confine) {
  std::array<int, most_descriptors> open{};
  std::size_t count = 0;
  for (int each = first_descriptor; ::fcntl(each, F_GETFD) >= 0; ++each) open.at(count++) = each;
  std::array<int, 2> ends{};
  expect(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) == 0, "box: socketpair");
  char nothing = 0;
  iovec body = {&nothing, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof open)> control{};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  *header = {CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
  std::memcpy(CMSG_DATA(header), open.data(), count * sizeof(int));
  expect(::sendmsg(ends[0], &message, 0) == 1, "box: sendmsg");
  confine(ends[1]);
  expect(::recvmsg(topsctl::kept_descriptor, &message, 0) == 1, "box: recvmsg");
  if (std::memcmp(CMSG_DATA(CMSG_FIRSTHDR(&message)), open.data(), count * sizeof(int)) != 0)
    std::abort();
}

// What the tests of the box plant into a reader.
void do_harm() {
  const char* harm = std::getenv("TOPSCTL_FUZZ_HARM");
  if (harm == nullptr) return;
  if (harm == std::string_view("socket")) ::close(::socket(AF_INET, SOCK_STREAM, 0));
  if (harm == std::string_view("crash")) ::raise(SIGSEGV);
}

int read_in_box(const std::uint8_t* data, std::size_t size) {
  desk->size = std::min(size, largest_input);
  std::copy_n(data, desk->size, desk->input.data());
  ++desk->inputs_in_box;
  do_harm();
  return __real_LLVMFuzzerTestOneInput(data, size);
}

void close_box() {
  if (desk == nullptr || is_in_box) return;
  is_in_box = true;
  with_descriptors([](int kept) {
    const std::string missing = topsctl::confine_this_process(kept);
    if (!missing.empty()) {
      ::dprintf(first_descriptor, "box: %s\n", missing.c_str());
      std::_Exit(1);
    }
  });
  for (const std::string& seed : seeds)
    read_in_box(reinterpret_cast<const std::uint8_t*>(seed.data()), seed.size());
  seeds.clear();
}

void keep_input(const char* prefix) {
  if (prefix == nullptr) return;
  const std::string name = std::string(prefix) + "boxed";
  if (std::FILE* file = std::fopen(name.c_str(), "wb"); file != nullptr) {
    std::fwrite(desk->input.data(), 1, desk->size, file);
    std::fclose(file);
  }
}

[[noreturn]] void attend(pid_t child, const char* prefix) {
  int status = 0;
  expect(::waitpid(child, &status, 0) == child, "box: waitpid");
  std::fprintf(stderr, "stat::number_of_inputs_in_box: %llu\n",
               static_cast<unsigned long long>(desk->inputs_in_box));
  if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "box: the harness died of signal %d (%s)\n", WTERMSIG(status),
                 ::strsignal(WTERMSIG(status)));
  }
  if (status != 0) keep_input(prefix);
  std::_Exit(status == 0 ? 0 : 1);
}

bool is_one_input() {
  return std::getenv("TOPSCTL_FUZZ_BOX") == std::string_view("replay");
}

}  // namespace

// Called before all else: the child goes on to be the fuzzer.
extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  if (std::getenv("TOPSCTL_FUZZ_BOX") == nullptr) return 0;
  void* shared =
      ::mmap(nullptr, sizeof(Desk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  expect(shared != MAP_FAILED, "box: mmap");
  desk = static_cast<Desk*>(shared);
  const char* prefix = nullptr;
  constexpr std::string_view option = "-artifact_prefix=";
  for (int i = 1; i < *count; ++i) {
    if (std::string_view((*words)[i]).starts_with(option)) prefix = (*words)[i] + option.size();
  }
  const pid_t child = ::fork();
  expect(child >= 0, "box: fork");
  if (child > 0) attend(child, prefix);
  // What stands where the box has its one descriptor; the next ones are free.
  expect(::dup2(STDIN_FILENO, topsctl::kept_descriptor) >= 0, "box: dup2");
  ::closefrom(first_descriptor);
  return 0;
}

// libFuzzer changes inputs as soon as it has read its seeds: from now on it needs no file.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned /*seed*/) {
  close_box();
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (desk == nullptr) return __real_LLVMFuzzerTestOneInput(data, size);
  if (is_one_input()) close_box();
  if (is_in_box) return read_in_box(data, size);
  seeds.emplace_back(reinterpret_cast<const char*>(data), size);
  return __real_LLVMFuzzerTestOneInput(data, size);
}
