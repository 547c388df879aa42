// Feeds .deb files to the readers of their members, control data and payload.
#include "pieces.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/debian/deb_contents.hpp"
#include "topsctl/host/debian/deb_control.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  std::string_view input = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(input);
  if (!looks_like_deb(input.substr(0, 64))) return 0;
  fuzz::Pieces pieces(input, shape);
  Package package;
  Contents contents;
  DecodeLimits limits;
  limits.memory = 16U << 20U;
  limits.threads_memory = limits.memory;
  DebMembers members;
  members.control = [&](Source& tar) { read_control_archive(tar, "sample.deb", package); };
  members.data = [&](Source& tar) { read_data_archive(tar, "sample.deb", package, contents); };
  try {
    read_deb_members(pieces, "sample.deb", limits, package, members);
    fuzz::expect(!package.name.empty());
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}
