// Sends logs in pieces with their file names, and writes them locally.
#include "topsctl/engine/remote/fetched_logs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t piece_timeout_ms = 60'000;
constexpr std::chrono::minutes longest_fetch(30);  // of one host
constexpr std::size_t piece_size = std::size_t{1} << 20U;
constexpr std::size_t overhead_of_piece = 64;  // bytes
constexpr std::size_t most_pieces = 40'000;    // of piece_size at most, or of a file each
constexpr std::string_view log_ending = ".log";

bool is_of_letters(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// "launch.json", or "attempt_0/rank_3.log".
bool is_log_name(std::string_view name) {
  if (name == record_name) return true;
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || !name.ends_with(log_ending)) return false;
  const std::string_view file = name.substr(slash + 1);
  return name.starts_with("attempt_") && is_of_letters(name.substr(0, slash)) &&
         is_of_letters(file.substr(0, file.size() - log_ending.size()));
}

std::vector<std::string> logs_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    if (at.depth() > 1) at.disable_recursion_pending();
    std::string name = at->path().lexically_relative(folder).string();
    const bool is_file = at->symlink_status().type() == fs::file_type::regular;
    if (is_file && name != record_name && is_log_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), record_name);
  return names;
}

Descriptor open_log(const fs::path& file, int flags) {
  Descriptor log(::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log.is_open()) throw system_error(errno, "open", file.string());
  return log;
}

// Its head in one line, then the bytes.
std::string piece_of(const std::string& name, std::string_view bytes) {
  return concat(to_line({{"name", name}}), "\n", bytes);
}

}  // namespace

void serve_logs(const Host& host, std::string_view payload,
                const std::function<void(const std::string& frame)>& say) {
  std::string logs;
  read_near_words(payload, "the log request", [&](const JsonReader& asked) {
    asked.expect_keys({"logs"});
    logs = asked.at("logs").text();
    if (!logs.starts_with('/')) asked.at("logs").reject("not an absolute path");
  });
  const fs::path folder = run_named(host, logs).log_folder;
  std::string buffer(piece_size, '\0');
  for (const std::string& log : logs_in(folder)) {
    const Descriptor from = open_log(folder / log, O_RDONLY);
    for (;;) {
      const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(errno, "read", log);
      if (got == 0) break;
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
      say(frame(FrameKind::fetched, piece_of(log, bytes)));
    }
  }
  say(frame(FrameKind::fetched, ""));
}

void fetch_logs(Remote& remote, const Target& target, const CarriedProgram& program,
                const std::string& logs, const fs::path& folder, std::uint64_t most) {
  const auto session = remote.connect();
  RemoteAgent far(*session, target, program, receive_words);
  far.expect(FrameKind::welcome, piece_timeout_ms);
  far.send(json_frame(FrameKind::fetch, {{"logs", logs}}));
  make_directories(folder, 0700);
  PaceLimit limit(piece_timeout_ms);
  const auto begun = std::chrono::steady_clock::now();
  std::size_t pieces = 0;
  std::string open_name;
  Descriptor open_file;
  for (;;) {
    const std::string payload =
        far.expect(FrameKind::fetched, std::min(piece_timeout_ms, limit.left_ms()));
    limit.count(payload.size() + overhead_of_piece);
    if (payload.empty()) break;
    if (std::chrono::steady_clock::now() - begun > longest_fetch)
      throw Error(ErrorCode::unreachable,
                  format("its logs did not arrive within {} min", longest_fetch.count()),
                  "they are still on the host");
    if (++pieces > most_pieces) throw not_of_topsctl("too many log pieces");
    const std::string_view whole = payload;
    const auto end = whole.find('\n');
    if (end == std::string_view::npos) throw not_of_topsctl("a log piece without a name");
    std::string name;
    read_far_words(whole.substr(0, end), "a log piece", [&](const JsonReader& head) {
      head.expect_keys({"name"});
      name = head.at("name").text();
      if (!is_log_name(name)) head.at("name").reject("invalid log name");
    });
    const std::string_view bytes = whole.substr(end + 1);
    if (payload.size() > most)
      throw Error(ErrorCode::unreachable, "its logs are larger than this workstation accepts",
                  "they are still on the host");
    most -= payload.size();
    if (name != open_name) {
      if (fs::exists(fs::symlink_status(folder / name)))
        throw not_of_topsctl("the pieces of a log are not consecutive");
      make_directories((folder / name).parent_path(), 0700);
      open_file = open_log(folder / name, O_WRONLY | O_CREAT | O_EXCL);
      open_name = name;
    }
    write_all(open_file, bytes, name);
  }
}

}  // namespace topsctl
