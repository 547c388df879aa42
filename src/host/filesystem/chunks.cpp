// Reads the chunks of files, and remembers their digests.
#include "topsctl/host/filesystem/chunks.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <span>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/digest_cache.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digest_bytes = 32;

[[noreturn]] void refuse_changed(const fs::path& file) {
  throw Error(ErrorCode::bad_bundle,
              format("{} changed while it was read", in_quotes(file.string())),
              "wait until it is complete");
}

// Small enough to stay in the cache until it is digested; smaller ones were not faster.
constexpr std::uint64_t block = 128U << 10U;

void fill(const Descriptor& input, std::uint64_t at, std::span<char> bytes, const fs::path& file) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(input.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", file.string());
    if (got == 0) refuse_changed(file);
    at += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

ChunkDigest digest_of_chunk(const Descriptor& input, std::uint64_t at, std::uint64_t size,
                            const fs::path& file) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(block);
  Sha256 digest;
  for (std::uint64_t done = 0; done < size;) {
    const std::span<char> piece(buffer.get(), std::min(size - done, block));
    fill(input, at + done, piece, file);
    digest.update({piece.data(), piece.size()});
    done += piece.size();
  }
  return digest.bytes();
}

// Of whole chunks that follow each other.
std::vector<ChunkDigest> digests_of_chunks(const Descriptor& input, std::uint64_t first,
                                           unsigned count, const fs::path& file) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(count * block);
  std::vector<Sha256> digests(count);
  std::vector<Sha256::Piece> pieces;
  for (unsigned lane = 0; lane < count; ++lane)
    pieces.push_back({&digests[lane], {buffer.get() + lane * block, block}});
  // Threads read alternating pieces, which read-ahead does not follow; a larger range would be read
  // only in part.
  for (std::uint64_t at = 0; at < count * chunk_bytes; at += block)
    ::posix_fadvise(input.get(), static_cast<off_t>(first * chunk_bytes + at),
                    static_cast<off_t>(block), POSIX_FADV_WILLNEED);
  for (std::uint64_t done = 0; done < chunk_bytes; done += block) {
    throw_if_interrupted();
    for (unsigned lane = 0; lane < count; ++lane)
      fill(input, (first + lane) * chunk_bytes + done, {buffer.get() + lane * block, block}, file);
    Sha256::update_each(pieces);
  }
  std::vector<ChunkDigest> found;
  for (Sha256& digest : digests) found.push_back(digest.bytes());
  return found;
}

}  // namespace

std::uint64_t chunk_count(std::uint64_t size) {
  return (size + chunk_bytes - 1) / chunk_bytes;
}

std::uint64_t chunk_size(std::uint64_t size, std::uint64_t chunk) {
  return std::min(chunk_bytes, size - chunk * chunk_bytes);
}

std::string content_id(const ChunkList& chunks) {
  Sha256 digest;
  digest.update(format("topsctl content 1\n{} {}\n", chunks.size, chunk_bytes));
  for (const ChunkDigest& each : chunks.digests) digest.update(each);
  return digest.hex();
}

ChunkList read_chunks(const fs::path& file) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat before {};
  struct stat after {};
  if (!input.is_open() || ::fstat(input.get(), &before) != 0)
    throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  ChunkList chunks;
  chunks.size = static_cast<std::uint64_t>(before.st_size);
  chunks.digests.resize(chunk_count(chunks.size));
  const std::uint64_t whole = chunks.size / chunk_bytes;
  // Every thread gets a share before any of them takes more than one at once.
  const auto lanes =
      static_cast<unsigned>(std::clamp<std::uint64_t>(whole / usual_threads(), 1, Sha256::lanes()));
  const std::uint64_t groups = whole / lanes;
  const std::uint64_t single = groups * lanes;
  for_each_index(groups + chunks.digests.size() - single, [&](std::size_t i) {
    throw_if_interrupted();
    if (lanes > 1 && i < groups) {
      std::ranges::move(digests_of_chunks(input, i * lanes, lanes, file),
                        chunks.digests.begin() + static_cast<std::ptrdiff_t>(i * lanes));
      return;
    }
    const std::uint64_t chunk = i < groups ? i : single + i - groups;
    chunks.digests[chunk] =
        digest_of_chunk(input, chunk * chunk_bytes, chunk_size(chunks.size, chunk), file);
  });
  if (::fstat(input.get(), &after) != 0 || after.st_size != before.st_size ||
      after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
      after.st_mtim.tv_nsec != before.st_mtim.tv_nsec) {
    refuse_changed(file);
  }
  return chunks;
}

ChunkDigest read_chunk(const fs::path& file, std::uint64_t size, std::uint64_t chunk) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!input.is_open()) throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  return digest_of_chunk(input, chunk * chunk_bytes, chunk_size(size, chunk), file);
}

// The cache key of a file; nothing for a file whose times are too recent.
std::optional<std::string> DigestMemory::name_of(const fs::path& file) const {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  const auto stamp = settled_stamp(status, clock_);
  if (!stamp) return std::nullopt;
  return sha256_of(concat(*stamp, ":", chunk_bytes));
}

std::optional<DigestMemory::Known> DigestMemory::find(const fs::path& file) const {
  const auto name = name_of(file);
  if (!name) return std::nullopt;
  try {
    const auto text = read_text_if_present(folder_ / *name);
    if (!text) return std::nullopt;
    // Size, digest of the whole file or "-", then those of the chunks, one per line; "end" closes
    // it.
    const std::vector<std::string> lines = split(*text, '\n');
    constexpr std::size_t most_digits = 18;
    if (lines.size() < 4 || !is_digits(lines[0]) || lines[0].size() > most_digits ||
        lines[lines.size() - 2] != "end")
      return std::nullopt;
    if (const auto whole = bytes_of_hex(lines[1]);
        lines[1] != "-" && (!whole || whole->size() != digest_bytes))
      return std::nullopt;
    Known known;
    known.chunks.size = std::stoull(lines[0]);
    if (lines[1] != "-") known.sha256 = lines[1];
    for (std::size_t i = 2; i + 2 < lines.size(); ++i) {
      auto digest = bytes_of_hex(lines[i]);
      if (!digest || digest->size() != digest_bytes) return std::nullopt;
      known.chunks.digests.push_back(std::move(*digest));
    }
    if (known.chunks.digests.size() != chunk_count(known.chunks.size)) return std::nullopt;
    return known;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void DigestMemory::keep(const fs::path& file, const Known& known) const {
  const auto name = name_of(file);
  if (!name) return;
  std::string text =
      concat(known.chunks.size, "\n", known.sha256.empty() ? "-" : known.sha256, "\n");
  for (const ChunkDigest& digest : known.chunks.digests) text += concat(hex_text(digest), "\n");
  text += "end\n";
  try {
    constexpr mode_t ours = 0700;
    constexpr mode_t readable_by_us = 0600;
    make_directories(folder_, ours);
    write_plainly(folder_ / *name, text, readable_by_us);
  } catch (const Error&) {
    // The next run reads the file again.
  }
}

}  // namespace topsctl
