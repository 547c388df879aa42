// The one exception of the program, and the exit codes it maps to.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Exit statuses as documented in docs/exit-codes.md.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,
  bad_input = 3,
  host_unfit = 4,
  problems = 5,
  unreachable = 6,
  rollback_incomplete = 7,
  rolled_back = 8,
  partial = 9,
  unfinished = 10,
  interrupted = 130,
  terminated = 143,
};

enum class ErrorCode {
  internal,             // a defect or an unforeseen system error
  usage,                // the command line is wrong
  bad_bundle,           // the bundle is missing, empty or incomplete
  bad_package,          // a package cannot be read or is not what it claims
  bad_stack,            // a stack file is unknown or malformed
  bad_input,            // other given files are missing, empty or malformed
  host_unfit,           // the host cannot apply the plan
  permission,           // not root, or a place that may not be written
  busy,                 // another program holds a lock
  no_space,             // a file system is too full
  exhausted,            // no descriptor or no memory is left
  journal_damaged,      // a transaction's record cannot be read
  step_failed,          // a step of the plan failed
  checks_failed,        // a check of the plan failed
  rollback_incomplete,  // paths differ after a restore
  unfinished,           // a restore lacks space or descriptors: it can continue later
  interrupted,          // SIGINT
  terminated,           // SIGTERM
  unconfirmed,          // the transaction was not confirmed in time, and was restored
  unreachable,          // a remote host cannot be reached, logged in to, or trusted
  some_failed,          // a command for several targets failed for some of them
};

// The name used in JSON, e.g. "bad_bundle".
std::string_view name(ErrorCode code);
std::optional<ErrorCode> error_code_named(std::string_view name);
// The name used in JSON as `status`, e.g. "rolled_back".
std::string_view name(ExitCode code);
// The exit status of an error that reached the top with nothing changed.
ExitCode exit_code(ErrorCode code);
// Whether a retry may succeed later, when space or another resource is free again.
bool is_passing(ErrorCode code);

// Thrown for every failure. `context` goes from the outermost circumstance to the innermost; `hint`
// says how to proceed. Both are in the current language.
class Error : public std::exception {
 public:
  Error(ErrorCode code, const std::string& message, const std::string& hint = {},
        std::vector<std::string> context = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const std::vector<std::string>& context() const { return context_; }
  // The same error with one more outer circumstance.
  Error within(std::string circumstance) const;
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
  std::string hint_;
  std::vector<std::string> context_;
};

// An Error from errno: "cannot <act> '<path>': <strerror>". EACCES, EPERM and EROFS become
// `permission`, ENOSPC and EDQUOT `no_space`, EMFILE, ENFILE and ENOMEM `exhausted`, all else
// `fallback`.
Error system_error(int errno_value, std::string_view act, std::string_view path,
                   ErrorCode fallback = ErrorCode::internal);

// Error{bad_package} with a hint for a file that is damaged or truncated.
Error damaged_file(std::string message);
// The same: "cannot read '<file>': <why>".
Error unreadable_file(std::string_view file, std::string_view why);

}  // namespace topsctl
