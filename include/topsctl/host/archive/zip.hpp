// Reading of zip archives by their central directory (PKWARE APPNOTE 6.3.10), zip64 included.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The problem of an entry that claims more than deflate can make of its bytes.
inline constexpr std::string_view impossible_ratio = "more than its bytes can become";

struct ZipEntry {
  std::string raw_path;  // as the archive has it
  std::string path;      // without "./", doubled and trailing slashes
  PayloadEntry::Type type = PayloadEntry::Type::file;
  std::uint64_t size = 0;             // bytes, decompressed, as claimed
  std::uint64_t compressed_size = 0;  // bytes
  unsigned mode = 0;                  // 07777; 0: not said
  std::int64_t mtime = 0;             // seconds since 1970, the DOS time read as UTC
  std::uint32_t crc = 0;
  unsigned method = 0;            // 0 stored, 8 deflated; others cannot be read
  std::uint64_t data_offset = 0;  // of the local header
  std::uint64_t data_end = 0;     // where the next entry or the directory begins
  bool escapes = false;           // the name is absolute or climbs with ".."
  std::string_view problem = {};  // why it cannot be read: "encrypted"; empty: it can
};

// Room for a member that is decompressed whole. One for each thread, used again and again.
class ZipBuffers {
 public:
  static constexpr std::uint64_t usual_memory = 8U << 20U;  // bytes

  // Entries whose compressed and decompressed content together take at most `memory` bytes are
  // decompressed at once by libdeflate, twice as fast as zlib. It also takes streams that zlib, and
  // so pip, refuses: codes that are incomplete or not defined, which no compressor writes. 0: every
  // entry is decompressed by zlib, in pieces.
  explicit ZipBuffers(std::uint64_t memory = usual_memory);
  ~ZipBuffers();
  ZipBuffers(ZipBuffers&&) noexcept;
  ZipBuffers& operator=(ZipBuffers&&) noexcept;

  // Whether there is room to decompress it at once.
  bool fits(const ZipEntry& entry) const;

 private:
  friend class ZipReader;
  class State;
  std::unique_ptr<State> state_;
};

// The entries of a zip archive that lies in a stretch of a file; bytes before the archive are
// passed over as Python's zipfile does, so that what is seen here is what pip sees. Throws
// Error{bad_package}, naming `subject`, for a damaged directory, entries that overlap each other,
// archives in several parts, and lists so long that they are a bomb (a million entries, 56 MiB).
class ZipReader {
 public:
  ZipReader(FileRange range, std::string subject);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const std::string& subject() const { return subject_; }
  // The decompressed content of one entry; size and CRC are checked at its end. Several entries may
  // be read at once by different threads. Throws Error{bad_package} for entries with a `problem`
  // and for local headers that say otherwise than the directory; piece() throws it for damage. The
  // source has a range() if the entry is stored. Refuses every deflate stream that zlib refuses.
  std::unique_ptr<Source> open(const ZipEntry& entry) const;
  // The same, the fastest way, in pieces of at most 256 KiB. An entry that fits into `buffers` has
  // them for its own until another one that fits is opened, and is decompressed by libdeflate.
  std::unique_ptr<Source> open(const ZipEntry& entry, ZipBuffers& buffers) const;
  // The whole content; refused if larger than `most` bytes.
  std::string text(const ZipEntry& entry, std::uint64_t most) const;

 private:
  FileRange data_of(const ZipEntry& entry) const;

  FileRange range_;
  std::string subject_;
  std::vector<ZipEntry> entries_;
};

}  // namespace topsctl
