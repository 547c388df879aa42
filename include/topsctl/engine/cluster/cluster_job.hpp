// A training on many machines, as the files that a scheduler takes.
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

// What a pod mounts: "hostPath:/data:/mnt", "nfs:SERVER:/export:/mnt" or "pvc:CLAIM:/mnt".
struct JobVolume {
  enum class Kind { host_path, nfs, claim };
  Kind kind = Kind::host_path;
  std::string server;  // of nfs
  std::string source;
  std::string path;  // where it is seen
};
// Throws Error{usage} for what is of no such form.
JobVolume job_volume_in(const std::string& text);

struct ClusterWishes {
  std::string name;                // its DNS label (RFC 1123) is what job_name_of makes of it
  std::vector<std::string> hosts;  // empty: the scheduler chooses
  std::string master;              // empty: the first host
  std::int64_t port = 0;
  std::filesystem::path directory;  // where the script is started
  std::filesystem::path log_folder;
  std::filesystem::path emit_folder;
  std::string python;
  std::vector<std::string> words;  // script and arguments
  std::string checkpoints;         // directory; empty: no resuming
  std::string resume;              // words with {checkpoint}
  std::string image;
  std::vector<JobVolume> volumes;
  std::vector<std::string> engine_arguments;
  std::filesystem::path shim;  // the folder that ranks load it from; empty: they do not
};

// A name of a job from that of its script: "scripts/Train_8.py" gives "train-8".
std::string job_name_of(const std::vector<std::string>& words);
TemplateValues job_values(const ClusterWishes& wishes, const RankLayout& layout, const Stack& stack,
                          const Environment& environment);
// Writes into a new directory, or leaves nothing of it. Throws Error{bad_input} if it is there.
void emit(const std::vector<JobFile>& files, const std::vector<ShimFile>& shim,
          const std::filesystem::path& folder);

}  // namespace topsctl
