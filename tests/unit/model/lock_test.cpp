// Lock files: both ways, what is refused, and what differs.
#include "topsctl/model/lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/golden.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Kind = LockDifference::Kind;

std::string digest_of(char digit) {
  return std::string(64, digit);
}

Package package_at(const std::string& path, char digit) {
  Package package;
  package.path = path;
  package.kind = PackageKind::deb;
  package.name = "tops-eccl";
  package.version = "2.5.136-1";
  package.architecture = "amd64";
  package.size = 10;
  package.sha256 = digest_of(digit);
  return package;
}

Inventory bundle() {
  Inventory inventory;
  inventory.packages = {package_at("sdk/b.deb", 'b'), package_at("a.deb", 'a')};
  inventory.packages[0].container = {"outer.run"};
  Package runfile = package_at("inner.run", 'c');
  runfile.kind = PackageKind::runfile;
  runfile.name.clear();
  runfile.version.clear();
  runfile.architecture.clear();
  inventory.packages.push_back(runfile);
  return inventory;
}

Lock sample_lock() {
  return lock_of(bundle(), "2026-11-20T10:15:00Z");
}

// The sample lock with one value replaced, given by its JSON pointer.
std::string lock_with(const std::string& pointer, const Json& value) {
  Json document = to_json(sample_lock());
  document[Json::json_pointer(pointer)] = value;
  return to_text(document);
}

TEST(Locks, AreSortedByPlaceAndSayWhoWroteThem) {
  const Lock lock = sample_lock();
  EXPECT_EQ(lock.topsctl_version, topsctl_version());
  EXPECT_EQ(lock.created_at, "2026-11-20T10:15:00Z");
  ASSERT_EQ(lock.packages.size(), 3U);
  EXPECT_EQ(lock.packages[0].path, "a.deb");
  EXPECT_EQ(lock.packages[1].path, "inner.run");
  EXPECT_EQ(lock.packages[2].path, "sdk/b.deb");
  Inventory turned = bundle();
  std::reverse(turned.packages.begin(), turned.packages.end());
  EXPECT_EQ(lock_of(turned, "2026-11-20T10:15:00Z"), lock);
}

TEST(Locks, HaveEveryFieldOfEveryPackage) {
  const Json document = to_json(sample_lock());
  EXPECT_EQ(document["schema"], 1);
  EXPECT_EQ(document["kind"], "topsctl-lock");
  EXPECT_EQ(document["packages"][2], Json::parse(concat(R"({"path": "sdk/b.deb",
      "container": ["outer.run"], "kind": "deb", "name": "tops-eccl", "version": "2.5.136-1",
      "architecture": "amd64", "size": 10, "sha256": ")",
                                                        digest_of('b'), "\"}")));
  EXPECT_TRUE(document["packages"][1]["name"].is_null());
  EXPECT_TRUE(document["packages"][1]["version"].is_null());
  EXPECT_TRUE(document["packages"][1]["architecture"].is_null());
}

TEST(Locks, AreTheGoldenDocument) {
  Lock lock = sample_lock();
  lock.topsctl_version = "0.0.0";
  expect_golden(to_text(to_json(lock)), "lock/bundle.lock");
}

TEST(Locks, ReadBackAreTheSame) {
  EXPECT_EQ(parse_lock(to_text(to_json(sample_lock())), "lock 'l'"), sample_lock());
}

TEST(Locks, CannotBeMadeWithoutDigests) {
  Inventory inventory = bundle();
  inventory.packages[1].sha256.clear();
  const Error error = thrown_by([&] { static_cast<void>(lock_of(inventory, "now")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("'a.deb'"));
  EXPECT_THAT(error.hint(), HasSubstr("--fast"));
}

TEST(Locks, ThatAreMalformedAreRefusedWithThePlace) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {lock_with("/packages/0/path", "/a.deb"), "/packages/0/path"},
      {lock_with("/packages/0/path", "../a.deb"), "/packages/0/path"},
      {lock_with("/packages/0/path", "x/../a.deb"), "without '..'"},
      {lock_with("/packages/0/path", ""), "/packages/0/path"},
      {lock_with("/packages/0/path", std::string("a\0b", 3)), "/packages/0/path"},
      {lock_with("/packages/2/container/0", "/outer.run"), "/packages/2/container/0"},
      {lock_with("/packages/0/kind", "dep"), "did you mean 'deb'"},
      {lock_with("/packages/0/kind", "other"), "/packages/0/kind"},
      {lock_with("/packages/0/name", 3), "/packages/0/name"},
      {lock_with("/packages/0/size", -1), "/packages/0/size"},
      {lock_with("/packages/0/size", 1.5), "/packages/0/size"},
      {lock_with("/packages/0/sha256", digest_of('g')), "/packages/0/sha256"},
      {lock_with("/packages/0/sha256", digest_of('A')), "/packages/0/sha256"},
      {lock_with("/packages/0/sha256", "ab"), "/packages/0/sha256"},
      {lock_with("/packages/0/sha512", "x"), "unknown key 'sha512'"},
      {lock_with("/packages/1/path", "a.deb"), "'a.deb' is listed twice"},
      {lock_with("/packages", Json::object()), "/packages"},
      {lock_with("/schema", 2), "/schema"},
      {lock_with("/kind", "topsctl-snapshot"), "/kind"},
      {lock_with("/signature", "x"), "unknown key"},
      {"[]", "expected an object"},
      {"{", "line 1"},
      {"", "line 1"},
      {std::string(200, '['), "nested deeper"},
  };
  for (const auto& [text, words] : refused) {
    const Error error =
        thrown_by([&, each = text] { static_cast<void>(parse_lock(each, "lock 'l'")); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << text;
    EXPECT_THAT(error.message(), HasSubstr(words));
    EXPECT_THAT(error.message(), HasSubstr("lock 'l'"));
    EXPECT_THAT(error.hint(), HasSubstr("topsctl lock BUNDLE --output FILE"));
  }
}

TEST(Locks, MissNoKey) {
  for (const char* key :
       {"path", "container", "kind", "name", "version", "architecture", "size", "sha256"}) {
    Json document = to_json(sample_lock());
    document["packages"][0].erase(key);
    const Error error =
        thrown_by([&] { static_cast<void>(parse_lock(to_text(document), "lock 'l'")); });
    EXPECT_THAT(error.message(), HasSubstr(concat("missing key '", key, "'")));
  }
}

TEST(LockDifferences, OfTheSameBundleAreNone) {
  EXPECT_THAT(lock_differences(sample_lock(), bundle()), IsEmpty());
  for (const Package& package : bundle().packages) {
    EXPECT_EQ(difference_from(sample_lock(), package), std::nullopt);
  }
}

TEST(LockDifferences, NameWhatIsMissingChangedAndNew) {
  Inventory inventory = bundle();
  inventory.packages[0].sha256 = digest_of('d');
  inventory.packages[0].size = 11;
  inventory.packages[1] = package_at("z.deb", 'f');
  const std::vector<LockDifference> differences = lock_differences(sample_lock(), inventory);
  const std::vector<LockDifference> expected = {
      {Kind::missing, "a.deb", {}, 10, digest_of('a'), 0, ""},
      {Kind::added, "z.deb", {}, 0, "", 10, digest_of('f')},
      {Kind::changed, "sdk/b.deb", {"outer.run"}, 10, digest_of('b'), 11, digest_of('d')},
  };
  EXPECT_EQ(differences, expected);
  EXPECT_EQ(difference_from(sample_lock(), inventory.packages[0]), expected[2]);
  EXPECT_EQ(difference_from(sample_lock(), inventory.packages[1]), expected[1]);
}

TEST(LockDifferences, OfSizeAloneCount) {
  Inventory inventory = bundle();
  inventory.packages[1].size = 11;
  ASSERT_EQ(lock_differences(sample_lock(), inventory).size(), 1U);
  EXPECT_EQ(lock_differences(sample_lock(), inventory)[0].kind, Kind::changed);
  EXPECT_TRUE(difference_from(sample_lock(), inventory.packages[1]));
}

TEST(LockDifferences, AreNotMadeByUnpackingOrRenaming) {
  Inventory inventory = bundle();
  inventory.packages[0].container.clear();
  inventory.packages[0].path = "elsewhere/b.deb";
  EXPECT_THAT(lock_differences(sample_lock(), inventory), IsEmpty());
  EXPECT_EQ(difference_from(sample_lock(), inventory.packages[0]), std::nullopt);
}

TEST(LockDifferences, SeeWhatWasExchangedForAnotherPackageOfTheLock) {
  Inventory inventory = bundle();
  inventory.packages[0].sha256 = digest_of('a');
  const std::vector<LockDifference> differences = lock_differences(sample_lock(), inventory);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].kind, Kind::missing);
  EXPECT_EQ(differences[0].locked_sha256, digest_of('b'));
}

TEST(LockDifferences, AreNullWhereThereIsNothing) {
  EXPECT_EQ(to_json(LockDifference{Kind::added, "z.deb", {}, 0, "", 10, "f"}).dump(),
            R"({"kind":"added","path":"z.deb","container":[],"locked_size":null,)"
            R"("locked_sha256":null,"found_size":10,"found_sha256":"f"})");
  EXPECT_EQ(to_json(LockDifference{Kind::missing, "a.deb", {"r"}, 1, "e", 0, ""}).dump(),
            R"({"kind":"missing","path":"a.deb","container":["r"],"locked_size":1,)"
            R"("locked_sha256":"e","found_size":null,"found_sha256":null})");
}

}  // namespace
}  // namespace topsctl
