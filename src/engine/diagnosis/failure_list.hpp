// The list of failures that torchrun prints behind ChildFailedError.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace topsctl {

// Takes the list line by line. Closes after 400 lines, or after the root cause.
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
