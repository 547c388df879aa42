// Serializes values to bytes and back, for two processes of the same program. The input is not
// trusted: each length and each enumerator is checked, and nothing is allocated beyond the bytes
// present.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "topsctl/base/error.hpp"

namespace topsctl {

// A type takes part by `auto members_of(T&)`, which returns std::tie of all its members; an
// enumeration by `constexpr T last_of(T)`, which returns its last enumerator (the first is 0).
template <typename T>
concept HasMembers = requires(T& value) {
  members_of(value);
};

class Packer {
 public:
  // Reserves `expected` bytes at once: untouched pages cost nothing.
  explicit Packer(std::size_t expected = 0) { bytes_.reserve(expected); }

  template <std::integral T>
  void put(T& number) {
    std::array<char, 10> digits;
    std::size_t size = 0;
    auto left = static_cast<std::uint64_t>(number);
    do {
      const auto low = static_cast<unsigned char>(left & 0x7fU);
      left >>= 7U;
      digits[size++] = static_cast<char>(left != 0 ? low | 0x80U : low);
    } while (left != 0);
    bytes_.append(digits.data(), size);
  }
  template <typename T>
  requires std::is_enum_v<T>
  void put(T& value) {
    auto number = static_cast<std::uint64_t>(value);
    put(number);
  }
  void put(std::string& text) {
    std::size_t size = text.size();
    put(size);
    bytes_ += text;
  }
  template <typename T>
  void put(std::optional<T>& value) {
    bool is_there = value.has_value();
    put(is_there);
    if (is_there) put(*value);
  }
  template <typename T>
  void put(std::vector<T>& values) {
    std::size_t size = values.size();
    put(size);
    for (T& value : values) put(value);
  }
  template <typename Key, typename T>
  void put(std::map<Key, T>& values) {
    std::size_t size = values.size();
    put(size);
    for (auto& [key, value] : values) {
      Key copy = key;
      put(copy);
      put(value);
    }
  }
  template <HasMembers T>
  void put(T& value) {
    std::apply([this](auto&... members) { (this->put(members), ...); }, members_of(value));
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  template <std::integral T>
  void get(T& number) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(next(1).front());
      if (shift > 63 || (shift == 63 && byte > 1)) refuse();
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) break;
    }
    number = static_cast<T>(value);
    if (static_cast<std::uint64_t>(number) != value) refuse();
  }
  template <typename T>
  requires std::is_enum_v<T>
  void get(T& value) {
    std::uint64_t number = 0;
    get(number);
    if (number > static_cast<std::uint64_t>(last_of(T{}))) refuse();
    value = static_cast<T>(number);
  }
  void get(std::string& text) { text = next(count()); }
  template <typename T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <typename T>
  void get(std::vector<T>& values) {
    std::size_t left = count();
    // A count is not trusted before its elements have been read.
    constexpr std::size_t usual_bytes = 32;
    values.reserve(std::min(left, left_.size() / usual_bytes));
    for (; left > 0; --left) get(values.emplace_back());
  }
  template <typename Key, typename T>
  void get(std::map<Key, T>& values) {
    for (std::size_t left = count(); left > 0; --left) {
      Key key{};
      get(key);
      get(values[std::move(key)]);
    }
  }
  template <HasMembers T>
  void get(T& value) {
    std::apply([this](auto&... members) { (this->get(members), ...); }, members_of(value));
  }

  void end() const {
    if (!left_.empty()) refuse();
  }

 private:
  // Each counted element takes at least one byte, so a count that is too high ends with the input.
  std::size_t count() {
    std::size_t number = 0;
    get(number);
    return number;
  }
  std::string_view next(std::size_t size) {
    if (size > left_.size()) refuse();
    const std::string_view bytes = left_.substr(0, size);
    left_.remove_prefix(size);
    return bytes;
  }
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::bad_bundle, "what the reading process tells cannot be understood",
                "get the bundle again from its source: it may be malicious");
  }

  std::string_view left_;
};

// Not const: reading and writing share one description of the type. The value is not changed.
template <typename T>
std::string packed(T& value, std::size_t expected = 0) {
  Packer packer(expected);
  packer.put(value);
  return packer.take();
}

// Throws Error{bad_bundle} for bytes that packed() did not produce.
template <typename T>
T unpacked(std::string_view bytes) {
  T value{};
  Unpacker unpacker(bytes);
  unpacker.get(value);
  unpacker.end();
  return value;
}

}  // namespace topsctl
