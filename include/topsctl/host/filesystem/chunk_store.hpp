// Received content: complete objects by their ids, and parts of incomplete ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/filesystem/chunks.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// An object whose chunks arrive in any order and from several processes, also from those of a lost
// connection that still run: all write the same bytes. The part has the data; its marks have the
// digest of each complete chunk. After a crash a mark may exist without its data, so marks are
// trusted only after the data was read again.
class Part {
 public:
  // Creates part and marks if missing. Waits while another process completes one in this store.
  Part(const std::filesystem::path& store, const std::string& id, std::uint64_t size);
  // Nothing if the object is complete; then no part is created.
  static std::optional<Part> unless_whole(const std::filesystem::path& store, const std::string& id,
                                          std::uint64_t size);

  // Reads the marked chunks, and removes marks that do not match the data. Returns the rest.
  std::vector<std::optional<ChunkDigest>> verified();
  // The digest of each chunk that is marked as complete, not compared with the data.
  std::vector<std::optional<ChunkDigest>> marks() const;
  // Whether it has become an object, perhaps by another run.
  bool is_complete() const;
  // Call before writing a chunk: it has no mark until it is complete.
  void begin(std::uint64_t chunk);
  // Throws Error{no_space} and others.
  void write(std::uint64_t offset, std::string_view bytes);
  // Marks a chunk as complete. Starts its write-back to disk.
  void mark(std::uint64_t chunk, const ChunkDigest& digest);
  // Turns the part into an object, durably, unless another run has already done so; the part is
  // then gone. Throws Error{internal} unless the digests of all chunks, marked or not, match the
  // id.
  void complete();

 private:
  // `lock`: the store's lock, held by the caller.
  Part(const Descriptor& lock, const std::filesystem::path& store, const std::string& id,
       std::uint64_t size);

  std::filesystem::path store_;
  std::string id_;
  std::uint64_t size_;
  std::filesystem::path file_;
  Descriptor data_;
  Descriptor marks_;
};

// An object that is complete or still arriving, for reading at the same time. Stays readable when
// it is completed and renamed.
class ArrivingObject {
 public:
  // Throws Error if there is neither an object nor a part.
  ArrivingObject(const std::filesystem::path& store, const std::string& id, std::uint64_t size);

  // Which chunks are marked now.
  std::vector<bool> present() const;
  // Makes `watch` wake up when further chunks are marked.
  void watch_with(FileWatch& watch) const;
  // Fills `bytes` from `offset`. Throws Error if the data is not there.
  void read(std::uint64_t offset, std::span<char> bytes) const;

 private:
  std::uint64_t size_;
  Descriptor data_;
  Descriptor marks_;  // closed: the object is complete
};

// The path of an object; nothing if it is missing or was changed since it was completed.
std::optional<std::filesystem::path> object_in(const std::filesystem::path& store,
                                               const std::string& id);
// The same, but verifies a changed object by reading it: another run may still write the same bytes
// into it, which changes its time.
std::optional<std::filesystem::path> whole_object(const std::filesystem::path& store,
                                                  const std::string& id, std::uint64_t size);

// Removes parts without writes for two weeks, and objects that are older than a month and have no
// other name.
void remove_old_objects(const std::filesystem::path& store);

// Whether a text has the form of a content_id.
bool is_content_id(std::string_view text);

}  // namespace topsctl
