// Searches for many texts at once, in a few steps per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Tests each four bytes of a text for a possible match with one of the texts (Wu and Manber, TR
// 94-17, University of Arizona): steps are independent of each other, and all tables stay in the
// cache. Ignores the case of ASCII letters. Thread-safe.
class TextScan {
 public:
  static constexpr std::size_t shortest = 4;  // characters of a text

  // Several texts may have the same owner. Each is in lower case.
  struct Text {
    std::string text;
    std::uint32_t owner = 0;
  };
  explicit TextScan(const std::vector<Text>& texts);

  // Returns the end of a text whose owner is wanted, at or after `from`, or npos. No other such
  // text ends in a line before.
  template <class IsWanted>
  std::size_t find(std::string_view text, std::size_t from, IsWanted is_wanted) const {
    std::size_t end = std::string_view::npos;
    each_place(text, from, [&](std::size_t at, const Key& key) {
      if (is_wanted(key.owner) && is_at(key, text, from, at))
        end = at - key.offset + texts_[key.text].size();
      return end != std::string_view::npos;
    });
    return end;
  }

  // Calls found(owner) for each occurrence of each text whose owner is selected.
  template <class IsWanted, class Found>
  void each_in(std::string_view text, IsWanted is_wanted, Found found) const {
    each_place(text, 0, [&](std::size_t at, const Key& key) {
      if (is_wanted(key.owner) && is_at(key, text, 0, at)) found(key.owner);
      return false;
    });
  }

 private:
  // Four characters of a text.
  struct Key {
    std::uint32_t bytes = 0;
    std::uint32_t hash = 0;
    std::uint32_t text = 0;    // the index
    std::uint32_t offset = 0;  // in the text
    std::uint32_t owner = 0;
  };
  static constexpr unsigned hash_bits = 16;
  static constexpr unsigned keys_bits = 11;

  // The four bytes there, with letters in lower case; other bytes may coincide too.
  static std::uint32_t bytes_at(const char* place) {
    constexpr std::uint32_t small_letters = 0x20202020;
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, place, sizeof bytes);
    return bytes | small_letters;
  }
  static std::uint32_t hash_of(std::uint32_t bytes) {
    return (bytes * 2'654'435'761U) >> (32U - hash_bits);
  }

  // Until visit(position, key) returns true.
  template <class Visit>
  void each_place(std::string_view text, std::size_t from, Visit visit) const {
    for (std::size_t at = from; at + shortest <= text.size(); ++at) {
      const std::uint32_t bytes = bytes_at(text.data() + at);
      const std::uint32_t hash = hash_of(bytes);
      if ((is_key_[hash / 64] >> (hash % 64) & 1U) == 0) continue;
      const std::size_t group = hash >> (hash_bits - keys_bits);
      for (std::size_t i = groups_[group]; i != groups_[group + 1]; ++i) {
        if (keys_[i].bytes == bytes && visit(at, keys_[i])) return;
      }
    }
  }
  // Whether the whole text is at this place of its key.
  bool is_at(const Key& key, std::string_view text, std::size_t from, std::size_t at) const;

  std::vector<std::string> texts_;
  std::vector<std::uint64_t> is_key_;  // bits by hash
  std::vector<Key> keys_;              // by hash
  std::vector<std::uint32_t> groups_;  // start of the keys with this hash prefix
};

}  // namespace topsctl
