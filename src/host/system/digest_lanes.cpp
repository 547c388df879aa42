// SHA-256 of several texts by that function of libcrypto which it uses for TLS records itself.
#include "topsctl/host/system/digest_lanes.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// In no header of OpenSSL, and the same in every release since 1.0.2
// (crypto/sha/asm/sha256-mb-x86_64.pl). A libcrypto without it is no error, only slower.
extern "C" {
struct HashLane {
  const unsigned char* bytes;
  int blocks;
};
// Four lanes, or twice as many.
[[gnu::weak]] void sha256_multi_block(void* state, const HashLane* lanes, int fours);
}

namespace topsctl {

namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::array<std::uint32_t, 8> first_state = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

bool has_wide_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

// Instructions for SHA-256, which are as fast as two lanes can feed them.
bool has_sha() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned sha = 1U << 29U;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
#else
  return false;
#endif
}

void append_word(std::string& to, std::uint32_t word) {
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    to.push_back(static_cast<char>((word >> shift) & 0xFFU));
}

// 0x80, zeros, and the length in bits: a block of its own behind whole ones.
std::string last_block(std::uint64_t size) {
  std::string block(block_bytes - 2 * sizeof(std::uint32_t), '\0');
  block[0] = static_cast<char>(0x80);
  const std::uint64_t bits = size * 8;
  append_word(block, static_cast<std::uint32_t>(bits >> 32U));
  append_word(block, static_cast<std::uint32_t>(bits));
  return block;
}

}  // namespace

bool Sha256Lanes::is_available() {
  return sha256_multi_block != nullptr;
}

unsigned Sha256Lanes::best() {
  static const unsigned count = !is_available() ? 1 : has_sha() ? 2 : has_wide_vectors() ? most : 1;
  return count;
}

Sha256Lanes::Sha256Lanes(unsigned count) : count_(count) {
  if (count == 0 || count > most || !is_available())
    throw Error(ErrorCode::internal, "these digests cannot be taken side by side");
  for (std::size_t i = 0; i < first_state.size(); ++i) state_.words[i].fill(first_state[i]);
}

void Sha256Lanes::update(std::span<const std::string_view> pieces) {
  const bool is_whole = pieces.size() == count_ && pieces[0].size() % block_bytes == 0 &&
                        std::all_of(pieces.begin(), pieces.end(), [&](std::string_view piece) {
                          return piece.size() == pieces[0].size();
                        });
  if (!is_whole) throw Error(ErrorCode::internal, "digests are taken side by side of whole blocks");
  take(pieces);
  size_ += pieces[0].size();
}

void Sha256Lanes::take(std::span<const std::string_view> pieces) {
  constexpr unsigned four = 4;
  std::array<HashLane, most> lanes{};
  for (std::size_t i = 0; i < pieces.size(); ++i)
    lanes[i] = {reinterpret_cast<const unsigned char*>(pieces[i].data()),
                static_cast<int>(pieces[i].size() / block_bytes)};
  sha256_multi_block(&state_, lanes.data(), count_ > four ? 2 : 1);
}

std::vector<std::string> Sha256Lanes::bytes() {
  const std::string block = last_block(size_);
  take(std::vector<std::string_view>(count_, block));
  std::vector<std::string> digests(count_);
  for (unsigned lane = 0; lane < count_; ++lane) {
    for (const auto& word : state_.words) append_word(digests[lane], word[lane]);
  }
  return digests;
}

}  // namespace topsctl
