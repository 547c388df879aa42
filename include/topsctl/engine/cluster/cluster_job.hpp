// A training on many hosts, as the files that a scheduler accepts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/cluster/job_template.hpp"
#include "topsctl/engine/cluster/rank_layout.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// A volume of a pod: "hostPath:/data:/mnt", "nfs:SERVER:/export:/mnt" or "pvc:CLAIM:/mnt".
struct JobVolume {
  enum class Kind { host_path, nfs, claim };
  Kind kind = Kind::host_path;
  std::string server;  // for nfs
  std::string source;
  std::string path;  // mount point
};
// Throws Error{usage} for any other form.
JobVolume job_volume_in(const std::string& text);

struct ClusterWishes {
  std::string name;                // job_name_of makes a DNS label (RFC 1123) of it
  std::vector<std::string> hosts;  // empty: the scheduler chooses
  std::string master;              // empty: the first host
  std::int64_t port = 0;
  std::filesystem::path directory;  // working directory of the script
  std::filesystem::path log_folder;
  std::filesystem::path emit_folder;
  std::string python;
  std::vector<std::string> words;  // script and arguments
  std::string checkpoints;         // directory; empty: no resuming
  std::string resume;              // words with {checkpoint}
  std::string image;
  std::vector<JobVolume> volumes;
  std::vector<std::string> engine_arguments;
  std::filesystem::path shim;  // the directory that ranks load it from; empty: they do not load it
};

// Derives a job name from the script's name: "scripts/Train_8.py" gives "train-8".
std::string job_name_of(const std::vector<std::string>& words);
TemplateValues job_values(const ClusterWishes& wishes, const RankLayout& layout, const Stack& stack,
                          const Environment& environment);
// Writes into a new directory; removes it on failure. Throws Error{bad_input} if it exists.
void emit(const std::vector<JobFile>& files, const std::vector<ShimFile>& shim,
          const std::filesystem::path& folder);

}  // namespace topsctl
