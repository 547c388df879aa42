// Passwords in memory: wiped once nobody needs them, and in no core dump.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Overwrites memory, whatever the compiler thinks of that.
void wipe(void* memory, std::size_t bytes);
// All that the text has room for; it is empty then.
void wipe(std::string& text);

// From here on neither core dumps nor other processes of this user, but for root's, see what this
// process has in memory. A program that it executes is as any other.
void hide_memory();

// Wipes what it gives back.
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

// A text of which no byte stays in memory: not when it goes, grows, or gets another value.
class Secret {
 public:
  Secret() = default;
  // Whose text it is should wipe that.
  explicit Secret(std::string_view text) : bytes_(text.begin(), text.end()) { bytes_.push_back(0); }

  bool is_empty() const { return bytes_.size() < 2; }
  std::string_view view() const { return {c_str(), bytes_.empty() ? 0 : bytes_.size() - 1}; }
  const char* c_str() const { return bytes_.empty() ? "" : bytes_.data(); }
  void add(char c);
  bool operator==(const Secret& other) const { return view() == other.view(); }

 private:
  std::vector<char, WipingAllocator<char>> bytes_;  // with a null at the end; or nothing at all
};

}  // namespace topsctl
