// Raw deflate data through zlib.
#include "topsctl/host/inflate.hpp"

#include <zlib.h>

#include <vector>

#include "topsctl/base/error.hpp"

namespace topsctl {

namespace {

constexpr std::size_t input_size = 256U << 10U;
constexpr std::size_t output_size = 256U << 10U;

}  // namespace

struct Inflater::State {
  State() : input(input_size), output(output_size) {
    constexpr int raw = -15;
    if (inflateInit2(&stream, raw) != Z_OK) {
      throw Error(ErrorCode::internal, "zlib does not start");
    }
  }
  ~State() { inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  z_stream stream{};
  std::vector<char> input;
  std::vector<char> output;
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

std::optional<std::uint64_t> Inflater::run(const More& more, const Take& take) {
  z_stream& stream = state_->stream;
  inflateReset(&stream);
  stream.avail_in = 0;
  std::uint64_t given = 0;
  for (;;) {
    if (stream.avail_in == 0) {
      const std::size_t size = more(state_->input.data(), state_->input.size());
      if (size == 0) return std::nullopt;
      given += size;
      stream.next_in = reinterpret_cast<Bytef*>(state_->input.data());
      stream.avail_in = static_cast<uInt>(size);
    }
    stream.next_out = reinterpret_cast<Bytef*>(state_->output.data());
    stream.avail_out = static_cast<uInt>(state_->output.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return std::nullopt;
    const std::size_t made = state_->output.size() - stream.avail_out;
    if (made > 0) take({state_->output.data(), made});
    if (status == Z_STREAM_END) return given - stream.avail_in;
  }
}

}  // namespace topsctl
