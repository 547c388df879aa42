// The record of a snapshot: every byte comes back, and half a record is no record.
#include "topsctl/engine/transaction/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using std::string_literals::operator""s;
using Type = FileState::Type;

std::string every_byte() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  return bytes;
}

KeptPath kept(const std::string& path, Type type) {
  KeptPath made;
  made.path = path;
  made.state.type = type;
  return made;
}

Snapshot sample_snapshot() {
  Snapshot snapshot;
  snapshot.families = {{"/var/lib/dpkg", ""}, {"/a b\xff", "~orch\n"}};
  KeptPath folder = kept("/", Type::directory);
  folder.state.mode = 040755;
  folder.state.mtime_ns = -1'500'000'000;
  KeptPath file = kept("/etc/" + every_byte().substr(1), Type::file);
  file.state.mode = 0104755;
  file.state.uid = 65534;
  file.state.gid = 4294967294;
  file.state.size = 1ULL << 40U;
  file.state.mtime_ns = 1'600'000'000'123'456'789;
  file.state.sha256 = "abc";
  file.state.xattrs = {{"user." + every_byte().substr(1), every_byte()}, {"user.empty", ""}};
  file.keeping = Keeping::copy;
  file.content = "c7";
  KeptPath same = kept("/etc/same%", Type::file);
  same.same_file = file.path;
  KeptPath linked = kept("/opt/x", Type::file);
  linked.is_unpacked = true;
  linked.is_found = true;
  linked.keeping = Keeping::link;
  linked.content = "c9";
  KeptPath released = kept("/opt/y", Type::file);
  released.keeping = Keeping::released;
  KeptPath link = kept("/etc/link", Type::symlink);
  link.state.target = every_byte().substr(1);
  KeptPath device = kept("/dev/x", Type::special);
  device.state.mode = 020666;
  device.state.rdev = (1ULL << 44U) + 3;
  snapshot.paths = {folder, device, file,     link,
                    same,   linked, released, kept("/none", Type::absent)};
  return snapshot;
}

TEST(Manifests, GiveEveryByteBack) {
  const Snapshot before = sample_snapshot();
  const Snapshot after = parse_manifest(manifest_text(before));
  EXPECT_EQ(after.families, before.families);
  ASSERT_EQ(after.paths.size(), before.paths.size());
  for (std::size_t i = 0; i < before.paths.size(); ++i) {
    EXPECT_EQ(after.paths[i].path, before.paths[i].path);
    EXPECT_EQ(after.paths[i].state, before.paths[i].state) << printable(before.paths[i].path);
    EXPECT_EQ(after.paths[i].same_file, before.paths[i].same_file);
    EXPECT_EQ(after.paths[i].content, before.paths[i].content);
    EXPECT_EQ(after.paths[i].is_unpacked, before.paths[i].is_unpacked);
    EXPECT_EQ(after.paths[i].is_found, before.paths[i].is_found);
    EXPECT_EQ(after.paths[i].keeping, before.paths[i].keeping) << printable(before.paths[i].path);
  }
}

TEST(Manifests, ArePlainAscii) {
  const std::string text = manifest_text(sample_snapshot());
  EXPECT_EQ(printable(text, Lines::keep), text);
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x7F);
}

TEST(Manifests, OfEarlierVersionsHaveTheEscapesOfJson) {
  EXPECT_EQ(parse_kept_path(R"({"path":"/a\"b\\c%20d","type":0})").path, R"(/a"b\c d)");
}

TEST(Manifests, OfAnEmptySnapshotHaveTwoLines) {
  const std::string text = manifest_text({});
  EXPECT_THAT(text,
              testing::MatchesRegex(
                  "\\{\"families\":\\[\\]\\}\n\\{\"paths\":0,\"sha256\":\"[0-9a-f]{64}\"\\}\n"));
  EXPECT_TRUE(parse_manifest(text).paths.empty());
}

TEST(Manifests, WithAnyByteChangedAreAnError) {
  const std::string text = manifest_text(sample_snapshot());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string bytes = text;
    bytes[at] ^= 1;
    ASSERT_EQ(thrown_by([&] { parse_manifest(bytes); }).code(), ErrorCode::journal_damaged) << at;
  }
}

TEST(Manifests, OfEarlierVersionsHaveNoDigest) {
  EXPECT_EQ(parse_manifest("{\"families\":[]}\n{\"path\":\"/a\",\"type\":0}\n{\"paths\":1}\n")
                .paths.at(0)
                .path,
            "/a");
}

TEST(Manifests, CutShortAnywhereAreAnError) {
  const std::string text = manifest_text(sample_snapshot());
  for (std::size_t length = 0; length < text.size(); ++length) {
    ASSERT_EQ(thrown_by([&] { parse_manifest(text.substr(0, length)); }).code(),
              ErrorCode::journal_damaged)
        << length;
  }
}

TEST(Manifests, WithoutOneOfTheirLinesAreAnError) {
  const std::vector<std::string> lines = split(manifest_text(sample_snapshot()), '\n');
  for (std::size_t left_out = 0; left_out + 1 < lines.size(); ++left_out) {
    std::vector<std::string> rest = lines;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(thrown_by([&] { parse_manifest(joined(rest, "\n")); }).code(),
              ErrorCode::journal_damaged)
        << left_out;
  }
}

TEST(Manifests, WithDamagedLinesAreAnError) {
  for (const char* line :
       {"x", "{}", "[]", R"({"path":"/a"})", R"({"path":1,"type":0})", R"({"path":"/%4","type":0})",
        R"({"path":"/%GG","type":0})", R"({"path":"/a","type":"file"})",
        R"({"path":"/a","type":1})", R"({"path":"/a","type":9})", R"({"path":"/a","type":-1})"}) {
    const std::string text = concat("{\"families\":[]}\n", line, "\n{\"paths\":1}\n");
    EXPECT_EQ(thrown_by([&] { parse_manifest(text); }).code(), ErrorCode::journal_damaged) << line;
  }
}

// A record that somebody else wrote must not lead out of the root or of the store.
TEST(Manifests, NameNothingOutsideOfTheirMachineAndStore) {
  const auto refused = [](const std::function<void(Snapshot&)>& change) {
    Snapshot snapshot = sample_snapshot();
    change(snapshot);
    return thrown_by([&] { parse_manifest(manifest_text(snapshot)); }).code() ==
           ErrorCode::journal_damaged;
  };
  for (const char* path : {"etc/x", "", "/etc/../x", "/etc//x", "/./x", "/x/"}) {
    EXPECT_TRUE(refused([&](Snapshot& s) { s.paths[1].path = path; })) << path;
    EXPECT_TRUE(refused([&](Snapshot& s) { s.families[0].directory = path; })) << path;
  }
  for (const char* name : {"../c7", "/etc/shadow", "c", "c7/x", "merged-", "manifest"}) {
    EXPECT_TRUE(refused([&](Snapshot& s) { s.paths[2].content = name; })) << name;
  }
  for (const char* other : {"/etc/shadow", "/opt/x", "../x"}) {
    EXPECT_TRUE(refused([&](Snapshot& s) { s.paths[4].same_file = other; })) << other;
  }
  EXPECT_TRUE(refused([](Snapshot& s) { s.families[0].prefix = "../x"; }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.paths[1].state.type = static_cast<Type>(9); }));
  Snapshot merged = sample_snapshot();
  merged.paths[2].content = "merged-0";
  EXPECT_EQ(parse_manifest(manifest_text(merged)).paths[2].content, "merged-0");
}

}  // namespace
}  // namespace topsctl
