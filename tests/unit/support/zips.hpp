// Writes zip archives byte by byte with everything that the format allows, and what it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archives.hpp"
#include "deflate.hpp"

namespace topsctl {

// By zlib: members may be large.
inline std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

struct ZipMember {
  std::string name;
  std::string bytes;
  unsigned method = 8;
  std::uint64_t unix_mode = 0100644;
  unsigned flags = 0x800;
  bool has_zip64_field = false;
  bool has_descriptor = false;
  std::string local_extra = {};
  // What the headers say instead of the truth.
  std::optional<std::string> local_name = {};
  std::optional<unsigned> local_method = {};
  std::optional<std::uint64_t> size = {};
  std::optional<std::uint64_t> compressed_size = {};
  std::optional<std::uint32_t> crc = {};
  std::optional<std::uint64_t> offset = {};
  std::optional<std::string> packed = {};
};

// A member without content, whose deflate data libdeflate takes and zlib, and so pip, refuses: its
// only code is 0, and what stands there is 1.
inline ZipMember refused_by_zlib(std::string name) {
  ZipMember member{std::move(name), ""};
  member.packed = std::string("\x05\xc0\x81\x08\0\0\0\0\x20\x7f\xeb\x0b", 12);
  return member;
}

struct SampleZip {
  std::vector<ZipMember> members;
  std::string prepended = {};
  std::string comment = {};
  std::string extra_directory = {};  // bytes that the directory has after its last entry
  bool has_zip64_end = false;

  std::string bytes() const {
    using detail::little;
    std::string body;
    std::string directory;
    for (const ZipMember& member : members) {
      const std::string packed = member.packed        ? *member.packed
                                 : member.method == 8 ? deflated(member.bytes)
                                                      : member.bytes;
      const std::uint64_t size = member.size.value_or(member.bytes.size());
      const std::uint64_t compressed = member.compressed_size.value_or(packed.size());
      const std::uint32_t crc = member.crc.value_or(crc_of(member.bytes));
      const std::uint64_t offset = member.offset.value_or(body.size());
      const std::uint64_t ones = 0xFFFFFFFF;
      const bool wide = member.has_zip64_field;
      const std::string extra = wide ? "\1" + std::string(1, '\0') + little(24, 2) +
                                           little(size, 8) + little(compressed, 8) +
                                           little(offset, 8)
                                     : "";
      const std::string local_name = member.local_name.value_or(member.name);
      const auto common = [&](unsigned method, bool unknown, unsigned name_size,
                              unsigned extra_size) {
        const unsigned flags = member.flags | (member.has_descriptor ? 8U : 0U);
        return little(flags, 2) + little(method, 2) + little(0x6000, 2) + little(0x5A21, 2) +
               little(unknown ? 0 : crc, 4) +
               little(unknown ? 0
                      : wide  ? ones
                              : compressed,
                      4) +
               little(unknown ? 0
                      : wide  ? ones
                              : size,
                      4) +
               little(name_size, 2) + little(extra_size, 2);
      };
      directory +=
          "PK\1\2" + little(0x0314, 2) + little(20, 2) +
          common(member.method, false, unsigned(member.name.size()), unsigned(extra.size())) +
          little(0, 2) + little(0, 2) + little(0, 2) + little(member.unix_mode << 16U, 4) +
          little(wide ? ones : offset, 4) + member.name + extra;
      body += "PK\3\4" + little(20, 2) +
              common(member.local_method.value_or(member.method), member.has_descriptor,
                     unsigned(local_name.size()), unsigned(member.local_extra.size())) +
              local_name + member.local_extra + packed;
      if (member.has_descriptor) {
        body += "PK\7\10" + little(crc, 4) + little(compressed, 4) + little(size, 4);
      }
    }
    directory += extra_directory;
    const std::uint64_t count = members.size();
    std::string end;
    if (has_zip64_end) {
      end = "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
            little(count, 8) + little(count, 8) + little(directory.size(), 8) +
            little(body.size(), 8) + "PK\6\7" + little(0, 4) +
            little(body.size() + directory.size(), 8) + little(1, 4);
    }
    const bool wide = has_zip64_end;
    end += "PK\5\6" + little(0, 4) + little(wide ? 0xFFFF : count, 2) +
           little(wide ? 0xFFFF : count, 2) + little(wide ? 0xFFFFFFFF : directory.size(), 4) +
           little(wide ? 0xFFFFFFFF : body.size(), 4) + little(comment.size(), 2) + comment;
    return prepended + body + directory + end;
  }
};

}  // namespace topsctl
