// Bytes that are read once, from the first to the last: files, parts of files, members of archives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

// A stretch of an open file. The file must stay open while the range is used.
struct FileRange {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Sequential bytes. Throws Error from piece() when they cannot be had or are damaged.
class Source {
 public:
  virtual ~Source() = default;
  // The next bytes, empty at the end; valid until the next call.
  virtual std::string_view piece() = 0;
  // Where these bytes lie if they are a plain stretch of a file, for readers that must jump; the
  // range is that of the whole source, whatever was read already.
  virtual std::optional<FileRange> range() const { return std::nullopt; }
};

// A stretch of a file, read with pread in pieces of 256 KiB. The descriptor is not owned.
std::unique_ptr<Source> range_source(FileRange range, std::string subject);
// A whole file, as open_input opens it. Throws Error if it cannot be opened or is no regular file.
std::unique_ptr<Source> file_source(const std::filesystem::path& file,
                                    const std::filesystem::path& found_below = {});
// Text in memory, which must outlive the source.
std::unique_ptr<Source> text_source(std::string_view text);

// Hands on what another source gives, which must outlive it, and lets an observer see every byte
// once.
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
// A source that somebody else owns, for those who must own one.
std::unique_ptr<Source> borrowed(Source& source);

// Takes from a source as much as is wanted at a time.
class SourceReader {
 public:
  // The source must outlive the reader.
  explicit SourceReader(Source& source) : source_(source) {}
  // The next `size` bytes; fewer only if the source ends before.
  std::string read(std::size_t size);
  // The next bytes, at most `most`; empty at the end; valid until the next call.
  std::string_view some(std::uint64_t most);
  // How many bytes were taken so far.
  std::uint64_t position() const { return position_; }

 private:
  Source& source_;
  std::string_view rest_;
  std::uint64_t position_ = 0;
};

// The next `size` bytes of a reader as a source of their own; the reader must outlive it. When the
// reader ends before, Error{bad_package}, naming `subject`.
std::unique_ptr<Source> next_bytes(SourceReader& reader, std::uint64_t size, std::string subject);
// All that is still to come of a reader, which must outlive it.
std::unique_ptr<Source> remaining_bytes(SourceReader& reader);

// A source whose first bytes can be looked at before they are read.
class PeekedSource : public Source {
 public:
  explicit PeekedSource(std::unique_ptr<Source> from) : from_(std::move(from)) {}
  // The first `most` bytes, fewer only if there are no more; before the first piece() only.
  std::string_view peek(std::size_t most);
  std::string_view piece() override;
  std::optional<FileRange> range() const override { return from_->range(); }

 private:
  std::unique_ptr<Source> from_;
  std::string head_;
  bool head_is_given_ = false;
};

// Reads to the end. Returns how many bytes there were.
std::uint64_t drain(Source& source);
// Everything; refused with Error{bad_package}, naming `subject`, if it is larger than `most` bytes.
std::string whole_text(Source& source, std::uint64_t most, const std::string& subject);

}  // namespace topsctl
