// The forms that lines have: Python's exceptions and frames, quoted data, torchrun's list of
// failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// "Type: message", or only a type with its module, as at the end of Python's tracebacks.
bool is_exception(std::string_view words);
// The line before a traceback of an ignored exception.
bool is_of_what_python_ignores(std::string_view words);
// "  File "train.py", line 6, in main", or without the function, as for a SyntaxError.
bool is_frame(std::string_view words);

// The last line of a traceback: "Type: message"; empty if the log is truncated before it.
std::string_view exception_of(std::string_view traceback);

struct CodeFrame {
  std::string_view file;
  int line = 0;
  std::string_view function;  // empty: unknown
};
// The last frame in the user's own code: outside of installed packages and of Python itself.
std::optional<CodeFrame> last_own_frame(std::string_view traceback);

// The traceback without the quoted source lines, whose text did not happen.
std::string without_source_lines(std::string_view traceback);

// A line split at its quotation marks. A message that a logger quotes is not a quotation.
struct QuotedLine {
  std::string around;                    // the line with empty quotations
  std::vector<std::string_view> quoted;  // their contents
};
QuotedLine quoted_line(std::string_view words);

// "srun: error: node07: task 2: Exited with exit code 1": the status; 0: another line.
int srun_status(std::string_view words);

// Reads the list line by line. Ends after 400 lines, or after the root cause.
class FailureList {
 public:
  struct Failure {
    std::optional<int> rank;
    std::optional<std::int64_t> time_ms;
    int status = 0;
    bool is_root_cause = false;
  };
  enum class Line { other, of_list, failure };

  void begin();
  bool is_open() const { return left_ > 0; }
  // Returns `failure` after a line with an exit status: last() is complete then. A status that
  // cannot be read is 0.
  Line take(std::string_view words);
  const Failure& last() const { return last_; }

 private:
  int left_ = 0;  // lines
  Failure last_;
};

}  // namespace topsctl
