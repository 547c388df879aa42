// Writes and parses frames; pure.
#include "topsctl/engine/remote/wire.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

namespace {

constexpr std::size_t head_bytes = LinkFrame::head_bytes;  // kind and length
constexpr std::size_t place_bytes = LinkFrame::place_bytes;
constexpr std::size_t frame_digest_bytes = 32;
constexpr std::uint64_t most_secret = 4096;  // bytes; limit for a typed password
constexpr std::string_view kinds = "WMSJjCAFDLlUuGgEPRVXKk";

template <class Integer>
void append_number(std::string& to, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

template <class Integer>
Integer number_in(std::string_view bytes) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Integer>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

ChunkPlace place_in(std::string_view bytes) {
  return {number_in<std::uint32_t>(bytes), number_in<std::uint64_t>(bytes.substr(4))};
}

[[noreturn]] void refuse(const std::string& why) {
  throw not_of_topsctl(why,
                       "check whether anything writes to standard output at login on the host");
}

// `size`: of the frame.
void require_chunk_size(std::uint64_t size) {
  if (size <= place_bytes || size - place_bytes > chunk_bytes)
    refuse("a chunk of the wrong length");
}

void append_place(std::string& to, const ChunkPlace& place) {
  append_number(to, place.object);
  append_number(to, place.chunk);
}

}  // namespace

Error not_of_topsctl(std::string_view why, std::string hint) {
  return {ErrorCode::unreachable, format("unexpected data from the remote topsctl: {}", why),
          std::move(hint)};
}

std::string frame_head(FrameKind kind, std::uint64_t size) {
  std::string text(1, static_cast<char>(kind));
  append_number(text, static_cast<std::uint32_t>(size));
  return text;
}

std::string frame(FrameKind kind, std::string_view payload) {
  return concat(frame_head(kind, payload.size()), payload);
}

std::string json_frame(FrameKind kind, const Json& payload) {
  return frame(kind, to_line(payload));
}

std::string chunk_head(const ChunkPlace& place, std::uint64_t size) {
  std::string text = frame_head(FrameKind::chunk, place_bytes + size);
  append_place(text, place);
  return text;
}

std::string chunks_head(std::span<const ChunkPlace> places) {
  std::string text = frame_head(FrameKind::chunks, places.size() * (place_bytes + chunk_bytes));
  for (const ChunkPlace& place : places) append_place(text, place);
  return text;
}

LinkFrame LinkFrame::parse(std::string_view head) {
  if (head.size() != head_bytes) refuse("something other than chunks");
  const auto kind = static_cast<FrameKind>(head[0]);
  const std::uint64_t size = number_in<std::uint32_t>(head.substr(1));
  if (kind == FrameKind::chunk) {
    require_chunk_size(size);
    return {1, size - place_bytes};
  }
  if (kind != FrameKind::chunks) refuse("something other than chunks");
  const std::uint64_t count = size / (place_bytes + chunk_bytes);
  if (count < 2 || count > most_interleaved || size % (place_bytes + chunk_bytes) != 0)
    refuse("a chunk of the wrong length");
  return {static_cast<unsigned>(count), chunk_bytes};
}

ChunkPlace LinkFrame::parse_place(std::string_view place) {
  if (place.size() != place_bytes) refuse("something other than chunks");
  return place_in(place);
}

std::string ack_frame(const Ack& ack) {
  std::string payload;
  append_number(payload, ack.place.object);
  append_number(payload, ack.place.chunk);
  return frame(FrameKind::ack, payload + ack.digest);
}

Ack parse_ack(std::string_view payload) {
  if (payload.size() != place_bytes + frame_digest_bytes)
    refuse("an acknowledgement of the wrong length");
  return {place_in(payload), std::string(payload.substr(place_bytes))};
}

void FrameParser::take_head(std::string_view& bytes) {
  const bool is_chunk = in_frame_ && kind_ == FrameKind::chunk;
  const std::size_t wanted = is_chunk ? place_bytes : head_bytes;
  const std::size_t missing = std::min(wanted - head_.size(), bytes.size());
  head_.append(bytes.substr(0, missing));
  bytes.remove_prefix(missing);
  if (head_.size() < wanted) return;
  if (is_chunk) {
    left_ -= place_bytes;
    in_chunk_ = true;
    handler_.on_chunk_begin(place_in(head_), left_);
  } else {
    begin_frame();
  }
  head_.clear();
}

void FrameParser::begin_frame() {
  if (kinds.find(head_[0]) == std::string_view::npos) refuse("a frame of unknown type");
  kind_ = static_cast<FrameKind>(head_[0]);
  left_ = number_in<std::uint32_t>(std::string_view(head_).substr(1));
  const bool is_chunk = kind_ == FrameKind::chunk;
  if (is_chunk) require_chunk_size(left_);
  if (!is_chunk && left_ > (kind_ == FrameKind::secret ? most_secret : most_frame))
    refuse("a frame that is too long");
  in_frame_ = true;
  payload_.clear();
  // So that it is not reallocated, which would leave a part of a secret in memory.
  if (kind_ == FrameKind::secret) payload_.reserve(static_cast<std::size_t>(left_));
}

void FrameParser::take(std::string_view bytes) {
  for (;;) {
    const bool wants_head = !in_frame_ || (kind_ == FrameKind::chunk && !in_chunk_);
    if (wants_head) {
      if (bytes.empty()) return;
      take_head(bytes);
      continue;
    }
    if (bytes.empty() && left_ > 0) return;
    const std::string_view piece =
        bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    if (in_chunk_)
      handler_.on_chunk_bytes(piece);
    else
      payload_.append(piece);
    if (left_ > 0) continue;
    in_frame_ = false;
    if (std::exchange(in_chunk_, false))
      handler_.on_chunk_end();
    else
      handler_.on_frame(kind_, payload_);
    if (kind_ == FrameKind::secret) wipe(payload_);
  }
}

}  // namespace topsctl
