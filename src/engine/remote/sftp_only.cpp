// Finds out whether a machine only takes files.
#include "topsctl/engine/remote/sftp_only.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/host/network/sftp.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t patience_ms = 2'000;
constexpr std::int64_t greeting_timeout_ms = 10'000;
constexpr std::int64_t turn_ms = 100;

// Whether the bytes begin with the greeting of an SFTP server; nothing while too few are there.
std::optional<bool> is_greeting(SftpParser& parser, std::string_view bytes) {
  try {
    parser.take(bytes);
    const auto packet = parser.next();
    if (!packet) return std::nullopt;
    return packet->kind == SftpKind::version;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

SftpOnlyHosts::SftpOnlyHosts(const Target& target)
    : Error(ErrorCode::host_unfit,
            format("cannot run programs on {}: it only accepts files over SFTP",
                   in_quotes(target.text())),
            target.container.empty()
                ? "`topsctl transfer` copies the files to the host; to install them, log in as a "
                  "user who may run programs, or run topsctl on the host itself"
                : "log in as a user who may run programs on the host: a container is reached "
                  "through a program") {}

namespace {

// A shell whose start-up file reads standard input waits as long as there may be some. What the
// program says at last.
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
  // Those that were started before it would have ended before it.
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
  if (const auto said = program.read(patience_ms)) return *said;
  std::unique_ptr<RemoteStream> other;
  try {
    // A shell ends at once, whatever it is sent.
    other = session.start("exit 3");
    other->write(sftp_greeting());
  } catch (const ConnectionLost&) {
    throw_if_interrupted();
    return {};
  }
  std::string said_by_program;
  bool is_answered = false;
  SftpParser parser;
  for (std::int64_t waited_ms = 0; waited_ms < greeting_timeout_ms; waited_ms += 2 * turn_ms) {
    if (auto said = program.read(turn_ms)) {
      said_by_program = *std::move(said);
      is_answered = true;
      break;
    }
    const auto answer = other->read(turn_ms);
    if (!answer) continue;
    const auto is_server = answer->empty() ? false : is_greeting(parser, *answer);
    if (is_server == true) throw SftpOnlyHosts(target);
    is_answered = is_server == false;
    if (is_answered) break;
  }
  let_end(*other);
  return is_answered ? said_by_program : require_unread_input(session, program, target);
}

void refuse_if_files_only(RemoteSession& session, const Target& target) {
  try {
    const SftpClient greeted(session.start_subsystem("sftp"), greeting_timeout_ms);
  } catch (const Error&) {
    throw_if_interrupted();
    return;
  }
  throw SftpOnlyHosts(target);
}

}  // namespace topsctl
