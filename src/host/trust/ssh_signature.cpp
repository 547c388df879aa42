// Reads SSH signatures strictly and has libcrypto verify them.
#include "topsctl/host/trust/ssh_signature.hpp"

#include <openssl/evp.h>

#include <memory>
#include <optional>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::string_view key_type = "ssh-ed25519";
constexpr std::string_view magic = "SSHSIG";
constexpr std::size_t key_size = 32;
constexpr std::size_t signature_size = 64;
constexpr std::size_t most_armor = 4096;  // one of an Ed25519 key has about 300 characters

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64_of(std::string_view bytes) {
  std::vector<unsigned char> encoded(4 * ((bytes.size() + 2) / 3) + 1);
  const int size = EVP_EncodeBlock(encoded.data(), bytes_of(bytes), static_cast<int>(bytes.size()));
  return {encoded.begin(), encoded.begin() + size};
}

// libcrypto forgives spaces and stray bits; here each text has one meaning, and each meaning one
// text.
std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > most_armor) return std::nullopt;
  std::vector<unsigned char> decoded(text.size() / 4 * 3);
  if (EVP_DecodeBlock(decoded.data(), bytes_of(text), static_cast<int>(text.size())) < 0)
    return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string bytes(decoded.begin(), decoded.end() - static_cast<std::ptrdiff_t>(padding));
  if (base64_of(bytes) != text) return std::nullopt;
  return bytes;
}

std::string ssh_string(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    out.push_back(static_cast<char>(static_cast<unsigned char>(size >> shift)));
  return out.append(bytes);
}

std::string key_blob(std::string_view key_bytes) {
  return ssh_string(key_type) + ssh_string(key_bytes);
}

[[noreturn]] void refuse_signature(std::string why) {
  throw Error(ErrorCode::bad_package, std::move(why));
}

// Reads the parts of a blob in sequence.
class BlobReader {
 public:
  explicit BlobReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) refuse_signature("the signature is truncated");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (const char c : take(4)) value = (value << 8U) | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view string() { return take(number()); }
  void expect_end() const {
    if (!rest_.empty()) refuse_signature("there is data after the signature");
  }

 private:
  std::string_view rest_;
};

// The one string in a blob of two whose first one is the type of the key.
std::string_view typed(std::string_view blob, std::size_t size) {
  BlobReader reader(blob);
  const std::string_view type = reader.string();
  if (type != key_type) {
    refuse_signature(format("the key is of type {}, only {} is accepted",
                            in_quotes(printable(type)), std::string(key_type)));
  }
  const std::string_view value = reader.string();
  if (value.size() != size) refuse_signature("the key or the signature has the wrong size");
  reader.expect_end();
  return value;
}

std::string hashed(std::string_view bytes, std::string_view algorithm) {
  const EVP_MD* type = algorithm == "sha512"   ? EVP_sha512()
                       : algorithm == "sha256" ? EVP_sha256()
                                               : nullptr;
  if (type == nullptr) refuse_signature("the signature uses an unknown digest");
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 type, nullptr) != 1) {
    throw Error(ErrorCode::internal, "libcrypto cannot compute a digest");
  }
  digest.resize(size);
  return digest;
}

bool verifies(std::string_view key_bytes, std::string_view signature, std::string_view bytes) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(key_bytes), key_bytes.size()),
      &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes),
                          bytes.size()) == 1;
}

// The bytes between the two lines, which nothing but a line's end may follow.
std::string unarmored(std::string_view armored) {
  constexpr std::string_view begin = "-----BEGIN SSH SIGNATURE-----\n";
  constexpr std::string_view end = "\n-----END SSH SIGNATURE-----";
  if (armored.ends_with('\n')) armored.remove_suffix(1);
  const bool is_armored =
      armored.size() <= most_armor && armored.starts_with(begin) && armored.ends_with(end);
  if (!is_armored || armored.size() < begin.size() + end.size())
    refuse_signature("it is not a signature of `ssh-keygen -Y sign`");
  armored.remove_prefix(begin.size());
  armored.remove_suffix(end.size());
  std::string text;
  for (const std::string& line : split(armored, '\n')) text += line;
  const auto bytes = bytes_of_base64(text);
  if (!bytes) refuse_signature("the signature is not valid base64");
  return *bytes;
}

}  // namespace

SshPublicKey parse_ssh_key(std::string_view line) {
  const auto refuse = [](std::string why) -> SshPublicKey {
    throw Error(ErrorCode::host_unfit, std::move(why));
  };
  line = trimmed(line);
  const std::size_t type_end = line.find(' ');
  const std::string_view type = line.substr(0, type_end);
  if (type != key_type || type_end == std::string_view::npos) {
    return refuse(format("expected a key of type {}, got {}", std::string(key_type),
                         in_quotes(printable(type.substr(0, 40)))));
  }
  line = trimmed(line.substr(type_end));
  const std::size_t key_end = line.find(' ');
  const auto blob = bytes_of_base64(line.substr(0, key_end));
  const std::string_view comment =
      key_end == std::string_view::npos ? std::string_view() : trimmed(line.substr(key_end));
  const std::string head = key_blob(std::string(key_size, '\0')).substr(0, 4 + key_type.size() + 4);
  const bool is_key = blob && blob->size() == head.size() + key_size && blob->starts_with(head);
  if (!is_key) return refuse("the key is damaged or truncated");
  return {blob->substr(head.size()), printable(comment)};
}

std::string key_id(std::string_view key_bytes) {
  Sha256 digest;
  digest.update(key_blob(key_bytes));
  std::string text = base64_of(digest.bytes());
  text.erase(text.find('='));
  return concat("SHA256:", text);
}

std::string signing_key(std::string_view bytes, std::string_view armored,
                        std::string_view name_space) {
  const std::string blob = unarmored(armored);
  BlobReader reader(blob);
  if (reader.take(magic.size()) != magic || reader.number() != 1)
    refuse_signature("it is not a version 1 signature");
  const std::string_view key = typed(reader.string(), key_size);
  const std::string_view found_space = reader.string();
  if (found_space != name_space) {
    refuse_signature(format("it was signed for namespace {}, not {}",
                            in_quotes(printable(found_space)), in_quotes(std::string(name_space))));
  }
  if (!reader.string().empty()) refuse_signature("the signature has an unknown part");
  const std::string_view algorithm = reader.string();
  const std::string_view signature = typed(reader.string(), signature_size);
  reader.expect_end();
  const std::string covered = concat(magic, ssh_string(name_space), ssh_string(""),
                                     ssh_string(algorithm), ssh_string(hashed(bytes, algorithm)));
  if (!verifies(key, signature, covered)) {
    refuse_signature(
        format("the signature by key {} does not match: the file or the signature was changed",
               key_id(key)));
  }
  return std::string(key);
}

}  // namespace topsctl
