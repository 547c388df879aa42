// Sources over files and memory, and the ways to read them.
#include "topsctl/host/archive/source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"

namespace topsctl {

namespace {

constexpr std::size_t read_block = 256U << 10U;

[[noreturn]] void refuse_end(const std::string& subject) {
  throw unreadable_file(subject, "truncated");
}

class RangeSource : public Source {
 public:
  RangeSource(FileRange range, std::string subject)
      : range_(range),
        subject_(std::move(subject)),
        buffer_(std::min<std::uint64_t>(read_block, range.size)) {}

  std::string_view piece() override {
    const std::size_t wanted = std::min<std::uint64_t>(range_.size - done_, buffer_.size());
    if (wanted == 0) return {};
    ssize_t got = -1;
    do {
      got = ::pread(range_.file, buffer_.data(), wanted, static_cast<off_t>(range_.offset + done_));
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw system_error(errno, "read", subject_);
    if (got == 0) refuse_end(subject_);
    done_ += static_cast<std::uint64_t>(got);
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

  std::optional<FileRange> range() const override { return range_; }

 private:
  FileRange range_;
  std::string subject_;
  std::uint64_t done_ = 0;
  std::vector<char> buffer_;
};

// Keeps the file open while the range is read.
class FileSource : public Source {
 public:
  FileSource(Descriptor file, FileRange range, std::string subject)
      : file_(std::move(file)), bytes_(range, std::move(subject)) {}
  std::string_view piece() override { return bytes_.piece(); }
  std::optional<FileRange> range() const override { return bytes_.range(); }

 private:
  Descriptor file_;
  RangeSource bytes_;
};

class TextSource : public Source {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  std::string_view piece() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

class NextBytes : public Source {
 public:
  NextBytes(SourceReader& reader, std::uint64_t size, std::string subject)
      : reader_(reader), left_(size), subject_(std::move(subject)) {}

  std::string_view piece() override {
    if (left_ == 0) return {};
    const std::string_view bytes = reader_.some(left_);
    if (bytes.empty()) refuse_end(subject_);
    left_ -= bytes.size();
    return bytes;
  }

 private:
  SourceReader& reader_;
  std::uint64_t left_;
  std::string subject_;
};

class RemainingBytes : public Source {
 public:
  explicit RemainingBytes(SourceReader& reader) : reader_(reader) {}
  std::string_view piece() override { return reader_.some(UINT64_MAX); }

 private:
  SourceReader& reader_;
};

}  // namespace

std::unique_ptr<Source> borrowed(Source& source) {
  return std::make_unique<ObservedSource>(source, nullptr);
}

std::unique_ptr<Source> range_source(FileRange range, std::string subject) {
  return std::make_unique<RangeSource>(range, std::move(subject));
}

std::unique_ptr<Source> file_source(const std::filesystem::path& file,
                                    const std::filesystem::path& found_below) {
  Descriptor input = open_input(file, found_below);
  struct stat status {};
  if (!input.is_open() || ::fstat(input.get(), &status) != 0) {
    throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::bad_bundle, format("{} is not a regular file", in_quotes(file.string())),
                "give the path of a file");
  }
  const FileRange range{input.get(), 0, static_cast<std::uint64_t>(status.st_size)};
  return std::make_unique<FileSource>(std::move(input), range, file.filename().string());
}

std::unique_ptr<Source> text_source(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

std::string SourceReader::read(std::size_t size) {
  std::string text;
  while (text.size() < size) {
    const std::string_view bytes = some(size - text.size());
    if (bytes.empty()) break;
    text.append(bytes);
  }
  return text;
}

std::string_view SourceReader::some(std::uint64_t most) {
  if (rest_.empty()) rest_ = source_.piece();
  const std::string_view bytes = rest_.substr(0, std::min<std::uint64_t>(most, rest_.size()));
  rest_.remove_prefix(bytes.size());
  position_ += bytes.size();
  return bytes;
}

std::unique_ptr<Source> next_bytes(SourceReader& reader, std::uint64_t size, std::string subject) {
  return std::make_unique<NextBytes>(reader, size, std::move(subject));
}

std::unique_ptr<Source> remaining_bytes(SourceReader& reader) {
  return std::make_unique<RemainingBytes>(reader);
}

std::string_view PeekedSource::peek(std::size_t most) {
  while (head_.size() < most) {
    const std::string_view bytes = from_->piece();
    if (bytes.empty()) break;
    head_.append(bytes);
  }
  return std::string_view(head_).substr(0, most);
}

std::string_view PeekedSource::piece() {
  if (!head_is_given_) {
    head_is_given_ = true;
    if (!head_.empty()) return head_;
  }
  return from_->piece();
}

std::uint64_t drain(Source& source) {
  std::uint64_t size = 0;
  for (std::string_view bytes = source.piece(); !bytes.empty(); bytes = source.piece()) {
    size += bytes.size();
  }
  return size;
}

std::string whole_text(Source& source, std::uint64_t most, const std::string& subject) {
  std::string text;
  for (std::string_view bytes = source.piece(); !bytes.empty(); bytes = source.piece()) {
    if (bytes.size() > most - text.size()) {
      throw Error(ErrorCode::bad_package,
                  format("cannot read {}: larger than {}", in_quotes(subject), human_size(most)),
                  "no valid package contains such a file: get the package again from the vendor");
    }
    text.append(bytes);
  }
  return text;
}

}  // namespace topsctl
