// The SFTP client with the real server of OpenSSH, and with ones that answer something else.
#include "topsctl/host/network/sftp.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/no_sigpipe.hpp"
#include "support/sftp_end.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

constexpr std::int64_t greeting_timeout_ms = 30'000;

// Answers each packet by a script; what it gives is said as it is.
class ScriptedServer : public RemoteStream {
 public:
  using Script = std::function<std::string(const std::string& packet)>;
  explicit ScriptedServer(Script script) : script_(std::move(script)) {}
  void write(std::string_view bytes) override { said_ += script_(std::string(bytes)); }
  std::optional<std::string> read(std::int64_t) override {
    if (said_.empty()) return std::nullopt;
    return std::exchange(said_, "");
  }
  void end_input() override {}
  RemoteEnd finish() override { return {}; }

 private:
  Script script_;
  std::string said_;
};

std::string greeting() {
  return SftpWriter(SftpKind::version, 3).packet();
}
std::uint32_t number_of(const std::string& packet) {
  std::uint32_t number = 0;
  for (std::size_t i = 5; i < 9; ++i)
    number = number << 8U | static_cast<unsigned char>(packet.at(i));
  return number;
}
std::string status(std::uint32_t number, SftpCode code, const std::string& text) {
  return SftpWriter(SftpKind::status, number)
      .add(static_cast<std::uint32_t>(code))
      .add(text)
      .add("en")
      .packet();
}

// A client of a server that greets and then answers by the script.
SftpClient client_of(const ScriptedServer::Script& script) {
  return SftpClient(std::make_unique<ScriptedServer>([script](const std::string& packet) {
                      return packet[4] == 1 ? greeting() : script(packet);
                    }),
                    greeting_timeout_ms);
}

class SftpClients : public testing::Test {
 protected:
  const NoSigpipe no_sigpipe;
  TemporaryFolder folder;
  SftpFaults faults;
  SftpClient sftp{std::make_unique<SftpEndStream>(faults), greeting_timeout_ms};
  std::string at(const std::string& name) const { return (folder / name).string(); }
};

TEST_F(SftpClients, LookAtMakeAndRename) {
  EXPECT_FALSE(sftp.look_at(at("new")));
  sftp.make_folder(at("new"), 0700);
  EXPECT_EQ(*sftp.look_at(at("new"))->mode, 040700U);
  std::filesystem::create_symlink(at("new"), at("link"));
  EXPECT_EQ(*sftp.look_at(at("link"))->mode & 0170000U, 0120000U);
  EXPECT_EQ(*sftp.stat_following(at("link"))->mode, 040700U);
  folder.write("taken", "old");
  folder.write("other", "new");
  sftp.rename(at("other"), at("taken"));
  EXPECT_EQ(TemporaryFolder::read_bytes(folder / "taken"), "new");
  sftp.remove(at("taken"));
  EXPECT_FALSE(std::filesystem::exists(folder / "taken"));
  EXPECT_GT(sftp.room_at(folder / "new").value_or(0), 0U);
  EXPECT_EQ(thrown_by([&] { sftp.make_folder(at("new"), 0700); }).code(), ErrorCode::host_unfit);
}

TEST_F(SftpClients, WriteAndReadPieces) {
  const auto handle = sftp.open(at("file"), SftpOpening::to_make);
  EXPECT_EQ(thrown_by([&] { sftp.open(at("file"), SftpOpening::to_make); }).code(),
            ErrorCode::host_unfit);
  const std::string bytes(sftp.most_to_write(), 'x');
  EXPECT_EQ(bytes.size(), 261'000U);
  sftp.ask_to_write(handle, 0, bytes);
  sftp.ask_to_write(handle, bytes.size(), "end");
  EXPECT_EQ(thrown_by([&] { sftp.look_at("/"); }).code(), ErrorCode::internal);
  EXPECT_EQ(sftp.next_piece(SftpWait::for_it)->status.code, SftpCode::ok);
  EXPECT_EQ(sftp.next_piece(SftpWait::for_it)->status.code, SftpCode::ok);
  EXPECT_FALSE(sftp.next_piece(SftpWait::none));
  sftp.ask_to_read(handle, bytes.size() - 1, 100);
  EXPECT_EQ(sftp.next_piece(SftpWait::for_it)->bytes, "xend");
  sftp.ask_to_read(handle, bytes.size() + 3, 100);
  EXPECT_EQ(sftp.next_piece(SftpWait::for_it)->status.code, SftpCode::end_of_file);
  EXPECT_TRUE(sftp.set(handle, at("file"), 5, 0644));
  EXPECT_EQ(sftp.attributes_of(handle, at("file")).size, 5U);
  sftp.sync(handle, at("file"));
  sftp.close(handle, at("file"));
  EXPECT_EQ(TemporaryFolder::read_bytes(folder / "file"), "xxxxx");
}

TEST(StrangeSftpServers, AreRefusedWhenTheyGreetOtherwise) {
  const auto refused = [](const std::string& said) {
    return thrown_by([&] {
             SftpClient(std::make_unique<ScriptedServer>([&](const auto&) { return said; }), 1000);
           })
        .code();
  };
  EXPECT_EQ(refused("Welcome to the lab\n"), ErrorCode::unreachable);
  EXPECT_EQ(refused(SftpWriter(SftpKind::version, 2).packet()), ErrorCode::unreachable);
  EXPECT_EQ(refused(status(3, SftpCode::ok, "")), ErrorCode::unreachable);
  EXPECT_EQ(refused(""), ErrorCode::unreachable);
}

TEST(StrangeSftpServers, AreToldWithTheFirstLineOfAShellThatSpeaks) {
  const Error error = thrown_by([] {
    SftpClient(std::make_unique<ScriptedServer>(
                   [](const std::string&) { return "Welcome to h1\nhave fun\n" + greeting(); }),
               greeting_timeout_ms);
  });
  EXPECT_NE(error.message().find("a start-up file of the shell writes 'Welcome to h1' to"),
            std::string::npos)
      << error.message();
}

TEST(StrangeSftpServers, AreRefusedForAnswersThatNobodyAskedFor) {
  auto sftp = client_of(
      [](const std::string& packet) { return status(number_of(packet) + 1, SftpCode::ok, ""); });
  EXPECT_EQ(thrown_by([&] { sftp.remove("/a"); }).code(), ErrorCode::unreachable);
  sftp.ask_to_write("h", 0, "x");
  const Error error = thrown_by([&] { sftp.next_piece(SftpWait::for_it); });
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
  EXPECT_NE(error.message().find("unsolicited"), std::string::npos);
}

TEST(StrangeSftpServers, AreRefusedForTooMuchAndForAnotherKind) {
  auto longer = client_of([](const std::string& packet) {
    return SftpWriter(SftpKind::data, number_of(packet)).add("12345").packet();
  });
  longer.ask_to_read("h", 0, 4);
  EXPECT_EQ(thrown_by([&] { longer.next_piece(SftpWait::for_it); }).code(), ErrorCode::unreachable);
  longer.ask_to_write("h", 0, "12345");
  EXPECT_EQ(thrown_by([&] { longer.next_piece(SftpWait::for_it); }).code(), ErrorCode::unreachable);
  EXPECT_EQ(thrown_by([&] { longer.look_at("/"); }).code(), ErrorCode::unreachable);
  auto endless = client_of([](const std::string&) {
    return SftpWriter(SftpKind::data, 1).add(std::string(most_sftp_packet, 'x')).packet();
  });
  EXPECT_EQ(thrown_by([&] { endless.look_at("/"); }).code(), ErrorCode::unreachable);
}

TEST(StrangeSftpServers, AreToldByTheKindOfTheirRefusal) {
  SftpCode code = SftpCode::permission_denied;
  std::string text = "Permission denied";
  auto sftp =
      client_of([&](const std::string& packet) { return status(number_of(packet), code, text); });
  const auto refusal = [&] { return thrown_by([&] { sftp.make_folder("/a", 0700); }); };
  EXPECT_EQ(refusal().code(), ErrorCode::permission);
  code = SftpCode::failure;
  text = "No space left on device";
  EXPECT_EQ(refusal().code(), ErrorCode::no_space);
  text = "Failure\x1b[2J";
  EXPECT_EQ(refusal().code(), ErrorCode::host_unfit);
  EXPECT_EQ(refusal().message(), "cannot create directory '/a' on the remote host: Failure?[2J");
  code = SftpCode::connection_lost;
  EXPECT_EQ(refusal().code(), ErrorCode::unreachable);
  // One that offers nothing.
  EXPECT_FALSE(sftp.room_at("/"));
  EXPECT_EQ(sftp.most_to_write(), 32768U);
}

TEST(StrangeSftpServers, AreAskedByThePathForWhatTheyDoNotByTheHandle) {
  std::vector<int> asked;
  SftpCode by_path = SftpCode::ok;
  auto sftp = client_of([&](const std::string& packet) {
    asked.push_back(packet[4]);
    const bool is_by_path = packet[4] == static_cast<int>(SftpKind::set);
    return status(number_of(packet), is_by_path ? by_path : SftpCode::unsupported, "");
  });
  EXPECT_TRUE(sftp.set("h", "/a", 5, std::nullopt));
  by_path = SftpCode::failure;
  EXPECT_FALSE(sftp.set("h", "/a", std::nullopt, 0644));
  EXPECT_EQ(asked, (std::vector<int>{10, 9, 10, 9}));
}

TEST(StrangeSftpServers, MayNameFsyncAndRefuseIt) {
  SftpCode code = SftpCode::unsupported;
  auto sftp = SftpClient(std::make_unique<ScriptedServer>([&](const std::string& packet) {
                           if (packet[4] != 1) return status(number_of(packet), code, "");
                           return SftpWriter(SftpKind::version, 3)
                               .add(std::string_view("fsync@openssh.com"))
                               .add(std::string_view("1"))
                               .packet();
                         }),
                         greeting_timeout_ms);
  sftp.sync("h", "/a");
  code = SftpCode::permission_denied;
  sftp.sync("h", "/a");
  code = SftpCode::failure;
  EXPECT_EQ(thrown_by([&] { sftp.sync("h", "/a"); }).code(), ErrorCode::host_unfit);
}

TEST(StrangeSftpServers, RenameInTwoStepsWhereTheyKnowNoOther) {
  std::vector<int> asked;
  auto sftp = client_of([&](const std::string& packet) {
    asked.push_back(packet[4]);
    if (packet[4] == static_cast<int>(SftpKind::look_at)) {
      return SftpWriter(SftpKind::attributes, number_of(packet))
          .add(std::nullopt, std::nullopt)
          .packet();
    }
    return status(number_of(packet), SftpCode::ok, "");
  });
  sftp.rename("/a", "/b");
  EXPECT_EQ(asked, (std::vector<int>{7, 13, 18}));
}

}  // namespace
}  // namespace topsctl
