// Installs that a deployment has begun on targets and whose end it has not heard.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "topsctl/model/target.hpp"

namespace topsctl {

// A file for each target. What cannot be written is not remembered, which costs no more than a
// resumption.
class StartedInstalls {
 public:
  explicit StartedInstalls(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The id of the run there; nothing if none is known.
  std::optional<std::string> find(const Target& target) const;
  void add(const Target& target, const std::string& run_id) const;
  void remove(const Target& target) const;

 private:
  std::filesystem::path file_of(const Target& target) const;

  std::filesystem::path folder_;
};

}  // namespace topsctl
