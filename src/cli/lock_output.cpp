// Writes locks and signatures atomically.
#include "cli/lock_output.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/trust/signed_file.hpp"
#include "topsctl/host/trust/ssh_keygen.hpp"
#include "topsctl/host/trust/ssh_signature.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t readable_by_all = 0644;

}  // namespace

std::string write_lock(const std::string& file, const Inventory& inventory, const Clock& clock,
                       std::vector<std::string>& warnings) {
  std::string text = to_text(to_json(lock_of(inventory, timestamp(clock.now()))));
  write_durably(fs::absolute(file), text, readable_by_all);
  const fs::path signature = signature_of(file);
  std::error_code ignored;
  if (fs::exists(signature, ignored)) {
    warnings.push_back(
        format("{} signs another lock: sign this one with `topsctl lock --sign KEY {}`",
               in_quotes(signature.string()), typed_word(file)));
  }
  return text;
}

WrittenSignature write_signature(const std::string& file, std::string_view text,
                                 InputFile::Kind kind, const std::string& key_file,
                                 const Host& host) {
  const std::string_view name_space =
      kind == InputFile::Kind::lock ? lock_namespace : stack_namespace;
  const std::string signature = signature_by(key_file, text, name_space, host.environment);
  const fs::path place = signature_of(file);
  write_durably(fs::absolute(place), signature, readable_by_all);
  return {place.string(), key_id(signing_key(text, signature, name_space))};
}

}  // namespace topsctl
