// Leaves reports on the machine.
#include "topsctl/engine/report_files.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

std::vector<std::string> leave_report(const Host& host, std::int64_t transaction,
                                      const std::string& json, const std::string& text) {
  std::vector<std::string> warnings;
  const auto write = [&](const std::string& path, const std::string& bytes, mode_t mode) {
    try {
      write_plainly(host.at(path), bytes, mode);
    } catch (const Error& error) {
      warnings.push_back(error.message());
    }
  };
  write(concat(state_directory, "/transactions/", transaction, "/report.json"), json, 0600);
  write(concat(traditional_report, ".json"), json, 0644);
  write(concat(traditional_report, ".txt"), text, 0644);
  const auto log = host.behind(concat(log_directory, "/", transaction, ".log"));
  write(traditional_log, read_text_if_present(log).value_or(""), 0600);
  return warnings;
}

}  // namespace topsctl
