// Installs that a deployment started on targets and whose result it has not received.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "topsctl/model/target.hpp"

namespace topsctl {

// One file per target. Write errors are ignored: they only prevent a resumption.
class StartedInstalls {
 public:
  explicit StartedInstalls(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The id of the remote run; nothing if unknown.
  std::optional<std::string> find(const Target& target) const;
  void add(const Target& target, const std::string& run_id) const;
  void remove(const Target& target) const;

 private:
  std::filesystem::path file_of(const Target& target) const;

  std::filesystem::path folder_;
};

}  // namespace topsctl
