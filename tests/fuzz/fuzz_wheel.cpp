// Feeds wheels to the readers of their metadata and their members.
#include <sys/mman.h>
#include <unistd.h>

#include "pieces.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_contents.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace {

constexpr std::uint64_t most_unpacked = 4U
                                        << 20U;  // bytes as claimed; bombs are for the zip harness

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  static const Descriptor file(::memfd_create("sample.whl", MFD_CLOEXEC));
  fuzz::expect(::ftruncate(file.get(), 0) == 0);
  fuzz::expect(::pwrite(file.get(), data, size, 0) == static_cast<ssize_t>(size));
  try {
    const ZipReader zip({file.get(), 0, size}, "torch_gcu-1.10.0-py3.8-none-any.whl");
    std::uint64_t unpacked = 0;
    for (const ZipEntry& entry : zip.entries()) {
      if (entry.size > most_unpacked - unpacked) return 0;
      unpacked += entry.size;
    }
    Package package;
    read_wheel_metadata(zip, zip.subject(), package);
    fuzz::expect(!package.name.empty());
    const Contents contents = read_wheel_contents(zip, package, {});
    fuzz::expect(contents.mismatches.size() <= 1000 && contents.strange.size() <= 1000);
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}
