// Reads a lock once, so that the verified bytes are the parsed ones.
#include "topsctl/host/bundle/lock_file.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/trust/signed_file.hpp"

namespace topsctl {

LockFile read_lock_file(const std::string& file) {
  LockFile found;
  auto text = read_text_if_present(file);
  if (!text) {
    throw Error(ErrorCode::usage, format("no such lock file: {}", missing_path(file)),
                "create one with `topsctl lock BUNDLE --output FILE`");
  }
  found.text = std::move(*text);
  found.signature = read_signature(file);
  found.input.file = printable(file);
  found.input.sha256 = sha256_of(found.text);
  // Before its bytes are parsed.
  if (found.signature)
    found.input.signed_by = trusted_signer(found.text, *found.signature, lock_namespace, file);
  found.lock = parse_lock(found.text, format("lock {}", in_quotes(file)));
  found.input.created_at = found.lock.created_at;
  return found;
}

std::optional<LockFile> chosen_lock(const std::optional<std::string>& file,
                                    const std::string& sha256) {
  std::optional<LockFile> found;
  if (file) found = read_lock_file(*file);
  if (!found && !sha256.empty())
    throw Error(ErrorCode::usage, "--lock-sha256 requires --lock", "give the lock as well");
  if (found && !sha256.empty() && found->input.sha256 != sha256) {
    throw Error(ErrorCode::bad_package,
                format("lock {} is not the expected one: its sha256 is {}, not {}",
                       in_quotes(*file), found->input.sha256, printable(sha256)),
                "copy it again from where it was approved, and check who could write to it");
  }
  require_signature_by_policy(
      found ? found->input.signed_by : std::nullopt,
      found ? format("lock {}", in_quotes(*file)) : format("what will be installed or sent"),
      "give a signed lock: `--lock FILE` with FILE.sig next to it, created by `topsctl lock BUNDLE "
      "--output FILE --sign KEY`");
  return found;
}

}  // namespace topsctl
