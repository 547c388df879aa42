// Writes CSV and JSON byte for byte as Python's modules do.
#include "host/python/installed_record.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

// RFC 3986: characters that urllib.parse.quote does not escape.
std::string url_quoted(std::string_view path) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string quoted;
  for (const char c : path) {
    if (plain.find(c) != std::string_view::npos) {
      quoted.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    quoted.append({'%', digits[byte >> 4U], digits[byte & 15U]});
  }
  return quoted;
}

}  // namespace

void InstalledRecord::add_claim(const std::string& path, const RecordLine& claim) {
  const std::string digest =
      claim.algorithm.empty() ? "" : concat(claim.algorithm, "=", claim.digest);
  lines_.emplace(relative(path),
                 concat(",", digest, ",", claim.size ? std::to_string(*claim.size) : ""));
}

void InstalledRecord::add(const std::string& path, std::string_view content) {
  Sha256 digest;
  digest.update(content);
  lines_.emplace(relative(path),
                 concat(",sha256=", digest.base64url(), ",", std::to_string(content.size())));
}

void InstalledRecord::add_unhashed(const std::string& path) {
  lines_.emplace(relative(path), ",,");
}

std::string InstalledRecord::text() const {
  std::string text;
  for (const auto& [path, rest] : lines_) text += concat(csv_field(path), rest, "\n");
  return text;
}

std::string InstalledRecord::relative(const std::string& path) const {
  return fs::path(path).lexically_normal().lexically_relative(library_).string();
}

std::string direct_url(const fs::path& wheel, const std::string& sha256) {
  return concat(R"({"archive_info": {"hash": "sha256=)", sha256, R"(", "hashes": {"sha256": ")",
                sha256, R"("}}, "url": "file://)", url_quoted(wheel.string()), R"("})");
}

}  // namespace topsctl
