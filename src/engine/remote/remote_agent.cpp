// Starts topsctl on the remote host. All text that passes through shells there is fixed text,
// digests and checked names.
#include "topsctl/engine/remote/remote_agent.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "engine/remote/sftp_only.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/random.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr const char* seen_words = "%i %s %z";  // of stat(1): inode, size, time of change
constexpr std::int64_t answer_timeout_ms = 60'000;
constexpr std::size_t most_greeting = 1U << 20U;  // bytes that a login may print before our answer

// Directories for the program, best first: they must be ours, and programs must be executable
// there.
constexpr std::string_view folders =
    R"("${XDG_CACHE_HOME:-$HOME/.cache}/topsctl/bin" "/var/tmp/topsctl-$(id -u)/bin" "/opt/topsctl/bin" "/dev/shm/topsctl-$(id -u)/bin")";

constexpr std::string_view token_beginning = "topsctl-";
constexpr std::size_t token_bytes = 12;

[[noreturn]] void refuse_redirection(const Target& target) {
  throw Error(
      ErrorCode::unreachable,
      format("cannot run a program on {}: a start-up file of its shell redirects standard "
             "output to standard error",
             in_quotes(target.text())),
      "look for a line such as `exec 1>&2` in ~/.bashrc, ~/.profile or ~/.cshrc on the host, "
      "and skip it in shells without a terminal");
}

[[noreturn]] void refuse_flood(const Target& target, std::string_view said) {
  constexpr std::size_t longest = 60;
  const std::string line = printable(trimmed(said).substr(0, trimmed(said).find('\n')));
  throw Error(ErrorCode::unreachable,
              format("cannot run a program on {}: a start-up file of its shell does not stop "
                     "writing to standard output, first: {}",
                     in_quotes(target.text()), in_quotes(shortened(line, longest))),
              "look for a command without an end in ~/.bashrc, ~/.profile or ~/.cshrc on the host, "
              "and skip it in shells without a terminal");
}

std::string new_token() {
  return concat(token_beginning, hex_text(random_bytes(token_bytes)));
}

}  // namespace

std::optional<RemoteAgent::Answer> RemoteAgent::answer_in(const std::string& said,
                                                          const std::string& token) {
  const std::size_t at = said.find(token);
  const std::size_t end = at == std::string::npos ? at : said.find('\n', at);
  if (end == std::string::npos) return std::nullopt;
  return Answer{std::string(trimmed(said.substr(at + token.size(), end - at - token.size()))),
                said.substr(end + 1)};
}

RemoteAgent::Answer RemoteAgent::answer_from(RemoteStream& stream, const Target& target,
                                             const std::string& token, std::string said) {
  PaceLimit limit(answer_timeout_ms);
  constexpr std::int64_t turn_ms = 1000;
  std::int64_t waited_ms = 0;
  const auto is_said_elsewhere = [&](const std::string& errors) {
    return errors.find(token) != std::string::npos;
  };
  for (;;) {
    if (auto found = answer_in(said, token)) return *std::move(found);
    const auto piece = stream.read(std::min(limit.left_ms(), turn_ms));
    if (is_said_elsewhere(stream.errors_so_far())) refuse_redirection(target);
    if (!piece && (waited_ms += turn_ms) < answer_timeout_ms && limit.left_ms() > 0) continue;
    if (piece && !piece->empty() && said.size() < most_greeting) {
      limit.count(piece->size());
      said += *piece;
      continue;
    }
    if (piece && said.size() >= most_greeting) refuse_flood(target, said);
    bool has_ended_itself = false;
    std::string why = piece ? "" : "it does not respond";
    if (why.empty()) {
      const RemoteEnd end_of_shell = stream.finish();
      if (is_said_elsewhere(end_of_shell.errors)) refuse_redirection(target);
      const std::string words = last_words(concat(said, "\n", end_of_shell.errors));
      why = format("its shell ended with status {}{}", end_of_shell.status,
                   words.empty() ? "" : concat(": ", words));
      has_ended_itself = end_of_shell.status >= 0;
    }
    why = format("cannot run a program on {}: {}", in_quotes(target.text()), why);
    const std::string hint = "check that `ssh` may run a command on this host";
    if (has_ended_itself) throw NotStarted(why, hint);
    throw ConnectionLost(why, hint);
  }
}

namespace {

[[noreturn]] void refuse_answer(const Target& target, const std::string& line) {
  if (line == "no-container") {
    throw Error(ErrorCode::unreachable,
                format("no running container {} on {}", in_quotes(target.container),
                       in_quotes(target.is_local() ? "this workstation" : target.host)),
                "list them with `docker ps`, `podman ps` or `nerdctl ps` on the host; check that "
                "this user may run it");
  }
  if (line.starts_with("absent")) {
    throw Error(ErrorCode::host_unfit,
                format("topsctl does not run on {}: {}", in_quotes(target.text()),
                       last_words(line.substr(std::string_view("absent").size()))),
                "topsctl runs on Linux on x86-64");
  }
  throw Error(ErrorCode::host_unfit,
              format("cannot copy topsctl to {}: {}", in_quotes(target.text()), last_words(line)),
              "it needs `sha256sum` and a directory owned by the user, below the home directory or "
              "/var/tmp, in which programs may run");
}

}  // namespace

CarriedProgram own_program() {
  CarriedProgram program{"/proc/self/exe", sha256_of_file("/proc/self/exe"), 0};
  struct stat status {};
  if (::stat(program.path.c_str(), &status) == 0)
    program.size = static_cast<std::uint64_t>(status.st_size);
  return program;
}

std::string far_command_line(const Target& target, const std::string& script,
                             const std::string& token) {
  // Between single quotes these characters are literal in sh, bash, csh, tcsh, zsh and fish.
  if (script.find_first_of("'\\!\n") != std::string::npos)
    throw Error(ErrorCode::internal, "a script that not every shell accepts unchanged");
  if (target.container.empty()) return concat("exec /bin/sh -c '", script, "'");
  return concat(
      "exec /bin/sh -c '"
      "for r in docker podman nerdctl; do command -v $r >/dev/null 2>&1 && "
      "[ \"$($r container inspect --format {{.State.Running}} \"$1\" 2>/dev/null)\" = true ] && "
      "exec $r exec -i -e SSH_CONNECTION \"$1\" /bin/sh -c \"$2\"; done; echo ",
      token, " no-container; exit 1' sh ", target.container, " '", script, "'");
}

namespace {

// For each directory $d: changes into its subdirectory for this program, unless $o is empty. That
// one, $d and the one above are directories, not links, belong to us, and are not writable by
// others. Only root and we may replace one of those above; and from within, `./topsctl` is the file
// that was checked, regardless of later changes to its path.
std::string for_own_folders(const CarriedProgram& program, const std::string& prepare,
                            const std::string& act) {
  const std::string own = concat("$d/", program.sha256);
  return concat(
      "for d in ", folders, "; do o=y; for p in \"${d%/*}\" \"$d\" \"", own, "\" .; do ", prepare,
      "if [ -L \"$p\" ]; then o=; fi; [ -d \"$p\" ] && [ -O \"$p\" ] && "
      "[ \"$(find \"$p\" -prune -type d \"(\" -perm -020 -o -perm -002 \")\" -o "
      "-print)\" = \"$p\" ] || o=; "
      "if [ \"$o\" ] && [ \"$p\" = \"",
      own,
      "\" ]; then cd \"$p\" >/dev/null 2>&1 || o=; fi; done; "
      // Prints directories of other users, and those writable by others without the sticky bit.
      "if [ \"$o\" ]; then a=\"$(pwd -P)\" || o=; set --; "
      "while [ \"$a\" ]; do a=\"${a%/*}\"; set -- \"$@\" \"$a/\"; done; "
      "w=\"$(find \"$@\" -prune \"(\" -user 0 -o -user \"$(id -u)\" \")\" \"(\" -perm -1000 -o "
      "-perm -020 -print -o -perm -002 -print -o -prune \")\" -o -print)\" && [ -z \"$w\" ] || o=; "
      "fi; ",
      act, "done; ");
}

}  // namespace

// Its digest is read once, and again only when inode, size or change time show that it is another
// file: $m has the old values.
std::string run_script(const CarriedProgram& program, const std::string& words,
                       const std::string& token) {
  const std::string act = concat(
      "m=topsctl.seen; s=\"$(stat -c \"", seen_words,
      "\" topsctl 2>/dev/null)\"; "
      "if [ \"$o\" ] && [ -O topsctl ] && { [ \"$s\" ] && [ \"$(cat \"$m\" 2>/dev/null)\" = \"$s\" "
      "] || "
      "{ [ \"$(sha256sum <topsctl 2>/dev/null)\" = \"",
      program.sha256, "  -\" ] && { echo \"$s\" >\"$m\" || :; } 2>/dev/null; }; }; then echo ",
      token, " run; exec ./topsctl ", words, "; fi; ");
  return concat(for_own_folders(program, "", act), "echo ", token,
                " absent $(uname -s) $(uname -m)");
}

std::optional<std::string> token_of_receive(const std::string& command_line) {
  // The text after the first of these words.
  const auto behind = [&](std::string_view words, std::size_t size) {
    const std::size_t at = command_line.find(words);
    return at == std::string::npos ? "" : command_line.substr(at + words.size(), size);
  };
  constexpr std::size_t sha256_digits = 64;
  const std::string digest = behind("\"$d/", sha256_digits);
  const std::string token = behind(concat("then echo ", token_beginning), 2 * token_bytes);
  if (!bytes_of_hex(digest) || !bytes_of_hex(token)) return std::nullopt;
  std::string whole = concat(token_beginning, token);
  const std::string script = run_script({"", digest, 0}, receive_words, whole);
  if (far_command_line(parse_target("itself"), script, whole) != command_line) return std::nullopt;
  return whole;
}

// Hosts that share the directory may have equal process numbers: only the token is unique.
std::string carry_script(const CarriedProgram& program, const std::string& token) {
  const std::string act =
      concat("t=\"./", token,
             "\"; if [ \"$o\" ] && true >\"$t\" && chmod 700 \"$t\" && \"$t\" "
             "2>/dev/null; then echo ",
             token, " send; cat >\"$t\"; if [ \"$(sha256sum <\"$t\")\" = \"", program.sha256,
             "  -\" ] && \"$t\" version >/dev/null && { [ -O topsctl ] && [ -x topsctl ] && [ "
             "\"$(sha256sum "
             "<topsctl)\" = \"",
             program.sha256, "  -\" ] && rm -f \"$t\" || mv -f \"$t\" topsctl; }; then stat -c \"",
             seen_words, "\" topsctl >topsctl.seen 2>/dev/null; echo ", token,
             " ready; exit 0; fi; rm -f \"$t\"; echo ", token,
             " it did not arrive whole, or does not run there; exit 1; fi; "
             "[ \"$o\" ] && rm -f \"$t\" 2>/dev/null; ");
  const std::string make = "[ \"$o\" ] && mkdir -p \"$p\" 2>/dev/null; ";
  return concat("umask 077; ", for_own_folders(program, make, act), "echo ", token,
                " no folder for it");
}

RemoteAgent::RemoteAgent(RemoteSession& session, const Target& target,
                         const CarriedProgram& program, const std::string& words,
                         std::string_view first, Presence presence)
    : target_(target), parser_(*this) {
  try {
    start(session, program, words, first);
    if (presence == Presence::certain || is_there(session)) return;
  } catch (const NotStarted&) {
    refuse_if_files_only(session, target);
    throw;
  }
  let_end(*stream_);
  stream_.reset();
  carry(session, program);
  start(session, program, words, first);
  if (!is_there(session)) refuse_answer(target_, "it was copied and then disappeared");
}

void RemoteAgent::carry(RemoteSession& session, const CarriedProgram& program) {
  const std::string token = new_token();
  const auto carrier =
      session.start(far_command_line(target_, carry_script(program, token), token));
  const std::string line = answer_from(*carrier, target_, token).line;
  if (line != "send") refuse_answer(target_, line);
  const Descriptor input(::open(program.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.is_open()) throw system_error(errno, "read", program.path);
  std::string buffer(1U << 18U, '\0');
  for (;;) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", program.path);
    if (got == 0) break;
    carrier->write({buffer.data(), static_cast<std::size_t>(got)});
  }
  carrier->end_input();
  const std::string result = answer_from(*carrier, target_, token).line;
  if (result != "ready") refuse_answer(target_, result);
  let_end(*carrier);
  was_carried_ = true;
}

void RemoteAgent::start(RemoteSession& session, const CarriedProgram& program,
                        const std::string& words, std::string_view first) {
  token_ = new_token();
  stream_ = session.start(far_command_line(target_, run_script(program, words, token_), token_));
  try {
    stream_->write(first);
  } catch (const ConnectionLost&) {
    // The shell has ended and already reported why.
  }
}

bool RemoteAgent::is_there(RemoteSession& session) {
  const Answer answer = answer_from(*stream_, target_, std::exchange(token_, ""),
                                    first_words(session, *stream_, target_));
  if (answer.line == "run") {
    parser_.take(answer.rest);
    return true;
  }
  if (answer.line != "absent Linux x86_64") refuse_answer(target_, answer.line);
  return false;
}

// The answer of a program with Presence::certain.
void RemoteAgent::take_greeting(const std::string& piece) {
  greeting_ += piece;
  const auto answer = answer_in(greeting_, token_);
  if (!answer) {
    if (greeting_.size() > most_greeting) refuse_flood(target_, greeting_);
    return;
  }
  token_.clear();
  if (answer->line != "run") refuse_answer(target_, answer->line);
  parser_.take(answer->rest);
}

void RemoteAgent::send(std::string_view bytes) {
  try {
    stream_->write(bytes);
  } catch (const ConnectionLost&) {
    // Its last frame is more specific than the lost connection.
    try {
      while (next(1000)) {
      }
    } catch (const ConnectionLost&) {
      // There was no last frame.
    }
    throw;
  }
}

std::optional<RemoteAgent::Frame> RemoteAgent::next(std::int64_t timeout_ms, int waker) {
  PaceLimit limit(timeout_ms);
  while (frames_.empty()) {
    stream_->be_woken_by(waker);
    const auto piece = stream_->read(limit.left_ms());
    stream_->be_woken_by(-1);
    if (!piece) return std::nullopt;
    if (piece->empty()) {
      const RemoteEnd end = stream_->finish();
      const std::string words = last_words(end.errors);
      throw ConnectionLost(format("the remote topsctl has ended{}{}",
                                  end.status < 0 ? "" : format(" with status {}", end.status),
                                  words.empty() ? "" : concat(": ", words)),
                           "rerun the same command: data already received is kept");
    }
    limit.count(piece->size());
    if (token_.empty())
      parser_.take(*piece);
    else
      take_greeting(*piece);
  }
  Frame first = std::move(frames_.front());
  frames_.pop_front();
  if (first.kind == FrameKind::failure) throw parse_failure(first.payload);
  return first;
}

std::string RemoteAgent::expect(FrameKind kind, std::int64_t timeout_ms) {
  auto found = next(timeout_ms);
  if (!found)
    throw ConnectionLost("the remote topsctl does not respond",
                         "rerun the same command: data already received is kept");
  if (found->kind != kind) refuse_frame(*found);
  return std::move(found->payload);
}

void refuse_frame(const RemoteAgent::Frame& frame) {
  throw not_of_topsctl(
      format("a frame {}", in_quotes(std::string(1, static_cast<char>(frame.kind)))));
}

void RemoteAgent::on_frame(FrameKind kind, std::string_view payload) {
  frames_.push_back({kind, std::string(payload)});
}

void RemoteAgent::on_chunk_begin(const ChunkPlace& /*place*/, std::uint64_t /*size*/) {
  throw not_of_topsctl("it sent chunks");
}

}  // namespace topsctl
