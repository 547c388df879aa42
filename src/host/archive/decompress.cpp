// The common loop of all decoders, and the choice of the decoder.
#include "topsctl/host/archive/decompress.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/archive/compress_reader.hpp"
#include "host/archive/decoder.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"

namespace topsctl {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t block = 256U << 10U;
// Zeros shrink by a factor of a thousand and more, programs by ten at most.
constexpr std::uint64_t suspicious_size = 512ULL << 20U;
constexpr std::uint64_t suspicious_ratio = 400;
constexpr std::uint64_t suspicious_lz4_ratio = 100;  // it reaches 255 at best

constexpr std::pair<std::string_view, std::string_view> magics[] = {
    {"\x1f\x8b"sv, "gzip"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "xz"sv},
    {"\x28\xb5\x2f\xfd"sv, "zstd"sv},
    {"BZh"sv, "bzip2"sv},
    {"\x5d\0\0"sv, "lzma"sv},
    {"\x04\x22\x4d\x18"sv, "lz4"sv},
    {"\x1f\x9d"sv, "compress"sv},
    {"\x89LZO\0\r\n\x1a\n"sv, "lzo"sv},
};

std::unique_ptr<Decoder> decoder_for(std::string_view compression, const DecodeLimits& limits) {
  if (compression == "gzip") return gzip_decoder();
  if (compression == "xz") return xz_decoder(limits);
  if (compression == "lzma") return lzma_decoder(limits);
  if (compression == "zstd") return zstd_decoder(limits);
  if (compression == "bzip2") return bzip2_decoder();
  if (compression == "lz4") return lz4_decoder();
  if (compression == "base64") return base64_decoder();
  throw Error(ErrorCode::internal, format("no decoder for {}", in_quotes(compression)));
}

// Input and output sizes of a decoder.
class Ratio {
 public:
  explicit Ratio(std::string_view compression)
      : suspicious_(compression == "lz4" ? suspicious_lz4_ratio : suspicious_ratio) {}
  void add(std::uint64_t taken, std::uint64_t given, const std::string& subject) {
    taken_ += taken;
    given_ += given;
    if (given_ <= suspicious_size || given_ / suspicious_ <= taken_) return;
    throw DecompressionBomb(subject, format("{} bytes expand to more than {}", taken_, given_));
  }

 private:
  std::uint64_t suspicious_;
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
};

// libarchive reads pieces by itself.
class CompressSource : public Source {
 public:
  CompressSource(std::unique_ptr<Source> from, std::string subject)
      : from_(std::move(from)),
        observed_(*from_, [this](std::string_view bytes) { taken_ += bytes.size(); }),
        reader_(compress_reader(observed_, subject)),
        subject_(std::move(subject)) {}

  std::string_view piece() override {
    const std::string_view bytes = reader_->piece();
    ratio_.add(std::exchange(taken_, 0), bytes.size(), subject_);
    return bytes;
  }

 private:
  std::unique_ptr<Source> from_;
  std::uint64_t taken_ = 0;
  ObservedSource observed_;
  std::unique_ptr<Source> reader_;
  std::string subject_;
  Ratio ratio_{"compress"};
};

// A known format that cannot be read.
class UnreadableSource : public Source {
 public:
  UnreadableSource(std::string_view compression, std::string subject)
      : compression_(compression), subject_(std::move(subject)) {}
  std::string_view piece() override {
    throw Error(
        ErrorCode::bad_package,
        format("cannot read {}: it is compressed with {}", in_quotes(subject_), compression_),
        "decompress it on a disposable machine, and give the result");
  }

 private:
  std::string compression_;
  std::string subject_;
};

class DecompressedSource : public Source {
 public:
  DecompressedSource(std::unique_ptr<Source> from, std::string_view compression,
                     const DecodeLimits& limits, std::string subject)
      : from_(std::move(from)),
        compression_(compression),
        decoder_(decoder_for(compression, limits)),
        subject_(std::move(subject)),
        buffer_(block),
        ratio_(compression) {}

  std::string_view piece() override {
    while (!is_done_) {
      refill();
      const Decoder::Step step = decoded();
      input_.remove_prefix(step.used);
      if (step.ended) end_of_stream();
      ratio_.add(step.used, step.made, subject_);
      if (step.made > 0) return {buffer_.data(), step.made};
      // A decoder with threads may have no output yet.
      idle_steps_ = step.used == 0 && !step.ended ? idle_steps_ + 1 : 0;
      if (idle_steps_ > 2 && input_ended_) refuse(format("truncated {} data", compression_));
    }
    return {};
  }

 private:
  void refill() {
    if (!input_.empty() || input_ended_) return;
    input_ = from_->piece();
    input_ended_ = input_.empty();
  }

  Decoder::Step decoded() {
    try {
      return decoder_->step(input_, buffer_.data(), buffer_.size(), input_ended_);
    } catch (const Error& error) {
      refuse(error.message());
    }
  }

  // Another stream may follow; trailing zeros are padding, which xz also allows between streams, in
  // groups of four; anything else is damage.
  void end_of_stream() {
    std::uint64_t zeros = 0;
    std::string_view next = peeked();
    while (!next.empty() && next.front() == '\0') {
      const std::size_t count = std::min(next.find_first_not_of('\0'), next.size());
      zeros += count;
      input_.remove_prefix(count);
      next = peeked();
    }
    if (compression_ == "xz") {
      constexpr std::uint64_t group = 4;
      if (zeros % group != 0)
        refuse(format("xz padding of {} bytes, not a multiple of four", zeros));
    } else if (zeros > 0 && !next.empty()) {
      refuse("trailing bytes after the data");
    }
    if (next.empty()) {
      is_done_ = true;
    } else {
      decoder_->restart();
    }
  }

  std::string_view peeked() {
    refill();
    return input_;
  }

  [[noreturn]] void refuse(const std::string& why) const { throw unreadable_file(subject_, why); }

  std::unique_ptr<Source> from_;
  std::string compression_;
  std::unique_ptr<Decoder> decoder_;
  std::string subject_;
  std::vector<char> buffer_;
  std::string_view input_;
  bool input_ended_ = false;
  unsigned idle_steps_ = 0;  // consecutive steps without input and output
  bool is_done_ = false;
  Ratio ratio_;
};

}  // namespace

std::string_view compression_of(std::string_view first_bytes) {
  for (const auto& [magic, compression] : magics) {
    if (first_bytes.starts_with(magic)) return compression;
  }
  return "none";
}

std::unique_ptr<Source> decompressed(std::unique_ptr<Source> from, std::string_view compression,
                                     const DecodeLimits& limits, std::string subject) {
  if (compression == "none") return from;
  if (compression == "compress")
    return std::make_unique<CompressSource>(std::move(from), std::move(subject));
  if (compression == "lzo")
    return std::make_unique<UnreadableSource>(compression, std::move(subject));
  return std::make_unique<DecompressedSource>(std::move(from), compression, limits,
                                              std::move(subject));
}

}  // namespace topsctl
