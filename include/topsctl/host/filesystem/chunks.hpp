// Files as rows of chunks, each known by its digest, and all of them by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

inline constexpr std::uint64_t chunk_bytes = 4ULL << 20U;  // of every chunk but the last

// SHA-256, 32 bytes as they are.
using ChunkDigest = std::string;

struct ChunkList {
  std::uint64_t size = 0;            // bytes of the whole
  std::vector<ChunkDigest> digests;  // of each chunk, in their order
  bool operator==(const ChunkList&) const = default;
};

std::uint64_t chunk_count(std::uint64_t size);
// Bytes of one chunk of a file of `size` bytes.
std::uint64_t chunk_size(std::uint64_t size, std::uint64_t chunk);

// What the content is known by: the SHA-256, in hex, of size and digests. Equal content has equal
// ids, and only equal content has.
std::string content_id(const ChunkList& chunks);

// Reads a file by several threads. Throws Error if it cannot be read or changes meanwhile.
ChunkList read_chunks(const std::filesystem::path& file);
// The digest of one chunk of a file that had `size` bytes. Throws Error{bad_bundle} if it is
// shorter now, or cannot be opened.
ChunkDigest read_chunk(const std::filesystem::path& file, std::uint64_t size, std::uint64_t chunk);

// Digests that were read before, kept by what tells whether a file has changed: device, inode,
// size, and both times. In a folder of its own; that it cannot be written only costs time.
class DigestMemory {
 public:
  // The clock must outlive it.
  DigestMemory(std::filesystem::path folder, const Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}

  struct Known {
    ChunkList chunks;
    std::string sha256;  // of the whole; empty: not known
  };
  std::optional<Known> find(const std::filesystem::path& file) const;
  // Not for a file that was changed in the last two seconds, whose time may stay as it is.
  void keep(const std::filesystem::path& file, const Known& known) const;

 private:
  std::optional<std::string> name_of(const std::filesystem::path& file) const;

  std::filesystem::path folder_;
  const Clock& clock_;
};

}  // namespace topsctl
