// Passwords in memory: wiped after use, and kept out of core dumps.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Overwrites memory; the compiler cannot optimize it away.
void wipe(void* memory, std::size_t bytes);
// Overwrites the whole capacity; the text is empty afterwards.
void wipe(std::string& text);

// Hides the memory of this process from core dumps and from other processes of this user, except
// root's. Does not affect a program that it executes.
void hide_memory();

// Wipes memory before freeing it.
template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  explicit WipingAllocator(const WipingAllocator<U>& /*other*/) {}
  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    wipe(memory, count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

// A text that leaves no bytes in memory when it is destroyed, grows, or is assigned.
class Secret {
 public:
  Secret() = default;
  // The caller should wipe the original text.
  explicit Secret(std::string_view text) : bytes_(text.begin(), text.end()) { bytes_.push_back(0); }

  bool is_empty() const { return bytes_.size() < 2; }
  std::string_view view() const { return {c_str(), bytes_.empty() ? 0 : bytes_.size() - 1}; }
  const char* c_str() const { return bytes_.empty() ? "" : bytes_.data(); }
  void add(char c);
  bool operator==(const Secret& other) const { return view() == other.view(); }

 private:
  std::vector<char, WipingAllocator<char>> bytes_;  // with a null at the end; or empty
};

}  // namespace topsctl
