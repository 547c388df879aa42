// Detects hosts that only accept files.
#include "engine/remote/sftp_only.hpp"

#include <optional>
#include <string_view>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t timeout_ms = 2'000;
constexpr std::int64_t greeting_timeout_ms = 10'000;
constexpr std::int64_t turn_ms = 100;

// SSH_FXP_INIT of version 3 (draft-ietf-secsh-filexfer-02, section 4): a length of 5, the kind 1.
constexpr std::string_view sftp_greeting{"\0\0\0\5\1\0\0\0\3", 9};
constexpr char sftp_version = 2;  // SSH_FXP_VERSION, its answer

// Whether the bytes begin with the answer of an SFTP server; nothing if there are too few bytes.
std::optional<bool> is_answer(std::string_view said) {
  constexpr std::size_t head = 5;  // a length in network order, below 64 KiB, and the kind
  if (said.size() < head) return std::nullopt;
  return said.starts_with(std::string_view("\0\0", 2)) && said[head - 1] == sftp_version;
}

Error refusal_of(const Target& target) {
  return {ErrorCode::host_unfit,
          format("cannot run programs on {}: it only accepts files over SFTP",
                 in_quotes(target.text())),
          target.container.empty()
              ? "log in as a user who may run programs; or copy the bundle and topsctl with "
                "`sftp`, and run `topsctl install BUNDLE` on the host itself"
              : "log in as a user who may run programs on the host: a container is reached "
                "through a program"};
}

// A shell whose start-up file reads standard input waits as long as there may be more. Returns the
// program's last output.
std::string require_unread_input(RemoteSession& session, RemoteStream& program,
                                 const Target& target) {
  std::unique_ptr<RemoteStream> without_input;
  try {
    without_input = session.start("exit 3");
    without_input->end_input();
    const auto answer = without_input->read(greeting_timeout_ms);
    if (!answer || !answer->empty() || without_input->finish().status != 3) return {};
  } catch (const ConnectionLost&) {
    throw_if_interrupted();
    return {};
  }
  // A program that was started earlier would have ended earlier.
  if (auto said = program.read(turn_ms)) return *std::move(said);
  throw Error(
      ErrorCode::unreachable,
      format("cannot run a program on {}: a start-up file of its shell reads standard input",
             in_quotes(target.text())),
      "look for `read` and the like in ~/.bashrc, ~/.profile or ~/.cshrc on the host, and "
      "skip them in shells without a terminal");
}

}  // namespace

std::string first_words(RemoteSession& session, RemoteStream& program, const Target& target) {
  if (const auto said = program.read(timeout_ms)) return *said;
  std::unique_ptr<RemoteStream> other;
  try {
    // A shell ends at once, with any input.
    other = session.start("exit 3");
    other->write(sftp_greeting);
  } catch (const ConnectionLost&) {
    throw_if_interrupted();
    return {};
  }
  std::string said_by_program;
  bool is_answered = false;
  std::string said_by_other;
  for (std::int64_t waited_ms = 0; waited_ms < greeting_timeout_ms; waited_ms += 2 * turn_ms) {
    if (auto said = program.read(turn_ms)) {
      said_by_program = *std::move(said);
      is_answered = true;
      break;
    }
    const auto answer = other->read(turn_ms);
    if (!answer) continue;
    said_by_other += *answer;
    const auto is_server = answer->empty() ? false : is_answer(said_by_other);
    if (is_server == true) throw refusal_of(target);
    is_answered = is_server == false;
    if (is_answered) break;
  }
  let_end(*other);
  return is_answered ? said_by_program : require_unread_input(session, program, target);
}

void refuse_if_files_only(RemoteSession& session, const Target& target) {
  std::optional<bool> is_server;
  try {
    const auto server = session.start_subsystem("sftp");
    server->write(sftp_greeting);
    std::string said;
    while (!is_server) {
      const auto answer = server->read(greeting_timeout_ms);
      if (!answer || answer->empty()) return;
      said += *answer;
      is_server = is_answer(said);
    }
  } catch (const Error&) {
    throw_if_interrupted();
    return;
  }
  if (*is_server) throw refusal_of(target);
}

}  // namespace topsctl
