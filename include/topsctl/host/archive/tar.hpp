// Streaming reading of tar archives (POSIX ustar and pax, GNU, v7); nothing is ever unpacked to
// disk here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct TarEntry {
  std::string raw_path;  // as the archive has it
  std::string path;      // without "./", doubled and trailing slashes
  PayloadEntry::Type type = PayloadEntry::Type::file;
  std::uint64_t size = 0;
  unsigned mode = 0;  // 07777
  std::string owner;  // "root/root"; numbers where there are no names
  std::int64_t mtime = 0;
  std::string link_target;  // as the archive has it
  unsigned device_major = 0;
  unsigned device_minor = 0;
  bool is_sparse = false;  // with holes that the archive leaves out (GNU)
  bool escapes = false;    // the name is absolute or climbs with ".."
};

// A name of an archive without "./", doubled and trailing slashes; ".." stays.
std::string plain_path(std::string_view path);
// Whether such a name is absolute or climbs with "..".
bool path_escapes(std::string_view path);

// Throws Error{bad_package}, naming `subject`, for a name with more than 128 parts: whatever walks
// or removes such a tree takes minutes.
void require_shallow(std::string_view path, const std::string& subject);

// Reads the entries of one uncompressed tar in order. Throws Error{bad_package} for everything that
// is wrong with it, naming `subject`; strange names are no error but marked.
class TarReader {
 public:
  TarReader(Source& source, std::string subject);
  ~TarReader();
  TarReader(TarReader&&) noexcept;
  TarReader& operator=(TarReader&&) noexcept;

  // Nothing at the end; the source has been read to its end then, so that checksums of its
  // compression are checked too.
  std::optional<TarEntry> next();
  // The next piece of the current entry's content, empty at its end; valid until the next call.
  // What a sparse entry leaves out comes as zeros, at most 16 GiB in one archive.
  std::string_view piece();
  // The whole content of the current entry; refused if larger than `most` bytes.
  std::string text(std::uint64_t most);

  struct State;

 private:
  void read_data();

  std::unique_ptr<State> state_;
};

}  // namespace topsctl
