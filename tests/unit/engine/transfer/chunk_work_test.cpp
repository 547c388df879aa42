// Chunks that are handed out by ones, or by several that go side by side.
#include "topsctl/engine/transfer/chunk_work.hpp"

#include <gtest/gtest.h>

#include "engine/transfer/direct_sender.hpp"
#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

class ChunkWorks : public testing::Test {
 protected:
  // Of that many whole chunks, and a rest.
  explicit ChunkWorks(std::size_t whole = 9) {
    std::string content;
    for (std::size_t i = 0; i < whole; ++i)
      content += std::string(chunk_bytes, static_cast<char>('a' + i));
    path = folder.write("a.deb", content + "rest");
    file = {path, "a.deb", read_chunks(path), "", ""};
    objects.push_back({&file});
    state.objects.push_back({false, std::vector<std::optional<ChunkDigest>>(whole + 1)});
  }

  TemporaryFolder folder;
  std::filesystem::path path;
  ShippedFile file;
  std::vector<ShippedObject> objects;
  RemoteState state{"", 0, {}};
  UploadProgress no_progress = [](std::uint64_t, std::uint64_t) {};
};

TEST_F(ChunkWorks, HandOutSeveralWhilePlentyAreLeft) {
  ChunkWork work(objects, state, no_progress);
  const Bell one;
  work.add(one);
  std::vector<std::size_t> counts;
  std::set<ChunkPlace> all;
  for (auto places = work.take_some(2); !places.empty(); places = work.take_some(2)) {
    counts.push_back(places.size());
    all.insert(places.begin(), places.end());
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{2, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(all.size(), 10U);
  work.remove(one);
}

TEST_F(ChunkWorks, HandOutWhatIsNotWholeByItself) {
  ChunkWork work(objects, state, no_progress);
  EXPECT_EQ(work.take_some(8).size(), 8U);
  EXPECT_EQ(work.take_some(8), (std::vector<ChunkPlace>{{0, 8}}));
  EXPECT_EQ(work.take_some(8), (std::vector<ChunkPlace>{{0, 9}}));
  work.put_back({{0, 7}, {0, 9}, {0, 8}});
  EXPECT_EQ(work.take_some(8), (std::vector<ChunkPlace>{{0, 7}, {0, 8}}));
  work.fail();
  EXPECT_TRUE(work.take_some(8).empty());
}

TEST_F(ChunkWorks, AreReadInTurnsWhereTheyGoSideBySide) {
  const ChunkWork work(objects, state, no_progress);
  RateLimit limit(0);
  const std::vector<ChunkPlace> both = {{0, 1}, {0, 7}};
  std::string sent;
  read_chunks(work, limit, both, [&](std::string_view bytes) { sent += bytes; });
  const std::string head = chunks_head(both);
  ASSERT_EQ(sent.size(), head.size() + 2 * chunk_bytes);
  EXPECT_TRUE(sent.starts_with(head));
  for (std::size_t at = 0; at < 2 * chunk_bytes; at += interleaved_bytes)
    EXPECT_EQ(sent[head.size() + at], at / interleaved_bytes % 2 == 0 ? 'b' : 'h');
}

}  // namespace
}  // namespace topsctl
