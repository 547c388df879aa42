// Byte streams that are read once, in order: files, parts of files, members of archives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

// A range of an open file. The file must stay open while the range is used.
struct FileRange {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Sequential bytes. piece() throws Error if they cannot be read or are damaged.
class Source {
 public:
  virtual ~Source() = default;
  // The next bytes, empty at the end; valid until the next call.
  virtual std::string_view piece() = 0;
  // The position of the bytes if they are a plain range of a file, for readers that need to seek;
  // always the whole source, even after reading.
  virtual std::optional<FileRange> range() const { return std::nullopt; }
};

// A range of a file, read with pread in pieces of 256 KiB. Does not own the descriptor.
std::unique_ptr<Source> range_source(FileRange range, std::string subject);
// A whole file, opened by open_input. Throws Error if it cannot be opened or is not a regular file.
std::unique_ptr<Source> file_source(const std::filesystem::path& file,
                                    const std::filesystem::path& found_below = {});
// Text in memory, which must outlive the source.
std::unique_ptr<Source> text_source(std::string_view text);

// Forwards another source, which must outlive it, and passes each byte to an observer once.
class ObservedSource : public Source {
 public:
  ObservedSource(Source& from, std::function<void(std::string_view)> observer)
      : from_(from), observer_(std::move(observer)) {}
  std::string_view piece() override {
    const std::string_view bytes = from_.piece();
    if (!bytes.empty() && observer_) observer_(bytes);
    return bytes;
  }
  std::optional<FileRange> range() const override { return from_.range(); }

 private:
  Source& from_;
  std::function<void(std::string_view)> observer_;
};
// A source with another owner, for functions that need a unique_ptr.
std::unique_ptr<Source> borrowed(Source& source);

// Reads a source in amounts that the caller chooses.
class SourceReader {
 public:
  // The source must outlive the reader.
  explicit SourceReader(Source& source) : source_(source) {}
  // The next `size` bytes; fewer only at the end of the source.
  std::string read(std::size_t size);
  // The next bytes, at most `most`; empty at the end; valid until the next call.
  std::string_view some(std::uint64_t most);
  // The number of bytes read so far.
  std::uint64_t position() const { return position_; }

 private:
  Source& source_;
  std::string_view rest_;
  std::uint64_t position_ = 0;
};

// The next `size` bytes of a reader as a source; the reader must outlive it. Throws
// Error{bad_package} with `subject` if the reader ends earlier.
std::unique_ptr<Source> next_bytes(SourceReader& reader, std::uint64_t size, std::string subject);
// The remaining bytes of a reader, which must outlive it.
std::unique_ptr<Source> remaining_bytes(SourceReader& reader);

// A source whose first bytes can be inspected before they are read.
class PeekedSource : public Source {
 public:
  explicit PeekedSource(std::unique_ptr<Source> from) : from_(std::move(from)) {}
  // The first `most` bytes, fewer only at the end; only before the first piece().
  std::string_view peek(std::size_t most);
  std::string_view piece() override;
  std::optional<FileRange> range() const override { return from_->range(); }

 private:
  std::unique_ptr<Source> from_;
  std::string head_;
  bool head_is_given_ = false;
};

// Reads to the end. Returns the number of bytes.
std::uint64_t drain(Source& source);
// The whole content; throws Error{bad_package} with `subject` if it is larger than `most` bytes.
std::string whole_text(Source& source, std::uint64_t most, const std::string& subject);

}  // namespace topsctl
