// Names, exit codes and construction of Error.
#include "topsctl/base/error.hpp"

#include <cerrno>
#include <system_error>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::internal:
      return "internal";
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::bad_bundle:
      return "bad_bundle";
    case ErrorCode::bad_package:
      return "bad_package";
    case ErrorCode::bad_stack:
      return "bad_stack";
    case ErrorCode::bad_input:
      return "bad_input";
    case ErrorCode::host_unfit:
      return "host_unfit";
    case ErrorCode::permission:
      return "permission";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::no_space:
      return "no_space";
    case ErrorCode::exhausted:
      return "exhausted";
    case ErrorCode::journal_damaged:
      return "journal_damaged";
    case ErrorCode::step_failed:
      return "step_failed";
    case ErrorCode::checks_failed:
      return "checks_failed";
    case ErrorCode::rollback_incomplete:
      return "rollback_incomplete";
    case ErrorCode::unfinished:
      return "unfinished";
    case ErrorCode::interrupted:
      return "interrupted";
    case ErrorCode::terminated:
      return "terminated";
    case ErrorCode::unconfirmed:
      return "unconfirmed";
    case ErrorCode::unreachable:
      return "unreachable";
    case ErrorCode::some_failed:
      return "some_failed";
  }
  return "internal";
}

std::optional<ErrorCode> error_code_named(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::some_failed); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (name(code) == text) return code;
  }
  return std::nullopt;
}

std::string_view name(ExitCode code) {
  switch (code) {
    case ExitCode::done:
      return "ok";
    case ExitCode::failed:
      return "failed";
    case ExitCode::usage:
      return "usage";
    case ExitCode::bad_input:
      return "bad_input";
    case ExitCode::host_unfit:
      return "host_unfit";
    case ExitCode::problems:
      return "problems";
    case ExitCode::unreachable:
      return "unreachable";
    case ExitCode::rollback_incomplete:
      return "rollback_incomplete";
    case ExitCode::rolled_back:
      return "rolled_back";
    case ExitCode::partial:
      return "partial";
    case ExitCode::unfinished:
      return "unfinished";
    case ExitCode::interrupted:
      return "interrupted";
    case ExitCode::terminated:
      return "terminated";
  }
  return "failed";
}

ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return ExitCode::usage;
    case ErrorCode::bad_bundle:
    case ErrorCode::bad_package:
    case ErrorCode::bad_input:
    case ErrorCode::bad_stack:
      return ExitCode::bad_input;
    case ErrorCode::host_unfit:
    case ErrorCode::permission:
    case ErrorCode::busy:
    case ErrorCode::no_space:
    case ErrorCode::exhausted:
      return ExitCode::host_unfit;
    case ErrorCode::checks_failed:
      return ExitCode::problems;
    case ErrorCode::rollback_incomplete:
    case ErrorCode::journal_damaged:
      return ExitCode::rollback_incomplete;
    case ErrorCode::unfinished:
      return ExitCode::unfinished;
    case ErrorCode::interrupted:
      return ExitCode::interrupted;
    case ErrorCode::unconfirmed:
      return ExitCode::rolled_back;
    case ErrorCode::terminated:
      return ExitCode::terminated;
    case ErrorCode::unreachable:
      return ExitCode::unreachable;
    case ErrorCode::some_failed:
      return ExitCode::partial;
    case ErrorCode::internal:
    case ErrorCode::step_failed:
      return ExitCode::failed;
  }
  return ExitCode::failed;
}

bool is_passing(ErrorCode code) {
  return code == ErrorCode::no_space || code == ErrorCode::exhausted;
}

Error::Error(ErrorCode code, const std::string& message, const std::string& hint,
             std::vector<std::string> context)
    : code_(code),
      message_(translated(message)),
      hint_(translated(hint)),
      context_(std::move(context)) {}

Error Error::within(std::string circumstance) const {
  Error outer = *this;
  outer.context_.insert(outer.context_.begin(), std::move(circumstance));
  return outer;
}

Error system_error(int errno_value, std::string_view act, std::string_view path,
                   ErrorCode fallback) {
  ErrorCode code = fallback;
  std::string hint;
  switch (errno_value) {
    case EACCES:
    case EPERM:
      code = ErrorCode::permission;
      hint = "run topsctl as root, for example with sudo";
      break;
    case EROFS:
      code = ErrorCode::permission;
      hint = "the file system is mounted read-only: remount it, or choose another path";
      break;
    case ENOSPC:
    case EDQUOT:
      code = ErrorCode::no_space;
      hint = "free space on that file system, then run the command again";
      break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      code = ErrorCode::exhausted;
      hint = "raise the limit (`ulimit -n`) or end other programs, then run the command again";
      break;
    default:
      break;
  }
  return Error(code,
               format("cannot {} {}: {}", act, in_quotes(path),
                      std::generic_category().message(errno_value)),
               hint);
}

Error damaged_file(std::string message) {
  return Error(
      ErrorCode::bad_package, std::move(message),
      format("the file is damaged or truncated: copy it again and compare its size and sha256"));
}

Error unreadable_file(std::string_view file, std::string_view why) {
  return damaged_file(format("cannot read {}: {}", in_quotes(file), why));
}

}  // namespace topsctl
