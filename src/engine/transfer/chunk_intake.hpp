// Receives chunks, and acknowledges what was written.
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

// Sends frames back to the workstation. Thread-safe.
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
  std::optional<Part> part;  // nothing if the object exists
};

// The chunks of one connection, in sequence or interleaved. The constructor's arguments must
// outlive it.
class ChunkIntake {
 public:
  // `writing` is held for each written piece: otherwise threads that write to one file would wait
  // for each other in busy loops.
  ChunkIntake(std::vector<Incoming>& objects, AgentVoice& voice, std::mutex& writing)
      : objects_(objects), voice_(voice), writing_(writing) {}

  // Several chunks must be full-size ones. A chunk of an object that another run has completed is
  // verified and acknowledged but not written. Throws Error{usage} for a chunk that is not in the
  // manifest.
  void begin(std::span<const ChunkPlace> places, std::uint64_t size);
  // The next bytes of each; the same number for each of several.
  void take(std::span<const std::string_view> pieces);
  void end();

 private:
  struct Arriving {
    ChunkPlace place;
    Part* part = nullptr;  // points into objects_; null if the object exists
  };
  Arriving arriving(const ChunkPlace& place, std::uint64_t size);

  std::vector<Incoming>& objects_;
  AgentVoice& voice_;
  std::mutex& writing_;
  std::vector<Arriving> chunks_;
  std::uint64_t taken_ = 0;  // bytes received of each
  std::vector<Sha256> digests_;
};

}  // namespace topsctl
