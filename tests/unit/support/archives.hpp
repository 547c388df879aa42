// Writes small archives byte by byte, sound and hostile ones alike.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct Member {
  std::string name;
  std::string bytes;
  char type = '0';          // tar: file; '1' hard link, '2' symbolic link, '5' folder
  std::string target = {};  // of links
};

namespace detail {

inline std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>((value >> (8U * unsigned(i))) & 255U));
  return out;
}

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

inline std::string octal(std::uint64_t value, int digits) {
  std::string out(static_cast<std::size_t>(digits), '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, value /= 8) *at = char('0' + value % 8);
  return out;
}

inline std::string padded(std::string text, std::size_t size, char with = '\0') {
  text.resize(size, with);
  return text;
}

}  // namespace detail

// A zip whose members are stored; names are UTF-8 and said to be so.
inline std::string zip_bytes(const std::vector<Member>& members) {
  using detail::little;
  std::string body;
  std::string directory;
  for (const Member& member : members) {
    const std::string common = little(0x800, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) +
                               little(detail::crc32(member.bytes), 4) +
                               little(member.bytes.size(), 4) + little(member.bytes.size(), 4) +
                               little(member.name.size(), 2) + little(0, 2);
    const std::uint64_t mode = member.type == '2' ? 0120777 : member.type == '5' ? 040755 : 0100644;
    directory += "PK\1\2" + little(0x0314, 2) + little(20, 2) + common + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(mode << 16U, 4) + little(body.size(), 4) +
                 member.name;
    body += "PK\3\4" + little(20, 2) + common + member.name + member.bytes;
  }
  return body + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(body.size(), 4) +
         little(0, 2);
}

// A POSIX ustar.
inline std::string tar_bytes(const std::vector<Member>& members) {
  using detail::octal;
  using detail::padded;
  std::string out;
  for (const Member& member : members) {
    std::string header = padded(member.name, 100) + octal(member.type == '5' ? 0755 : 0644, 7) +
                         '\0' + octal(0, 7) + '\0' + octal(0, 7) + '\0' +
                         octal(member.bytes.size(), 11) + '\0' + octal(0, 11) + '\0' +
                         std::string(8, ' ') + member.type + padded(member.target, 100) +
                         padded("ustar", 6) + "00" + std::string(247, '\0');
    std::uint64_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
    out += header + padded(member.bytes, (member.bytes.size() + 511) / 512 * 512);
  }
  return out + std::string(1024, '\0');
}

inline std::string ar_bytes(const std::vector<Member>& members) {
  using detail::padded;
  std::string out = "!<arch>\n";
  for (const Member& member : members) {
    out += padded(member.name, 16, ' ') + padded("0", 12, ' ') + padded("0", 6, ' ') +
           padded("0", 6, ' ') + padded("100644", 8, ' ') +
           padded(std::to_string(member.bytes.size()), 10, ' ') + "`\n" + member.bytes;
    if (member.bytes.size() % 2 == 1) out += '\n';
  }
  return out;
}

inline std::string control_text(const std::string& name, const std::string& version) {
  return "Package: " + name + "\nVersion: " + version +
         "\nArchitecture: amd64\nMaintainer: nobody\nDescription: a sample\n";
}

// A .deb that is not compressed.
inline std::string deb_bytes(const std::string& control, const std::vector<Member>& data,
                             const std::string& md5sums = {}) {
  std::vector<Member> members = {{"./control", control}};
  if (!md5sums.empty()) members.push_back({"./md5sums", md5sums});
  return ar_bytes({{"debian-binary", "2.0\n"},
                   {"control.tar", tar_bytes(members)},
                   {"data.tar", tar_bytes(data)}});
}

}  // namespace topsctl
