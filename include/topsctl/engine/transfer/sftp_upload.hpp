// One transfer to a machine that takes files and runs no programs.
#pragma once

#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {

// As upload(), over SFTP: each file grows beside its name, is read back and compared whole, and
// then gets its name. What is there of it, under either name, is read back first and sent only
// where it is something else. The target is no container; `job.program` and `job.request.relay` are
// not used. Throws as upload() does.
Upload sftp_upload(const UploadJob& job);

// upload(), or sftp_upload() where no programs may be run.
Upload upload_or_sftp(const UploadJob& job);

}  // namespace topsctl
