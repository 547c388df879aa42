// Chunks as they are taken: kept, told, or of an object that is there by now.
#include "engine/transfer/chunk_intake.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

constexpr std::string_view bytes = "the only chunk";

// One object of one chunk, and what is said of it.
struct Taken {
  TemporaryFolder folder;
  Descriptor output{::open((folder / "said").c_str(), O_WRONLY | O_CREAT, 0600)};
  AgentVoice voice{output};
  std::mutex writing;
  std::string id = content_id({bytes.size(), {*bytes_of_hex(sha256_of(bytes))}});
  std::vector<Incoming> objects;

  Taken() { objects.push_back({{id, bytes.size()}, std::nullopt}); }
  void take() {
    ChunkIntake intake(objects, voice, writing);
    const ChunkPlace place;
    intake.begin({&place, 1}, bytes.size());
    intake.take({&bytes, 1});
    intake.end();
  }
  std::string said() const { return TemporaryFolder::read_bytes(folder / "said"); }
};

TEST(ChunkIntakes, KeepWhatBelongsToAPart) {
  Taken taken;
  taken.objects[0].part.emplace(taken.folder.path(), taken.id, bytes.size());
  taken.take();
  taken.objects[0].part->complete();
  EXPECT_TRUE(object_in(taken.folder.path(), taken.id));
  EXPECT_EQ(taken.said(), ack_frame({{0, 0}, *bytes_of_hex(sha256_of(bytes))}));
}

TEST(ChunkIntakes, TellWhatAnotherRunHasCompletedMeanwhile) {
  Taken taken;
  taken.take();
  EXPECT_EQ(taken.said(), ack_frame({{0, 0}, *bytes_of_hex(sha256_of(bytes))}));
}

TEST(ChunkIntakes, RefuseWhatNoManifestHas) {
  Taken taken;
  ChunkIntake intake(taken.objects, taken.voice, taken.writing);
  const auto begin = [&](const ChunkPlace& place, std::size_t size) {
    return thrown_by([&] { intake.begin({&place, 1}, size); }).code();
  };
  EXPECT_EQ(begin({1, 0}, bytes.size()), ErrorCode::usage);
  EXPECT_EQ(begin({0, 1}, bytes.size()), ErrorCode::usage);
  EXPECT_EQ(begin({0, 0}, bytes.size() - 1), ErrorCode::usage);
}

}  // namespace
}  // namespace topsctl
