// The JSON of a transfer's frames, parsed strictly: neither side trusts the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/filesystem/chunks.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

struct ManifestObject {
  std::string id;  // content_id
  std::uint64_t size = 0;
  bool operator==(const ManifestObject&) const = default;
};

struct ManifestFile {
  std::string name;          // at the destination
  std::uint32_t object = 0;  // index
  bool operator==(const ManifestFile&) const = default;
};

// Of a manifest frame; a join frame has the store, but no files and no destination.
struct TransferManifest {
  std::string destination;  // absolute
  std::string store;        // absolute
  std::vector<ManifestObject> objects;
  std::vector<ManifestFile> files;
  bool dry_run = false;  // create nothing on the remote host
  bool operator==(const TransferManifest&) const = default;
};
Json manifest_json(const TransferManifest& manifest);
Json join_json(const TransferManifest& manifest);
// Throw Error{bad_bundle}.
TransferManifest parse_manifest_frame(std::string_view payload);
TransferManifest parse_join_frame(std::string_view payload);

// The chunks of an object that the remote has.
struct ObjectState {
  bool complete = false;
  std::vector<std::optional<ChunkDigest>> digests;  // empty if it is complete
};
struct RemoteState {
  std::string store;
  std::uint64_t free_bytes = 0;
  std::vector<ObjectState> objects;
};
struct AgentWelcome {
  std::string topsctl_version;
  std::chrono::system_clock::time_point time;  // by the remote clock
};
struct RemoteFile {
  std::string name;
  std::string id;
  bool was_there = false;
};
// Throw Error{unreachable}.
AgentWelcome parse_welcome(std::string_view payload);
// `sizes` of the requested objects.
RemoteState parse_state(std::string_view payload, const std::vector<ManifestObject>& objects);
std::vector<RemoteFile> parse_done(std::string_view payload);

// The error that the remote reports; an error of its own if the payload is invalid.
Error parse_failure(std::string_view payload);

// Parses data from the workstation with `read`; the sender gets an exact error. Throws
// Error{bad_bundle}.
void read_near_words(std::string_view payload, const std::string& source,
                     const std::function<void(const JsonReader&)>& read);
// The same for untrusted data from the remote. Throws Error{unreachable}.
void read_far_words(std::string_view payload, const std::string& source,
                    const std::function<void(const JsonReader&)>& read);

}  // namespace topsctl
