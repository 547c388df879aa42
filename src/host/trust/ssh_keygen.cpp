// Runs `ssh-keygen -Y sign` at our terminal, and verifies the signature.
#include "topsctl/host/trust/ssh_keygen.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/process.hpp"
#include "topsctl/host/trust/ssh_signature.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_made = 64U << 10U;
constexpr const char* signing_hint =
    "see the output of ssh-keygen above; signing needs an Ed25519 key (`ssh-keygen -t "
    "ed25519`) and ssh-keygen of OpenSSH 8.1 or later";

struct SigningRun {
  int status = -1;
  std::string not_started;  // why not; empty: it was
};

// At our terminal, where it may prompt; its output goes to standard error.
SigningRun run_at_terminal(const std::vector<std::string>& argv,
                           const std::map<std::string, std::string>& environment) {
  Pipe failure = make_pipe();  // closed by exec
  const pid_t pid = start_copy([&] {
    ::dup2(2, 1);
    try {
      exec_program(argv, environment);
    } catch (const Error& error) {
      write_all(failure.write_end, error.message(), "a pipe");
    }
    return 127;
  });
  failure.write_end.close();
  SigningRun run;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while ((got = ::read(failure.read_end.get(), buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) run.not_started.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

}  // namespace

std::string signature_by(const std::string& key_file, std::string_view bytes,
                         std::string_view name_space,
                         const std::map<std::string, std::string>& environment) {
  // ssh-keygen writes the signature beside the file, and would prompt before it replaces one.
  const ScratchFolder folder("sign");
  const fs::path file = folder.path() / "file";
  write_plainly(file, bytes, 0600);
  const SigningRun run = run_at_terminal({"ssh-keygen", "-q", "-Y", "sign", "-n",
                                          std::string(name_space), "-f", key_file, file.string()},
                                         environment);
  throw_if_interrupted();
  if (!run.not_started.empty()) {
    throw Error(ErrorCode::host_unfit, format("cannot run ssh-keygen: {}", run.not_started),
                "install openssh-client, or sign the file on a host that has it");
  }
  if (run.status != 0) {
    throw Error(ErrorCode::usage, format("ssh-keygen failed to sign with {}", in_quotes(key_file)),
                signing_hint);
  }
  std::string signature = read_text(concat(file.string(), ".sig"), most_made);
  try {
    static_cast<void>(signing_key(bytes, signature, name_space));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage,
                format("the signature that ssh-keygen made with {} would be rejected: {}",
                       in_quotes(key_file), error.message()),
                signing_hint);
  }
  return signature;
}

}  // namespace topsctl
