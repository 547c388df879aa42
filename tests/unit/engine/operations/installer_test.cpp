// What an install refuses before it looks at the host.
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/inspection/locked_packages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"

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

class LockedFiles : public testing::Test {
 protected:
  LockedFiles() {
    folder_.write("a.deb", "one");
    package_.path = "a.deb";
    package_.location = (folder_ / "a.deb").string();
    package_.size = 3;
  }
  // Of a file of that content at the same place.
  static Lock lock_of_file(const std::string& content) {
    Lock lock;
    LockedPackage& locked = lock.packages.emplace_back();
    locked.path = "a.deb";
    locked.size = content.size();
    locked.sha256 = sha256_of(content);
    return lock;
  }

  TemporaryFolder folder_;
  Package package_;  // its digest is not known yet
};

TEST_F(LockedFiles, AreReadEarlyOnlyForASizeThatIsNotInTheLock) {
  EXPECT_NO_THROW(require_locked_sizes(lock_of_file("two"), {package_}));
  const Error error = thrown_by([&] { require_locked_sizes(lock_of_file("three"), {package_}); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("'a.deb' does not match the lock"),
                                     HasSubstr(sha256_of("one")), HasSubstr(sha256_of("three"))));
}

TEST_F(LockedFiles, AreReadWhereTheirDigestIsNotKnown) {
  EXPECT_NO_THROW(require_locked_files(lock_of_file("one"), {package_}));
  const Error error = thrown_by([&] { require_locked_files(lock_of_file("two"), {package_}); });
  EXPECT_THAT(error.message(), AllOf(HasSubstr(sha256_of("one")), HasSubstr(sha256_of("two"))));
}

TEST_F(LockedFiles, OfAnUnknownDigestAreInNoLock) {
  EXPECT_EQ(thrown_by([&] { require_locked(lock_of_file("one"), {package_}); }).code(),
            ErrorCode::bad_package);
}

}  // namespace
}  // namespace topsctl
