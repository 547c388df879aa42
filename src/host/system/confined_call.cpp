// Two processes and a socket between them: one works, the other opens files for it.
#include "topsctl/host/system/confined_call.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>
#include <tuple>

#include "host/system/confinement.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/packing.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/process.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::size_t largest_message = 60U << 10U;
constexpr std::uint64_t most_result = 1ULL << 30U;

// The messages of the worker; only the three that request a file get an answer.
enum class Word : char { file, bytes, input, output, nameless, warning, result, error, done };

struct Message {
  Word word = Word::done;
  std::string_view text;  // until the next one
};

void send_message(int socket, Word word, std::string_view text) {
  auto kind = static_cast<char>(word);
  text = text.substr(0, largest_message);
  std::array<iovec, 2> parts = {{{&kind, 1}, {const_cast<char*>(text.data()), text.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) throw system_error(errno, "write to", "the calling process");
}

struct PlainError {
  int code = 0;
  std::string message;
  std::string hint;
  std::vector<std::string> context;
};
auto members_of(PlainError& error) {
  auto& [code, message, hint, context] = error;
  return std::tie(code, message, hint, context);
}

struct Counts {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};
auto members_of(Counts& counts) {
  return std::tie(counts.done, counts.total);
}

Descriptor answered_file(int socket) {
  int reason = EIO;
  Descriptor file = receive_descriptor(socket, reason);
  if (!file.is_open()) errno = reason;
  return file;
}

// The worker's end.
class Worker : public FileGiver, public ConfinedProgress {
 public:
  Descriptor input(const std::filesystem::path& file) override {
    return asked(Word::input, file.string());
  }
  Descriptor output(const std::filesystem::path& file) override {
    return asked(Word::output, file.string());
  }
  Descriptor nameless() override {
    Descriptor file = asked(Word::nameless, {});
    if (!file.is_open()) throw system_error(errno, "make", "a temporary file");
    return file;
  }
  void file(const std::string& path) const override { say(Word::file, path); }
  void bytes(std::uint64_t done, std::uint64_t total) const override {
    Counts counts{done, total};
    say(Word::bytes, packed(counts));
  }

  void say(Word word, std::string_view text) const {
    const std::lock_guard lock(mutex_);
    send_message(kept_descriptor, word, text);
  }
  void say_all(Word word, std::string_view text) const {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), largest_message)))
      say(word, text);
  }
  void say_error(const Error& error) const {
    PlainError plain{static_cast<int>(error.code()), error.message(), error.hint(),
                     error.context()};
    say_all(Word::result, packed(plain));
    say(Word::error, {});
  }

 private:
  Descriptor asked(Word word, const std::string& text) {
    const std::lock_guard lock(mutex_);
    send_message(kept_descriptor, word, text);
    return answered_file(kept_descriptor);
  }

  mutable std::mutex mutex_;  // guards the socket: an answer goes to the requesting thread
};

// Runs in the worker; the caller stops it when necessary.
int do_work(const Descriptor& socket, const ConfinedCall& call,
            const std::function<std::string(const ConfinedProgress&)>& work) {
  ::signal(SIGQUIT, SIG_IGN);
  const std::string missing = confine_this_process(socket.get());
  Worker worker;
  take_files_from(&worker);
  if (!missing.empty()) worker.say(Word::warning, missing);
  try {
    worker.say_all(Word::result, work(worker));
    worker.say(Word::done, {});
  } catch (const Error& error) {
    worker.say_error(error);
  } catch (const std::bad_alloc&) {
    worker.say_error(Error(
        ErrorCode::bad_bundle,
        format("cannot read {}: the reader process needs more memory than allowed", call.subject),
        "get a new copy of the file from its source: it may be malicious"));
  } catch (const std::exception& error) {
    worker.say_error(Error(ErrorCode::internal, error.what()));
  }
  return 0;
}

// Reports to the caller in this process.
class DirectProgress : public ConfinedProgress {
 public:
  explicit DirectProgress(const ConfinedCall& call) : call_(call) {}
  void file(const std::string& path) const override {
    if (call_.on_file) call_.on_file(path);
  }
  void bytes(std::uint64_t done, std::uint64_t total) const override {
    if (call_.on_bytes) call_.on_bytes(done, total);
  }

 private:
  const ConfinedCall& call_;
};

// The calling end: serves the worker until it has ended.
class Caller {
 public:
  Caller(const ConfinedCall& call, pid_t worker, const Descriptor& socket)
      : call_(call), worker_(worker), socket_(socket.get()) {}
  ~Caller() {
    if (!has_ended_) {
      ::kill(worker_, SIGKILL);
      reap();
    }
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  std::string result() {
    for (;;) {
      wait_for({socket_});
      throw_if_interrupted();
      const auto message = next();
      if (!message) refuse_death(reap());
      switch (message->word) {
        case Word::result:
          if (message->text.size() > most_result - result_.size()) refuse("sent too much data");
          result_.reserve(expected_result);
          result_ += message->text;
          break;
        case Word::error:
          throw_error();
        case Word::done:
          return std::move(result_);
        default:
          serve(*message);
      }
    }
  }

 private:
  std::optional<Message> next() {
    buffer_.resize(largest_message + 1);
    ssize_t got = -1;
    do {
      got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return std::nullopt;
    const auto word = static_cast<unsigned char>(buffer_.front());
    if (word > static_cast<unsigned char>(Word::done)) refuse("sent unexpected data");
    return Message{static_cast<Word>(word),
                   std::string_view(buffer_).substr(1, static_cast<std::size_t>(got) - 1)};
  }

  void serve(const Message& message) {
    if (message.word == Word::file) {
      last_file_ = printable(message.text);
      if (call_.on_file) call_.on_file(last_file_);
    } else if (message.word == Word::bytes) {
      const auto counts = unpacked<Counts>(message.text);
      if (call_.on_bytes) call_.on_bytes(counts.done, counts.total);
    } else if (message.word == Word::warning) {
      if (call_.on_warning)
        call_.on_warning(
            format("packages are read without the full sandbox: {}", printable(message.text)));
    } else {
      give(message);
    }
  }

  void give(const Message& message) {
    errno = EACCES;
    Descriptor file;
    const std::filesystem::path path = message.text;
    const auto found = call_.found_inputs.find(path);
    if (message.word == Word::input && found != call_.found_inputs.end()) {
      file = open_input(path, found->second);
    } else if (message.word == Word::input && call_.inputs.contains(path)) {
      file = open_input(path);
    } else if (message.word == Word::output && call_.outputs.contains(path)) {
      file = open_new_output(path);
    } else if (message.word == Word::nameless) {
      file = open_nameless_file();
    }
    send_descriptor(socket_, file.get(), errno);  // or errno
  }

  [[noreturn]] void throw_error() {
    const auto plain = unpacked<PlainError>(result_);
    const bool is_known = plain.code >= 0 && plain.code <= static_cast<int>(ErrorCode::some_failed);
    throw Error(is_known ? static_cast<ErrorCode>(plain.code) : ErrorCode::bad_bundle,
                plain.message, plain.hint, plain.context);
  }

  [[noreturn]] void refuse_death(int status) {
    if (!WIFSIGNALED(status)) refuse("ended before it was done");
    const int signal = WTERMSIG(status);
    if (signal == SIGSYS) refuse("made a forbidden system call and was stopped");
    refuse(format("was killed by signal {} ({})", signal, ::strsignal(signal)));
  }

  [[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::bad_bundle,
                last_file_.empty()
                    ? format("cannot read {}: the reader process {}", call_.subject, what)
                    : format("cannot read {}: the reader process {}, last at {}", call_.subject,
                             what, in_quotes(last_file_)),
                "get a new copy of the file from its source: it may be damaged or malicious; if it "
                "is sound, this is a defect of topsctl: report it to the developers");
  }

  int reap() {
    has_ended_ = true;
    int status = 0;
    while (::waitpid(worker_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  const ConfinedCall& call_;
  pid_t worker_;
  int socket_;
  bool has_ended_ = false;
  std::string buffer_;
  std::string result_;
  std::string last_file_;
};

}  // namespace

void call_confined(const ConfinedCall& call,
                   const std::function<std::string(const ConfinedProgress&)>& work,
                   const std::function<void(std::string)>& take) {
  if (call.sandboxing == Sandboxing::off) return take(work(DirectProgress(call)));
  throw_if_interrupted();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw system_error(errno, "make", "a socket pair", ErrorCode::host_unfit);
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t worker = start_copy([&] { return do_work(theirs, call, work); });
  theirs.close();
  Caller caller(call, worker, ours);
  take(caller.result());
}

std::string call_confined(const ConfinedCall& call,
                          const std::function<std::string(const ConfinedProgress&)>& work) {
  std::string result;
  call_confined(call, work, [&](std::string bytes) { result = std::move(bytes); });
  return result;
}

}  // namespace topsctl
