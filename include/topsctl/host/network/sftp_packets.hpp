// What passes between a client and a server of SFTP, version 3 (draft-ietf-secsh-filexfer-02):
// packets of a length, a kind, a number and fields.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

enum class SftpKind : std::uint8_t {
  init = 1,
  version = 2,
  open = 3,
  close = 4,
  read = 5,
  write = 6,
  look_at = 7,  // LSTAT
  look_at_handle = 8,
  set = 9,  // SETSTAT: of a path
  set_handle = 10,
  remove = 13,
  make_folder = 14,
  stat_following = 17,  // STAT: of what a link leads to
  rename = 18,
  status = 101,
  handle = 102,
  data = 103,
  attributes = 105,
  extended = 200,
  extended_reply = 201,
};

// A packet of the server's that is longer is refused.
inline constexpr std::uint32_t most_sftp_packet = (256U + 1U) << 10U;

// Writes one packet.
class SftpWriter {
 public:
  SftpWriter(SftpKind kind, std::uint32_t number);
  SftpWriter& add(std::uint32_t value);
  SftpWriter& add(std::uint64_t value);
  SftpWriter& add(std::string_view text);
  // Attributes: size and permissions, where there are any.
  SftpWriter& add(std::optional<std::uint64_t> size, std::optional<std::uint32_t> mode);
  std::uint32_t number() const { return number_; }
  std::string packet() const;

 private:
  std::uint32_t number_;
  std::string body_;
};

struct SftpPacket {
  SftpKind kind = SftpKind::status;
  std::uint32_t number = 0;  // that of the question; of `version`, the version
  std::string fields;
};

// Cuts a stream of bytes, in whatever pieces it comes, into packets of a server. Throws
// Error{unreachable} for what is none.
class SftpParser {
 public:
  void take(std::string_view bytes);
  std::optional<SftpPacket> next();

 private:
  std::string bytes_;
  std::size_t begin_ = 0;  // of what was not handed on yet
};

enum class SftpCode : std::uint32_t {
  ok = 0,
  end_of_file = 1,
  no_such_file = 2,
  permission_denied = 3,
  failure = 4,
  bad_message = 5,
  no_connection = 6,
  connection_lost = 7,
  unsupported = 8,
};

struct SftpStatus {
  SftpCode code = SftpCode::ok;  // also others than those above
  std::string text;              // fit for a message
};

struct SftpAttributes {
  std::optional<std::uint64_t> size;
  std::optional<std::uint32_t> owner;
  std::optional<std::uint32_t> mode;  // with the kind, as st_mode has it
  bool operator==(const SftpAttributes&) const = default;
};

// Of the fields of one packet. Throw Error{unreachable}.
std::map<std::string, std::string> parse_sftp_extensions(std::string_view fields);
SftpStatus parse_sftp_status(std::string_view fields);
std::string parse_sftp_handle(std::string_view fields);
std::string parse_sftp_data(std::string_view fields);
SftpAttributes parse_sftp_attributes(std::string_view fields);
// Bytes that a user may still write, from the answer to statvfs@openssh.com.
std::uint64_t parse_sftp_room(std::string_view fields);

}  // namespace topsctl
