// One transfer to one target.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/remote/remote_agent.hpp"
#include "topsctl/engine/transfer/chunk_work.hpp"
#include "topsctl/engine/transfer/rate_limit.hpp"
#include "topsctl/engine/transfer/relay_chain.hpp"
#include "topsctl/engine/transfer/transfer_set.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

inline constexpr const char* usual_destination = "/tmp/topsrider_install";

struct UploadedFile {
  std::string name;
  std::string sha256;  // empty: not known
  std::uint64_t size = 0;
  std::uint64_t sent_bytes = 0;     // from here
  std::uint64_t relayed_bytes = 0;  // from another target
  bool reused = false;              // the far end had all of it
  std::uint64_t resumed_at = 0;     // bytes that it had of it
};

struct Upload {
  std::vector<UploadedFile> files;
  unsigned connections = 0;  // the most at once
  std::int64_t round_trip_us = 0;
  unsigned retries = 0;             // after a lost connection
  std::int64_t clock_offset_s = 0;  // by which the clock there is ahead of ours
  std::string fed_by;               // the target that was asked to feed this one; empty: none
  bool direct = false;              // by a connection of its own beside SSH
};

// Whether the bytes go by a connection of their own beside SSH, to a port that topsctl there opens
// for this machine alone, for this run, and 30 s at most; and which port it may be, both 0: any.
// Automatic is what pays: not for a few megabytes.
struct DirectWish {
  enum class When { automatic, always, never } when = When::automatic;
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;
};

struct UploadRequest {
  Target target;
  std::string destination = usual_destination;  // an absolute path there
  unsigned most_connections = 10;               // at once
  bool dry_run = false;                         // only sees what would be sent
  RelayChain* relay = nullptr;                  // not owned; null: everything is sent from here
  DirectWish direct = {};
};

// One upload. What it refers to is not its own and must outlive the upload.
struct UploadJob {
  Remote& remote;                 // connects to the target's host, from several threads
  const CarriedProgram& program;  // carried there if it is missing
  const AwaitedSet files;         // read while they are sent; awaited once a host is reached
  const UploadRequest& request;
  RateLimit& limit;  // may be shared with other uploads
  const Clock& clock;
  UploadProgress on_progress;  // never called by two threads at once
};

// Sends what the target lacks, by several connections; after a lost one it tries again as long as
// that brings something. Throws Error; what has arrived is kept there.
Upload upload(const UploadJob& job);

}  // namespace topsctl
