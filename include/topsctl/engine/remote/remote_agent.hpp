// topsctl at the far end: found there or carried there, and started.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// What a target is asked to run, whatever is wanted of it.
inline constexpr const char* receive_words = "receive";

// The executable that is carried: this very program.
struct CarriedProgram {
  std::string path;    // where it lies here
  std::string sha256;  // in hex; it lies under this name at the far end
  std::uint64_t size = 0;
};
// Of the running program. Throws Error.
CarriedProgram own_program();

// A command line for the login shell of a target, whichever that is, that runs a POSIX script in
// the target or in its container. The script is one line without ', \ and !; `token` marks our own
// lines in what is said.
std::string far_command_line(const Target& target, const std::string& script,
                             const std::string& token);
// Looks for the program, and runs it with `words`; or says that it is not there.
std::string run_script(const CarriedProgram& program, const std::string& words,
                       const std::string& token);
// The token of a command line that was made of run_script() with `receive_words`, for a program of
// whatever digest on the host itself; nothing for any other. It runs there instead of the shell.
std::optional<std::string> token_of_receive(const std::string& command_line);
// Takes the program from standard input, checks it, and puts it in its place.
std::string carry_script(const CarriedProgram& program, const std::string& token);

// topsctl, running at the far end and speaking in frames.
class RemoteAgent : private FrameHandler {
 public:
  // Starts `topsctl WORDS`, and carries it there first if need be. `session` and `target` must
  // outlive it. `first` is sent at once, as what it begins with. If the program is certain to be
  // there, its answer is not waited for before the first frame is. Throws Error{unreachable,
  // host_unfit}.
  enum class Presence { unknown, certain };
  RemoteAgent(RemoteSession& session, const Target& target, const CarriedProgram& program,
              const std::string& words, std::string_view first = {},
              Presence presence = Presence::unknown);

  // Throws ConnectionLost, or the Error that the far end told of before it was gone.
  void send(std::string_view bytes);
  void end_input() { stream_->end_input(); }

  struct Frame {
    FrameKind kind;
    std::string payload;
  };
  // The next frame; nothing if none comes in time, or before the descriptor `waker` is readable. A
  // failure frame is thrown as the Error it tells of, the end of the program as Error{unreachable}.
  std::optional<Frame> next(std::int64_t timeout_ms, int waker = -1);
  // The next frame, which must be of this kind.
  std::string expect(FrameKind kind, std::int64_t timeout_ms);

  // Whether it had to be carried there.
  bool was_carried() const { return was_carried_; }

 private:
  void on_frame(FrameKind kind, std::string_view payload) override;
  void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) override;
  void on_chunk_bytes(std::string_view /*piece*/) override {}
  void on_chunk_end() override {}

  // A line that begins with our token, and what came after it. Log-in scripts may say what they
  // like before.
  struct Answer {
    std::string line;
    std::string rest;
  };
  static std::optional<Answer> answer_in(const std::string& said, const std::string& token);
  static Answer answer_from(RemoteStream& stream, const Target& target, const std::string& token,
                            std::string said = {});
  void start(RemoteSession& session, const CarriedProgram& program, const std::string& words,
             std::string_view first);
  bool is_there(RemoteSession& session);
  void take_greeting(const std::string& piece);
  void carry(RemoteSession& session, const CarriedProgram& program);

  const Target& target_;
  std::string token_;     // of an answer that is still to come
  std::string greeting_;  // what came before that
  std::unique_ptr<RemoteStream> stream_;
  FrameParser parser_;
  std::deque<Frame> frames_;
  bool was_carried_ = false;
};

// Throws Error{unreachable} for a frame that nobody asked for.
[[noreturn]] void refuse_frame(const RemoteAgent::Frame& frame);

}  // namespace topsctl
