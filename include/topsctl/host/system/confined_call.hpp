// Work on bytes that are not trusted, done by a process that can do nothing to the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/base/packing.hpp"

namespace topsctl {

enum class Sandboxing { on, off };

// As much as a large package makes, in bytes; more costs a copy of it.
inline constexpr std::size_t expected_result = 4U << 20U;

// What such work may have, and who hears of it.
struct ConfinedCall {
  Sandboxing sandboxing = Sandboxing::on;  // off: the work is done by this very process
  std::string subject;                     // what is read, as errors name it, in quotes if need be
  // The files that it is given when it asks for them with file_access.hpp, and no others.
  std::set<std::filesystem::path> inputs;
  // The same by file, with the directory that it was found below: no link below that is followed.
  std::map<std::filesystem::path, std::filesystem::path> found_inputs;
  std::set<std::filesystem::path> outputs;  // made when asked for; must not be there
  std::function<void(const std::string& path)> on_file;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_bytes;
  // Hears what the machine refuses to a sandbox, as a sentence.
  std::function<void(const std::string& warning)> on_warning;
};

// What keeps such a process from the machine here, in sentences; what this kernel lacks is among
// them.
std::vector<std::string> walls_of_sandbox();

// How confined work tells how far it is. For one thread at a time.
class ConfinedProgress {
 public:
  virtual ~ConfinedProgress() = default;
  virtual void file(const std::string& path) const = 0;
  virtual void bytes(std::uint64_t done, std::uint64_t total) const = 0;
};

// Does `work` in a copy of this process: another user if this one is root's, without a network, all
// other descriptors closed, most system calls forbidden (reader_filter.hpp). Returns what it
// returned, which is not to be trusted, at most 1 GiB. What it throws as an Error is thrown here,
// and Error{bad_bundle} if it dies; Error{interrupted, terminated} after a signal. `work` must not
// wait for other threads of this process.
std::string call_confined(const ConfinedCall& call,
                          const std::function<std::string(const ConfinedProgress&)>& work);
// The same, and `take` gets what it returned while the copy's memory is still given back.
void call_confined(const ConfinedCall& call,
                   const std::function<std::string(const ConfinedProgress&)>& work,
                   const std::function<void(std::string)>& take);

// The same for any type that can be packed.
template <typename Result>
Result confined(const ConfinedCall& call,
                const std::function<Result(const ConfinedProgress&)>& work) {
  const bool is_apart = call.sandboxing == Sandboxing::on;
  // Outside of the work: in the copy it is never taken apart.
  std::optional<Result> result;
  call_confined(
      call,
      [&](const ConfinedProgress& progress) {
        result = work(progress);
        return is_apart ? packed(*result, expected_result) : std::string();
      },
      [&](const std::string& bytes) {
        if (is_apart) result = unpacked<Result>(bytes);
      });
  return *std::move(result);
}

}  // namespace topsctl
