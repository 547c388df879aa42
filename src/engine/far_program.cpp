// Starts topsctl at the far end. All that passes through shells there is fixed text, digests and
// checked names.
#include "topsctl/engine/far_program.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/programs_forbidden.hpp"
#include "topsctl/engine/transfer_words.hpp"
#include "topsctl/host/descriptor.hpp"
#include "topsctl/host/digest.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t answer_timeout_ms = 60'000;

// Folders in which the program may lie, best first: they must be ours, and programs must run there.
constexpr std::string_view folders =
    R"("${XDG_CACHE_HOME:-$HOME/.cache}/topsctl/bin" "/var/tmp/topsctl-$(id -u)/bin" "/opt/topsctl/bin" "/dev/shm/topsctl-$(id -u)/bin")";

std::string new_token() {
  std::array<char, 12> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw system_error(errno, "read", "random numbers");
  return concat("topsctl-", hex_text({bytes.data(), bytes.size()}));
}

// A line that begins with our token, and what came after it. Log-in scripts may say what they like
// before.
struct Answer {
  std::string line;
  std::string rest;
};

Answer answer_from(RemoteStream& stream, const Target& target, const std::string& token,
                   std::string said = {}) {
  for (;;) {
    const std::size_t at = said.find(token);
    const std::size_t end = at == std::string::npos ? at : said.find('\n', at);
    if (end != std::string::npos) {
      return {std::string(trimmed(said.substr(at + token.size(), end - at - token.size()))),
              said.substr(end + 1)};
    }
    const auto piece = stream.read(answer_timeout_ms);
    constexpr std::size_t most = 1U << 20U;
    if (piece && !piece->empty() && said.size() < most) {
      said += *piece;
      continue;
    }
    bool has_ended_itself = false;
    std::string why = !piece ? "it does not answer" : said.size() >= most ? "it says too much" : "";
    if (why.empty()) {
      const RemoteEnd end_of_shell = stream.finish();
      const std::string words = last_words(concat(said, "\n", end_of_shell.errors));
      why = concat("its shell has ended with status ", end_of_shell.status,
                   words.empty() ? "" : concat(": ", words));
      has_ended_itself = end_of_shell.status >= 0;
    }
    why = concat("cannot run a program on ", in_quotes(target.text()), ": ", why);
    const std::string hint = "see whether `ssh` may run a command there";
    if (has_ended_itself) throw NotStarted(why, hint);
    throw ConnectionLost(why, hint);
  }
}

[[noreturn]] void refuse_answer(const Target& target, const std::string& line) {
  if (line == "no-container") {
    throw Error(ErrorCode::unreachable,
                concat("no running container ", in_quotes(target.container), " on ",
                       in_quotes(target.is_local() ? "this machine" : target.host)),
                "`docker ps`, `podman ps` or `nerdctl ps` there lists them; may this user ask?");
  }
  if (line.starts_with("absent")) {
    throw Error(ErrorCode::host_unfit,
                concat(in_quotes(target.text()), " is no machine that topsctl runs on: ",
                       last_words(line.substr(std::string_view("absent").size()))),
                "topsctl runs on Linux on x86-64");
  }
  throw Error(ErrorCode::host_unfit,
              concat("cannot put topsctl on ", in_quotes(target.text()), ": ", last_words(line)),
              "it needs a folder of the user's own, below the home folder or /var/tmp, in which "
              "programs may run, and `sha256sum`");
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
  // Between single quotes nothing of it means anything to sh, bash, csh, tcsh, zsh and fish.
  if (script.find_first_of("'\\!\n") != std::string::npos)
    throw Error(ErrorCode::internal, "a script that not every shell takes as it is");
  if (target.container.empty()) return concat("exec /bin/sh -c '", script, "'");
  return concat(
      "exec /bin/sh -c '"
      "for r in docker podman nerdctl; do command -v $r >/dev/null 2>&1 && "
      "[ \"$($r container inspect --format {{.State.Running}} \"$1\" 2>/dev/null)\" = true ] && "
      "exec $r exec -i -e SSH_CONNECTION \"$1\" /bin/sh -c \"$2\"; done; echo ",
      token, " no-container; exit 1' sh ", target.container, " '", script, "'");
}

namespace {

// For each folder $d: $o is empty unless it, the one above it and the one for this program are
// folders, no links, ours, and not for others to write to. Whoever else can change one of them
// could put another program in the place of ours after we have looked at it.
std::string for_own_folders(const CarriedProgram& program, const std::string& prepare,
                            const std::string& act) {
  return concat("for d in ", folders, "; do o=y; for p in \"${d%/*}\" \"$d\" \"$d/", program.sha256,
                "\"; do ", prepare,
                "if [ -L \"$p\" ]; then o=; fi; [ -d \"$p\" ] && [ -O \"$p\" ] && "
                "[ \"$(find \"$p\" -prune -type d \"(\" -perm -020 -o -perm -002 \")\" -o "
                "-print)\" = \"$p\" ] "
                "|| o=; done; ",
                act, "done; ");
}

}  // namespace

std::string run_script(const CarriedProgram& program, const std::string& words,
                       const std::string& token) {
  const std::string act =
      concat("b=\"$d/", program.sha256,
             "/topsctl\"; if [ \"$o\" ] && [ -O \"$b\" ] && "
             "[ \"$(sha256sum <\"$b\" 2>/dev/null)\" = \"",
             program.sha256, "  -\" ]; then echo ", token, " run; exec \"$b\" ", words, "; fi; ");
  return concat(for_own_folders(program, "", act), "echo ", token,
                " absent $(uname -s) $(uname -m)");
}

std::string carry_script(const CarriedProgram& program, const std::string& token) {
  const std::string act = concat(
      "t=\"$d/", program.sha256,
      ".$$\"; if [ \"$o\" ] && : >\"$t\" && chmod 700 \"$t\" && \"$t\" 2>/dev/null; then echo ",
      token, " send; cat >\"$t\"; if [ \"$(sha256sum <\"$t\")\" = \"", program.sha256,
      "  -\" ] && \"$t\" version >/dev/null && mv -f \"$t\" \"$d/", program.sha256,
      "/topsctl\"; then echo ", token, " ready; exit 0; fi; rm -f \"$t\"; echo ", token,
      " it did not arrive whole, or does not run there; exit 1; fi; "
      "[ \"$o\" ] && rm -f \"$t\" 2>/dev/null; ");
  const std::string make = "[ \"$o\" ] && mkdir -p \"$p\" 2>/dev/null; ";
  return concat("umask 077; ", for_own_folders(program, make, act), "echo ", token,
                " no folder for it");
}

FarProgram::FarProgram(RemoteSession& session, const Target& target, const CarriedProgram& program,
                       const std::string& words)
    : parser_(*this) {
  if (start(session, target, program, words)) return;
  const std::string token = new_token();
  const auto carrier = session.start(far_command_line(target, carry_script(program, token), token));
  const std::string line = answer_from(*carrier, target, token).line;
  if (line != "send") refuse_answer(target, line);
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
  const std::string result = answer_from(*carrier, target, token).line;
  if (result != "ready") refuse_answer(target, result);
  was_carried_ = true;
  if (!start(session, target, program, words)) refuse_answer(target, "it was there, and has gone");
}

bool FarProgram::start(RemoteSession& session, const Target& target, const CarriedProgram& program,
                       const std::string& words) {
  const std::string token = new_token();
  Answer answer;
  try {
    stream_ = session.start(far_command_line(target, run_script(program, words, token), token));
    answer = answer_from(*stream_, target, token, first_words(session, *stream_, target));
  } catch (const NotStarted&) {
    refuse_if_files_only(session, target);
    throw;
  }
  if (answer.line == "run") {
    parser_.take(answer.rest);
    return true;
  }
  if (answer.line != "absent Linux x86_64") refuse_answer(target, answer.line);
  return false;
}

void FarProgram::send(std::string_view bytes) {
  try {
    stream_->write(bytes);
  } catch (const ConnectionLost&) {
    // What it said last tells more than that it is gone.
    try {
      while (next(1000)) {
      }
    } catch (const ConnectionLost&) {
      // It said nothing.
    }
    throw;
  }
}

std::optional<FarProgram::Frame> FarProgram::next(std::int64_t timeout_ms) {
  while (frames_.empty()) {
    const auto piece = stream_->read(timeout_ms);
    if (!piece) return std::nullopt;
    if (piece->empty()) {
      const RemoteEnd end = stream_->finish();
      const std::string words = last_words(end.errors);
      throw ConnectionLost(concat("topsctl there has ended",
                                  end.status < 0 ? "" : concat(" with status ", end.status),
                                  words.empty() ? "" : concat(": ", words)),
                           "run the same command again: what has arrived is kept");
    }
    parser_.take(*piece);
  }
  Frame first = std::move(frames_.front());
  frames_.pop_front();
  if (first.kind == FrameKind::failure) throw parse_failure(first.payload);
  return first;
}

std::string FarProgram::expect(FrameKind kind, std::int64_t timeout_ms) {
  auto found = next(timeout_ms);
  if (!found)
    throw ConnectionLost("topsctl there does not answer",
                         "run the same command again: what has arrived is kept");
  if (found->kind != kind) {
    throw Error(ErrorCode::unreachable,
                concat("the far end does not speak as topsctl does: a frame ",
                       in_quotes(std::string(1, static_cast<char>(found->kind)))));
  }
  return std::move(found->payload);
}

void FarProgram::on_frame(FrameKind kind, std::string_view payload) {
  frames_.push_back({kind, std::string(payload)});
}

void FarProgram::on_chunk_begin(const ChunkPlace& /*place*/, std::uint64_t /*size*/) {
  throw Error(ErrorCode::unreachable,
              "the far end does not speak as topsctl does: it sends chunks");
}

}  // namespace topsctl
