// Streaming reader of tar archives (POSIX ustar and pax, GNU, v7); never unpacks to disk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct TarEntry {
  std::string raw_path;  // as in the archive
  std::string path;      // without "./", repeated and trailing slashes
  PayloadEntry::Type type = PayloadEntry::Type::file;
  std::uint64_t size = 0;
  unsigned mode = 0;  // 07777
  std::string owner;  // "root/root"; numbers if there are no names
  std::int64_t mtime = 0;
  std::string link_target;  // as in the archive
  unsigned device_major = 0;
  unsigned device_minor = 0;
  bool is_sparse = false;  // has holes that the archive omits (GNU)
  bool escapes = false;    // the name is absolute or leaves the tree by ".."
};

// An archive name without "./", repeated and trailing slashes; keeps "..".
std::string plain_path(std::string_view path);
// Whether such a name is absolute or leaves the tree by "..".
bool path_escapes(std::string_view path);

// Throws Error{bad_package} with `subject` for a name with more than 128 parts: such a tree takes
// minutes to walk or remove.
void require_shallow(std::string_view path, const std::string& subject);

// Reads the entries of one uncompressed tar in order. Throws Error{bad_package} with `subject` for
// all damage; unusual names are marked, not errors.
class TarReader {
 public:
  TarReader(Source& source, std::string subject);
  ~TarReader();
  TarReader(TarReader&&) noexcept;
  TarReader& operator=(TarReader&&) noexcept;

  // Nothing at the end; the source has been read to its end then, so its compression checksums are
  // verified.
  std::optional<TarEntry> next();
  // The next piece of the current entry's content, empty at its end; valid until the next call. The
  // holes of a sparse entry come as zeros, at most 16 GiB in one archive.
  std::string_view piece();
  // The whole content of the current entry; throws if it is larger than `most` bytes.
  std::string text(std::uint64_t most);

  struct State;

 private:
  void read_data();

  std::unique_ptr<State> state_;
};

}  // namespace topsctl
