// Transfers files to one target.
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
  std::string sha256;  // empty: unknown
  std::uint64_t size = 0;
  std::uint64_t sent_bytes = 0;     // from this host
  std::uint64_t relayed_bytes = 0;  // from another target
  bool reused = false;              // all of it was present
  std::uint64_t resumed_at = 0;     // bytes of it that were present
};

struct Upload {
  std::vector<UploadedFile> files;
  unsigned connections = 0;  // maximum in parallel
  std::int64_t round_trip_us = 0;
  unsigned retries = 0;             // after a lost connection
  std::int64_t clock_offset_s = 0;  // positive: the remote clock is ahead
  std::string fed_by;               // the target that was asked to forward to this one; empty: none
  bool direct = false;              // over a separate connection beside SSH
};

// Whether the bytes go over a separate connection beside SSH, to a port that the remote topsctl
// opens for this host only, for this run, and for at most 30 s; and the allowed ports, both 0: any.
// Automatic: only if it saves time, not for a few megabytes.
struct DirectWish {
  enum class When { automatic, always, never } when = When::automatic;
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;
};

struct UploadRequest {
  Target target;
  std::string destination = usual_destination;  // absolute remote path
  unsigned most_connections = 10;               // in parallel
  bool dry_run = false;                         // only determines what would be sent
  RelayChain* relay = nullptr;                  // not owned; null: this host sends everything
  DirectWish direct = {};
};

// One upload. The objects that it refers to must outlive it.
struct UploadJob {
  Remote& remote;                 // connects to the target's host, on several threads
  const CarriedProgram& program;  // copied to the host if it is missing
  const AwaitedSet files;         // read while they are sent; awaited once a host is reached
  const UploadRequest& request;
  RateLimit& limit;  // may be shared with other uploads
  const Clock& clock;
  UploadProgress on_progress;  // never called by two threads at once
};

// Sends the missing chunks over several connections; after a lost connection, retries while there
// is progress. Throws Error; received chunks stay on the remote host.
Upload upload(const UploadJob& job);

}  // namespace topsctl
