// A bundle sent to one target, installed there, and confirmed over another connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/remote/remote_run.hpp"
#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {

struct DeployRequest {
  UploadRequest upload;
  std::vector<std::string> install_words;  // options of `topsctl install` there
  std::string sudo_password;               // empty: none was asked for
  int confirm_timeout_s = 0;               // 0: no confirmation
};

// What became of it up to now; also of one that failed.
struct Deployment {
  Upload upload;
  std::optional<RemoteReport> report;        // of the install there
  std::optional<RemoteReport> confirmation;  // of the confirm there
};

// Throws Error when the bundle is not installed there and confirmed: the error of the far install
// if that failed. `result` has what came before.
void deploy(Remote& remote, const CarriedProgram& program, const TransferSet& shipment,
            const DeployRequest& request, RateLimit& limit, const Clock& clock,
            const UploadProgress& on_progress, const RemoteLine& on_line, Deployment& result);

// Throws the error that a far report tells of, unless its command went well.
void require_success(const RemoteReport& report);

}  // namespace topsctl
