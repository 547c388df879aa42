// Reads ELF files on disk, only the parts with requested facts.
#include "topsctl/host/content/elf.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/content/elf_parser.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

namespace {

// One read returns the header, the program headers and, for small files, most of the rest.
constexpr std::uint64_t head_size = 4096;

class FileBytes : public ElfBytes {
 public:
  // Throws Error if the file cannot be opened or is not a regular file.
  explicit FileBytes(const std::filesystem::path& file) : name_(file) {
    // Without O_NONBLOCK, opening a pipe without a writer would block.
    file_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file_.is_open()) throw system_error(errno, "open", name_);
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) throw system_error(errno, "read", name_);
    if (S_ISDIR(status.st_mode)) throw system_error(EISDIR, "read", name_);
    if (!S_ISREG(status.st_mode)) {
      throw Error(ErrorCode::bad_package, "not a regular file",
                  "get the file again from the vendor");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    read(0, head_size, head_);
  }

  std::uint64_t size() const override { return size_; }

  std::string_view at(std::uint64_t offset, std::uint64_t most, std::string& room) override {
    if (offset < head_.size() && most <= head_.size() - offset) {
      return std::string_view(head_).substr(offset, most);
    }
    read(offset, most, room);
    return room;
  }

 private:
  void read(std::uint64_t offset, std::uint64_t most, std::string& room) const {
    room.resize(offset < size_ ? std::min(most, size_ - offset) : 0);
    std::size_t filled = 0;
    while (filled < room.size()) {
      const ssize_t got = ::pread(file_.get(), room.data() + filled, room.size() - filled,
                                  static_cast<off_t>(offset + filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(errno, "read", name_);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    room.resize(filled);
  }

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::string head_;
};

}  // namespace

ElfFacts read_elf(const std::filesystem::path& file, Exports exports) {
  try {
    FileBytes bytes(file);
    return parse_elf(bytes, exports);
  } catch (const Error& error) {
    ElfFacts facts;
    facts.problem = error.message();
    return facts;
  }
}

}  // namespace topsctl
