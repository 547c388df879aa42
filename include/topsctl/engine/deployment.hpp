// A bundle sent to one target, installed there, and confirmed over another connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/far_run.hpp"
#include "topsctl/engine/upload.hpp"

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
  std::optional<FarReport> report;        // of the install there
  std::optional<FarReport> confirmation;  // of the confirm there
};

// Throws Error when the bundle is not installed there and confirmed: the error of the far install
// if that failed. `result` has what came before.
void deploy(Remote& remote, const CarriedProgram& program, const Shipment& shipment,
            const DeployRequest& request, RateLimit& limit, const Clock& clock,
            const UploadProgress& on_progress, const FarLine& on_line, Deployment& result);

// Throws the error that a far report tells of, unless its command went well.
void require_success(const FarReport& report);

}  // namespace topsctl
