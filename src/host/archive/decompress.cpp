// The loop that all decoders share, and the choice of the decoder.
#include "topsctl/host/archive/decompress.hpp"

#include <algorithm>
#include <vector>

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

constexpr std::pair<std::string_view, std::string_view> magics[] = {
    {"\x1f\x8b"sv, "gzip"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "xz"sv},
    {"\x28\xb5\x2f\xfd"sv, "zstd"sv},
    {"BZh"sv, "bzip2"sv},
    {"\x5d\0\0"sv, "lzma"sv},
};

std::unique_ptr<Decoder> decoder_for(std::string_view compression, const DecodeLimits& limits) {
  if (compression == "gzip") return gzip_decoder();
  if (compression == "xz") return xz_decoder(limits);
  if (compression == "lzma") return lzma_decoder(limits);
  if (compression == "zstd") return zstd_decoder(limits);
  if (compression == "bzip2") return bzip2_decoder();
  throw Error(ErrorCode::internal, format("no decoder for {}", in_quotes(compression)));
}

class DecompressedSource : public Source {
 public:
  DecompressedSource(std::unique_ptr<Source> from, std::string_view compression,
                     const DecodeLimits& limits, std::string subject)
      : from_(std::move(from)),
        compression_(compression),
        decoder_(decoder_for(compression, limits)),
        subject_(std::move(subject)),
        buffer_(block) {}

  std::string_view piece() override {
    while (!is_done_) {
      refill();
      const Decoder::Step step = decoded();
      input_.remove_prefix(step.used);
      taken_ += step.used;
      given_ += step.made;
      if (step.ended) end_of_stream();
      if (given_ > suspicious_size && given_ / suspicious_ratio > taken_) refuse_bomb();
      if (step.made > 0) return {buffer_.data(), step.made};
      // A decoder with threads may once have nothing to give.
      idle_steps_ = step.used == 0 && !step.ended ? idle_steps_ + 1 : 0;
      if (idle_steps_ > 2 && input_ended_) refuse(format("{} data cut short", compression_));
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

  // Another stream may follow; zeros at the end are padding, which xz has between streams as well,
  // in whole groups of four; all else is damage.
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
      if (zeros % group != 0) refuse(format("xz padding of {} bytes, no groups of four", zeros));
    } else if (zeros > 0 && !next.empty()) {
      refuse("bytes after the end of the data");
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

  [[noreturn]] void refuse_bomb() const {
    throw DecompressionBomb(subject_, format("{} bytes became more than {}", taken_, given_));
  }

  std::unique_ptr<Source> from_;
  std::string compression_;
  std::unique_ptr<Decoder> decoder_;
  std::string subject_;
  std::vector<char> buffer_;
  std::string_view input_;
  bool input_ended_ = false;
  unsigned idle_steps_ = 0;  // in a row that neither took nor gave
  bool is_done_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
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
  return std::make_unique<DecompressedSource>(std::move(from), compression, limits,
                                              std::move(subject));
}

}  // namespace topsctl
