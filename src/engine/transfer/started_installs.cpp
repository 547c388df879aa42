// Stores the ids of installs that continue without this workstation.
#include "topsctl/engine/transfer/started_installs.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

std::filesystem::path StartedInstalls::file_of(const Target& target) const {
  return folder_ / sha256_of(target.text());
}

std::optional<std::string> StartedInstalls::find(const Target& target) const {
  constexpr std::size_t id_digits = 32;
  const auto text = read_text_if_present(file_of(target));
  const std::string id(trimmed(text.value_or("")));
  return id.size() == id_digits && bytes_of_hex(id) ? std::optional(id) : std::nullopt;
}

void StartedInstalls::add(const Target& target, const std::string& run_id) const {
  try {
    make_directories(folder_, 0700);
    write_plainly(file_of(target), concat(run_id, "\n"), 0600);
  } catch (const Error&) {
    // Nothing but --resume needs it.
  }
}

void StartedInstalls::remove(const Target& target) const {
  std::error_code ignored;
  std::filesystem::remove(file_of(target), ignored);
}

}  // namespace topsctl
