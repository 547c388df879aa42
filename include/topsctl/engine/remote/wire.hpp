// The protocol between topsctl here and on a remote host: frames with a kind, a length and a
// payload.
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

// Error{unreachable} for data that no topsctl sends.
Error not_of_topsctl(std::string_view why, std::string hint = {});

enum class FrameKind : char {
  welcome = 'W',   // first frame from the remote: JSON
  manifest = 'M',  // JSON: the files to receive, and the destination
  state = 'S',     // JSON: the parts that exist
  join = 'J',      // JSON: this connection carries chunks for a manifest of another connection
  joined = 'j',    // empty
  chunk = 'C',     // object and chunk as in an ack, then the bytes
  chunks = 'c',    // objects and chunks, then interleaved pieces of each; only over links
  ack = 'A',     // object and chunk (32 and 64 bits, little-endian), then the digest of the written
                 // bytes
  finish = 'F',  // empty: all chunks are complete
  done = 'D',    // JSON: the result for each file
  listen = 'L',  // JSON: another host may also send chunks, over a link with this key
  listening = 'l',   // JSON: the address and port of the listener
  unlisten = 'U',    // empty: stop listening
  unlistened = 'u',  // empty: from here on, no chunk comes over that link
  feed = 'G',        // JSON: forward chunks to another host as they arrive
  fed = 'g',         // JSON: forwarding has ended
  failure = 'E',     // JSON: an error; the last frame
  secret = 'P',      // bytes: the sudo password of the run that follows
  run = 'R',         // JSON: a command to run
  event = 'V',       // bytes of the command's standard error
  result = 'X',      // JSON: the end of the command
  fetch = 'K',       // JSON: asks for the logs of a launch
  fetched = 'k',     // a line of JSON and bytes of one log; empty: end of the logs
};

// Maximum size of a frame that is buffered whole.
inline constexpr std::uint32_t most_frame = 16U << 20U;

std::string frame(FrameKind kind, std::string_view payload);
// The header before the payload.
std::string frame_head(FrameKind kind, std::uint64_t size);
std::string json_frame(FrameKind kind, const Json& payload);

struct ChunkPlace {
  std::uint32_t object = 0;  // index in the manifest
  std::uint64_t chunk = 0;
  auto operator<=>(const ChunkPlace&) const = default;
};

// The header before the `size` bytes of a chunk.
std::string chunk_head(const ChunkPlace& place, std::uint64_t size);

// Several chunks of chunk_bytes may be interleaved on a link: after this header comes the first
// piece of each chunk, then the second of each, and so on.
inline constexpr std::uint64_t interleaved_bytes = 128U << 10U;
inline constexpr unsigned most_interleaved = 16;
std::string chunks_head(std::span<const ChunkPlace> places);

// Header of a link frame. Each function throws Error{unreachable} for data that no topsctl sends.
struct LinkFrame {
  static constexpr std::size_t head_bytes = 5;
  static constexpr std::size_t place_bytes = 12;
  unsigned chunks = 1;     // number of places, and then of chunks, that follow
  std::uint64_t size = 0;  // of each chunk
  static LinkFrame parse(std::string_view head);
  static ChunkPlace parse_place(std::string_view place);
};

struct Ack {
  ChunkPlace place;
  ChunkDigest digest;  // 32 bytes
};
std::string ack_frame(const Ack& ack);
// Throws Error{unreachable} if the payload is invalid.
Ack parse_ack(std::string_view payload);

// Receives frames. An exception that it throws ends the parsing.
class FrameHandler {
 public:
  virtual ~FrameHandler() = default;
  virtual void on_frame(FrameKind kind, std::string_view payload) = 0;
  virtual void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) = 0;
  virtual void on_chunk_bytes(std::string_view piece) = 0;
  virtual void on_chunk_end() = 0;
};

// Splits a byte stream, in pieces of any size, into frames. Passes chunks on as they arrive without
// buffering; wipes a secret after passing it on. Throws Error{unreachable} for invalid frames.
class FrameParser {
 public:
  explicit FrameParser(FrameHandler& handler) : handler_(handler) {}
  void take(std::string_view bytes);

 private:
  void take_head(std::string_view& bytes);
  void begin_frame();

  FrameHandler& handler_;
  std::string head_;  // of a frame, or of a chunk in it
  std::string payload_;
  FrameKind kind_ = FrameKind::welcome;
  bool in_frame_ = false;
  bool in_chunk_ = false;
  std::uint64_t left_ = 0;  // remaining bytes of the frame
};

}  // namespace topsctl
