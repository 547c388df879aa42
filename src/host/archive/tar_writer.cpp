// Headers of POSIX.1-1988 (ustar) and a zstd stream over them.
#include "topsctl/host/archive/tar_writer.hpp"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::size_t tar_block = 512;
constexpr std::size_t longest_name = 100;  // bytes of the field
constexpr std::size_t longest_prefix = 155;
constexpr int compression_level = 6;
constexpr std::size_t copy_block = std::size_t{64} << 10U;

using TarHeader = std::array<char, tar_block>;

void put_text(TarHeader& header, std::size_t at, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
}

// Octal digits that fill a field except for its last byte.
void put_octal(TarHeader& header, std::size_t at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = width - 1; i > 0; --i, value >>= 3U)
    header[at + i - 1] = static_cast<char>('0' + (value & 7U));
}

void put_name(TarHeader& header, const std::string& name) {
  const auto slash = name.rfind('/');
  std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
  std::string prefix = slash == std::string::npos ? std::string() : name.substr(0, slash);
  if (last.size() > longest_name) last.erase(0, last.size() - longest_name);
  if (prefix.size() > longest_prefix) prefix.erase(0, prefix.size() - longest_prefix);
  put_text(header, 0, last);
  put_text(header, 345, prefix);
}

TarHeader header_of(const std::string& name, std::uint64_t size) {
  TarHeader header{};
  put_name(header, name);
  put_octal(header, 100, 8, 0600);
  put_octal(header, 108, 8, 0);
  put_octal(header, 116, 8, 0);
  put_octal(header, 124, 12, size);
  put_octal(header, 136, 12, static_cast<std::uint64_t>(std::time(nullptr)));
  put_text(header, 148, "        ");
  header[156] = '0';
  put_text(header, 257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put_octal(header, 148, 7, sum);
  header[154] = '\0';
  return header;
}

}  // namespace

class TarZstWriter::Stream {
 public:
  Stream(const Descriptor& to, std::string subject)
      : to_(to),
        subject_(std::move(subject)),
        context_(ZSTD_createCCtx()),
        out_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~Stream() { ZSTD_freeCCtx(context_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void put(std::string_view bytes, ZSTD_EndDirective end = ZSTD_e_continue) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 1;
    while (in.pos < in.size || (end == ZSTD_e_end && left > 0)) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, end);
      if (ZSTD_isError(left) != 0)
        throw Error(ErrorCode::internal,
                    format("cannot compress {}: {}", in_quotes(subject_), ZSTD_getErrorName(left)));
      write_all(to_, {out_.data(), out.pos}, subject_);
    }
  }
  void pad(std::uint64_t size) {
    const std::string zeros((tar_block - size % tar_block) % tar_block, '\0');
    put(zeros);
  }
  const std::string& subject() const { return subject_; }

 private:
  const Descriptor& to_;
  std::string subject_;
  ZSTD_CCtx* context_;
  std::vector<char> out_;
};

TarZstWriter::TarZstWriter(const Descriptor& to, std::string subject)
    : stream_(std::make_unique<Stream>(to, std::move(subject))) {}

TarZstWriter::~TarZstWriter() = default;

void TarZstWriter::add(const std::string& name, std::string_view text) {
  const TarHeader header = header_of(name, text.size());
  stream_->put({header.data(), header.size()});
  stream_->put(text);
  stream_->pad(text.size());
}

void TarZstWriter::add_file(const std::string& name, const Descriptor& file, std::uint64_t size) {
  const TarHeader header = header_of(name, size);
  stream_->put({header.data(), header.size()});
  std::vector<char> block(copy_block);
  for (std::uint64_t done = 0; done < size;) {
    const std::size_t wanted = std::min<std::uint64_t>(block.size(), size - done);
    const ssize_t got = ::pread(file.get(), block.data(), wanted, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw system_error(got < 0 ? errno : EIO, "read", name);
    stream_->put({block.data(), static_cast<std::size_t>(got)});
    done += static_cast<std::uint64_t>(got);
  }
  stream_->pad(size);
}

void TarZstWriter::finish() {
  stream_->put(std::string(2 * tar_block, '\0'), ZSTD_e_end);
}

}  // namespace topsctl
