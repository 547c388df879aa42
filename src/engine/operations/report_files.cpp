// Leaves reports on the machine.
#include "topsctl/engine/operations/report_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_log = 1LL << 20U;

// The end of a file, from the start of a line.
std::string last_bytes(const std::filesystem::path& file, std::int64_t most) {
  std::ifstream input(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::int64_t>(input.tellg());
  input.seekg(std::max<std::int64_t>(0, size - most));
  std::string text(std::istreambuf_iterator<char>(input), {});
  if (size > most) text.erase(0, text.find('\n') + 1);
  return text;
}

}  // namespace

std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text) {
  std::vector<std::string> warnings;
  const auto write = [&](const std::string& path, const std::string& bytes, mode_t mode) {
    try {
      write_plainly(host.resolve_parent(path), bytes, mode);
    } catch (const Error& error) {
      warnings.push_back(error.message());
    }
  };
  write(concat(traditional_report, ".json"), json, 0644);
  write(concat(traditional_report, ".txt"), text, 0644);
  try {
    const auto log = host.resolve(concat(log_directory, "/", transaction, ".log"));
    write(traditional_log, last_bytes(log, most_log), 0600);
  } catch (const std::exception& error) {
    warnings.emplace_back(error.what());
  }
  return warnings;
}

std::vector<std::string> leave_test_results(const Host& host, const std::string& json,
                                            const std::string& text) {
  std::vector<std::string> warnings;
  const auto leave = [&](const char* path, const std::string& bytes) {
    try {
      write_plainly(host.resolve_parent(path), bytes, 0644);
    } catch (const Error& error) {
      // The other one fails for the same reason, such as that another user has left it.
      if (warnings.empty())
        warnings.push_back(format("the results could not be left in /tmp: {}", error.message()));
    }
  };
  leave(traditional_results, json);
  leave(traditional_test_report, text);
  return warnings;
}

}  // namespace topsctl
