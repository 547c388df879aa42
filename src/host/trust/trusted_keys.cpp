// Reads /etc/topsctl/trusted.d and /etc/topsctl/config.json strictly.
#include "host/trust/trusted_keys.hpp"

#include <nlohmann/json.hpp>

#include "host/trust/own_file.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

void add_keys(const fs::path& file, std::vector<SshPublicKey>& keys) {
  const std::vector<std::string> lines = split(read_own_file(file).value_or(""), '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.empty() || line.front() == '#') continue;
    try {
      keys.push_back(parse_ssh_key(line));
    } catch (const Error& error) {
      throw Error(
          ErrorCode::host_unfit,
          format("cannot read line {} of {}: {}", i + 1, in_quotes(file.string()), error.message()),
          "write each line as `ssh-keygen -t ed25519` writes it to KEY.pub, or remove the file");
    }
  }
}

}  // namespace

std::vector<SshPublicKey> read_trusted_keys(const fs::path& folder) {
  std::vector<SshPublicKey> keys;
  for (const fs::path& file : own_files_in(folder, ".pub")) add_keys(file, keys);
  return keys;
}

Policy read_policy(const fs::path& file) {
  Policy policy;
  const auto text = read_own_file(file);
  if (!text) return policy;
  const std::string source = in_quotes(file.string());
  try {
    const Json document = parse_json(*text, source);
    const JsonReader reader(document, source);
    reader.expect_keys({"require-signature"});
    if (const auto wanted = reader.find("require-signature"))
      policy.require_signature = wanted->boolean();
  } catch (const Error& error) {
    throw Error(ErrorCode::host_unfit, error.message(),
                "give it as {\"require-signature\": true}, or remove the file");
  }
  return policy;
}

}  // namespace topsctl
