// The scripts that find the program on a target, run by this machine's shell.
#include "topsctl/engine/remote/remote_agent.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/programs.hpp"
#include "support/sftp_end.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

constexpr const char* token = "topsctl-0123456789abcdef01234567";

// A home with a program in its cache: a script, so that no digest is anywhere else's.
class CarriedPrograms : public testing::Test {
 protected:
  CarriedPrograms() {
    ::chmod(lies_in().c_str(), 0700);
    put("topsctl", text);
    environment["HOME"] = (folder / "of/home").string();
  }

  fs::path lies_in() const {
    return folder.make_folder(concat("of/home/.cache/topsctl/bin/", program.sha256));
  }
  void put(const std::string& name, const std::string& script) const {
    folder.write(fs::relative(lies_in() / name, folder.path()).string(), script);
    ::chmod((lies_in() / name).c_str(), 0755);
  }
  // Puts a program of that name before those of the machine.
  void shadow(const std::string& name, const std::string& script) {
    ::chmod(folder.write(concat("shadows/", name), script).c_str(), 0755);
    const std::string usual = plain_environment().at("PATH");
    environment["PATH"] = concat((folder / "shadows").string(), ":", usual);
  }
  std::string said() const {
    return run_program({"/bin/sh", "-c", run_script(program, "receive", token)}, "", environment)
        .output;
  }

  const TemporaryFolder folder;
  const std::string text = "#!/bin/sh\necho good $1\n# " + folder.path().string() + "\n";
  const CarriedProgram program{"", sha256_of(text), text.size()};
  const std::string ran = concat(token, " run\ngood receive\n");
  const std::string absent = concat(token, " absent");
  std::map<std::string, std::string> environment = plain_environment();
};

TEST_F(CarriedPrograms, AreRunWhereTheyLieAndSeenOnce) {
  EXPECT_EQ(said(), ran);
  EXPECT_TRUE(fs::exists(lies_in() / "topsctl.seen"));
  shadow("sha256sum", "#!/bin/sh\nfalse\n");
  EXPECT_EQ(said(), ran);
  put("topsctl", text + "echo and more\n");
  EXPECT_TRUE(said().starts_with(absent));
}

TEST_F(CarriedPrograms, AreNotRunWhereOthersMayExchangeWhatLeadsThere) {
  for (const char* open : {"of/home/.cache/topsctl/bin", "of/home/.cache", "of/home", "of"}) {
    for (const mode_t mode : {0777U, 0770U}) {
      ::chmod((folder / open).c_str(), mode);
      EXPECT_TRUE(said().starts_with(absent)) << open;
    }
    ::chmod((folder / open).c_str(), 0755);
    EXPECT_EQ(said(), ran) << open;
  }
  ::chmod((folder / "of").c_str(), 01777);
  EXPECT_EQ(said(), ran);
}

TEST_F(CarriedPrograms, AreNotRunBelowWhatIsAnotherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a folder away";
  ASSERT_EQ(::chown((folder / "of").c_str(), 65534, 65534), 0);
  EXPECT_TRUE(said().starts_with(absent));
}

// Whoever could exchange a folder of the path does so once the digest was read.
TEST_F(CarriedPrograms, AreThoseThatWereLookedAtWhateverTheirPathHasBecome) {
  const std::string home = (folder / "of/home").string();
  shadow("sha256sum",
         concat("#!/bin/sh\n/usr/bin/sha256sum\nmv ", home, "/.cache ", home, "/before\nmkdir -p ",
                lies_in().string(), "\nprintf \"#!/bin/sh\\necho evil\\n\" >", lies_in().string(),
                "/topsctl\nchmod 755 ", lies_in().string(), "/topsctl\n"));
  EXPECT_EQ(said(), ran);
  EXPECT_TRUE(fs::exists(folder / "of/home/before"));
}

TEST_F(CarriedPrograms, ArriveWhereTheyAreThenRun) {
  fs::remove_all(lies_in());
  const auto carried =
      run_program({"/bin/sh", "-c", carry_script(program, token)}, text, environment);
  EXPECT_EQ(carried.output, concat(token, " send\n", token, " ready\n"));
  EXPECT_EQ(said(), ran);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(lies_in())) files += entry.exists() ? 1 : 0;
  EXPECT_EQ(files, 2U);
}

// A program that says its lines one by one, and writes down when it has been waited for.
class WatchedStream : public RemoteStream {
 public:
  WatchedStream(std::vector<std::string> lines, bool& has_ended)
      : lines_(std::move(lines)), has_ended_(has_ended) {}
  void write(std::string_view /*bytes*/) override {}
  std::optional<std::string> read(std::int64_t /*timeout_ms*/) override {
    if (lines_.empty()) return "";
    std::string line = std::move(lines_.front());
    lines_.erase(lines_.begin());
    return line;
  }
  void end_input() override {}
  RemoteEnd finish() override {
    has_ended_ = true;
    return {0, ""};
  }

 private:
  std::vector<std::string> lines_;
  bool& has_ended_;
};

TEST(FirstContacts, StartNoProgramBeforeTheLastOneHasEnded) {
  const TemporaryFolder folder;
  SftpEnd far;
  bool has_ended = true;
  far.on_start = [&](const std::string& command) -> std::unique_ptr<RemoteStream> {
    EXPECT_TRUE(std::exchange(has_ended, false)) << far.started;
    const std::size_t at = command.find("topsctl-", command.find("echo "));
    const std::string said = command.substr(at, command.find(' ', at) - at);
    const std::vector<std::vector<std::string>> answers = {
        {" absent Linux x86_64\n"}, {" send\n", " ready\n"}, {" run\n"}};
    std::vector<std::string> lines;
    for (const std::string& answer : answers.at(far.started - 1))
      lines.push_back(concat(said, answer));
    return std::make_unique<WatchedStream>(std::move(lines), has_ended);
  };
  const auto session = far.connect();
  const RemoteAgent agent(*session, parse_target("node1"),
                          {folder.write("topsctl", "it"), std::string(64, '0'), 2}, "receive");
  EXPECT_EQ(far.started, 3U);
}

TEST(CommandLinesOfTransfers, AreKnownAndNoOthers) {
  const CarriedProgram program{"", std::string(64, 'b'), 0};
  const auto line = [&](const char* target, const std::string& words) {
    return far_command_line(parse_target(target), run_script(program, words, token), token);
  };
  EXPECT_EQ(token_of_receive(line("ops@node1", receive_words)), token);
  EXPECT_FALSE(token_of_receive(line("ops@node1/box", receive_words)));
  EXPECT_FALSE(token_of_receive(line("ops@node1", "version")));
  EXPECT_FALSE(token_of_receive(line("ops@node1", receive_words) + "; id"));
  EXPECT_FALSE(token_of_receive("id; " + line("ops@node1", receive_words)));
  EXPECT_FALSE(token_of_receive(
      far_command_line(parse_target("ops@node1"), carry_script(program, token), token)));
  for (const char* other : {"", "id", "\"$d/", "then echo topsctl-", "\"$d/x then echo topsctl-y"})
    EXPECT_FALSE(token_of_receive(other)) << other;
}

}  // namespace
}  // namespace topsctl
