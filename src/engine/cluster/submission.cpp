// Runs the command, and reads its output and that of rank 0 at the same time.
#include "topsctl/engine/cluster/submission.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/launch/rank_log.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/supervisor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t between_looks_ms = 500;
constexpr std::size_t output_piece = std::size_t{64} << 10U;
constexpr std::size_t longest_line = output_piece;
constexpr std::uint64_t most_folders_text = 65'536;
constexpr const char* told_folders = "submitted";
constexpr const char* own_log = "submit.log";

// Follows a file that another process writes, line by line.
class Follower {
 public:
  void open(const fs::path& file) {
    if (!file_.is_open())
      file_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (file_.is_open() && (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)))
      file_ = Descriptor();
  }

  void take(const std::function<void(std::string_view)>& on_line) {
    std::array<char, output_piece> piece{};
    while (file_.is_open()) {
      const ssize_t got = ::read(file_.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      rest_.append(piece.data(), static_cast<std::size_t>(got));
      give_lines(on_line);
    }
  }

 private:
  void give_lines(const std::function<void(std::string_view)>& on_line) {
    std::size_t from = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
      on_line(std::string_view(rest_).substr(from, end - from));
      from = end + 1;
    }
    rest_.erase(0, from);
    if (rest_.size() <= longest_line) return;
    on_line(rest_);
    rest_.clear();
  }

  Descriptor file_;
  std::string rest_;
};

class OutputFollower {
 public:
  explicit OutputFollower(const Submission& submission)
      : submission_(submission), said_(submission.folder / own_log) {}

  SubmittedJob run() {
    const fs::path told = submission_.folder / told_folders;
    std::map<std::string, std::string> environment = submission_.environment;
    environment["TOPSCTL_SUBMITTED"] = told.string();
    Pipe output = make_pipe();
    ::fcntl(output.read_end.get(), F_SETFL, O_NONBLOCK);
    Supervisor supervisor;
    program_ = supervisor.start(submission_.command, environment, output.write_end);
    output.write_end = Descriptor();
    while (!supervisor.is_over()) {
      static_cast<void>(
          wait_for({output.read_end.get(), supervisor.descriptor()}, WaitLimit(between_looks_ms)));
      look_for_signals(supervisor);
      supervisor.reap();
      take(output.read_end);
      look_at_logs(told);
      // Remaining child processes do not follow the job.
      if (supervisor.status(program_)) break;
    }
    job_.status = supervisor.status(program_).value_or(signal_base + SIGKILL);
    take(output.read_end);
    said_.end(std::chrono::system_clock::now(), submission_.on_engine_line);
    look_at_logs(told);
    return std::move(job_);
  }

 private:
  void take(Descriptor& output) {
    std::array<char, output_piece> piece{};
    while (output.is_open()) {
      const ssize_t got = ::read(output.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) output = Descriptor();
      if (got <= 0) return;
      said_.take({piece.data(), static_cast<std::size_t>(got)}, std::chrono::system_clock::now(),
                 submission_.on_engine_line);
    }
  }

  // The first signal makes the command stop the job, which takes a while.
  void look_for_signals(const Supervisor& supervisor) {
    try {
      throw_if_interrupted();
      return;
    } catch (const Error& error) {
      if (job_.ended_by) supervisor.signal_all(SIGKILL);
      job_.ended_by = error.code() == ErrorCode::interrupted ? SIGINT : SIGTERM;
    }
    clear_interrupt();
    ::kill(program_, SIGTERM);
  }

  void look_at_logs(const fs::path& told) {
    if (job_.log_folders.empty()) {
      const std::string text = read_text_if_present(told, most_folders_text).value_or("");
      if (!text.ends_with('\n')) return;
      for (std::string& line : split(text, '\n')) {
        if (!line.empty()) job_.log_folders.push_back(std::move(line));
      }
    }
    if (job_.log_folders.empty()) return;
    rank_.open(fs::path(job_.log_folders.front()) / "rank_0.log");
    rank_.take(submission_.on_rank_line);
    for (const std::string& log : job_.log_folders) {
      Follower& follower = logs_[log];  // opens files only
      follower.open(log);
      follower.take(submission_.on_engine_line);
    }
  }

  const Submission& submission_;
  RankLog said_;
  Follower rank_;
  std::map<std::string, Follower> logs_;  // of the engine
  pid_t program_ = 0;
  SubmittedJob job_;
};

void judge(const Submission& submission, SubmittedJob& job) {
  try {
    std::vector<std::string> seen;
    for (const std::string& folder : job.log_folders) {
      std::error_code failure;
      if (fs::exists(folder, failure)) seen.push_back(folder);
    }
    if (seen.empty())
      throw Error(ErrorCode::bad_input,
                  format("{} is not visible on this host", in_quotes(job.log_folders.front())), "");
    seen.push_back(submission.folder / own_log);
    const DiagnosisCatalogue catalogue = known_diagnoses(submission.backend);
    const LogMatcher matcher(catalogue);
    const LogTimeline story = read_logs(matcher, find_log_files(seen), {});
    job.judgement = judge_logs(catalogue, story, job.status, submission.language);
  } catch (const Error& error) {
    job.log_problem = error.message();
  }
}

}  // namespace

SubmittedJob submit_job(const Submission& submission) {
  SubmittedJob job = OutputFollower(submission).run();
  if (job.status != 0 && job.ended_by) job.status = signal_base + *job.ended_by;
  if (job.status != 0 && !job.ended_by && !job.log_folders.empty()) judge(submission, job);
  return job;
}

}  // namespace topsctl
