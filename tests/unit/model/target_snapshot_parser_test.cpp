// Snapshot files that are damaged, hostile or only mistaken are refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_snapshot.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/target_snapshot_parser.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string sample_text() {
  return to_text(sample_snapshot());
}

struct SnapshotMistake {
  const char* what;
  const char* from;
  const char* to;
  const char* message;
};

class BrokenSnapshots : public testing::TestWithParam<SnapshotMistake> {};

TEST_P(BrokenSnapshots, AreRefusedByName) {
  const SnapshotMistake& mistake = GetParam();
  const std::string text = with(sample_text(), mistake.from, mistake.to);
  const Error error = thrown_by([&] { parse_target_snapshot(text, "snapshot 's'"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr(concat("cannot read snapshot 's': ", mistake.message)));
  EXPECT_THAT(error.hint(), HasSubstr("topsctl snapshot"));
}

constexpr const char* bash_group = R"(["/bin","bash","bash"])";

INSTANTIATE_TEST_SUITE_P(
    All, BrokenSnapshots,
    testing::Values(
        SnapshotMistake{"AnotherForm", R"("schema": 1)", R"("schema": 2)",
                        "/schema: expected an integer"},
        SnapshotMistake{"AnotherKind", "target-snapshot", "target-snapshoot",
                        "/kind: expected one of"},
        SnapshotMistake{"UnknownKey", R"("glibcxx": )", R"("glibccxx": )",
                        "/: unknown key 'glibccxx' (did you mean 'glibcxx'?)"},
        SnapshotMistake{"UnknownKeyOfAPackage", R"("conffiles")", R"("conffile")",
                        "/packages/0: unknown key 'conffile' (did you mean 'conffiles'?)"},
        SnapshotMistake{"UnknownKeyOfAMount", R"("free_bytes":1000)", R"("free_byte":1000)",
                        "/mounts/0: unknown key 'free_byte' (did you mean 'free_bytes'?)"},
        SnapshotMistake{"AKeyTwice", R"("os": )", R"("glibc": )", "duplicate key 'glibc'"},
        SnapshotMistake{"NoOwners", R"("owners")", R"("owner")", "/: unknown key 'owner'"},
        SnapshotMistake{"ANumberForAText", R"("version":"5.0-6ubuntu1.2")", R"("version":5)",
                        "/packages/0/version: expected text, got 5"},
        SnapshotMistake{"AControlCharacter", R"("5.4.0-100-generic")", R"("5.4\u001b[31m")",
                        "/kernel: expected one line"},
        SnapshotMistake{"NegativeSpace", R"("free_bytes":1000)", R"("free_bytes":-1)",
                        "/mounts/0/free_bytes: expected an integer"},
        SnapshotMistake{"TooMuchSpace", R"("free_bytes":1000)",
                        R"("free_bytes":18446744073709551615)",
                        "/mounts/0/free_bytes: expected an integer"},
        SnapshotMistake{"AFractionOfSpace", R"("free_bytes":1000)", R"("free_bytes":1e400)",
                        "invalid JSON at line "},
        SnapshotMistake{"AMountThatIsNoPath", R"("path":"/opt")", R"("path":"/opt/../etc")",
                        "/mounts/1/path: expected an absolute path"},
        SnapshotMistake{"OwnersThatAreText", R"("owners": [)", R"("owners": "x", "x": [)",
                        "/owners: expected lists of strings"},
        SnapshotMistake{"AGroupThatIsText", bash_group, R"("/bin")",
                        "/owners/0: expected lists of strings"},
        SnapshotMistake{"AGroupInAGroup", bash_group, R"(["/bin","bash",["x"]])",
                        "/owners/1: expected lists of strings"},
        SnapshotMistake{"AnObjectInAGroup", bash_group, R"(["/bin","bash",{"x":1}])",
                        "/owners/1: expected lists of strings"},
        SnapshotMistake{"AGroupWithoutNames", bash_group, R"(["/bin","bash"])",
                        "/owners/1: expected a directory, a package and names"},
        SnapshotMistake{"AnEmptyGroup", bash_group, "[]",
                        "/owners/1: expected a directory, a package and names"},
        SnapshotMistake{"ARelativeFolder", bash_group, R"(["bin","bash","bash"])",
                        "/owners/1: expected the absolute path of a directory"},
        SnapshotMistake{"AFolderWithASlashAtItsEnd", bash_group, R"(["/bin/","bash","bash"])",
                        "/owners/1: expected the absolute path of a directory"},
        SnapshotMistake{"AFolderThatClimbs", bash_group, R"(["/bin/..","bash","bash"])",
                        "/owners/1: expected the absolute path of a directory"},
        SnapshotMistake{"APackageWithoutAName", bash_group, R"(["/bin","","bash"])",
                        "/owners/1: expected a package name"},
        SnapshotMistake{"ANameWithASlash", bash_group, R"(["/bin","bash","a/b"])",
                        "/owners/1: expected a file name"},
        SnapshotMistake{"ANameThatClimbs", bash_group, R"(["/bin","bash",".."])",
                        "/owners/1: expected a file name"},
        SnapshotMistake{"ANameWithALineEnd", bash_group, R"(["/bin","bash","a\nb"])",
                        "/owners/1: expected a file name"},
        SnapshotMistake{"BytesCutShort", "\\u0000ff", "\\u0000f",
                        "/owners/2: expected a file name"},
        SnapshotMistake{"BytesThatAreNone", "\\u0000ff", "\\u0000fg",
                        "/owners/2: expected a file name"},
        SnapshotMistake{"BytesThatNeedNoDigits", "\\u0000ff", "\\u000041",
                        "/owners/2: expected a file name"}),
    [](const auto& info) { return info.param.what; });

TEST(SnapshotParser, RefusesEveryTextThatIsCutShort) {
  const std::string text = sample_text();
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const Error error =
        thrown_by([&] { parse_target_snapshot(std::string_view(text).substr(0, size), "s"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << size;
  }
}

TEST(SnapshotParser, NamesTheLineOfABrokenText) {
  const Error error = thrown_by([] { parse_target_snapshot("{\n\"a\": 1,\n  x}", "s"); });
  EXPECT_EQ(error.message(), "cannot read s: invalid JSON at line 3, column 3");
}

TEST(SnapshotParser, RefusesDeepNesting) {
  const std::string text =
      concat(R"({"mounts": )", std::string(100'000, '['), std::string(100'000, ']'), "}");
  EXPECT_THAT(thrown_by([&] { parse_target_snapshot(text, "s"); }).message(),
              HasSubstr("nested deeper"));
}

TEST(SnapshotParser, RefusesObjectsWithManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 65; ++i) text += concat("\"", i, "\": 1,");
  text += "\"x\": 1}";
  EXPECT_THAT(thrown_by([&] { parse_target_snapshot(text, "s"); }).message(),
              HasSubstr("more than 64 keys"));
}

TEST(SnapshotParser, RefusesMoreValuesThanAnyMachineHas) {
  std::string text = R"({"egg_infos": [)";
  for (int i = 0; i < 500'001; ++i) text += "1,";
  EXPECT_THAT(thrown_by([&] { parse_target_snapshot(text, "s"); }).message(),
              HasSubstr("too many values"));
}

TEST(SnapshotParser, RefusesMorePathsThanAnyMachineHas) {
  std::string text = R"({"owners": [["/a","b")";
  for (std::size_t i = 0; i <= most_owned_paths; ++i) text += ",\"x\"";
  EXPECT_THAT(thrown_by([&] { parse_target_snapshot(text, "s"); }).message(),
              HasSubstr("/owners/0: too many paths"));
}

TEST(SnapshotParser, TakesDocumentsOfAnyOtherTypeForWhatTheyAre) {
  for (const char* text : {"null", "1", "\"x\"", "[]", "[{\"kind\": 1}]", "{}"}) {
    EXPECT_EQ(thrown_by([&] { parse_target_snapshot(text, "s"); }).code(), ErrorCode::bad_package)
        << text;
  }
}

TEST(SnapshotParser, SortsOwnersAndNamesThemOnce) {
  const std::string text =
      with(sample_text(), bash_group, R"(["/bin","zsh","bash"],["/bin","bash","bash","bash"])");
  EXPECT_THAT(parse_target_snapshot(text, "s").owners.at("/bin/bash"), ElementsAre("bash", "zsh"));
}

TEST(PlainPaths, AreAbsoluteAndNormal) {
  for (const char* path : {"/", "/a", "/a/b.c", "/...", "/a b"}) EXPECT_TRUE(is_plain_path(path));
  for (const char* path : {"", "a", "//", "/a/", "/a//b", "/.", "/a/..", "/../a", "/a\nb"})
    EXPECT_FALSE(is_plain_path(path)) << path;
}

}  // namespace
}  // namespace topsctl
