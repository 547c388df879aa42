// SHA-256 by libcrypto; several texts in parallel by the function that libcrypto uses for TLS
// records, or, if the processor has the vectors for it, sixteen by our own code.
#include "topsctl/host/system/sha256.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <limits>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/digest.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

// Not in any header of OpenSSL, and the same in every release since 1.0.2
// (crypto/sha/asm/sha256-mb-x86_64.pl). A libcrypto without it is not an error, only slower.
extern "C" {
struct HashLane {
  const unsigned char* bytes;
  int blocks;
};
// Four lanes, or twice as many.
[[gnu::weak]] void sha256_multi_block(void* state, const HashLane* lanes, int fours);
}

// The interface whose state can be read. OpenSSL 3 calls it deprecated, for EVP, and has it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifndef __clang__
// GCC 12 finds fault with its own <immintrin.h> (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace topsctl {

namespace {

constexpr std::size_t block_bytes = SHA256_CBLOCK;
constexpr std::size_t state_words = SHA256_DIGEST_LENGTH / sizeof(std::uint32_t);
constexpr unsigned few_lanes = 8;  // the maximum of libcrypto's function
constexpr unsigned many_lanes = 16;
static_assert(many_lanes == Sha256::most_lanes);

// The state words (FIPS 180-4, 6.2) of all lanes.
template <unsigned Lanes>
struct alignas(64) LaneStates {
  std::array<std::array<std::uint32_t, Lanes>, state_words> words{};
};

#if defined(__x86_64__)

bool has_wide_vectors() {
  return __builtin_cpu_supports("avx2") != 0;
}

bool has_widest_vectors() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}

// Instructions for SHA-256, which are as fast as two lanes can feed them.
bool has_sha() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned sha = 1U << 29U;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
}

// The following code is FIPS 180-4, 6.2.2, for sixteen texts: each vector has the same word of each
// text.

constexpr std::array<std::uint32_t, 64> round_constants = {  // 4.2.2
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Vector = __m512i;
using Block = Vector[16];  // NOLINT(*-avoid-c-arrays): std::array loses the alignment of a vector

// Truth tables of vpternlogd.
constexpr int parity = 0x96;
constexpr int choice = 0xca;
constexpr int majority = 0xe8;

template <int A, int B, int C>
[[gnu::target("avx512f")]] inline Vector three_rotations(Vector word) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(word, A), _mm512_ror_epi32(word, B),
                                   _mm512_ror_epi32(word, C), parity);
}

template <int A, int B, int Shift>
[[gnu::target("avx512f")]] inline Vector two_rotations(Vector word) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(word, A), _mm512_ror_epi32(word, B),
                                   _mm512_srli_epi32(word, Shift), parity);
}

[[gnu::target("avx512f")]] inline Vector sum(Vector a, Vector b) {
  return _mm512_add_epi32(a, b);
}

// Loads the next block of each text, converts its words from big-endian, and transposes them so
// that each vector has the same word of each text.
[[gnu::target("avx512f,avx512bw")]] inline void load(Block& block,
                                                     const std::array<HashLane, many_lanes>& lanes,
                                                     std::size_t offset) {
  const Vector turned =
      _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  Block quads;  // of four texts each, one word of each text per quarter
#pragma GCC unroll 4
  for (unsigned i = 0; i < 16; i += 4) {
    Vector texts[4];  // NOLINT(*-avoid-c-arrays)
#pragma GCC unroll 4
    for (unsigned text = 0; text < 4; ++text)
      texts[text] = _mm512_shuffle_epi8(_mm512_loadu_si512(lanes[i + text].bytes + offset), turned);
    const Vector low_01 = _mm512_unpacklo_epi32(texts[0], texts[1]);
    const Vector high_01 = _mm512_unpackhi_epi32(texts[0], texts[1]);
    const Vector low_23 = _mm512_unpacklo_epi32(texts[2], texts[3]);
    const Vector high_23 = _mm512_unpackhi_epi32(texts[2], texts[3]);
    quads[i] = _mm512_unpacklo_epi64(low_01, low_23);
    quads[i + 1] = _mm512_unpackhi_epi64(low_01, low_23);
    quads[i + 2] = _mm512_unpacklo_epi64(high_01, high_23);
    quads[i + 3] = _mm512_unpackhi_epi64(high_01, high_23);
  }
  constexpr int even = 0x88;
  constexpr int odd = 0xdd;
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    const Vector even_low = _mm512_shuffle_i32x4(quads[i], quads[i + 4], even);
    const Vector odd_low = _mm512_shuffle_i32x4(quads[i], quads[i + 4], odd);
    const Vector even_high = _mm512_shuffle_i32x4(quads[i + 8], quads[i + 12], even);
    const Vector odd_high = _mm512_shuffle_i32x4(quads[i + 8], quads[i + 12], odd);
    block[i] = _mm512_shuffle_i32x4(even_low, even_high, even);
    block[i + 4] = _mm512_shuffle_i32x4(odd_low, odd_high, even);
    block[i + 8] = _mm512_shuffle_i32x4(even_low, even_high, odd);
    block[i + 12] = _mm512_shuffle_i32x4(odd_low, odd_high, odd);
  }
}

// The additions are ordered so that few of them depend on the previous round.
[[gnu::target("avx512f,avx512bw")]] void take_many(LaneStates<many_lanes>& states,
                                                   const std::array<HashLane, many_lanes>& lanes) {
  Vector state[state_words];  // NOLINT(*-avoid-c-arrays)
  for (std::size_t i = 0; i < state_words; ++i)
    state[i] = _mm512_load_si512(states.words[i].data());
  for (int at = 0; at < lanes[0].blocks; ++at) {
    Block block;
    load(block, lanes, static_cast<std::size_t>(at) * block_bytes);
    auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 64
    for (unsigned round = 0; round < round_constants.size(); ++round) {
      Vector& word = block[round % 16];
      if (round >= 16) {
        word =
            sum(sum(word, two_rotations<7, 18, 3>(block[(round - 15) % 16])),
                sum(block[(round - 7) % 16], two_rotations<17, 19, 10>(block[(round - 2) % 16])));
      }
      const Vector known =
          sum(h, sum(word, _mm512_set1_epi32(static_cast<int>(round_constants[round]))));
      const Vector chosen = sum(known, _mm512_ternarylogic_epi32(e, f, g, choice));
      const Vector last = three_rotations<6, 11, 25>(e);
      const Vector first = sum(three_rotations<2, 13, 22>(a),
                               sum(chosen, _mm512_ternarylogic_epi32(a, b, c, majority)));
      h = g;
      g = f;
      f = e;
      e = sum(sum(d, chosen), last);
      d = c;
      c = b;
      b = a;
      a = sum(first, last);
    }
    const Vector taken[state_words] = {a, b, c, d, e, f, g, h};  // NOLINT(*-avoid-c-arrays)
    for (std::size_t i = 0; i < state_words; ++i) state[i] = sum(state[i], taken[i]);
  }
  for (std::size_t i = 0; i < state_words; ++i)
    _mm512_store_si512(states.words[i].data(), state[i]);
}

#else

bool has_wide_vectors() {
  return false;
}
bool has_widest_vectors() {
  return false;
}
bool has_sha() {
  return false;
}
void take_many(LaneStates<many_lanes>&, const std::array<HashLane, many_lanes>&) {}

#endif

void take_few(LaneStates<few_lanes>& states, const std::array<HashLane, few_lanes>& lanes) {
  const bool are_four = lanes[few_lanes / 2].bytes == nullptr;
  sha256_multi_block(&states, lanes.data(), are_four ? 1 : 2);
}

// Processes the blocks of each text with a function for this number of lanes.
template <unsigned Lanes, typename Take>
void take_blocks(std::span<SHA256_CTX* const> contexts, std::span<const HashLane> texts,
                 const Take& take) {
  LaneStates<Lanes> states;
  std::array<HashLane, Lanes> lanes{};
  std::copy_n(texts.begin(), std::min<std::size_t>(Lanes, texts.size()), lanes.begin());
  for (std::size_t lane = 0; lane < contexts.size(); ++lane) {
    for (std::size_t i = 0; i < state_words; ++i) states.words[i][lane] = contexts[lane]->h[i];
  }
  take(states, lanes);
  for (std::size_t lane = 0; lane < contexts.size(); ++lane) {
    for (std::size_t i = 0; i < state_words; ++i) contexts[lane]->h[i] = states.words[i][lane];
  }
}

}  // namespace

struct Sha256::State {
  State() {
    if (SHA256_Init(&context) != 1)
      throw Error(ErrorCode::internal, "libcrypto does not support SHA-256");
  }

  bool is_between_blocks() const { return context.num == 0; }
  // Adds `bytes` to the length, which is stored in bits.
  void add_length(std::uint64_t bytes) {
    const std::uint64_t bits = context.Nl + (std::uint64_t{context.Nh} << 32U) + bytes * 8;
    context.Nl = static_cast<std::uint32_t>(bits);
    context.Nh = static_cast<std::uint32_t>(bits >> 32U);
  }

  SHA256_CTX context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  if (SHA256_Update(&state_->context, bytes.data(), bytes.size()) != 1)
    throw Error(ErrorCode::internal, "libcrypto cannot update a SHA-256 digest");
}

unsigned Sha256::lanes() {
  static const unsigned count = has_widest_vectors()            ? many_lanes
                                : sha256_multi_block == nullptr ? 1
                                : has_sha()                     ? 2
                                : has_wide_vectors()            ? few_lanes
                                                                : 1;
  return count;
}

bool Sha256::pay_side_by_side(std::size_t count) {
  if (count > few_lanes) return lanes() == many_lanes;
  // Vectors of 256 bits take as long for two texts as for four, longer than two in sequence.
  static const std::size_t fewest = has_sha() ? 2 : 3;
  return count >= fewest && sha256_multi_block != nullptr && lanes() > 1;
}

void Sha256::update_each(std::span<const Piece> pieces) {
  const std::size_t most = lanes() == many_lanes ? many_lanes : few_lanes;
  for (std::size_t at = 0; at < pieces.size(); at += most) {
    const auto group = pieces.subspan(at, std::min(most, pieces.size() - at));
    const std::size_t done = take_lanes(group);
    for (const auto& [digest, bytes] : group) digest->update(bytes.substr(done));
  }
}

// Processes as many whole blocks as every piece has; returns the number of bytes taken from each.
std::size_t Sha256::take_lanes(std::span<const Piece> pieces) {
  if (!pay_side_by_side(pieces.size())) return 0;
  std::size_t blocks = std::numeric_limits<int>::max();
  std::array<SHA256_CTX*, most_lanes> contexts{};
  std::array<HashLane, most_lanes> texts{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [digest, bytes] = pieces[i];
    blocks = std::min(blocks, digest->state_->is_between_blocks() ? bytes.size() / block_bytes : 0);
    contexts[i] = &digest->state_->context;
    texts[i].bytes = reinterpret_cast<const unsigned char*>(bytes.data());
  }
  if (blocks == 0) return 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) texts[i].blocks = static_cast<int>(blocks);
  const std::span used = std::span(contexts).first(pieces.size());
  if (pieces.size() > few_lanes) {
    // Lanes without a text take the first one.
    std::fill(texts.begin() + static_cast<std::ptrdiff_t>(pieces.size()), texts.end(), texts[0]);
    take_blocks<many_lanes>(used, texts, take_many);
  } else {
    take_blocks<few_lanes>(used, texts, take_few);
  }
  for (const Piece& piece : pieces) piece.digest->state_->add_length(blocks * block_bytes);
  return blocks * block_bytes;
}

std::string Sha256::bytes() {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  if (SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_->context) != 1)
    throw Error(ErrorCode::internal, "libcrypto cannot finish a digest");
  return digest;
}

std::string Sha256::hex() {
  return hex_text(bytes());
}

std::string Sha256::base64url() {
  return base64url_text(bytes());
}

}  // namespace topsctl

#pragma GCC diagnostic pop
