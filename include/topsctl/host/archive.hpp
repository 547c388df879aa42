// Streaming reading of tar and zip archives; nothing is ever unpacked to disk here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/model/package.hpp"

namespace topsctl {

struct ArchiveEntry {
  std::string path;  // as the archive has it, without a leading "./" and trailing "/"
  PayloadEntry::Type type = PayloadEntry::Type::file;
  std::uint64_t size = 0;  // bytes, as claimed
  unsigned mode = 0;
  std::string link_target;
};

// Reads the entries of one archive in order. Throws Error{bad_package} for everything that is wrong
// with it, entry names that are absolute or climb with ".." included; `subject` is how messages
// call the file.
class ArchiveReader {
 public:
  // A tar, plain or compressed with gzip, xz, zstd or bzip2, that lies in `size` bytes of `file`
  // from `offset` on.
  static ArchiveReader tar(const std::filesystem::path& file, std::uint64_t offset,
                           std::uint64_t size, std::string subject);
  static ArchiveReader zip(const std::filesystem::path& file, std::string subject);
  ~ArchiveReader();
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;

  std::optional<ArchiveEntry> next();
  // The next piece of the current entry's content, empty at its end; valid until the next call.
  std::string_view piece();
  // The whole content of the current entry; refused if larger than `most` bytes.
  std::string text(std::uint64_t most);

 private:
  struct State;
  explicit ArchiveReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace topsctl
