// Starts topsctl on the remote host, after copying it there if it is missing.
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

// The subcommand that each target runs, for all purposes.
inline constexpr const char* receive_words = "receive";

// The executable to copy: this program.
struct CarriedProgram {
  std::string path;    // local path
  std::string sha256;  // in hex; its file name on the remote host
  std::uint64_t size = 0;
};
// The running program. Throws Error.
CarriedProgram own_program();

// A command line for any login shell of a target that runs a POSIX script on the target or in its
// container. The script is one line without ', \ and !; `token` marks our own lines in the output.
std::string far_command_line(const Target& target, const std::string& script,
                             const std::string& token);
// A script that runs the program with `words` if it exists, or reports that it is missing.
std::string run_script(const CarriedProgram& program, const std::string& words,
                       const std::string& token);
// The token of a command line that was made by run_script() with `receive_words`, for a program of
// any digest on the host itself; nothing for any other command line. It runs there instead of the
// shell.
std::optional<std::string> token_of_receive(const std::string& command_line);
// A script that reads the program from standard input, checks it and installs it.
std::string carry_script(const CarriedProgram& program, const std::string& token);

// A topsctl process on the remote host that exchanges frames.
class RemoteAgent : private FrameHandler {
 public:
  // Starts `topsctl WORDS`, after copying the program if it is missing. `session` and `target` must
  // outlive it. `first` is sent at once, as the beginning of the input. With Presence::certain,
  // does not wait for the program's greeting before the first frame. Throws Error{unreachable,
  // host_unfit}.
  enum class Presence { unknown, certain };
  RemoteAgent(RemoteSession& session, const Target& target, const CarriedProgram& program,
              const std::string& words, std::string_view first = {},
              Presence presence = Presence::unknown);

  // Throws ConnectionLost, or the Error that the remote reported before it ended.
  void send(std::string_view bytes);
  void end_input() { stream_->end_input(); }

  struct Frame {
    FrameKind kind;
    std::string payload;
  };
  // The next frame; nothing if none arrives in time, or when the descriptor `waker` becomes
  // readable. Throws the Error of a failure frame, and Error{unreachable} if the program ends.
  std::optional<Frame> next(std::int64_t timeout_ms, int waker = -1);
  // Like next(), but the frame must be of this kind.
  std::string expect(FrameKind kind, std::int64_t timeout_ms);

  // Whether the program had to be copied.
  bool was_carried() const { return was_carried_; }

 private:
  void on_frame(FrameKind kind, std::string_view payload) override;
  void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) override;
  void on_chunk_bytes(std::string_view /*piece*/) override {}
  void on_chunk_end() override {}

  // A line that begins with our token, and the data after it. Login scripts may print anything
  // before it.
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
  std::string token_;     // of an answer that is still expected
  std::string greeting_;  // the data before that
  std::unique_ptr<RemoteStream> stream_;
  FrameParser parser_;
  std::deque<Frame> frames_;
  bool was_carried_ = false;
};

// Throws Error{unreachable} for an unrequested frame.
[[noreturn]] void refuse_frame(const RemoteAgent::Frame& frame);

}  // namespace topsctl
