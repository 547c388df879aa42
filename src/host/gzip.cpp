// gzip decompression by zlib.
#include "topsctl/host/gzip.hpp"

#include <zlib.h>

#include "topsctl/base/error.hpp"

namespace topsctl {

struct GzipDecoder::State {
  State() {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream, gzip_only) != Z_OK) {
      throw Error(ErrorCode::internal, "zlib does not start");
    }
  }
  ~State() { inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  z_stream stream{};
  bool between_members = true;
};

GzipDecoder::GzipDecoder() : state_(std::make_unique<State>()) {}
GzipDecoder::~GzipDecoder() = default;
GzipDecoder::GzipDecoder(GzipDecoder&&) noexcept = default;
GzipDecoder& GzipDecoder::operator=(GzipDecoder&&) noexcept = default;

void GzipDecoder::give(std::string_view compressed) {
  state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  state_->stream.avail_in = static_cast<uInt>(compressed.size());
}

bool GzipDecoder::needs_input() const {
  return state_->stream.avail_in == 0;
}

bool GzipDecoder::is_complete() const {
  return state_->between_members && needs_input();
}

std::string_view GzipDecoder::take(std::string& to) {
  z_stream& stream = state_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  while (stream.avail_out > 0 && stream.avail_in > 0) {
    state_->between_members = false;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      state_->between_members = true;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      throw Error(ErrorCode::bad_package, "damaged gzip data");
    }
  }
  return std::string_view(to).substr(0, to.size() - stream.avail_out);
}

}  // namespace topsctl
