// Packs bytes as raw deflate data (RFC 1951) with zlib.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace topsctl {

inline std::string deflated(std::string plain, int level = 6, int strategy = Z_DEFAULT_STRATEGY) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, strategy) != Z_OK) {
    throw std::runtime_error("cannot initialize zlib");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(plain.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib does not end");
  return out;
}

}  // namespace topsctl
