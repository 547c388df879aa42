// Processes untrusted bytes in a process that cannot change the host.
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

// Typical size of the result for a large package, in bytes; a larger one costs a copy.
inline constexpr std::size_t expected_result = 4U << 20U;

// Permissions and callbacks of such work.
struct ConfinedCall {
  Sandboxing sandboxing = Sandboxing::on;  // off: this process does the work
  std::string subject;                     // name of the input in errors, in quotes if necessary
  // The only files that it gets when it requests them with file_access.hpp.
  std::set<std::filesystem::path> inputs;
  // The same, with the directory below which a file was found: links below that are not followed.
  std::map<std::filesystem::path, std::filesystem::path> found_inputs;
  std::set<std::filesystem::path> outputs;  // created on request; must not exist
  std::function<void(const std::string& path)> on_file;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_bytes;
  // Receives a sentence for each sandbox feature that the host refuses.
  std::function<void(const std::string& warning)> on_warning;
};

// The protections of such a process on this host, as sentences; includes those that the kernel
// lacks.
std::vector<std::string> walls_of_sandbox();

// Reports the progress of confined work. For one thread at a time.
class ConfinedProgress {
 public:
  virtual ~ConfinedProgress() = default;
  virtual void file(const std::string& path) const = 0;
  virtual void bytes(std::uint64_t done, std::uint64_t total) const = 0;
};

// Runs `work` in a copy of this process: as another user if this one is root, without network, with
// all other descriptors closed and most system calls forbidden (reader_filter.hpp). Returns its
// result, which is untrusted, at most 1 GiB. Rethrows an Error of `work`; throws Error{bad_bundle}
// if the copy dies; Error{interrupted, terminated} after a signal. `work` must not wait for other
// threads of this process.
std::string call_confined(const ConfinedCall& call,
                          const std::function<std::string(const ConfinedProgress&)>& work);
// The same; `take` receives the result while the copy's memory is still being freed.
void call_confined(const ConfinedCall& call,
                   const std::function<std::string(const ConfinedProgress&)>& work,
                   const std::function<void(std::string)>& take);

// The same for any type that can be packed.
template <typename Result>
Result confined(const ConfinedCall& call,
                const std::function<Result(const ConfinedProgress&)>& work) {
  const bool is_apart = call.sandboxing == Sandboxing::on;
  // Outside of the work, so that the copy never destroys it.
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
