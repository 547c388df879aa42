// Decompression of raw deflate data (RFC 1951) of any size in little memory, faster than zlib does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace topsctl {

// Takes and refuses what zlib's inflate does. Keeps 32 KiB of what it made, as the format demands,
// and about 0.4 MiB in all; may be used for one stream after another.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Fills up to `room` bytes with the next compressed ones and says how many; 0 at the end.
  using More = std::function<std::size_t(char* to, std::size_t room)>;
  // Takes the next decompressed bytes, at most 256 KiB, valid until it returns.
  using Take = std::function<void(std::string_view bytes)>;

  // Decompresses one stream and says how many compressed bytes it has; nothing if it is damaged or
  // ends too early. What `more` and `take` throw passes through.
  std::optional<std::uint64_t> run(const More& more, const Take& take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace topsctl
