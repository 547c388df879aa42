// Directories that dpkg would need while it unpacks.
#include "topsctl/engine/inspection/missing_folders.hpp"

#include <gmock/gmock.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Type = PayloadEntry::Type;

Package deb_with(const std::vector<std::pair<std::string, Type>>& entries) {
  Package package;
  package.kind = PackageKind::deb;
  package.path = "a.deb";
  package.files.emplace();
  for (const auto& [path, type] : entries) {
    PayloadEntry entry;
    entry.path = path;
    entry.type = type;
    package.files->push_back(entry);
  }
  return package;
}

std::vector<std::string> missing_in(const std::vector<std::pair<std::string, Type>>& entries) {
  std::vector<std::string> folders;
  if (const auto found = missing_folders(deb_with(entries), is_base_folder)) {
    for (const Evidence& evidence : found->evidence) folders.push_back(evidence.source);
  }
  return folders;
}

TEST(MissingFolders, AreThoseWithoutAnEntryBefore) {
  EXPECT_THAT(missing_in({{"/opt/a", Type::directory}, {"/opt/a/f", Type::file}}), IsEmpty());
  EXPECT_THAT(missing_in({{"/opt/a/f", Type::file}, {"/opt/a", Type::directory}}),
              ElementsAre("/opt/a"));
  EXPECT_THAT(missing_in({{"/opt/a/b", Type::directory}, {"/opt/a/b/f", Type::file}}),
              ElementsAre("/opt/a"));
  EXPECT_THAT(missing_in({{"/opt/a", Type::file}, {"/opt/a/f", Type::file}}),
              ElementsAre("/opt/a"));
  EXPECT_THAT(missing_in({{"/opt/f", Type::file}, {"/f", Type::file}}), IsEmpty());
}

TEST(MissingFolders, AreNoneForLinksWhichComeLast) {
  EXPECT_THAT(missing_in({{"/opt/a/l", Type::symlink}, {"/opt/a", Type::directory}}), IsEmpty());
  EXPECT_THAT(missing_in({{"/opt/a/l", Type::symlink}}), ElementsAre("/opt/a"));
  EXPECT_THAT(missing_in({{"/opt/l", Type::symlink}, {"/opt/l/f", Type::file}}), IsEmpty())
      << "that is link-escapes";
}

TEST(MissingFolders, AreJudgedAgainByAHost) {
  const Package package = deb_with({{"/opt/a/f", Type::file}, {"/opt/b/f", Type::file}});
  std::vector<Finding> findings = {*missing_folders(package, is_base_folder)};
  TargetSnapshot target;
  target.owners["/opt/a/other"] = {"other"};
  settle_missing_folders(findings, {package}, folders_of(target));
  ASSERT_EQ(findings.size(), 1U);
  ASSERT_EQ(findings[0].evidence.size(), 1U);
  EXPECT_EQ(findings[0].evidence[0].source, "/opt/b");
  target.owners["/opt/b"] = {"other"};
  settle_missing_folders(findings, {package}, folders_of(target));
  EXPECT_THAT(findings, IsEmpty());
}

}  // namespace
}  // namespace topsctl
