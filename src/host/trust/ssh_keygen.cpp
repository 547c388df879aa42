// Runs `ssh-keygen -Y sign` with our terminal, and verifies what it made.
#include "topsctl/host/trust/ssh_keygen.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/process.hpp"
#include "topsctl/host/trust/ssh_signature.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_said = 64U << 10U;
constexpr const char* signing_hint =
    "see what ssh-keygen says above; `topsctl lock` needs an Ed25519 key (`ssh-keygen -t ed25519`) "
    "and ssh-keygen of OpenSSH 8.1 or later";

std::string text_to_end(const Descriptor& from) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(from.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < most_said) text.append(buffer, static_cast<std::size_t>(got));
  }
}

// A program that ends before it has read everything says why itself.
void hand_over(Descriptor input, std::string_view bytes) {
  try {
    write_all(input, bytes, "the bytes to sign");
  } catch (const Error&) {
  }
}

struct SigningRun {
  int status = -1;
  std::string said;         // to standard output
  std::string not_started;  // why not; empty: it was
};

SigningRun run_at_terminal(const std::vector<std::string>& argv, std::string_view input,
                           const std::map<std::string, std::string>& environment) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe failure = make_pipe();  // closed by exec
  const pid_t pid = start_copy([&] {
    ::dup2(in.read_end.get(), 0);
    ::dup2(out.write_end.get(), 1);
    try {
      exec_program(argv, environment);
    } catch (const Error& error) {
      write_all(failure.write_end, error.message(), "a pipe");
    }
    return 127;
  });
  in.read_end.close();
  out.write_end.close();
  failure.write_end.close();
  hand_over(std::move(in.write_end), input);
  SigningRun run;
  run.not_started = text_to_end(failure.read_end);
  run.said = text_to_end(out.read_end);
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
  const SigningRun run = run_at_terminal(
      {"ssh-keygen", "-q", "-Y", "sign", "-n", std::string(name_space), "-f", key_file}, bytes,
      environment);
  throw_if_interrupted();
  if (!run.not_started.empty()) {
    throw Error(ErrorCode::host_unfit, format("cannot run ssh-keygen: {}", run.not_started),
                "install openssh-client, or sign the file where it is installed");
  }
  if (run.status != 0) {
    throw Error(ErrorCode::usage, format("ssh-keygen did not sign with {}", in_quotes(key_file)),
                signing_hint);
  }
  try {
    static_cast<void>(signing_key(bytes, run.said, name_space));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage,
                format("what ssh-keygen signed with {} would be refused: {}", in_quotes(key_file),
                       error.message()),
                signing_hint);
  }
  return run.said;
}

}  // namespace topsctl
