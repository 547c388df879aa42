// Takes chunks as they come, and tells what was written.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/filesystem/chunk_store.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

// What goes back to the near end, frame by frame. Of several threads.
class AgentVoice {
 public:
  explicit AgentVoice(const Descriptor& output) : output_(output) {}
  // Throws Error.
  void say(std::string_view frame);

 private:
  std::mutex mutex_;
  const Descriptor& output_;
};

// An object of the manifest.
struct Incoming {
  ManifestObject object;
  std::optional<Part> part;  // not for one that is there
};

// The chunks of one connection, one after the other. What it is made of must outlive it.
class ChunkIntake {
 public:
  ChunkIntake(std::vector<Incoming>& objects, AgentVoice& voice)
      : objects_(objects), voice_(voice) {}

  // A chunk of an object that is there, since another run completed it meanwhile, is read and told
  // but not kept. Throws Error{usage} for a chunk that no manifest has.
  void begin(const ChunkPlace& place, std::uint64_t size);
  void take(std::string_view piece);
  void end();

 private:
  std::vector<Incoming>& objects_;
  AgentVoice& voice_;
  ChunkPlace place_;
  Part* part_ = nullptr;  // of objects_; none if the object is there
  std::uint64_t offset_ = 0;
  Sha256 digest_;
};

}  // namespace topsctl
