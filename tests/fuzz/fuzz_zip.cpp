// Feeds zip archives to the reader, and reads their members in each of its ways.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "pieces.hpp"
#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace {

using namespace topsctl;

constexpr std::size_t most_entries = 16;
constexpr std::uint64_t most_output = 1U << 20U;

// The content by open(); nothing where it is refused or larger than wanted.
std::optional<std::string> streamed(const ZipReader& zip, const ZipEntry& entry) {
  std::string content;
  try {
    const auto source = zip.open(entry);
    for (auto piece = source->piece(); !piece.empty(); piece = source->piece()) {
      content += piece;
      if (content.size() > most_output) return std::nullopt;
    }
  } catch (const Error& error) {
    fuzz::expect_told(error);
    return std::nullopt;
  }
  return content;
}

std::optional<std::string> at_once(const ZipReader& zip, const ZipEntry& entry,
                                   ZipBuffers& buffers) {
  std::string content;
  try {
    const auto source = zip.open(entry, buffers);
    for (auto piece = source->piece(); !piece.empty(); piece = source->piece()) content += piece;
  } catch (const Error& error) {
    fuzz::expect_told(error);
    return std::nullopt;
  }
  return content;
}

std::optional<std::string> as_text(const ZipReader& zip, const ZipEntry& entry) {
  try {
    return zip.text(entry, most_output);
  } catch (const Error& error) {
    fuzz::expect_told(error);
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Descriptor file(::memfd_create("sample.whl", MFD_CLOEXEC));
  static ZipBuffers buffers;
  static ZipBuffers exact(0);
  fuzz::expect(::ftruncate(file.get(), 0) == 0);
  fuzz::expect(::pwrite(file.get(), data, size, 0) == static_cast<ssize_t>(size));
  try {
    const ZipReader zip({file.get(), 0, size}, "sample.whl");
    std::size_t count = 0;
    for (const ZipEntry& entry : zip.entries()) {
      if (++count > most_entries) break;
      if (entry.size > most_output) continue;
      const auto content = streamed(zip, entry);
      fuzz::expect(!content || content->size() == entry.size);
      fuzz::expect(at_once(zip, entry, exact) == content);
      // libdeflate takes some streams that zlib refuses, but says nothing else than it.
      const auto fast = at_once(zip, entry, buffers);
      fuzz::expect(content ? fast == content : !fast || fast->size() == entry.size);
      fuzz::expect(as_text(zip, entry) == content);
    }
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}
