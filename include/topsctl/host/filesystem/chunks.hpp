// Files as lists of chunks, each identified by its digest, and a digest for the whole list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

inline constexpr std::uint64_t chunk_bytes = 4ULL << 20U;  // of every chunk except the last

// SHA-256, 32 raw bytes.
using ChunkDigest = std::string;

struct ChunkList {
  std::uint64_t size = 0;            // bytes of the whole file
  std::vector<ChunkDigest> digests;  // of each chunk, in order
  bool operator==(const ChunkList&) const = default;
};

std::uint64_t chunk_count(std::uint64_t size);
// Bytes of one chunk of a file of `size` bytes.
std::uint64_t chunk_size(std::uint64_t size, std::uint64_t chunk);

// The id of a content: the SHA-256, in hex, of size and digests. Equal contents have equal ids, and
// different ones different ids.
std::string content_id(const ChunkList& chunks);

// Reads a file on several threads. Throws Error if it cannot be read or changes during reading.
ChunkList read_chunks(const std::filesystem::path& file);
// The digest of one chunk of a file that had `size` bytes. Throws Error{bad_bundle} if the file is
// shorter now, or cannot be opened.
ChunkDigest read_chunk(const std::filesystem::path& file, std::uint64_t size, std::uint64_t chunk);

// Cached digests, keyed by device, inode, size and both times of a file. In a directory of its own;
// write errors only cost time.
class DigestMemory {
 public:
  // The clock must outlive it.
  DigestMemory(std::filesystem::path folder, const Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}

  struct Known {
    ChunkList chunks;
    std::string sha256;  // of the whole file; empty: unknown
  };
  std::optional<Known> find(const std::filesystem::path& file) const;
  // Skips files that were changed in the last two seconds, because their times may not change
  // again.
  void keep(const std::filesystem::path& file, const Known& known) const;

 private:
  std::optional<std::string> name_of(const std::filesystem::path& file) const;

  std::filesystem::path folder_;
  const Clock& clock_;
};

}  // namespace topsctl
