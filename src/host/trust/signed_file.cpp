// Verifies FILE.sig by the keys that this host trusts.
#include "topsctl/host/trust/signed_file.hpp"

#include <algorithm>

#include "host/trust/trusted_keys.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/trust/ssh_signature.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_signature = 64U << 10U;

}  // namespace

fs::path signature_of(const fs::path& file) {
  return concat(file.string(), ".sig");
}

std::optional<std::string> read_signature(const fs::path& file) {
  return read_text_if_present(signature_of(file), most_signature);
}

Signer trusted_signer(std::string_view bytes, std::string_view signature,
                      std::string_view name_space, const std::string& shown) {
  std::string key;
  try {
    key = signing_key(bytes, signature, name_space);
  } catch (const Error& error) {
    throw Error(error.code(),
                format("signature of {} rejected: {}", in_quotes(shown), error.message()),
                "copy the file and its .sig again from where they were signed, or sign it again "
                "with `topsctl lock --sign KEY FILE`");
  }
  const std::string id = key_id(key);
  const std::vector<SshPublicKey> trusted = read_trusted_keys();
  const auto found = std::find_if(trusted.begin(), trusted.end(),
                                  [&](const SshPublicKey& each) { return each.bytes == key; });
  if (found != trusted.end()) return {id, found->comment};
  throw Error(
      ErrorCode::bad_package, format("{} is signed by the untrusted key {}", in_quotes(shown), id),
      format("find out whose key it is; if you trust it, put its line of KEY.pub into {}/NAME.pub",
             trusted_keys_folder));
}

void require_signature_by_policy(const std::optional<Signer>& signer, const std::string& what,
                                 const std::string& way_out) {
  const Policy policy = read_policy();  // an unreadable policy must not permit anything
  if (signer || !policy.require_signature) return;
  throw Error(ErrorCode::bad_package,
              format("{} is not signed, and {} requires a signature", what, policy_file), way_out);
}

}  // namespace topsctl
