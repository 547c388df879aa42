// Packets of SFTP, as they are written and as strange servers may send them.
#include "topsctl/host/network/sftp_packets.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using namespace std::string_literals;

std::optional<SftpPacket> only_packet(const std::string& bytes) {
  SftpParser parser;
  parser.take(bytes);
  return parser.next();
}

ErrorCode refusal(const std::function<void()>& act) {
  return thrown_by(act).code();
}

TEST(SftpPackets, AreWrittenInTheOrderOfTheNetwork) {
  EXPECT_EQ(SftpWriter(SftpKind::init, 3).packet(), "\0\0\0\5\1\0\0\0\3"s);
  EXPECT_EQ(SftpWriter(SftpKind::write, 7).add("h").add(std::uint64_t{258}).add("ab").packet(),
            "\0\0\0\x18\6\0\0\0\7\0\0\0\1h\0\0\0\0\0\0\1\2\0\0\0\2ab"s);
  EXPECT_EQ(SftpWriter(SftpKind::make_folder, 1).add("d").add(std::nullopt, 0700).packet(),
            "\0\0\0\x12\x0e\0\0\0\1\0\0\0\1d\0\0\0\4\0\0\1\xc0"s);
}

TEST(SftpPackets, AreCutOutOfPieces) {
  const std::string bytes = "\0\0\0\x09\x65\0\0\0\1\0\0\0\0\0\0\0\x05\x02\0\0\0\3"s;
  SftpParser parser;
  std::vector<SftpKind> kinds;
  for (const char byte : bytes) {
    parser.take({&byte, 1});
    while (const auto packet = parser.next()) kinds.push_back(packet->kind);
  }
  EXPECT_EQ(kinds, (std::vector{SftpKind::status, SftpKind::version}));
}

TEST(SftpPackets, ThatNoServerSendsAreRefusedAtOnce) {
  for (const std::string& bytes : {"This account is currently not available.\n"s, "\0\4\4\1"s,
                                   "\0\0\0\4\x65\0\0\0"s, "\0\0\0\x09\x06"s, "\xff\xff\xff\xff"s}) {
    EXPECT_EQ(refusal([&] { only_packet(bytes); }), ErrorCode::unreachable) << bytes;
  }
  EXPECT_FALSE(only_packet("\0\4\4\0\x67"s));  // as long as one may be
}

TEST(SftpFields, AreReadAsTheyStand) {
  EXPECT_EQ(parse_sftp_extensions("\0\0\0\1a\0\0\0\1b"s).at("a"), "b");
  const SftpStatus status = parse_sftp_status("\0\0\0\4\0\0\0\5Fa\x1bil\0\0\0\0"s);
  EXPECT_EQ(status.code, SftpCode::failure);
  EXPECT_EQ(status.text, "Fa?il");
  EXPECT_EQ(parse_sftp_status("\0\0\0\1"s).code, SftpCode::end_of_file);
  const SftpAttributes all = parse_sftp_attributes(
      "\x80\0\0\x0f\0\0\0\0\0\0\0\5\0\0\0\7\0\0\0\x08\0\0\x81\xa4"
      "12345678\0\0\0\1\0\0\0\1x\0\0\0\0"s);
  EXPECT_EQ(all, (SftpAttributes{5, 7, 0100644}));
  EXPECT_EQ(parse_sftp_attributes("\0\0\0\0"s), SftpAttributes{});
}

TEST(SftpFields, TellTheRoomThatAUserHas) {
  const auto number = [](std::uint64_t value) {
    return SftpWriter(SftpKind::read, 0).add(value).packet().substr(9);
  };
  const std::string head = number(9) + number(512) + number(9) + number(9);
  EXPECT_EQ(parse_sftp_room(head + number(10)), 5120U);
  EXPECT_EQ(parse_sftp_room(head + number(~0ULL)), std::numeric_limits<std::uint64_t>::max());
}

TEST(SftpFields, ThatEndTooEarlyAreRefused) {
  EXPECT_EQ(refusal([] { parse_sftp_extensions("\0\0\0\1a"s); }), ErrorCode::unreachable);
  EXPECT_EQ(refusal([] { parse_sftp_status("\0\0"s); }), ErrorCode::unreachable);
  EXPECT_EQ(refusal([] { parse_sftp_handle("\xff\xff\xff\xffh"s); }), ErrorCode::unreachable);
  EXPECT_EQ(refusal([] { parse_sftp_handle("\0\0\1\1"s + std::string(257, 'h')); }),
            ErrorCode::unreachable);
  EXPECT_EQ(refusal([] { parse_sftp_attributes("\x80\0\0\0\xff\xff\xff\xff"s); }),
            ErrorCode::unreachable);
  EXPECT_EQ(refusal([] { parse_sftp_room("12345678"s); }), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
