// Starts remote commands, and finds them again after a lost connection.
#include "topsctl/engine/remote/remote_run.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/random.hpp"
#include "topsctl/host/system/waiting.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t run_answer_timeout_ms = 60'000;
constexpr std::chrono::seconds silence(60);
constexpr std::size_t run_id_bytes = 16;
constexpr unsigned most_interrupts = 20;
constexpr std::ptrdiff_t most_values = 1'000'000;  // in a report: each takes memory
constexpr std::size_t longest_command = 100;       // bytes of its name for display

class Following {
 public:
  // `run` must outlive it.
  explicit Following(const RemoteRun& run)
      : run_(run),
        patience_(run.command.timeout_ms),
        begun_at_(run.clock.steady()),
        request_(request_of(run.command)),
        may_run_(run.command.has_begun) {}

  unsigned reconnects() const { return reconnects_; }
  std::int64_t clock_offset_ms() const { return clock_offset_ms_; }

  RemoteRunEnd run() {
    for (;;) {
      try {
        return follow();
      } catch (const Error& error) {
        throw_if_interrupted();
        if (!is_loss(error)) throw;
        if (dynamic_cast<const ConnectionLost*>(&error) == nullptr &&
            ++interrupts_ > most_interrupts)
          throw Error(ErrorCode::unreachable, "the remote topsctl is interrupted again and again");
        const auto now = run_.clock.steady();
        if (!may_run_ && !run_.command.was_reached) throw;
        if (!lost_at_) lost_at_ = now;
        if (now - *lost_at_ > patience_) {
          if (!may_run_) throw;
          throw lost_for_good(error);
        }
        ++reconnects_;
        pause_for(std::chrono::seconds(1));
      }
    }
  }

 private:
  static RemoteRunRequest request_of(const RemoteCommand& command) {
    RemoteRunRequest request;
    request.id = command.id.empty() ? new_run_id() : command.id;
    request.has_begun = command.has_begun;
    request.words = command.words;
    // The remote host's language belongs to its own users.
    request.words.push_back(concat("--lang=", name(used_language())));
    request.run_as = command.run_as;
    request.lock = command.lock;
    request.stack = command.stack;
    request.job = command.job;
    request.reading = command.reading;
    request.directory = command.directory;
    return request;
  }

  // The remote topsctl of the connection was asked to stop; the command was not.
  static bool is_loss(const Error& error) {
    return dynamic_cast<const ConnectionLost*>(&error) != nullptr ||
           error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated;
  }

  RemoteRunEnd follow() {
    const auto session = run_.remote.connect();
    RemoteAgent far(*session, run_.target, run_.program, receive_words);
    const AgentWelcome welcome =
        parse_welcome(far.expect(FrameKind::welcome, run_answer_timeout_ms));
    clock_offset_ms_ =
        std::chrono::duration_cast<std::chrono::milliseconds>(welcome.time - run_.clock.now())
            .count();
    // From here on the command may have begun; a repeated request finds it by its id.
    may_run_ = true;
    send_password(far);
    far.send(json_frame(FrameKind::run, to_json(request_)));
    for (;;) {
      const auto found = far.next(run_answer_timeout_ms);
      if (!found) throw ConnectionLost("the remote topsctl stopped responding");
      lost_at_.reset();
      request_.has_begun = true;
      require_end_in_time();
      if (found->kind == FrameKind::result) return parse_run_end(found->payload);
      if (found->kind != FrameKind::event)
        throw Error(ErrorCode::unreachable, "the remote topsctl sent unrequested data");
      request_.events_from += found->payload.size();
      take_lines(found->payload);
      tell_silence(!found->payload.empty());
    }
  }

  void require_end_in_time() const {
    if (run_.is_given_up && run_.is_given_up())
      throw RunLost("the remote run was told to stop and does not end",
                    "`topsctl runs` on the host shows whether it still runs");
    const std::chrono::milliseconds most(run_.command.most_ms);
    if (most.count() > 0 && run_.clock.steady() - begun_at_ > most)
      throw Error(ErrorCode::unreachable, "the remote topsctl does not end");
  }

  // Not copied into any text of ours that would have to be wiped.
  void send_password(RemoteAgent& far) const {
    const std::string_view password = run_.command.sudo_password.view();
    if (password.empty()) return;
    far.send(frame_head(FrameKind::secret, password.size()));
    far.send(password);
  }

  // A host that is at work, and one that only says so, look alike: the reader decides.
  void tell_silence(bool has_words) {
    const auto now = run_.clock.steady();
    if (has_words || !heard_at_) heard_at_ = now;
    if (!run_.on_silence || now - *heard_at_ < silence) return;
    heard_at_ = now;
    run_.on_silence(silence);
  }

  void take_lines(const std::string& bytes) {
    for (const char c : bytes) {
      constexpr std::size_t longest = 8192;
      if (c == '\n') {
        run_.on_line(line_);
        line_.clear();
      } else if (line_.size() < longest) {
        line_.push_back(c);
      }
    }
  }

  static RunLost lost_for_good(const Error& last) {
    return RunLost(
        format("the connection was lost during the run and could not be re-established: {}",
               last.message()),
        "it continues on the host and will be committed or rolled back; `topsctl history` on the "
        "host shows which");
  }

  const RemoteRun& run_;
  const std::chrono::milliseconds patience_;
  const std::chrono::steady_clock::time_point begun_at_;
  RemoteRunRequest request_;
  unsigned reconnects_ = 0;
  unsigned interrupts_ = 0;  // of the remote topsctl, by its own report
  std::int64_t clock_offset_ms_ = 0;
  std::string line_;
  bool may_run_;
  std::optional<std::chrono::steady_clock::time_point> lost_at_;
  std::optional<std::chrono::steady_clock::time_point> heard_at_;  // the last words, or their lack
};

[[noreturn]] void refuse_end(const RemoteRunEnd& end, const RemoteCommand& command) {
  std::string words = last_words(end.last_words);
  // A host may repeat what it received.
  const std::string_view password = command.sudo_password.view();
  for (std::size_t at = 0;
       !password.empty() && (at = words.find(password, at)) != std::string::npos;)
    words.replace(at, password.size(), "***");
  if (end.status < 0) {
    throw RunLost("the remote run was interrupted before it finished, possibly by a reboot",
                  "`sudo topsctl recover` on the host rolls back what it left unfinished");
  }
  if (end.report.empty() && command.run_as == RunAs::root &&
      end.last_words.find("sudo:") != std::string::npos) {
    throw Error(ErrorCode::permission, format("sudo refused: {}", words),
                command.sudo_password.is_empty()
                    ? "give the password with --ask-sudo-pass, or log in as root"
                    : "check that the password is correct");
  }
  throw Error(ErrorCode::unreachable,
              format("the remote topsctl returned no report and ended with status {}{}", end.status,
                     words.empty() ? "" : concat(": ", words)),
              "run it on the host itself for details");
}

// Empty for a missing value, or one that is not text.
std::string report_text_in(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

// What a report of success cannot have; empty: nothing.
std::string failure_in(const Json& document) {
  const std::string outcome = report_text_in(document, "outcome");
  if (outcome == name(Outcome::rollback_incomplete) || outcome == name(Outcome::unfinished) ||
      outcome == name(Outcome::failed_before_change))
    return outcome;
  const std::string command = report_text_in(document, "command");
  const std::string verdict = report_text_in(document, "verdict");
  if (command == "doctor" && verdict == "problems") return verdict;
  const auto checks = document.find("checks");
  if (command != "verify" || checks == document.end()) return {};
  const std::string fail(name(CheckStatus::fail));
  const bool has_failed = std::any_of(checks->begin(), checks->end(), [&](const Json& check) {
    return check.is_object() && report_text_in(check, "status") == fail;
  });
  return has_failed ? fail : std::string();
}

RemoteReport report_of(const RemoteRunEnd& end, const RemoteCommand& command) {
  if (std::count(end.report.begin(), end.report.end(), ',') > most_values)
    throw Error(ErrorCode::unreachable, "the report of the remote topsctl is too large");
  try {
    Json document = parse_json(end.report, "its report");
    const bool is_report = document.is_object() && document.contains("status") &&
                           document.contains("command") && document.contains("error");
    if (!is_report) refuse_end(end, command);
    const std::string said = report_text_in(document, "command");
    if (std::find(command.words.begin(), command.words.end(), said) == command.words.end())
      throw Error(ErrorCode::unreachable,
                  format("the remote topsctl reports on another command: {}",
                         in_quotes(shortened(said, longest_command))));
    const std::string status = report_text_in(document, "status");
    const std::string failure = end.status == 0 ? failure_in(document) : std::string();
    if ((end.status == 0) != (status == "ok") || !failure.empty())
      throw Error(
          ErrorCode::unreachable,
          format("the remote topsctl contradicts itself: exit status {}, and {} in its report",
                 end.status,
                 in_quotes(failure.empty() ? shortened(status, longest_command) : failure)));
    RemoteReport report;
    report.status = end.status;
    if (!document["error"].is_null()) report.error = parse_failure(to_line(document["error"]));
    report.outcome = report_text_in(document, "outcome");
    report.message = report_text_in(document, "msg");
    report.awaits_confirmation = !report_text_in(document, "confirm_until").empty();
    const auto transaction = document.find("transaction");
    if (transaction != document.end() && transaction->is_number_unsigned())
      report.transaction = transaction->get<std::int64_t>();
    const auto changed = document.find("changed");
    report.changed = changed != document.end() && changed->is_boolean() && changed->get<bool>();
    report.document = std::move(document);
    return report;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_stack) throw;
    refuse_end(end, command);
  }
}

}  // namespace

std::string new_run_id() {
  return hex_text(random_bytes(run_id_bytes));
}

RemoteReport run_remote(const RemoteRun& run) {
  RemoteRun as_json = run;
  std::vector<std::string>& words = as_json.command.words;
  words.insert(words.end(), {"--json", "--events"});
  Following following(as_json);
  RemoteReport report = report_of(following.run(), run.command);
  report.reconnects = following.reconnects();
  report.clock_offset_ms = following.clock_offset_ms();
  return report;
}

RemoteRunEnd run_remote_as_text(const RemoteRun& run) {
  RemoteRunEnd end = Following(run).run();
  const bool is_refused = end.report.empty() && end.last_words.find("sudo:") != std::string::npos;
  if (end.status < 0 || is_refused) refuse_end(end, run.command);
  return end;
}

}  // namespace topsctl
