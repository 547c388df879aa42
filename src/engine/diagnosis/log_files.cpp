// Finds logs, and reads each through its decompressor.
#include "topsctl/engine/diagnosis/log_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/diagnosis/line_label.hpp"
#include "engine/diagnosis/log_reader.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/given_files.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* standard_input = "standard input";
constexpr std::size_t most_log_files = 20'000;
constexpr std::size_t head_of_log = std::size_t{4} << 10U;  // bytes that distinguish text from
                                                            // other data
constexpr std::uint64_t most_error_json = 1U << 20U;
constexpr std::array<std::string_view, 22> no_logs = {
    ".py",   ".pyc", ".so",  ".pt",  ".pth",  ".bin",        ".npy", ".npz",
    ".yaml", ".yml", ".whl", ".deb", ".json", ".onnx",       ".png", ".jpg",
    ".csv",  ".tar", ".zip", ".pkl", ".ckpt", ".safetensors"};

[[noreturn]] void refuse_log(const std::string& message) {
  throw Error(ErrorCode::bad_input, message,
              "give the job's log files, the directory of torchrun's --log_dir, or a run of "
              "`topsctl runs`");
}

// A single NUL is allowed: PyTorch ends its message on a bus error with one.
bool is_text(std::string_view head) {
  constexpr std::ptrdiff_t bytes_for_a_nul = 256;
  return std::count(head.begin(), head.end(), '\0') * bytes_for_a_nul <=
         static_cast<std::ptrdiff_t>(head.size()) + bytes_for_a_nul;
}

bool can_be_log(const fs::path& file) {
  if (file.filename() == "error.json") return true;
  const std::string extension = lower_case(file.extension().string());
  return std::find(no_logs.begin(), no_logs.end(), extension) == no_logs.end();
}

void add_folder(const fs::path& folder, std::vector<JobLog>& files) {
  std::vector<fs::path> found;
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, failure);
  if (failure) throw system_error(failure.value(), "read", folder.string(), ErrorCode::bad_input);
  for (; at != fs::recursive_directory_iterator(); at.increment(failure)) {
    if (failure) throw system_error(failure.value(), "read", folder.string(), ErrorCode::bad_input);
    const fs::file_type type = at->symlink_status(failure).type();
    // Its path is too long to be opened, and so are those below it.
    if (failure) at.disable_recursion_pending();
    if (type != fs::file_type::regular || !can_be_log(at->path())) continue;
    found.push_back(at->path());
    if (found.size() > most_log_files)
      refuse_log(
          format("cannot read {}: more than {} files", in_quotes(folder.string()), most_log_files));
  }
  std::sort(found.begin(), found.end());
  for (const fs::path& file : found)
    files.push_back({file, file.string(), rank_of_path(file), attempt_of_path(file), folder});
}

// The content of torchrun's error.json for a rank: the traceback, and its time.
void read_error_json(Source& source, const JobLog& file, LogReader& reader) {
  const Json document = parse_json(whole_text(source, most_error_json, file.shown), file.shown);
  const auto message = document.find("message");
  if (message == document.end() || !message->is_object()) return;
  const auto extra = message->find("extraInfo");
  if (extra == message->end() || !extra->is_object()) return;
  const auto stack = extra->find("py_callstack");
  if (stack == extra->end() || !stack->is_string()) return;
  reader.take(concat(stack->get<std::string>(), "\n"));
}

void read_text_log(PeekedSource& source, LogReader& reader, LogSource& told) {
  if (!is_text(source.peek(head_of_log))) {
    told.problem = "not a text file";
    return;
  }
  for (std::string_view piece = source.piece(); !piece.empty(); piece = source.piece()) {
    told.bytes += piece.size();
    reader.take(piece);
  }
}

// The content of an archive's current entry.
class EntrySource : public Source {
 public:
  explicit EntrySource(TarReader& archive) : archive_(archive) {}
  std::string_view piece() override { return archive_.piece(); }

 private:
  TarReader& archive_;
};

void read_source(std::unique_ptr<Source> bytes, const LogMatcher& matcher,
                 LogMatcher::Effort& effort, const JobLog& file, LogTimeline& story);

// Each log of an archive, by its path in it.
void read_archive(Source& bytes, const LogMatcher& matcher, LogMatcher::Effort& effort,
                  const JobLog& file, LogTimeline& story) {
  TarReader archive(bytes, in_quotes(file.shown));
  std::size_t count = 0;
  while (const auto entry = archive.next()) {
    if (entry->type != PayloadEntry::Type::file || !can_be_log(entry->path)) continue;
    if (++count > most_log_files) break;
    const std::string shown = concat(file.shown, "!", printable(entry->path));
    const JobLog log{entry->path, shown, rank_of_path(entry->path), attempt_of_path(entry->path)};
    read_source(std::make_unique<EntrySource>(archive), matcher, effort, log, story);
  }
  if (count == 0) story.sources.push_back({file.shown, 0, file.rank, "no log in the archive"});
}

bool is_archive(std::string_view head) {
  constexpr std::size_t magic_at = 257;
  return head.size() > magic_at && head.substr(magic_at).starts_with("ustar");
}

void read_source(std::unique_ptr<Source> bytes, const LogMatcher& matcher,
                 LogMatcher::Effort& effort, const JobLog& file, LogTimeline& story) {
  LogSource told{file.shown, 0, file.rank, {}};
  LogReader reader(matcher, effort, story, file.shown, file.rank, file.attempt);
  try {
    auto raw = std::make_unique<PeekedSource>(std::move(bytes));
    const std::string_view compression = compression_of(raw->peek(18));
    std::unique_ptr<Source> plain = std::move(raw);
    if (compression != "none")
      plain = decompressed(std::move(plain), compression, {}, in_quotes(file.shown));
    PeekedSource source(std::move(plain));
    if (is_archive(source.peek(head_of_log))) {
      read_archive(source, matcher, effort, file, story);
      return;
    }
    if (file.file.filename() == "error.json")
      read_error_json(source, file, reader);
    else
      read_text_log(source, reader, told);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    told.problem = error.message();
  }
  reader.end();
  if (effort.was_short() && told.problem.empty())
    told.problem =
        format("too many lines resemble known errors: not all were compared with each of them");
  story.sources.push_back(std::move(told));
}

void read_log(const LogMatcher& matcher, LogMatcher::Effort& effort, const JobLog& file,
              LogTimeline& story) {
  try {
    read_source(file_source(file.file, file.found_below), matcher, effort, file, story);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    story.sources.push_back({file.shown, 0, file.rank, error.message()});
  }
}

}  // namespace

std::vector<JobLog> find_log_files(const std::vector<std::string>& paths) {
  std::vector<JobLog> files;
  for (const std::string& path : paths) {
    if (path == "-") {
      files.push_back({{}, standard_input, std::nullopt, 0});
      continue;
    }
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (!fs::exists(status)) refuse_log(format("cannot read {}: no such file", missing_path(path)));
    if (fs::is_directory(status))
      add_folder(path, files);
    else
      files.push_back({path, path, rank_of_path(path), attempt_of_path(path)});
  }
  if (files.empty())
    refuse_log(format("no log in {}", in_quotes(paths.empty() ? "" : paths.front())));
  return files;
}

LogTimeline read_logs(const LogMatcher& matcher, const std::vector<JobLog>& found,
                      const SandboxWish& wish) {
  // Saves a pipe's bytes in a file first: the unprivileged reader opens only regular files.
  Descriptor kept;
  std::vector<JobLog> files = found;
  for (JobLog& file : files) {
    if (!file.file.empty()) continue;
    if (kept.is_open()) refuse_log("standard input is given more than once");
    kept = saved_pipe(STDIN_FILENO, standard_input);
    file.file = concat("/proc/self/fd/", kept.get());
  }
  ConfinedCall call;
  call.sandboxing = wish.sandboxing;
  call.subject = in_quotes(files.front().shown);
  call.on_warning = wish.on_warning;
  for (const JobLog& file : files) {
    if (file.found_below.empty())
      call.inputs.insert(file.file);
    else
      call.found_inputs.emplace(file.file, file.found_below);
  }
  LogTimeline story = confined<LogTimeline>(call, [&](const ConfinedProgress& progress) {
    LogTimeline inner;
    LogMatcher::Effort effort;
    for (const JobLog& file : files) {
      progress.file(file.shown);
      read_log(matcher, effort, file, inner);
    }
    return inner;
  });
  const bool is_all_empty = std::all_of(
      story.sources.begin(), story.sources.end(),
      [](const LogSource& source) { return source.bytes == 0 && source.problem.empty(); });
  if (is_all_empty && story.tracebacks.empty())
    refuse_log(format("no log in {}: every file is empty", call.subject));
  return story;
}

}  // namespace topsctl
