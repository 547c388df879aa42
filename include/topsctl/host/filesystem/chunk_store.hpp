// Content that was received: whole objects by their ids, and parts of those that are on their way.
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

// An object of which chunks arrive, in any order and by several processes, also by those of a
// connection that is lost but not yet given up: whoever writes a chunk writes the same. What has
// arrived is in the part; the digest of each whole chunk is in its marks. After a crash a mark may
// be there without its data, so marks are believed only once the data was read again.
class Part {
 public:
  // Makes part and marks if they are not there. Waits for those who complete one in this store.
  Part(const std::filesystem::path& store, const std::string& id, std::uint64_t size);
  // Nothing if there is a whole object, nor will there be a part of it then.
  static std::optional<Part> unless_whole(const std::filesystem::path& store, const std::string& id,
                                          std::uint64_t size);

  // Reads what is marked, and takes away marks whose data is something else. What is left.
  std::vector<std::optional<ChunkDigest>> verified();
  // Whether somebody, perhaps another run, has made it an object.
  bool is_complete() const;
  // A chunk is about to be written: it has no mark until it is complete.
  void begin(std::uint64_t chunk);
  // Throws Error{no_space} and others.
  void write(std::uint64_t offset, std::string_view bytes);
  // A chunk is complete. Lets the disk begin with it.
  void mark(std::uint64_t chunk, const ChunkDigest& digest);
  // Makes the part an object, on the disk, unless there is one, by whichever run: then there is no
  // part any more. Throws Error{internal} unless the marked digests, and those of what is not
  // marked, are those of the id.
  void complete();

 private:
  // `lock`: of the store, held meanwhile.
  Part(const Descriptor& lock, const std::filesystem::path& store, const std::string& id,
       std::uint64_t size);
  std::vector<std::optional<ChunkDigest>> marks() const;

  std::filesystem::path store_;
  std::string id_;
  std::uint64_t size_;
  std::filesystem::path file_;
  Descriptor data_;
  Descriptor marks_;
};

// An object that is there, or whose chunks still arrive, to be read meanwhile. It stays readable
// when it is completed, whatever it is called by then.
class ArrivingObject {
 public:
  // Throws Error if there is neither object nor part.
  ArrivingObject(const std::filesystem::path& store, const std::string& id, std::uint64_t size);

  // Which chunks are marked by now.
  std::vector<bool> present() const;
  // Wakes it when further ones are marked.
  void watch_with(FileWatch& watch) const;
  // Fills `bytes` with what is at `offset`. Throws Error if it is not there.
  void read(std::uint64_t offset, std::span<char> bytes) const;

 private:
  std::uint64_t size_;
  Descriptor data_;
  Descriptor marks_;  // closed: the whole object is there
};

// Where an object lies; nothing if it is not there, or has changed since it was completed.
std::optional<std::filesystem::path> object_in(const std::filesystem::path& store,
                                               const std::string& id);
// The same, and one that has changed is read: another run may still write the same bytes into it,
// which moves its time.
std::optional<std::filesystem::path> whole_object(const std::filesystem::path& store,
                                                  const std::string& id, std::uint64_t size);

// Removes parts that nobody has written to for two weeks, and objects that are older than a month
// and have no other name.
void remove_old_objects(const std::filesystem::path& store);

// Whether a text is an id that content_id gives.
bool is_content_id(std::string_view text);

}  // namespace topsctl
