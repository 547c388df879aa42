// Feeds SSH signatures and keys to their readers: as texts, and bytes in the armor of one.
#include <openssl/evp.h>

#include <string>
#include <vector>

#include "pieces.hpp"
#include "topsctl/host/trust/ssh_signature.hpp"

namespace {

using namespace topsctl;

std::string armored(std::string_view blob) {
  std::vector<unsigned char> text(4 * ((blob.size() + 2) / 3) + 1);
  const int size = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(blob.data()),
                                   static_cast<int>(blob.size()));
  return "-----BEGIN SSH SIGNATURE-----\n" + std::string(text.begin(), text.begin() + size) +
         "\n-----END SSH SIGNATURE-----\n";
}

void verify(std::string_view signature) {
  try {
    fuzz::expect(signing_key("a lock\n", signature, "topsctl-lock").size() == 32);
  } catch (const Error& error) {
    fuzz::expect(error.code() == ErrorCode::bad_package && !error.message().empty());
  }
}

void read_key(std::string_view line) {
  try {
    const SshPublicKey key = parse_ssh_key(line);
    fuzz::expect(key.bytes.size() == 32 && key_id(key.bytes).size() == 50);
  } catch (const Error& error) {
    fuzz::expect(error.code() == ErrorCode::host_unfit && !error.message().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = topsctl::fuzz::text_of(data, size);
  verify(text);
  verify(armored(text));
  read_key(text);
  return 0;
}
