// Chunks, what content is known by, and digests that are remembered.
#include "topsctl/host/filesystem/chunks.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

std::string bytes_of_hex_digest(std::string_view bytes) {
  return *bytes_of_hex(sha256_of(bytes));
}

TEST(Chunks, AreFourMebibytesButTheLast) {
  EXPECT_EQ(chunk_count(0), 0U);
  EXPECT_EQ(chunk_count(1), 1U);
  EXPECT_EQ(chunk_count(chunk_bytes), 1U);
  EXPECT_EQ(chunk_count(chunk_bytes + 1), 2U);
  EXPECT_EQ(chunk_size(chunk_bytes + 1, 0), chunk_bytes);
  EXPECT_EQ(chunk_size(chunk_bytes + 1, 1), 1U);
}

TEST(Chunks, HaveTheDigestsOfTheirBytes) {
  const TemporaryFolder folder;
  const std::string first(chunk_bytes, 'a');
  const ChunkList chunks = read_chunks(folder.write("file", first + "rest"));
  EXPECT_EQ(chunks.size, chunk_bytes + 4);
  EXPECT_EQ(chunks.digests,
            (std::vector<ChunkDigest>{bytes_of_hex_digest(first), bytes_of_hex_digest("rest")}));
}

TEST(ContentIds, TellOneContentFromAnother) {
  const ChunkList one{5, {bytes_of_hex_digest("a")}};
  ChunkList other = one;
  EXPECT_EQ(content_id(one), content_id(other));
  other.size = 6;
  EXPECT_NE(content_id(one), content_id(other));
  other = one;
  other.digests[0][0] ^= 1;
  EXPECT_NE(content_id(one), content_id(other));
  EXPECT_EQ(content_id({0, {}}).size(), 64U);
}

// So much later than the file was written that its times tell something.
class LaterClock : public SystemClock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now() + std::chrono::hours(1);
  }
};

TEST(RememberedDigests, AreThoseOfTheFileUntilItChanges) {
  const TemporaryFolder folder;
  const LaterClock later;
  const DigestMemory memory(folder.path() / "memory", later);
  const auto file = folder.write("file", "content");
  const DigestMemory::Known known{read_chunks(file), sha256_of("content")};
  memory.keep(file, known);
  const auto found = memory.find(file);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunks, known.chunks);
  EXPECT_EQ(found->sha256, known.sha256);
  folder.write("file", "CONTENT, longer");
  EXPECT_FALSE(memory.find(file));
}

TEST(RememberedDigests, AreNotOfAFileThatWasJustWritten) {
  const TemporaryFolder folder;
  const SystemClock now;
  const DigestMemory memory(folder.path() / "memory", now);
  const auto file = folder.write("file", "content");
  memory.keep(file, {read_chunks(file), ""});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "memory"));
}

TEST(RememberedDigests, ThatAreDamagedAreForgotten) {
  const TemporaryFolder folder;
  const LaterClock later;
  const DigestMemory memory(folder.path() / "memory", later);
  const auto file = folder.write("file", "content");
  memory.keep(file, {read_chunks(file), ""});
  ASSERT_TRUE(memory.find(file));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "memory")) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 8);
  }
  EXPECT_FALSE(memory.find(file));
}

}  // namespace
}  // namespace topsctl
