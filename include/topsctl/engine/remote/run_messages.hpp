// The JSON of frames about commands that run on a remote host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

// The user of the remote command: the login user, or root through sudo.
enum class RunAs { login, root };

// A file for the command, with its signature.
struct SentFile {
  std::string text;
  std::string signature;  // empty: not signed
  bool operator==(const SentFile&) const = default;
};

struct RemoteRunRequest {
  std::string id;                  // chosen locally, so that the run can be found again; 32 hex
                                   // digits
  std::vector<std::string> words;  // of the command line, without "topsctl"
  RunAs run_as = RunAs::login;
  std::uint64_t events_from = 0;       // number of bytes of events received before
  std::optional<SentFile> lock = {};   // for `--lock`
  std::optional<SentFile> stack = {};  // for `--stack`
  std::string job = {};                // the text of a file for `--job`; empty: none
  std::string reading = {};            // the same for `--reading`
  std::string directory = "/";         // working directory; absolute
  bool has_begun = false;              // it must not be started if it is unknown
  bool operator==(const RemoteRunRequest&) const = default;
};
Json to_json(const RemoteRunRequest& request);
// Throws Error{usage}.
RemoteRunRequest parse_run_frame(std::string_view payload);

struct RemoteRunEnd {
  int status = -1;         // exit status; -1: interrupted, the status is unknown
  std::string report;      // what it wrote to standard output
  std::string last_words;  // the end of standard error
  bool operator==(const RemoteRunEnd&) const = default;
};
Json to_json(const RemoteRunEnd& end);
// Throws Error{unreachable}.
RemoteRunEnd parse_run_end(std::string_view payload);

}  // namespace topsctl
