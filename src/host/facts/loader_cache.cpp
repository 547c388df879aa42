// Bounds-checked reading of the loader's cache.
#include "topsctl/host/facts/loader_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t old_header_size = 16;  // magic, one byte of padding, number of entries
constexpr std::size_t old_entry_size = 12;
constexpr std::size_t new_header_size = 48;
constexpr std::size_t new_entry_size = 24;
constexpr std::size_t alignment = 8;  // of the newer form after the older one
constexpr std::uint64_t most_cache = 64ULL << 20U;
constexpr std::size_t most_libraries = 100'000;

// FLAG_REQUIRED_MASK and FLAG_X8664_LIB64 of glibc's ldconfig.h.
constexpr std::uint32_t required_mask = 0xff00;
constexpr std::uint32_t x86_64 = 0x0300;

// The caller must have checked the size.
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// The newer form's bytes to the end; its offsets count from its start.
std::optional<std::string_view> newer_form(std::string_view bytes) {
  if (!bytes.starts_with(old_magic)) return bytes;
  if (bytes.size() < old_header_size) return std::nullopt;
  const std::uint64_t end = old_header_size + std::uint64_t{number_at(bytes, 12)} * old_entry_size;
  const std::uint64_t start = (end + alignment - 1) / alignment * alignment;
  if (start > bytes.size()) return std::nullopt;
  return bytes.substr(start);
}

std::optional<std::string> text_at(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size()) return std::nullopt;
  const std::string_view rest = bytes.substr(at, 4097);  // PATH_MAX, and the end
  const auto end = rest.find('\0');
  if (end == std::string_view::npos || end == 0 || rest.substr(0, end).find('\n') < end)
    return std::nullopt;
  return std::string(rest.substr(0, end));
}

bool is_library_name(std::string_view name) {
  return (name.starts_with("lib") || name.starts_with("ld-")) &&
         (name.ends_with(".so") || name.find(".so.") != std::string_view::npos);
}

// ld.so(8): without the cache, /lib and /usr/lib are searched; Debian's loader also searches the
// directories of its architecture.
std::vector<CachedLibrary> libraries_of_default_folders(const Host& host) {
  std::vector<CachedLibrary> libraries;
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                             "/usr/lib64", "/lib", "/usr/lib"}) {
    std::vector<std::string> names;
    std::error_code failure;
    for (auto at = fs::directory_iterator(host.resolve(folder), failure);
         !failure && at != fs::directory_iterator(); at.increment(failure)) {
      std::string name = at->path().filename().string();
      if (is_library_name(name)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    for (std::string& name : names) {
      if (libraries.size() == most_libraries) return libraries;
      std::string path = concat(folder, "/", name);
      libraries.push_back({std::move(name), std::move(path)});
    }
  }
  return libraries;
}

}  // namespace

std::optional<std::vector<CachedLibrary>> parse_loader_cache(std::string_view bytes) {
  const auto form = newer_form(bytes);
  if (!form || form->size() < new_header_size || !form->starts_with(new_magic)) return std::nullopt;
  const std::uint64_t count = number_at(*form, 20);
  const std::uint64_t end = new_header_size + count * new_entry_size + number_at(*form, 24);
  if (count > most_libraries || end > form->size()) return std::nullopt;
  std::vector<CachedLibrary> libraries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = new_header_size + i * new_entry_size;
    if ((number_at(*form, entry) & required_mask) != x86_64) continue;
    auto soname = text_at(*form, number_at(*form, entry + 4));
    auto path = text_at(*form, number_at(*form, entry + 8));
    if (!soname || !path) return std::nullopt;
    libraries.push_back({std::move(*soname), std::move(*path)});
  }
  return libraries;
}

std::vector<CachedLibrary> read_libraries(const Host& host) {
  try {
    const auto bytes = read_text_if_present(host.resolve("/etc/ld.so.cache"), most_cache);
    if (bytes) {
      if (auto libraries = parse_loader_cache(*bytes)) return std::move(*libraries);
    }
  } catch (const Error&) {
    // The loader also works without a cache that it cannot read.
  }
  return libraries_of_default_folders(host);
}

}  // namespace topsctl
