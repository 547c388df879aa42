// Decompression of gzip data with its checksums checked, which libarchive's gzip filter leaves out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace topsctl {

inline constexpr std::string_view gzip_magic = "\x1f\x8b";

// Takes compressed pieces and gives decompressed ones (RFC 1952, several members in a row
// included).
class GzipDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder();
  GzipDecoder(GzipDecoder&&) noexcept;
  GzipDecoder& operator=(GzipDecoder&&) noexcept;

  // The next compressed bytes, which must stay valid until they are used up; only when
  // needs_input().
  void give(std::string_view compressed);
  bool needs_input() const;
  // As much as fits into `to`; empty when more input is needed. Throws Error{bad_package} for
  // damaged data, without a subject.
  std::string_view take(std::string& to);
  // Whether the data so far ends where a member ends.
  bool is_complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace topsctl
