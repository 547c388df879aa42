// Takes chunks as they come, and tells what was written.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
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

// The chunks of one connection, one after the other or some at a time. What it is made of must
// outlive it.
class ChunkIntake {
 public:
  // `writing` is held for each piece that is written: threads that write to one file at once would
  // wait for each other with their cores busy.
  ChunkIntake(std::vector<Incoming>& objects, AgentVoice& voice, std::mutex& writing)
      : objects_(objects), voice_(voice), writing_(writing) {}

  // Several chunks are whole ones. A chunk of an object that is there, since another run completed
  // it meanwhile, is read and told but not kept. Throws Error{usage} for a chunk that no manifest
  // has.
  void begin(std::span<const ChunkPlace> places, std::uint64_t size);
  // The next bytes of each; of several as many of each.
  void take(std::span<const std::string_view> pieces);
  void end();

 private:
  struct Arriving {
    ChunkPlace place;
    Part* part = nullptr;  // of objects_; none if the object is there
  };
  Arriving arriving(const ChunkPlace& place, std::uint64_t size);

  std::vector<Incoming>& objects_;
  AgentVoice& voice_;
  std::mutex& writing_;
  std::vector<Arriving> chunks_;
  std::uint64_t taken_ = 0;  // bytes of each
  std::vector<Sha256> digests_;
};

}  // namespace topsctl
