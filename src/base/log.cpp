// The log file, written through spdlog.
#include "topsctl/base/log.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// spdlog's own file sink follows links; this one uses a descriptor opened with O_NOFOLLOW.
class DescriptorSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}
  ~DescriptorSink() override { ::close(descriptor_); }
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const char* from = line.data();
    std::size_t left = line.size();
    while (left > 0) {
      const ssize_t written = ::write(descriptor_, from, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // a full disk must not stop the logged work
      from += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  void flush_() override {}

 private:
  int descriptor_;
};

}  // namespace

struct Log::Sink {
  explicit Sink(int descriptor) : logger("topsctl", std::make_shared<DescriptorSink>(descriptor)) {
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
  }
  spdlog::logger logger;
};

namespace {

// Indents further lines of an event, so that none looks like an event of its own.
std::string indented(std::string_view text) {
  std::string out;
  for (const char c : printable(text, Lines::keep)) {
    out.push_back(c);
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

Log::Log(const std::filesystem::path& file) {
  const int descriptor = ::open(
      file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0) {
    const Error error = system_error(errno, "open log file", file.string(), ErrorCode::usage);
    throw error.hint().empty()
        ? Error(error.code(), error.message(), "name a file in an existing directory")
        : error;
  }
  sink_ = std::make_unique<Sink>(descriptor);
}

Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

void Log::info(std::string_view line) {
  sink_->logger.info(indented(line));
}
void Log::warning(std::string_view line) {
  sink_->logger.warn(indented(line));
}
void Log::error(std::string_view line) {
  sink_->logger.error(indented(line));
}

}  // namespace topsctl
