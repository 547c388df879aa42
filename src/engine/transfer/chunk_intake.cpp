// Writes chunks to their parts.
#include "engine/transfer/chunk_intake.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

void AgentVoice::say(std::string_view frame) {
  const std::lock_guard<std::mutex> lock(mutex_);
  write_all(output_, frame, "standard output");
}

void ChunkIntake::begin(const ChunkPlace& place, std::uint64_t size) {
  const bool is_known = place.object < objects_.size() &&
                        place.chunk < chunk_count(objects_[place.object].object.size) &&
                        chunk_size(objects_[place.object].object.size, place.chunk) == size;
  if (!is_known) throw Error(ErrorCode::usage, "a chunk that is in no manifest");
  place_ = place;
  offset_ = place.chunk * chunk_bytes;
  std::optional<Part>& part = objects_[place.object].part;
  part_ = part && !part->is_complete() ? &*part : nullptr;
  if (part_ != nullptr) part_->begin(place.chunk);
  digest_ = Sha256();
}

void ChunkIntake::take(std::string_view piece) {
  digest_.update(piece);
  if (part_ != nullptr) part_->write(offset_, piece);
  offset_ += piece.size();
}

void ChunkIntake::end() {
  const ChunkDigest digest = digest_.bytes();
  if (part_ != nullptr) part_->mark(place_.chunk, digest);
  voice_.say(ack_frame({place_, digest}));
}

}  // namespace topsctl
