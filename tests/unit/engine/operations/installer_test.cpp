// What an install refuses before it looks at the host.
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/inspection/locked_packages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Lock lock_of_sample() {
  return lock_of(sample_inventory(), "2026-11-20T10:15:00Z");
}

TEST(RequireLocked, AcceptsWhatIsInTheLock) {
  EXPECT_NO_THROW(require_locked(lock_of_sample(), sample_inventory().packages));
  EXPECT_NO_THROW(require_locked(lock_of_sample(), {}));
}

TEST(RequireLocked, NamesThePackageThatDiffersAndBothDigests) {
  std::vector<Package> packages = sample_inventory().packages;
  const std::string before = packages[1].sha256;
  packages[1].sha256 = "another";
  const Error error = thrown_by([&] { require_locked(lock_of_sample(), packages); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_EQ(exit_code(error.code()), ExitCode::bad_input);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("'deb/tops-sdk_2.5.136-1_amd64.deb'"),
                                     HasSubstr("is another"), HasSubstr(before)));
  EXPECT_THAT(error.hint(), HasSubstr("topsctl lock BUNDLE --output FILE"));
}

TEST(RequireLocked, NamesThePackageThatTheLockDoesNotKnow) {
  const Package unknown = sample_deb("tops-new", "1", {});
  const Error error = thrown_by([&] { require_locked(lock_of_sample(), {unknown}); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("'deb/tops-new_1_amd64.deb' is not in the lock"),
                                     HasSubstr(unknown.sha256)));
}

}  // namespace
}  // namespace topsctl
