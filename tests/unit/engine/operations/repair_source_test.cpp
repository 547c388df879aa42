// What a repair without a bundle may install: what was installed before.
#include "topsctl/engine/operations/repair_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

Package package_of(const std::string& version, const std::string& sha256) {
  Package package;
  package.name = "tops-eccl";
  package.version = version;
  package.sha256 = sha256;
  package.path = "distributed/tops-eccl.deb";
  return package;
}

TEST(RecordedPackages, AreTheOnlyOnesThatARepairInstalls) {
  const RecordedDigests digests = {{{"tops-eccl", "1"}, "aa"}};
  const auto all = [](const Package&) { return true; };
  EXPECT_NO_THROW(require_recorded(digests, {package_of("1", "aa")}, all));
  for (const Package& other : {package_of("1", "bb"), package_of("2", "aa"), package_of("1", "")}) {
    const Error error = thrown_by([&] { require_recorded(digests, {other}, all); });
    EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
    EXPECT_THAT(error.message(), testing::HasSubstr("is not the package that was installed"));
  }
}

TEST(RecordedPackages, NeedNotBeThereWhereNothingIsInstalled) {
  EXPECT_NO_THROW(
      require_recorded({}, {package_of("1", "bb")}, [](const Package&) { return false; }));
}

}  // namespace
}  // namespace topsctl
