// Writes chunks to their parts.
#include "engine/transfer/chunk_intake.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

void AgentVoice::say(std::string_view frame) {
  const std::lock_guard<std::mutex> lock(mutex_);
  write_all(output_, frame, "standard output");
}

ChunkIntake::Arriving ChunkIntake::arriving(const ChunkPlace& place, std::uint64_t size) {
  const bool is_known = place.object < objects_.size() &&
                        place.chunk < chunk_count(objects_[place.object].object.size) &&
                        chunk_size(objects_[place.object].object.size, place.chunk) == size;
  if (!is_known) throw Error(ErrorCode::usage, "a chunk that is in no manifest");
  std::optional<Part>& part = objects_[place.object].part;
  return {place, part && !part->is_complete() ? &*part : nullptr};
}

void ChunkIntake::begin(std::span<const ChunkPlace> places, std::uint64_t size) {
  chunks_.clear();
  for (const ChunkPlace& place : places) chunks_.push_back(arriving(place, size));
  for (const Arriving& chunk : chunks_) {
    if (chunk.part != nullptr) chunk.part->begin(chunk.place.chunk);
  }
  taken_ = 0;
  digests_ = std::vector<Sha256>(chunks_.size());
}

void ChunkIntake::take(std::span<const std::string_view> pieces) {
  std::vector<Sha256::Piece> hashed;
  for (std::size_t i = 0; i < pieces.size(); ++i) hashed.push_back({&digests_[i], pieces[i]});
  Sha256::update_each(hashed);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [place, part] = chunks_[i];
    if (part == nullptr) continue;
    const std::lock_guard<std::mutex> lock(writing_);
    part->write(place.chunk * chunk_bytes + taken_, pieces[i]);
  }
  taken_ += pieces[0].size();
}

void ChunkIntake::end() {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const auto& [place, part] = chunks_[i];
    const ChunkDigest digest = digests_[i].bytes();
    if (part != nullptr) part->mark(place.chunk, digest);
    voice_.say(ack_frame({place, digest}));
  }
}

}  // namespace topsctl
