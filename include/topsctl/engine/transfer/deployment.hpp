// A bundle sent to one target, installed there, and confirmed over another connection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/remote/remote_run.hpp"
#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {

// What goes to each target beside the packages.
struct SentBeside {
  SentFile lock;                       // of what was read here: no other bytes are installed
  std::optional<SentFile> stack = {};  // that is known here alone; nothing: one of topsctl's own
  std::string reading = {};            // of a dry run: what was read of the packages
};

// One deployment. What `upload` refers to must outlive it.
struct DeployRequest {
  UploadJob upload;
  std::vector<std::string> install_words;     // options of `topsctl install` there
  std::function<const SentBeside&()> beside;  // waits for it; throws Error if it could not be read
  Secret sudo_password;                       // empty: none was asked for
  int confirm_timeout_s = 0;                  // seconds; 0: no confirmation
  RemoteLine on_line;                         // of the install and the confirm there
  // Of the install there. Resumed: nothing is sent, an install that was begun under this id is
  // found again.
  std::string run_id;
  bool is_resumed = false;
  std::function<void()> on_install;  // called just before it may begin
};

// What became of it up to now; also of one that failed.
struct Deployment {
  Upload upload;
  std::optional<RemoteReport> report;        // of the install there, or its plan
  std::optional<RemoteReport> confirmation;  // of the confirm there
};

// Sends the files, installs and confirms them; in a dry run nothing is sent but what was read of
// them, and the target makes its plan of that. Throws Error when the
// bundle is not installed there and confirmed: the error of the remote install if that failed; and
// what upload() and run_remote() throw. `result` has what came before.
void deploy(const DeployRequest& request, Deployment& result);

// Throws the error that a far report tells of, unless its command went well.
void require_success(const RemoteReport& report);

}  // namespace topsctl
