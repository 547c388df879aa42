// Writes copies of reports to the host.
#include "topsctl/engine/operations/report_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t most_log = 1LL << 20U;

// The last part of a file, from the start of a line.
std::string last_bytes(const std::filesystem::path& file, std::int64_t most) {
  std::ifstream input(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::int64_t>(input.tellg());
  input.seekg(std::max<std::int64_t>(0, size - most));
  std::string text(std::istreambuf_iterator<char>(input), {});
  if (size > most) text.erase(0, text.find('\n') + 1);
  return text;
}

// Returns a warning if it had to use another name: a file cannot replace a nonempty directory.
// Throws Error.
std::optional<std::string> leave(const Host& host, const std::string& path,
                                 const std::string& bytes, mode_t mode) {
  const fs::path file = host.resolve_parent(path);
  try {
    write_plainly(file, bytes, mode);
    return std::nullopt;
  } catch (const Error&) {
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(file, ignored))) throw;
  }
  constexpr std::size_t random_name_bytes = 8;
  const fs::path usual(path);
  const std::string other =
      concat(usual.parent_path().string(), "/", usual.stem().string(), "-",
             hex_text(random_bytes(random_name_bytes)), usual.extension().string());
  write_plainly(host.resolve_parent(other), bytes, mode);
  return format("{} is a directory: the file was written to {} instead", in_quotes(path),
                in_quotes(other));
}

}  // namespace

std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text) {
  std::vector<std::string> warnings;
  const auto write = [&](const std::string& path, const std::string& bytes, mode_t mode) {
    try {
      if (const auto warning = leave(host, path, bytes, mode)) warnings.push_back(*warning);
    } catch (const Error& error) {
      warnings.push_back(error.message());
    }
  };
  write(concat(traditional_report, ".json"), json, 0644);
  write(concat(traditional_report, ".txt"), text, 0644);
  try {
    const auto log = host.resolve(concat(host.logs, "/", transaction, ".log"));
    write(traditional_log, last_bytes(log, most_log), 0600);
  } catch (const std::exception& error) {
    warnings.emplace_back(error.what());
  }
  return warnings;
}

std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text) {
  std::vector<std::string> warnings;
  const auto write = [&](const char* path, const std::string& bytes) {
    try {
      if (const auto warning = leave(host, path, bytes, 0644)) warnings.push_back(*warning);
    } catch (const Error& error) {
      // The other file fails for the same reason, for example because another user owns it.
      if (warnings.empty())
        warnings.push_back(format("cannot write the results to /tmp: {}", error.message()));
    }
  };
  write(traditional_results, json);
  write(traditional_test_report, text);
  return warnings;
}

}  // namespace topsctl
