// Follows the headers of a tar (POSIX ustar, GNU) as it streams by.
#include "host/debian/dpkg_tar.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t record = 512;
constexpr std::size_t size_at = 124;
constexpr std::size_t checksum_at = 148;
constexpr std::size_t type_at = 156;

std::optional<std::uint64_t> octal_field(std::string_view field) {
  std::uint64_t value = 0;
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  for (const char c : field) {
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// GNU tar writes sizes of 8 GiB and more as a number in base 256.
std::optional<std::uint64_t> size_of(std::string_view header) {
  const std::string_view field = header.substr(size_at, 12);
  if ((static_cast<unsigned char>(field[0]) & 0x80U) == 0) return octal_field(field);
  std::uint64_t value = 0;
  for (const char c : field.substr(4)) value = value << 8U | static_cast<unsigned char>(c);
  return value <= UINT64_MAX / 2 ? std::optional(value) : std::nullopt;
}

bool is_header(std::string_view bytes) {
  std::string summed(bytes);
  std::fill_n(summed.begin() + checksum_at, 8, ' ');
  const auto sum = std::accumulate(
      summed.begin(), summed.end(), std::uint64_t{0},
      [](std::uint64_t all, char c) { return all + static_cast<unsigned char>(c); });
  return octal_field(bytes.substr(checksum_at, 8)) == sum;
}

}  // namespace

std::string_view DpkgTar::piece() {
  const std::string_view bytes = tar_.piece();
  if (is_followed_) follow(bytes);
  return bytes;
}

void DpkgTar::follow(std::string_view bytes) {
  while (!bytes.empty() && is_followed_) {
    const std::size_t skipped = std::min<std::uint64_t>(to_skip_, bytes.size());
    to_skip_ -= skipped;
    bytes.remove_prefix(skipped);
    const std::size_t taken = std::min(record - header_.size(), bytes.size());
    header_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (header_.size() < record) continue;
    take_header();
    header_.clear();
  }
}

void DpkgTar::take_header() {
  constexpr std::string_view with_data("0\0KLxg", 6);
  constexpr std::string_view without_data("123456");
  const std::optional<std::uint64_t> size = size_of(header_);
  // The end, or bytes that somebody else has to judge.
  is_followed_ = is_header(header_) && size;
  if (!is_followed_) return;
  const char type = header_[type_at];
  const bool has_data = with_data.find(type) != std::string_view::npos;
  if (!has_data && without_data.find(type) == std::string_view::npos) {
    const std::string path = header_.substr(0, std::min<std::size_t>(header_.find('\0'), 100));
    throw Error(ErrorCode::bad_package,
                format("cannot read {}: {} is an entry of type {}, which dpkg does not take",
                       in_quotes(subject_), in_quotes(path), in_quotes({&type, 1})),
                "have it packed with dpkg-deb");
  }
  if (has_data) to_skip_ = (*size + record - 1) / record * record;
}

}  // namespace topsctl
