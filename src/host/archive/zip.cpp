// Decompresses the members of zip archives.
#include "topsctl/host/archive/zip.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <bit>

#include "host/archive/zip_bytes.hpp"
#include "host/archive/zip_directory.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"

namespace topsctl {

namespace {

constexpr std::size_t member_block = 256U << 10U;
constexpr std::uint64_t local_size = 30;

[[noreturn]] void refuse(const std::string& subject, const ZipEntry& entry, std::string_view why) {
  throw Error(
      ErrorCode::bad_package,
      format("cannot read {}: entry {}: {}", in_quotes(subject), in_quotes(entry.raw_path), why),
      "the file is damaged: copy it again and compare its size and sha256");
}

constexpr std::string_view larger = "larger than the central directory says";

[[noreturn]] void throw_bomb(const std::string& subject, const ZipEntry& entry,
                             std::string_view why) {
  throw DecompressionBomb(subject, format("entry {}: {}", in_quotes(entry.raw_path), why));
}

// The actual content of an entry, compared with the directory.
class ContentCheck {
 public:
  ContentCheck(const ZipEntry& entry, const std::string& subject)
      : entry_(entry), subject_(subject) {}

  void take(std::string_view bytes) {
    if (bytes.size() > entry_.size - size_) {
      throw_bomb(subject_, entry_, larger);
    }
    size_ += bytes.size();
    crc_ = libdeflate_crc32(crc_, bytes.data(), bytes.size());
  }
  void end() const {
    if (size_ != entry_.size) refuse(subject_, entry_, "smaller than the central directory says");
    if (crc_ != entry_.crc) refuse(subject_, entry_, "its CRC does not match");
  }

 private:
  const ZipEntry& entry_;
  const std::string& subject_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

// A member as a source, inflated in pieces.
class MemberSource : public Source {
 public:
  MemberSource(FileRange data, ZipEntry entry, std::string subject)
      : data_(data),
        entry_(std::move(entry)),
        subject_(std::move(subject)),
        check_(entry_, subject_),
        input_(std::min<std::uint64_t>(member_block, data.size), '\0'),
        output_(is_stored() ? 0 : std::clamp<std::uint64_t>(entry_.size, 1, member_block), '\0') {
    if (!is_stored() && inflateInit2(&stream_, -15) != Z_OK) {
      throw Error(ErrorCode::internal, "cannot initialize zlib");
    }
  }
  ~MemberSource() override {
    if (!is_stored()) inflateEnd(&stream_);
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  std::string_view piece() override {
    if (ended_) return {};
    const std::string_view bytes = is_stored() ? compressed_piece() : inflated_piece();
    check_.take(bytes);
    if (bytes.empty()) {
      ended_ = true;
      check_.end();
    }
    return bytes;
  }
  std::optional<FileRange> range() const override {
    return is_stored() ? std::optional(data_) : std::nullopt;
  }

 private:
  bool is_stored() const { return entry_.method == 0; }

  std::string_view compressed_piece() {
    const std::size_t size = std::min<std::uint64_t>(input_.size(), data_.size - read_);
    read_at(data_, read_, input_.data(), size, subject_);
    read_ += size;
    return std::string_view(input_).substr(0, size);
  }

  std::string_view inflated_piece() {
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    while (!stream_ended_ && stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const std::string_view bytes = compressed_piece();
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(bytes.size());
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      stream_ended_ = status == Z_STREAM_END;
      if (status != Z_OK && !stream_ended_) refuse(subject_, entry_, "damaged deflate data");
    }
    if (stream_ended_ && (stream_.avail_in > 0 || read_ < data_.size)) {
      refuse(subject_, entry_, "trailing bytes after its deflate data");
    }
    return std::string_view(output_).substr(0, output_.size() - stream_.avail_out);
  }

  FileRange data_;
  ZipEntry entry_;
  std::string subject_;
  ContentCheck check_;
  std::string input_;
  std::string output_;
  std::uint64_t read_ = 0;
  z_stream stream_{};
  bool stream_ended_ = false;
  bool ended_ = false;
};

// A member in memory, served in pieces that stay in the CPU cache between the CRC and the consumer.
class HeldSource : public Source {
 public:
  HeldSource(std::string_view content, ZipEntry entry, std::string subject)
      : content_(content),
        entry_(std::move(entry)),
        subject_(std::move(subject)),
        check_(entry_, subject_) {}

  std::string_view piece() override {
    const std::string_view bytes = content_.substr(0, member_block);
    content_.remove_prefix(bytes.size());
    check_.take(bytes);
    if (bytes.empty()) check_.end();
    return bytes;
  }

 private:
  std::string_view content_;  // the remaining part
  ZipEntry entry_;
  std::string subject_;
  ContentCheck check_;
};

}  // namespace

// libdeflate, and room for a member before and after decompression.
class ZipBuffers::State {
 public:
  explicit State(std::uint64_t memory)
      : memory_(memory), decompressor_(libdeflate_alloc_decompressor()) {
    if (!decompressor_) throw Error(ErrorCode::internal, "cannot initialize libdeflate");
  }

  bool fits(const ZipEntry& entry) const {
    return entry.method != 0 && entry.size <= memory_ &&
           entry.compressed_size <= memory_ - entry.size;
  }

  // The whole content, valid until the next call. Nothing for entries that are not deflated, do not
  // fit, or that libdeflate rejects with the directory's values: zlib then reports the reason.
  std::optional<std::string_view> content(const ZipEntry& entry, const FileRange& data,
                                          const std::string& subject) {
    if (!fits(entry)) return {};
    make_room(data.size + entry.size);
    char* const packed = room_.get();
    char* const content = packed + data.size;
    read_at(data, 0, packed, data.size, subject);
    std::size_t used = 0;
    const libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor_.get(), packed, data.size, content, entry.size, &used, nullptr);
    if (result != LIBDEFLATE_SUCCESS || used != data.size) return {};
    return std::string_view(content, entry.size);
  }

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const {
      libdeflate_free_decompressor(decompressor);
    }
  };

  void make_room(std::uint64_t size) {
    if (size <= size_) return;
    room_.reset();
    size_ = 0;
    const std::uint64_t rounded = std::min(memory_, std::bit_ceil(size));
    room_ = std::make_unique_for_overwrite<char[]>(rounded);
    size_ = rounded;
  }

  std::uint64_t memory_;
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
  std::unique_ptr<char[]> room_;
  std::uint64_t size_ = 0;
};

ZipBuffers::ZipBuffers(std::uint64_t memory) : state_(std::make_unique<State>(memory)) {}
ZipBuffers::~ZipBuffers() = default;
ZipBuffers::ZipBuffers(ZipBuffers&&) noexcept = default;
ZipBuffers& ZipBuffers::operator=(ZipBuffers&&) noexcept = default;

bool ZipBuffers::fits(const ZipEntry& entry) const {
  return state_->fits(entry);
}

ZipReader::ZipReader(FileRange range, std::string subject)
    : range_(range), subject_(std::move(subject)), entries_(read_zip_directory(range_, subject_)) {}

// Name and method must match, because other readers use the local headers.
FileRange ZipReader::data_of(const ZipEntry& entry) const {
  if (entry.problem == impossible_ratio) throw_bomb(subject_, entry, entry.problem);
  if (!entry.problem.empty()) refuse(subject_, entry, entry.problem);
  const std::string header =
      bytes_at(range_, entry.data_offset, local_size + entry.raw_path.size(), subject_);
  const std::uint64_t header_size =
      local_size + number_at(header, 26, 2) + number_at(header, 28, 2);
  if (!header.starts_with("PK\3\4") || number_at(header, 8, 2) != entry.method ||
      number_at(header, 26, 2) != entry.raw_path.size() ||
      header.compare(local_size, std::string::npos, entry.raw_path) != 0) {
    refuse(subject_, entry, "its local header does not match the central directory");
  }
  const std::uint64_t begin = entry.data_offset + header_size;
  if (begin > entry.data_end || entry.data_end - begin < entry.compressed_size) {
    refuse(subject_, entry, "it overlaps another entry");
  }
  return {range_.file, range_.offset + begin, entry.compressed_size};
}

std::unique_ptr<Source> ZipReader::open(const ZipEntry& entry) const {
  return std::make_unique<MemberSource>(data_of(entry), entry, subject_);
}

std::string ZipReader::text(const ZipEntry& entry, std::uint64_t most) const {
  if (entry.size > most) {
    refuse(subject_, entry, format("larger than {}", human_size(most)));
  }
  const std::unique_ptr<Source> source = open(entry);
  return whole_text(*source, most, subject_);
}

std::unique_ptr<Source> ZipReader::open(const ZipEntry& entry, ZipBuffers& buffers) const {
  const FileRange data = data_of(entry);
  if (const auto content = buffers.state_->content(entry, data, subject_))
    return std::make_unique<HeldSource>(*content, entry, subject_);
  return std::make_unique<MemberSource>(data, entry, subject_);
}

}  // namespace topsctl
