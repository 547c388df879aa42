// Reads zip archives by their central directory (PKWARE APPNOTE 6.3.10), including zip64.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The problem of an entry that declares more than deflate can produce from its bytes.
inline constexpr std::string_view impossible_ratio = "more than its bytes can become";

struct ZipEntry {
  std::string raw_path;  // as in the archive
  std::string path;      // without "./", repeated and trailing slashes
  PayloadEntry::Type type = PayloadEntry::Type::file;
  std::uint64_t size = 0;             // bytes, decompressed, as declared
  std::uint64_t compressed_size = 0;  // bytes
  unsigned mode = 0;                  // 07777; 0: not stated
  std::int64_t mtime = 0;             // seconds since 1970, the DOS time read as UTC
  std::uint32_t crc = 0;
  unsigned method = 0;            // 0 stored, 8 deflated; others are unsupported
  std::uint64_t data_offset = 0;  // of the local header
  std::uint64_t data_end = 0;     // start of the next entry or of the directory
  bool escapes = false;           // the name is absolute or leaves the tree by ".."
  std::string_view problem = {};  // why it cannot be read: "encrypted"; empty: it can be read
};

// Buffers for members that are decompressed at once. One per thread, reused.
class ZipBuffers {
 public:
  static constexpr std::uint64_t usual_memory = 8U << 20U;  // bytes

  // Entries whose compressed and decompressed content together take at most `memory` bytes are
  // decompressed at once by libdeflate, twice as fast as zlib. It also accepts streams that zlib,
  // and so pip, rejects: incomplete or undefined codes, which no compressor writes. 0: zlib
  // decompresses every entry, in pieces.
  explicit ZipBuffers(std::uint64_t memory = usual_memory);
  ~ZipBuffers();
  ZipBuffers(ZipBuffers&&) noexcept;
  ZipBuffers& operator=(ZipBuffers&&) noexcept;

  // Whether the entry can be decompressed at once.
  bool fits(const ZipEntry& entry) const;

 private:
  friend class ZipReader;
  class State;
  std::unique_ptr<State> state_;
};

// The entries of a zip archive in a range of a file. Skips bytes before the archive as Python's
// zipfile does, so that it sees the same as pip. Throws Error{bad_package} with `subject` for a
// damaged directory, overlapping entries, multi-part archives, and lists of the size of a bomb (a
// million entries, 56 MiB).
class ZipReader {
 public:
  ZipReader(FileRange range, std::string subject);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const std::string& subject() const { return subject_; }
  // The decompressed content of one entry; size and CRC are verified at its end. Thread-safe for
  // different entries. Throws Error{bad_package} for entries with a `problem` and for local headers
  // that contradict the directory; piece() throws it for damage. The source has a range() if the
  // entry is stored. Rejects every deflate stream that zlib rejects.
  std::unique_ptr<Source> open(const ZipEntry& entry) const;
  // The same, in the fastest way, in pieces of at most 256 KiB. An entry that fits into `buffers`
  // uses them until the next such entry is opened, and is decompressed by libdeflate.
  std::unique_ptr<Source> open(const ZipEntry& entry, ZipBuffers& buffers) const;
  // The whole content; throws if it is larger than `most` bytes.
  std::string text(const ZipEntry& entry, std::uint64_t most) const;

 private:
  FileRange data_of(const ZipEntry& entry) const;

  FileRange range_;
  std::string subject_;
  std::vector<ZipEntry> entries_;
};

}  // namespace topsctl
