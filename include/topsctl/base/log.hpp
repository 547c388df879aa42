// The log: one line per event in a file, for later analysis.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace topsctl {

// Appends to a file, created with mode 0600. Does not follow a link. Throws Error if the file
// cannot be opened.
class Log {
 public:
  explicit Log(const std::filesystem::path& file);
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  void info(std::string_view line);
  void warning(std::string_view line);
  void error(std::string_view line);

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace topsctl
