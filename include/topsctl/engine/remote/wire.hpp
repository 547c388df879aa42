// What passes between topsctl here and topsctl at the far end: frames of a kind, a length and that
// many bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"
#include "topsctl/host/filesystem/chunks.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Error{unreachable} for what the other end says although no topsctl would.
Error not_of_topsctl(std::string_view why, std::string hint = {});

enum class FrameKind : char {
  welcome = 'W',   // far end, first of all: JSON
  manifest = 'M',  // JSON: what is to be received, and where to
  state = 'S',     // JSON: what of it is there
  join = 'J',      // JSON: this connection carries chunks for a manifest that another one sent
  joined = 'j',    // nothing
  chunk = 'C',     // object and chunk as in an ack, then the bytes
  chunks = 'c',    // objects and chunks, then pieces of each in turn; over links alone
  ack =
      'A',  // object and chunk (32 and 64 bits, little-endian), then the digest of what was written
  finish = 'F',      // nothing: all chunks are there
  done = 'D',        // JSON: what became of the files
  listen = 'L',      // JSON: chunks may also come from another host, over a link with this key
  listening = 'l',   // JSON: where it is waited for
  unlisten = 'U',    // nothing: no longer
  unlistened = 'u',  // nothing: from here on no chunk comes by that link
  feed = 'G',        // JSON: chunks are to be sent on to another host, as they arrive
  fed = 'g',         // JSON: no more are sent on
  failure = 'E',     // JSON: an error; the last frame
  secret = 'P',      // bytes: the password for sudo of the run that follows
  run = 'R',         // JSON: a command to be run there
  event = 'V',       // bytes of what it writes to standard error
  result = 'X',      // JSON: how it ended
  fetch = 'K',       // JSON: the logs of a launch are wanted
  fetched = 'k',     // a line of JSON and bytes of one of them; nothing: that was all
};

// Of one frame that is kept in memory whole.
inline constexpr std::uint32_t most_frame = 16U << 20U;

std::string frame(FrameKind kind, std::string_view payload);
// What comes before the payload.
std::string frame_head(FrameKind kind, std::uint64_t size);
std::string json_frame(FrameKind kind, const Json& payload);

struct ChunkPlace {
  std::uint32_t object = 0;  // index in the manifest
  std::uint64_t chunk = 0;
  auto operator<=>(const ChunkPlace&) const = default;
};

// What comes before the `size` bytes of a chunk.
std::string chunk_head(const ChunkPlace& place, std::uint64_t size);

// Several chunks of chunk_bytes may come at once over a link: behind this the first of such pieces
// of each, then the second, and so on.
inline constexpr std::uint64_t interleaved_bytes = 128U << 10U;
inline constexpr unsigned most_interleaved = 16;
std::string chunks_head(std::span<const ChunkPlace> places);

// Of a frame of a link. Each part throws Error{unreachable} for what no topsctl sends.
struct LinkFrame {
  static constexpr std::size_t head_bytes = 5;
  static constexpr std::size_t place_bytes = 12;
  unsigned chunks = 1;     // how many places follow, and then chunks
  std::uint64_t size = 0;  // of each chunk
  static LinkFrame parse(std::string_view head);
  static ChunkPlace parse_place(std::string_view place);
};

struct Ack {
  ChunkPlace place;
  ChunkDigest digest;  // 32 bytes
};
std::string ack_frame(const Ack& ack);
// Throws Error{unreachable} if the payload is none.
Ack parse_ack(std::string_view payload);

// Whoever takes frames. What it throws ends the parsing.
class FrameHandler {
 public:
  virtual ~FrameHandler() = default;
  virtual void on_frame(FrameKind kind, std::string_view payload) = 0;
  virtual void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) = 0;
  virtual void on_chunk_bytes(std::string_view piece) = 0;
  virtual void on_chunk_end() = 0;
};

// Cuts a stream of bytes, in whatever pieces it comes, into frames. Chunks are handed on as they
// come and are not kept; a secret is wiped once it was handed on. Throws Error{unreachable} for
// what is no frame.
class FrameParser {
 public:
  explicit FrameParser(FrameHandler& handler) : handler_(handler) {}
  void take(std::string_view bytes);

 private:
  void take_head(std::string_view& bytes);
  void begin_frame();

  FrameHandler& handler_;
  std::string head_;  // of a frame, and of a chunk in it
  std::string payload_;
  FrameKind kind_ = FrameKind::welcome;
  bool in_frame_ = false;
  bool in_chunk_ = false;
  std::uint64_t left_ = 0;  // bytes of the frame that are still to come
};

}  // namespace topsctl
