// Decoders based on zlib, liblzma, libzstd, libbz2 and liblz4, and for base64.
#include "host/archive/decoder.hpp"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

[[noreturn]] void refuse_data(std::string why) {
  throw Error(ErrorCode::bad_package, std::move(why));
}

constexpr std::uint64_t free_memory = 24ULL << 20U;

// Memory that a decoder may use without holding the gate.
std::uint64_t first_limit(const DecodeLimits& limits) {
  return limits.gate == nullptr ? limits.memory : std::min(limits.memory, free_memory);
}

[[noreturn]] void refuse_memory(const DecodeLimits& limits) {
  refuse_data(format("decompression needs more memory than {}", human_size(limits.memory)));
}

class GzipStream : public Decoder {
 public:
  GzipStream() {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK)
      throw Error(ErrorCode::internal, "cannot initialize zlib");
  }
  ~GzipStream() override { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  Step step(std::string_view input, char* to, std::size_t room, bool /*is_last*/) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      refuse_data("damaged gzip data");
    return {input.size() - stream_.avail_in, room - stream_.avail_out, status == Z_STREAM_END};
  }
  void restart() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

// A decoder with threads has two buffers of megabytes for each block of the data, new ones each
// time: in small pages a tenth of its time would go into page faults.
void* lzma_buffer(void* /*opaque*/, std::size_t count, std::size_t size) {
  constexpr std::size_t huge_page = 2U << 20U;
  const std::size_t bytes = count * size;  // count is always one
  if (bytes < huge_page) return std::malloc(bytes);
  void* buffer = nullptr;
  if (::posix_memalign(&buffer, huge_page, bytes) != 0) return nullptr;
  ::madvise(buffer, bytes, MADV_HUGEPAGE);  // a kernel without huge pages uses small ones
  return buffer;
}

constexpr lzma_allocator lzma_buffers{
    lzma_buffer, [](void* /*opaque*/, void* buffer) { std::free(buffer); }, nullptr};

// xz and the older lzma.
class LzmaStream : public Decoder {
 public:
  enum class Format { xz, alone };
  LzmaStream(Format format, const DecodeLimits& limits) : format_(format), limits_(limits) {
    stream_.allocator = &lzma_buffers;
    start();
  }
  ~LzmaStream() override { lzma_end(&stream_); }
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;

  Step step(std::string_view input, char* to, std::size_t room, bool is_last) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = room;
    lzma_ret status = lzma_code(&stream_, is_last ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEMLIMIT_ERROR && take_gate()) {
      status = lzma_code(&stream_, is_last ? LZMA_FINISH : LZMA_RUN);
    }
    if (status == LZMA_MEMLIMIT_ERROR || status == LZMA_MEM_ERROR) refuse_memory(limits_);
    if (status == LZMA_OPTIONS_ERROR) refuse_data("xz data with unknown options");
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) {
      refuse_data(format_ == Format::xz ? "damaged xz data" : "damaged lzma data");
    }
    return {input.size() - stream_.avail_in, room - stream_.avail_out, status == LZMA_STREAM_END};
  }
  void restart() override { start(); }

 private:
  void start() {
    lzma_ret status = LZMA_OK;
    if (format_ == Format::alone) {
      status = lzma_alone_decoder(&stream_, limit());
    } else {
      // Not LZMA_CONCATENATED: the caller's loop handles concatenated streams for all formats.
      lzma_mt options{};
      options.threads = std::max(limits_.threads, 1U);
      options.memlimit_threading = std::min(limits_.threads_memory, limit());
      options.memlimit_stop = limit();
      options.flags = LZMA_FAIL_FAST;
      status = lzma_stream_decoder_mt(&stream_, &options);
    }
    if (status != LZMA_OK) throw Error(ErrorCode::internal, "cannot initialize liblzma");
  }

  std::uint64_t limit() const { return gate_.owns_lock() ? limits_.memory : first_limit(limits_); }

  // liblzma can continue after its limit was raised.
  bool take_gate() {
    if (limits_.gate == nullptr || gate_.owns_lock() || lzma_memusage(&stream_) > limits_.memory) {
      return false;
    }
    gate_ = std::unique_lock(*limits_.gate);
    return lzma_memlimit_set(&stream_, limits_.memory) == LZMA_OK;
  }

  Format format_;
  DecodeLimits limits_;
  std::unique_lock<std::mutex> gate_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdStream : public Decoder {
 public:
  explicit ZstdStream(const DecodeLimits& limits) : limits_(limits), stream_(ZSTD_createDCtx()) {
    if (stream_ == nullptr) throw Error(ErrorCode::internal, "cannot initialize libzstd");
    set_limit(first_limit(limits));
  }
  ~ZstdStream() override { ZSTD_freeDCtx(stream_); }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;

  Step step(std::string_view input, char* to, std::size_t room, bool /*is_last*/) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{to, room, 0};
    std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
    if (needs_memory(status) && is_fresh_ && limits_.gate != nullptr && !gate_.owns_lock()) {
      gate_ = std::unique_lock(*limits_.gate);
      restart();
      set_limit(limits_.memory);
      in.pos = 0;
      out.pos = 0;
      status = ZSTD_decompressStream(stream_, &out, &in);
    }
    is_fresh_ = false;
    if (needs_memory(status)) refuse_memory(limits_);
    if (ZSTD_isError(status) != 0U) refuse_data("damaged zstd data");
    return {in.pos, out.pos, status == 0};
  }
  void restart() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

 private:
  static bool needs_memory(std::size_t status) {
    return ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge;
  }

  // The window is most of a decoder's memory.
  void set_limit(std::uint64_t memory) {
    const int window = std::clamp(static_cast<int>(std::bit_width(memory)) - 1, 10, 27);
    if (ZSTD_isError(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window)) != 0U) {
      throw Error(ErrorCode::internal, "cannot initialize libzstd");
    }
  }

  DecodeLimits limits_;
  ZSTD_DCtx* stream_;
  std::unique_lock<std::mutex> gate_;
  bool is_fresh_ = true;  // nothing was decoded yet
};

class Bzip2Stream : public Decoder {
 public:
  Bzip2Stream() { start(); }
  ~Bzip2Stream() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Stream(const Bzip2Stream&) = delete;
  Bzip2Stream& operator=(const Bzip2Stream&) = delete;

  Step step(std::string_view input, char* to, std::size_t room, bool /*is_last*/) override {
    stream_.next_in = const_cast<char*>(input.data());
    stream_.avail_in = static_cast<unsigned>(input.size());
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(room);
    const int status = BZ2_bzDecompress(&stream_);
    if (status != BZ_OK && status != BZ_STREAM_END) refuse_data("damaged bzip2 data");
    return {input.size() - stream_.avail_in, room - stream_.avail_out, status == BZ_STREAM_END};
  }
  void restart() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    start();
  }

 private:
  void start() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
      throw Error(ErrorCode::internal, "cannot initialize libbz2");
    }
  }

  bz_stream stream_{};
};

// Blocks of a frame have at most 4 MiB; a decoder keeps two.
class Lz4Stream : public Decoder {
 public:
  Lz4Stream() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&stream_, LZ4F_VERSION)) != 0U)
      throw Error(ErrorCode::internal, "cannot initialize liblz4");
  }
  ~Lz4Stream() override { LZ4F_freeDecompressionContext(stream_); }
  Lz4Stream(const Lz4Stream&) = delete;
  Lz4Stream& operator=(const Lz4Stream&) = delete;

  Step step(std::string_view input, char* to, std::size_t room, bool /*is_last*/) override {
    std::size_t used = input.size();
    std::size_t made = room;
    const std::size_t status = LZ4F_decompress(stream_, to, &made, input.data(), &used, nullptr);
    if (LZ4F_isError(status) != 0U) refuse_data("damaged lz4 data");
    return {used, made, status == 0};
  }
  void restart() override { LZ4F_resetDecompressionContext(stream_); }

 private:
  LZ4F_dctx* stream_ = nullptr;
};

// RFC 4648 with line ends, as base64(1) writes it: one text up to the end of the input.
class Base64Text : public Decoder {
 public:
  Step step(std::string_view input, char* to, std::size_t room, bool is_last) override {
    Step step;
    for (; step.used < input.size() && room - step.made >= 3; ++step.used)
      step.made += take(input[step.used], to + step.made);
    step.ended = is_last && step.used == input.size();
    if (step.ended && count_ != 0) refuse_data("truncated base64 data");
    return step;
  }
  void restart() override {}

 private:
  static int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
  }

  // Returns the number of decoded bytes.
  std::size_t take(char c, char* to) {
    if (c == '\n' || c == '\r') return 0;
    const int value = c == '=' ? 0 : value_of(c);
    const bool is_misplaced = is_over_ || (c == '=' ? count_ < 2 : padding_ > 0);
    if (value < 0 || is_misplaced) refuse_data("damaged base64 data");
    if (c == '=') ++padding_;
    bits_ = bits_ << 6U | static_cast<std::uint32_t>(value);
    if (++count_ < 4) return 0;
    const std::size_t made = 3 - padding_;
    for (std::size_t i = 0; i < made; ++i) to[i] = static_cast<char>(bits_ >> (16U - 8U * i));
    is_over_ = padding_ > 0;
    bits_ = 0;
    count_ = 0;
    return made;
  }

  std::uint32_t bits_ = 0;
  unsigned count_ = 0;  // of the characters of a group of four
  std::size_t padding_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder() {
  return std::make_unique<GzipStream>();
}

std::unique_ptr<Decoder> xz_decoder(const DecodeLimits& limits) {
  return std::make_unique<LzmaStream>(LzmaStream::Format::xz, limits);
}

std::unique_ptr<Decoder> lzma_decoder(const DecodeLimits& limits) {
  return std::make_unique<LzmaStream>(LzmaStream::Format::alone, limits);
}

std::unique_ptr<Decoder> zstd_decoder(const DecodeLimits& limits) {
  return std::make_unique<ZstdStream>(limits);
}

std::unique_ptr<Decoder> bzip2_decoder() {
  return std::make_unique<Bzip2Stream>();
}

std::unique_ptr<Decoder> lz4_decoder() {
  return std::make_unique<Lz4Stream>();
}

std::unique_ptr<Decoder> base64_decoder() {
  return std::make_unique<Base64Text>();
}

}  // namespace topsctl
