// Lets the program ssh start programs through a connection that it has open.
#include "host/network/control_master.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "host/network/ssh_settings.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/network/local_remote.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {

namespace {

// Options before the host's own, so that only the open connection is used.
const std::vector<std::string> master_options = {"-T",
                                                 "-a",
                                                 "-x",
                                                 "-o",
                                                 "BatchMode=yes",
                                                 "-o",
                                                 "ControlMaster=no",
                                                 "-o",
                                                 "ClearAllForwardings=yes",
                                                 "-o",
                                                 "PermitLocalCommand=no",
                                                 "-o",
                                                 "RemoteCommand=none",
                                                 "-o",
                                                 "StrictHostKeyChecking=yes"};

class MasterSession : public RemoteSession {
 public:
  MasterSession(std::unique_ptr<Remote> local, std::string ssh)
      : local_(std::move(local)), session_(local_->connect()), ssh_(std::move(ssh)) {}

  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    return session_->start(concat("exec ", ssh_, " -- ", shell_quoted(command_line)));
  }
  std::unique_ptr<RemoteStream> start_subsystem(const std::string& name) override {
    return session_->start(concat("exec ", ssh_, " -s -- ", shell_quoted(name)));
  }

 private:
  std::unique_ptr<Remote> local_;
  std::unique_ptr<RemoteSession> session_;
  std::string ssh_;
};

// Of a line of `ssh -G`.
std::string value_in(const std::string& settings, std::string_view keyword) {
  for (const std::string& line : split(settings, '\n')) {
    if (line.starts_with(keyword)) return line.substr(keyword.size());
  }
  return {};
}

bool is_own_socket(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
         status.st_uid == ::geteuid() && is_own_way(path);
}

}  // namespace

std::unique_ptr<RemoteSession> session_of_master(const Target& target, const SshOptions& wishes) {
  const std::string path = lower_case(ssh_config_for(target, wishes).value("controlpath"));
  if (path.empty() || path == "none") return nullptr;
  std::vector<std::string> words = ssh_words(target, wishes);
  words.insert(words.begin() + 1, master_options.begin(), master_options.end());
  const std::string ssh = joined(words, " ");
  const auto answer_of = [&](const char* option) {
    Command command;
    command.argv = {"/bin/sh", "-c", concat("exec ", ssh, " ", option)};
    command.environment = wishes.environment;
    command.timeout_ms = 10'000;
    return SystemRunner().run(command);
  };
  // Through another user's socket, passwords would go to that user.
  if (!is_own_socket(value_in(answer_of("-G").output, "controlpath "))) return nullptr;
  if (!answer_of("-O check").ok()) return nullptr;
  return std::make_unique<MasterSession>(local_remote(wishes.environment), ssh);
}

}  // namespace topsctl
