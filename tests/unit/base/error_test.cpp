// Error codes, the exit statuses they mean, and errors made from errno.
#include "topsctl/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Row {
  ErrorCode code;
  std::string_view name;
  ExitCode exit;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {ErrorCode::internal, "internal", ExitCode::failed},
      {ErrorCode::usage, "usage", ExitCode::usage},
      {ErrorCode::bad_bundle, "bad_bundle", ExitCode::bad_input},
      {ErrorCode::bad_package, "bad_package", ExitCode::bad_input},
      {ErrorCode::bad_stack, "bad_stack", ExitCode::bad_input},
      {ErrorCode::bad_input, "bad_input", ExitCode::bad_input},
      {ErrorCode::host_unfit, "host_unfit", ExitCode::host_unfit},
      {ErrorCode::permission, "permission", ExitCode::host_unfit},
      {ErrorCode::busy, "busy", ExitCode::host_unfit},
      {ErrorCode::no_space, "no_space", ExitCode::host_unfit},
      {ErrorCode::exhausted, "exhausted", ExitCode::host_unfit},
      {ErrorCode::unfinished, "unfinished", ExitCode::unfinished},
      {ErrorCode::journal_damaged, "journal_damaged", ExitCode::rollback_incomplete},
      {ErrorCode::step_failed, "step_failed", ExitCode::failed},
      {ErrorCode::checks_failed, "checks_failed", ExitCode::problems},
      {ErrorCode::rollback_incomplete, "rollback_incomplete", ExitCode::rollback_incomplete},
      {ErrorCode::interrupted, "interrupted", ExitCode::interrupted},
      {ErrorCode::terminated, "terminated", ExitCode::terminated},
      {ErrorCode::unconfirmed, "unconfirmed", ExitCode::rolled_back},
      {ErrorCode::unreachable, "unreachable", ExitCode::unreachable},
      {ErrorCode::some_failed, "some_failed", ExitCode::partial},
  };
  return table;
}

TEST(ErrorCodes, EachHasItsNameAndItsExitStatus) {
  std::set<std::string_view> names;
  for (const Row& row : rows()) {
    EXPECT_EQ(name(row.code), row.name);
    EXPECT_EQ(error_code_named(row.name), row.code) << row.name;
    EXPECT_EQ(exit_code(row.code), row.exit) << row.name;
    names.insert(name(row.code));
  }
  EXPECT_EQ(names.size(), rows().size());
  EXPECT_EQ(rows().size(), static_cast<std::size_t>(ErrorCode::some_failed) + 1);
  EXPECT_EQ(error_code_named("fine"), std::nullopt);
}

TEST(ErrorCodes, NoFailureExitsWithZero) {
  for (const Row& row : rows()) EXPECT_NE(exit_code(row.code), ExitCode::done) << row.name;
}

TEST(ExitCodes, HaveTheDocumentedNumbersAndNames) {
  const std::vector<std::pair<ExitCode, std::string_view>> table = {
      {ExitCode{0}, "ok"},           {ExitCode{1}, "failed"},
      {ExitCode{2}, "usage"},        {ExitCode{3}, "bad_input"},
      {ExitCode{4}, "host_unfit"},   {ExitCode{5}, "problems"},
      {ExitCode{6}, "unreachable"},  {ExitCode{7}, "rollback_incomplete"},
      {ExitCode{8}, "rolled_back"},  {ExitCode{9}, "partial"},
      {ExitCode{10}, "unfinished"},  {ExitCode{130}, "interrupted"},
      {ExitCode{143}, "terminated"},
  };
  for (const auto& [code, text] : table) EXPECT_EQ(name(code), text);
}

TEST(Errors, KeepWhatTheyAreMadeOf) {
  const Error error(ErrorCode::busy, "somebody is at it", "wait", {"step 1"});
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_EQ(error.message(), "somebody is at it");
  EXPECT_STREQ(error.what(), "somebody is at it");
  EXPECT_EQ(error.hint(), "wait");
  EXPECT_THAT(error.context(), ElementsAre("step 1"));
}

TEST(Errors, WithinPutsTheOuterCircumstanceFirstAndLeavesTheOriginal) {
  const Error inner(ErrorCode::internal, "why");
  const Error outer = inner.within("step 3").within("install");
  EXPECT_THAT(outer.context(), ElementsAre("install", "step 3"));
  EXPECT_THAT(inner.context(), IsEmpty());
  EXPECT_EQ(outer.message(), "why");
}

TEST(SystemErrors, SayTheActThePathAndTheReason) {
  const Error error = system_error(ENOENT, "read", "/a\nb");
  EXPECT_EQ(error.message(), "cannot read '/a?b': No such file or directory");
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_THAT(error.hint(), IsEmpty());
}

TEST(SystemErrors, TakeTheFallbackForWhatIsNoneOfTheKnown) {
  EXPECT_EQ(system_error(ENOENT, "read", "/a", ErrorCode::bad_bundle).code(),
            ErrorCode::bad_bundle);
}

TEST(SystemErrors, HintAtRootWhenPermissionIsMissing) {
  for (const int reason : {EACCES, EPERM}) {
    const Error error = system_error(reason, "write", "/etc/x", ErrorCode::host_unfit);
    EXPECT_EQ(error.code(), ErrorCode::permission);
    EXPECT_THAT(error.hint(), HasSubstr("as root"));
  }
}

TEST(SystemErrors, TellAReadOnlyFileSystemFromAMissingPermission) {
  const Error error = system_error(EROFS, "write", "/etc/x");
  EXPECT_EQ(error.code(), ErrorCode::permission);
  EXPECT_THAT(error.hint(), HasSubstr("read-only"));
}

TEST(SystemErrors, CallAFullDiskAndAFullQuotaNoSpace) {
  for (const int reason : {ENOSPC, EDQUOT}) {
    const Error error = system_error(reason, "write", "/var/x");
    EXPECT_EQ(error.code(), ErrorCode::no_space);
    EXPECT_THAT(error.hint(), HasSubstr("free space on that file system"));
  }
}

}  // namespace
}  // namespace topsctl
