// Sends a bundle to one target, installs it, and confirms it over another connection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/remote/remote_run.hpp"
#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {

// Data for each target in addition to the packages.
struct SentBeside {
  SentFile lock;                       // of the bytes that were read here: no other bytes are
                                       // installed
  std::optional<SentFile> stack = {};  // if only known here; nothing: a built-in stack
  std::string reading = {};            // for a dry run: the packages' metadata
};

// One deployment. The objects that `upload` refers to must outlive it.
struct DeployRequest {
  UploadJob upload;
  std::vector<std::string> install_words;     // options of `topsctl install` on the target
  std::function<const SentBeside&()> beside;  // waits for the data; throws Error if they could not
                                              // be read
  Secret sudo_password;                       // empty: none was asked for
  int confirm_timeout_s = 0;                  // seconds; 0: no confirmation
  RemoteLine on_line;                         // output of the remote install and confirm
  std::function<void(std::chrono::seconds)> on_silence = {};  // as of a RemoteRun
  // Id of the remote install. Resumed: sends nothing, attaches to an install that was started with
  // this id.
  std::string run_id;
  bool is_resumed = false;
  std::function<void()> on_install;  // called just before the install may begin
};

// The result so far; valid also after a failure.
struct Deployment {
  Upload upload;
  std::optional<RemoteReport> report;        // of the remote install, or its plan
  std::optional<RemoteReport> confirmation;  // of the remote confirm
};

// Sends the files, installs and confirms them. A dry run sends only the packages' metadata, and the
// target makes its plan from them. Throws Error if the bundle is not installed and confirmed: the
// error of the remote install if that failed, and the errors of upload() and run_remote(). `result`
// has the results of earlier steps.
void deploy(const DeployRequest& request, Deployment& result);

// Throws the error of a remote report unless its command succeeded.
void require_success(const RemoteReport& report);

}  // namespace topsctl
