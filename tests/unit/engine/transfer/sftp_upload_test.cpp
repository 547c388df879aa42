// Transfers to the real SFTP server of OpenSSH: whole, cut off and gone on with, with one that
// lies, and to folders that are not ours.
#include "topsctl/engine/transfer/sftp_upload.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/no_sigpipe.hpp"
#include "support/sftp_end.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/sftp_packets.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

// A file of several chunks, each unlike the others.
std::string long_content(std::size_t chunks) {
  std::string bytes;
  for (std::size_t i = 0; i < chunks; ++i)
    bytes += std::string(chunk_bytes, static_cast<char>('a' + i));
  return bytes.substr(0, bytes.size() - 100);
}

class SftpUploads : public testing::Test {
 protected:
  SftpUploads() {
    request.target = parse_target("node1");
    request.destination = (folder / "dest").string();
  }

  void ship(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder / "here" / name).parent_path());
    const auto file = folder.write("here/" + name, bytes);
    const ChunkList chunks = read_chunks(file);
    transfer_set.files.push_back({file, name, chunks, content_id(chunks), ""});
  }
  Upload run() {
    return sftp_upload(job(limit, [&](std::uint64_t done, std::uint64_t) { verified = done; }));
  }
  UploadJob job(RateLimit& at_most, UploadProgress on_progress) {
    return {.remote = far,
            .program = program,
            .files = transfer_set,
            .request = request,
            .limit = at_most,
            .clock = clock,
            .on_progress = std::move(on_progress)};
  }
  std::string received(const std::string& name) const {
    return TemporaryFolder::read_bytes(folder / "dest" / name);
  }
  void make_destination() const {
    fs::create_directory(folder / "dest");
    fs::permissions(folder / "dest", fs::perms::owner_all);
  }
  // What lies in the destination, whatever begins with a dot.
  std::size_t hidden() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "dest"))
      if (entry.path().filename().string().starts_with('.')) ++count;
    return count;
  }

  const NoSigpipe no_sigpipe;
  TemporaryFolder folder;
  SftpEnd far;
  TransferSet transfer_set;
  UploadRequest request;
  RateLimit limit{0};
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};
  SystemClock clock;
  std::uint64_t verified = 0;
};

TEST_F(SftpUploads, BringFilesThere) {
  ship("a.deb", long_content(5));
  ship("below/b.deb", "short");
  ship("empty", "");
  request.destination = (folder / "dest" / "made" / "too").string();
  const Upload done = run();
  const fs::path there = request.destination;
  EXPECT_EQ(TemporaryFolder::read_bytes(there / "a.deb"), long_content(5));
  EXPECT_EQ(TemporaryFolder::read_bytes(there / "below/b.deb"), "short");
  EXPECT_EQ(TemporaryFolder::read_bytes(there / "empty"), "");
  EXPECT_EQ(hidden(), 0U);
  EXPECT_EQ(fs::status(there).permissions(), fs::perms::owner_all);
  ASSERT_EQ(done.files.size(), 3U);
  EXPECT_EQ(done.files[0].sent_bytes, long_content(5).size());
  EXPECT_FALSE(done.files[0].reused);
  EXPECT_EQ(done.method, UploadMethod::sftp);
  EXPECT_EQ(verified, transfer_set.bytes());
}

TEST_F(SftpUploads, SendNothingTwice) {
  ship("a.deb", long_content(3));
  run();
  const Upload again = run();
  EXPECT_EQ(again.files[0].sent_bytes, 0U);
  EXPECT_TRUE(again.files[0].reused);
  EXPECT_EQ(again.connections, 0U);
  EXPECT_EQ(verified, transfer_set.bytes());
}

TEST_F(SftpUploads, BlameAFileThatWasChangedMeanwhileAndNotTheHost) {
  ship("a.deb", long_content(2));
  std::string changed = long_content(2);
  changed[chunk_bytes + 5] = '!';
  folder.write("here/a.deb", changed);
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_NE(error.message().find("changed during the transfer"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "dest/a.deb"));
}

TEST_F(SftpUploads, ReplaceAFileOfTheSameSizeWithOtherContent) {
  ship("a.deb", long_content(3));
  run();
  std::fstream file(folder / "dest/a.deb", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(chunk_bytes + 17));
  file.put('!');
  file.close();
  EXPECT_FALSE(run().files[0].reused);
  EXPECT_EQ(received("a.deb"), long_content(3));
}

TEST_F(SftpUploads, GoOnWithTheChunksThatAreMissing) {
  ship("a.deb", long_content(4));
  far.faults.bytes_until_cut = static_cast<std::int64_t>(3 * chunk_bytes);
  const Upload done = run();
  EXPECT_EQ(far.faults.cuts, 1U);
  EXPECT_EQ(done.retries, 1U);
  EXPECT_EQ(received("a.deb"), long_content(4));
  EXPECT_LE(done.files[0].sent_bytes, long_content(4).size() + 2 * chunk_bytes);
}

TEST_F(SftpUploads, AreCutAnywhereAndStillComplete) {
  ship("a.deb", long_content(2));
  const auto size = static_cast<std::int64_t>(long_content(2).size());
  for (std::int64_t cut = 10; cut < size; cut += size / 4) {
    fs::remove_all(folder / "dest");
    far.faults.bytes_until_cut = cut;
    run();
    EXPECT_EQ(received("a.deb"), long_content(2)) << cut;
  }
}

TEST_F(SftpUploads, FindADamagedChunkOfAPartAndSendItAlone) {
  ship("a.deb", long_content(4));
  make_destination();
  std::string part = long_content(3);
  part[chunk_bytes + 17] = '!';
  part += std::string(100, 'c');
  folder.write("dest/.a.deb.topsctl-part", part);
  const Upload done = run();
  EXPECT_EQ(received("a.deb"), long_content(4));
  EXPECT_EQ(done.files[0].resumed_at, 2 * chunk_bytes);
  EXPECT_EQ(done.files[0].sent_bytes, done.files[0].size - done.files[0].resumed_at);
  EXPECT_EQ(hidden(), 0U);
}

TEST_F(SftpUploads, CutAPartThatIsTooLong) {
  ship("a.deb", "content");
  make_destination();
  folder.write("dest/.a.deb.topsctl-part", "content and more");
  EXPECT_EQ(run().files[0].sent_bytes, 0U);
  EXPECT_EQ(received("a.deb"), "content");
}

// A server that neither cuts a file nor sets its mode, by its handle or its path.
TEST_F(SftpUploads, WriteAnewAPartThatIsTooLongAndCannotBeCut) {
  ship("a.deb", long_content(2));
  make_destination();
  folder.write("dest/.a.deb.topsctl-part", long_content(2) + "and more");
  far.faults.alter_heard = [](std::string bytes) {
    const char kind = bytes.size() > 4 ? bytes[4] : '\0';
    if (kind == static_cast<char>(SftpKind::set) || kind == static_cast<char>(SftpKind::set_handle))
      bytes[13] = '!';  // of another handle, or path
    return bytes;
  };
  EXPECT_EQ(run().files[0].sent_bytes, long_content(2).size());
  EXPECT_EQ(received("a.deb"), long_content(2));
  EXPECT_EQ(hidden(), 0U);
  EXPECT_EQ(verified, transfer_set.bytes());
}

TEST_F(SftpUploads, WriteAgainWhatIsReadBackDifferently) {
  ship("a.deb", long_content(3));
  bool was_flipped = false;
  far.faults.alter_heard = [&](std::string bytes) {
    if (bytes.size() > 100'000 && !std::exchange(was_flipped, true))
      bytes[90'000] = static_cast<char>(bytes[90'000] ^ 1);
    return bytes;
  };
  const Upload done = run();
  EXPECT_TRUE(was_flipped);
  EXPECT_EQ(received("a.deb"), long_content(3));
  EXPECT_EQ(done.files[0].sent_bytes, long_content(3).size() + chunk_bytes);
}

TEST_F(SftpUploads, RefuseADiskThatAlwaysKeepsSomethingElse) {
  ship("a.deb", long_content(2));
  far.faults.alter_heard = [&](std::string bytes) {
    if (bytes.size() > 100'000) bytes[90'000] = static_cast<char>(bytes[90'000] ^ 1);
    return bytes;
  };
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
  EXPECT_NE(error.message().find("digest"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "dest/a.deb"));
}

TEST_F(SftpUploads, HonourARateLimitAndSayHowFarTheyAre) {
  ship("a.deb", std::string(3U << 20U, 'x'));
  RateLimit slow(10U << 20U);
  const auto before = clock.steady();
  std::vector<std::uint64_t> told;
  sftp_upload(job(slow, [&](std::uint64_t done, std::uint64_t) { told.push_back(done); }));
  EXPECT_GE(clock.steady() - before, std::chrono::milliseconds(150));
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), transfer_set.bytes());
}

TEST_F(SftpUploads, DoNotWriteToAPlantedFolder) {
  ship("a.deb", "content");
  const auto outside = folder.make_folder("outside");
  fs::create_directory_symlink(outside, folder / "dest");
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::permission);
  EXPECT_NE(error.message().find("link"), std::string::npos);
  request.dry_run = true;
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  fs::remove(folder / "dest");
  fs::create_symlink(folder / "nowhere", folder / "dest");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  EXPECT_TRUE(fs::is_empty(outside));
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST_F(SftpUploads, DoNotFollowALinkBelowTheFolderOrInPlaceOfAPart) {
  ship("below/a.deb", "content");
  const auto outside = folder.make_folder("outside");
  make_destination();
  fs::create_directory_symlink(outside, folder / "dest/below");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  fs::remove(folder / "dest/below");
  fs::create_directory(folder / "dest/below");
  fs::create_symlink(outside / "victim", folder / "dest/below/.a.deb.topsctl-part");
  fs::create_symlink(outside / "victim", folder / "dest/below/a.deb");
  run();
  EXPECT_EQ(received("below/a.deb"), "content");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / "dest/below/a.deb")));
  EXPECT_TRUE(fs::is_empty(outside));
}

TEST_F(SftpUploads, RefuseAFolderOfOthersOrForOthers) {
  ship("a.deb", "content");
  make_destination();
  fs::permissions(folder / "dest", fs::perms::all);
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  fs::permissions(folder / "dest", fs::perms::owner_all);
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  ASSERT_EQ(::chown((folder / "dest").c_str(), 4711, 4711), 0);
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::permission);
  EXPECT_NE(error.message().find("4711"), std::string::npos);
  EXPECT_EQ(hidden(), 0U);
}

TEST_F(SftpUploads, RefuseAFolderThatOthersCouldExchange) {
  ship("a.deb", "sent");
  fs::create_directory(folder / "open");
  request.destination = (folder / "open/dest").string();
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
  EXPECT_FALSE(fs::exists(folder / "open/dest/a.deb"));
  ASSERT_EQ(::chmod((folder / "open").c_str(), 01777), 0);
  run();
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  ASSERT_EQ(::chown((folder / "open").c_str(), 65534, 65534), 0);
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::permission);
}

TEST_F(SftpUploads, OnlyLookInADryRun) {
  ship("a.deb", long_content(2));
  request.dry_run = true;
  EXPECT_EQ(run().files[0].resumed_at, 0U);
  EXPECT_FALSE(fs::exists(folder / "dest"));
  make_destination();
  folder.write("dest/.a.deb.topsctl-part", long_content(2).substr(0, chunk_bytes));
  const Upload seen = run();
  EXPECT_EQ(seen.files[0].resumed_at, chunk_bytes);
  EXPECT_EQ(seen.files[0].sent_bytes, 0U);
  EXPECT_FALSE(fs::exists(folder / "dest/a.deb"));
}

TEST_F(SftpUploads, NoticeAFileThatWasCutShortMeanwhile) {
  ship("a.deb", long_content(2));
  folder.write("here/a.deb", "short");
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::bad_bundle);
  EXPECT_FALSE(fs::exists(folder / "dest/a.deb"));
}

TEST_F(SftpUploads, AreForTargetsThatRunNoPrograms) {
  ship("a.deb", "content");
  const UploadJob all = job(limit, [](std::uint64_t, std::uint64_t) {});
  const auto send = [&] { return upload_or_sftp(all); };
  EXPECT_EQ(send().method, UploadMethod::sftp);
  EXPECT_EQ(received("a.deb"), "content");
  const Error alone = thrown_by([&] { upload(all); });
  EXPECT_EQ(alone.code(), ErrorCode::host_unfit);
  request.target = parse_target("node1/box");
  EXPECT_EQ(thrown_by(send).code(), ErrorCode::host_unfit);
  far.has_subsystem = false;
  EXPECT_EQ(thrown_by(send).code(), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
