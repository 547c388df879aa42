// Transfers to a double of another machine: whole, cut off and gone on with, and with one that
// lies.
#include "topsctl/engine/transfer/upload.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/no_sigpipe.hpp"
#include "support/remote_end.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

// A file of several chunks, each unlike the others.
std::string content_of_size(std::size_t chunks) {
  std::string bytes;
  for (std::size_t i = 0; i < chunks; ++i)
    bytes += std::string(chunk_bytes, static_cast<char>('a' + i));
  return bytes.substr(0, bytes.size() - 100);
}

class Uploads : public testing::Test {
 protected:
  Uploads() : far(folder.make_folder("home")) {
    request.target = parse_target("node1");
    request.destination = (folder / "dest").string();
  }

  void ship(const std::string& name, const std::string& bytes) {
    const auto file = folder.write(name, bytes);
    const ChunkList chunks = read_chunks(file);
    transfer_set.files.push_back({file, name, chunks, content_id(chunks), ""});
  }
  Upload run() {
    return upload({.remote = far,
                   .program = {"/bin/true", std::string(64, '0'), 0},
                   .files = transfer_set,
                   .request = request,
                   .limit = limit,
                   .clock = clock,
                   .on_progress = [&](std::uint64_t done, std::uint64_t) { verified = done; }});
  }
  std::string received(const std::string& name) const {
    return TemporaryFolder::read_bytes(folder / "dest" / name);
  }

  const NoSigpipe no_sigpipe;
  TemporaryFolder folder;
  AgentEnd far;
  TransferSet transfer_set;
  UploadRequest request;
  RateLimit limit{0};
  SystemClock clock;
  std::uint64_t verified = 0;
};

TEST_F(Uploads, BringFilesThere) {
  ship("a.deb", content_of_size(5));
  ship("b.deb", "short");
  ship("empty", "");
  const Upload done = run();
  EXPECT_EQ(received("a.deb"), content_of_size(5));
  EXPECT_EQ(received("b.deb"), "short");
  EXPECT_EQ(received("empty"), "");
  ASSERT_EQ(done.files.size(), 3U);
  EXPECT_EQ(done.files[0].sent_bytes, content_of_size(5).size());
  EXPECT_FALSE(done.files[0].reused);
  EXPECT_EQ(done.connections, 2U);
  EXPECT_EQ(verified, transfer_set.bytes());
}

TEST_F(Uploads, SendNothingTwice) {
  ship("a.deb", content_of_size(2));
  ship("same-content.deb", content_of_size(2));
  EXPECT_EQ(run().files[0].sent_bytes, content_of_size(2).size());
  EXPECT_EQ(received("same-content.deb"), content_of_size(2));
  const Upload again = run();
  EXPECT_EQ(again.files[0].sent_bytes, 0U);
  EXPECT_TRUE(again.files[1].reused);
  EXPECT_EQ(again.connections, 0U);
}

TEST_F(Uploads, GoOnWithTheChunksThatAreMissing) {
  ship("a.deb", content_of_size(4));
  request.most_connections = 1;
  far.faults.bytes_until_cut = static_cast<std::int64_t>(3 * chunk_bytes);
  const Upload done = run();
  EXPECT_EQ(far.faults.cuts, 1U);
  EXPECT_EQ(done.retries, 1U);
  EXPECT_EQ(received("a.deb"), content_of_size(4));
  EXPECT_LE(done.files[0].sent_bytes, content_of_size(4).size() + 2 * chunk_bytes);
}

TEST_F(Uploads, AreCutAnywhereAndStillCompleteInTheNextRun) {
  ship("a.deb", content_of_size(2));
  const auto size = static_cast<std::int64_t>(content_of_size(2).size());
  // From behind the manifest on: a far end that never answers is not asked again.
  for (std::int64_t cut = 1000; cut < size; cut += size / 4) {
    std::filesystem::remove_all(folder / "dest");
    std::filesystem::remove_all(folder / "home");
    far.faults.bytes_until_cut = cut;
    run();
    EXPECT_EQ(received("a.deb"), content_of_size(2)) << cut;
  }
}

TEST_F(Uploads, FindADamagedChunkAndSendItAlone) {
  ship("a.deb", content_of_size(4));
  request.most_connections = 1;
  const auto part = [&] {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "home")) {
      if (entry.path().extension() == ".part") return entry.path();
    }
    return std::filesystem::path();
  };
  // Cut off for good.
  far.faults.bytes_until_cut = static_cast<std::int64_t>(3 * chunk_bytes);
  far.faults.alter = [&](std::string bytes) {
    if (far.faults.cuts > 0) far.faults.bytes_until_cut = 0;
    return bytes;
  };
  thrown_by([&] { run(); });
  ASSERT_FALSE(part().empty());
  std::fstream file(part(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(chunk_bytes + 17));
  file.put('!');
  file.close();
  far.faults.alter = nullptr;
  far.faults.bytes_until_cut = -1;
  const Upload done = run();
  EXPECT_EQ(received("a.deb"), content_of_size(4));
  EXPECT_EQ(done.files[0].resumed_at % chunk_bytes, 0U);
  EXPECT_EQ(done.files[0].sent_bytes, done.files[0].size - done.files[0].resumed_at);
}

TEST_F(Uploads, RefuseAFarEndWhoseDigestsAreWrong) {
  ship("a.deb", content_of_size(3));
  far.faults.alter = [](std::string bytes) {
    // Acknowledgements begin with 'A', their length, and end with the digest.
    if (bytes.size() >= 49 && bytes[0] == 'A') bytes[48] = static_cast<char>(bytes[48] ^ 1);
    return bytes;
  };
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
  EXPECT_NE(error.message().find("digest"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "dest/a.deb"));
}

TEST_F(Uploads, RefuseAFarEndThatSaysSomethingElse) {
  ship("a.deb", content_of_size(1));
  for (const char* nonsense : {"HTTP/1.1 400 Bad Request\r\n\r\n", "S\x01\x00\x00\x00{", "A\x01"}) {
    far.faults.alter = [&](const std::string&) { return std::string(nonsense) + "xxxxxxxx"; };
    EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable);
  }
}

TEST_F(Uploads, TellWhatTheFarEndSaysOfItself) {
  far.faults.instead = "absent Linux aarch64";
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::host_unfit);
  far.faults.instead = "no-container";
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable);
}

TEST_F(Uploads, DoNotWriteToAPlantedFolder) {
  ship("a.deb", "content");
  const auto outside = folder.make_folder("outside");
  std::filesystem::create_directory_symlink(outside, folder / "dest");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  EXPECT_TRUE(std::filesystem::is_empty(outside));
}

TEST_F(Uploads, OnlyLookInADryRun) {
  ship("a.deb", content_of_size(1));
  request.dry_run = true;
  const Upload seen = run();
  EXPECT_EQ(seen.files[0].sent_bytes, 0U);
  EXPECT_EQ(seen.files[0].resumed_at, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder / "dest/a.deb"));
}

TEST_F(Uploads, CompareTheClocks) {
  ship("a.deb", "content");
  EXPECT_LE(std::abs(run().clock_offset_s), 60);
  far.move_clock(std::chrono::hours(-3));
  EXPECT_NEAR(static_cast<double>(run().clock_offset_s), -3 * 3600, 60);
}

TEST_F(Uploads, NoticeAFileThatWasCutShortMeanwhile) {
  ship("a.deb", content_of_size(2));
  folder.write("a.deb", "short");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::bad_bundle);
}

// The size stays as it was.
TEST_F(Uploads, BlameAFileThatWasChangedMeanwhileAndNotTheHost) {
  ship("a.deb", content_of_size(2));
  std::string changed = content_of_size(2);
  changed[chunk_bytes + 5] = '!';
  folder.write("a.deb", changed);
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_NE(error.message().find("changed during the transfer"), std::string::npos);
  folder.write("a.deb", content_of_size(2));
  run();
  EXPECT_EQ(received("a.deb"), content_of_size(2));
  std::filesystem::remove_all(folder / "home");
  std::filesystem::remove(folder / "a.deb");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::bad_bundle);
}

TEST_F(Uploads, IntoAFolderThatIsRemovedMeanwhileFailOnIt) {
  ship("a.deb", content_of_size(2));
  far.faults.alter = [&](std::string bytes) {
    if (bytes.starts_with('A')) std::filesystem::remove_all(folder / "dest");
    return bytes;
  };
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_NE(error.message().find("dest' was removed during the transfer"), std::string::npos);
}

TEST_F(Uploads, OfWhichTheHostLosesTheStoreFailOnItAndBeginAnew) {
  for (const unsigned connections : {1U, 4U}) {
    transfer_set.files.clear();
    ship("a.deb", content_of_size(4 + connections));
    request.most_connections = connections;
    std::atomic<unsigned> heard = 0;
    far.faults.alter = [&](std::string bytes) {
      if (bytes.starts_with('A') && ++heard == 3) std::filesystem::remove_all(folder / "home");
      return bytes;
    };
    const Error error = thrown_by([&] { run(); });
    EXPECT_EQ(error.code(), ErrorCode::host_unfit) << error.message();
    EXPECT_NE(error.message().find("removed"), std::string::npos) << error.message();
    EXPECT_FALSE(std::filesystem::exists(folder / "dest/a.deb"));
    far.faults.alter = nullptr;
    run();
    EXPECT_EQ(received("a.deb"), content_of_size(4 + connections));
    std::filesystem::remove_all(folder / "dest");
  }
}

TEST(CommandLinesForTargets, AreTheSameInEveryShell) {
  const CarriedProgram program{"/bin/true", std::string(64, 'a'), 1};
  for (const std::string& script :
       {run_script(program, "receive", "t"), carry_script(program, "t")}) {
    EXPECT_EQ(script.find_first_of("'\\!\n"), std::string::npos) << script;
    EXPECT_TRUE(far_command_line(parse_target("h"), script, "t").starts_with("exec /bin/sh -c '"));
  }
  EXPECT_EQ(thrown_by([] { far_command_line(parse_target("h"), "echo 'x'", "t"); }).code(),
            ErrorCode::internal);
}

}  // namespace
}  // namespace topsctl
