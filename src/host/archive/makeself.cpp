// Reads makeself archives: the header as text, the payload in one pass.
#include "topsctl/host/archive/makeself.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_parts = 64;
constexpr std::size_t most_header_lines = 20'000;

[[noreturn]] void refuse_makeself(
    const std::string& subject, const std::string& why,
    const char* hint =
        "get the file again from the vendor, or give the directory that it unpacks to") {
  throw Error(ErrorCode::bad_package, format("cannot read {}: {}", in_quotes(subject), why), hint);
}

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// The value of NAME="value", NAME='value' or NAME=value; nothing is expanded.
std::optional<std::pair<std::string, std::string>> assignment(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals > 32) return std::nullopt;
  const std::string_view name = line.substr(0, equals);
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_name) return std::nullopt;
  std::string_view value = trimmed(line.substr(equals + 1));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  return std::pair(std::string(name), std::string(value));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string& word : split(text, ' ')) {
    if (!trimmed(word).empty()) found.emplace_back(trimmed(word));
  }
  return found;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The offset after the first `count` lines.
std::optional<std::uint64_t> end_of_lines(std::string_view text, std::uint64_t count) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos) return std::nullopt;
    at = end + 1;
  }
  return at;
}

// Older headers have no variable for it: offset=`head -n 501 "$0" | wc -c`, in version 2.0 without
// the letter.
constexpr std::string_view old_offset = "offset=`head -";

std::optional<std::uint64_t> lines_of_old_header(std::string_view header) {
  const auto offset = header.find(old_offset);
  if (offset == std::string_view::npos) return std::nullopt;
  std::string_view number = header.substr(offset + old_offset.size(), 14);
  if (number.starts_with("n ")) number.remove_prefix(2);
  return whole_number(number.substr(0, number.find(' ')));
}

// The value that `--info` would print; the header has no variable for it.
std::string compression_named(std::string_view header) {
  constexpr std::string_view printed = "echo Compression: ";
  const auto at = header.find(printed);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = header.substr(at + printed.size(), 32);
  return printable(rest.substr(0, rest.find_first_of(" \n")));
}

// Compression commands of makeself without a decoder here.
bool is_foreign_compression(std::string_view name) {
  return name == "lzo" || name == "bzip3" || name.starts_with("gpg");
}

struct Variables {
  std::map<std::string, std::string> values;  // the first value of each name

  std::string value(const char* name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  }
};

Variables variables_of(std::string_view header) {
  Variables variables;
  for (std::size_t i = 0; i < most_header_lines && !header.empty(); ++i) {
    if (auto found = assignment(next_line(header))) {
      variables.values.emplace(std::move(found->first), found->second);
    }
  }
  return variables;
}

// POSIX cksum(1).
class Cksum {
 public:
  void update(std::string_view bytes) {
    for (const char c : bytes) step(static_cast<unsigned char>(c));
    size_ += bytes.size();
  }
  std::uint32_t value() {
    for (std::uint64_t size = size_; size > 0; size >>= 8U) step(size & 0xFFU);
    return ~crc_;
  }

 private:
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i << 24U;
      for (int bit = 0; bit < 8; ++bit) {
        value = (value << 1U) ^ ((value & 0x80000000U) != 0 ? 0x04C11DB7U : 0U);
      }
      made[i] = value;
    }
    return made;
  }();
  void step(std::uint64_t byte) { crc_ = (crc_ << 8U) ^ table[((crc_ >> 24U) ^ byte) & 0xFFU]; }

  std::uint32_t crc_ = 0;
  std::uint64_t size_ = 0;
};

bool is_used(const std::string& checksum) {
  return checksum.find_first_not_of('0') != std::string::npos;
}

// The digests of one part, each only if it is in the header.
class PartDigests {
 public:
  PartDigests(const RunfileHeader& header, std::size_t part)
      : crc_wanted_(at(header.crcs, part)),
        md5_wanted_(at(header.md5s, part)),
        sha256_wanted_(at(header.sha256s, part)) {}

  void update(std::string_view bytes) {
    // Without a better one: it is by far the slowest.
    if (is_used(crc_wanted_) && !is_used(md5_wanted_) && !is_used(sha256_wanted_)) {
      crc_.update(bytes);
    }
    if (is_used(md5_wanted_)) md5_.update(bytes);
    if (is_used(sha256_wanted_)) sha256_.update(bytes);
  }

  void judge(RunfileParts& parts) {
    add(parts, "md5", md5_wanted_, is_used(md5_wanted_) ? md5_.hex() : "");
    add(parts, "sha256", sha256_wanted_, is_used(sha256_wanted_) ? sha256_.hex() : "");
    if (is_used(crc_wanted_) && (is_used(md5_wanted_) || is_used(sha256_wanted_))) {
      parts.checksums.emplace_back("crc not checked");
    } else {
      add(parts, "crc", crc_wanted_, std::to_string(crc_.value()));
    }
  }

 private:
  static std::string at(const std::vector<std::string>& values, std::size_t part) {
    return part < values.size() ? values[part] : std::string();
  }

  static void add(RunfileParts& parts, const char* kind, const std::string& wanted,
                  const std::string& found) {
    if (!is_used(wanted)) {
      parts.checksums.push_back(format("{} not used", kind));
      return;
    }
    const bool is_same = lower_case(wanted) == found;
    parts.checksums.push_back(concat(kind, is_same ? " ok" : " wrong"));
    parts.are_sound = parts.are_sound && is_same;
  }

  std::string crc_wanted_;
  std::string md5_wanted_;
  std::string sha256_wanted_;
  Cksum crc_;
  Md5 md5_;
  Sha256 sha256_;
};

}  // namespace

bool looks_like_runfile(std::string_view first_bytes) {
  return first_bytes.starts_with("#!") &&
         (first_bytes.find("Makeself") != std::string_view::npos ||
          first_bytes.find("makeself") != std::string_view::npos) &&
         (first_bytes.find("\nCRCsum=") != std::string_view::npos ||
          first_bytes.find(old_offset) != std::string_view::npos);
}

RunfileHeader parse_runfile_header(std::string_view first_bytes, const std::string& subject) {
  if (!looks_like_runfile(first_bytes)) {
    refuse_makeself(subject, "it has no makeself header",
                    "unpack it as the vendor says, and give the directory");
  }
  const Variables variables = variables_of(first_bytes);
  RunfileHeader header;
  header.label = variables.value("label");
  header.start_script =
      std::string(trimmed(concat(variables.value("script"), " ", variables.value("scriptargs"))));
  constexpr std::string_view generated = "using Makeself ";
  if (const auto at = first_bytes.find(generated); at != std::string_view::npos) {
    std::string_view rest = first_bytes.substr(at + generated.size(), 32);
    header.makeself_version = printable(rest.substr(0, rest.find_first_of(" \n")));
  }
  header.crcs = words(variables.value("CRCsum"));
  header.md5s = words(variables.value("MD5"));
  header.sha256s = words(variables.value("SHA"));
  for (const std::string& word : words(variables.value("filesizes"))) {
    const auto size = whole_number(word);
    if (!size || header.sizes.size() >= most_parts)
      refuse_makeself(subject, "its header is damaged");
    header.sizes.push_back(*size);
  }
  header.compression = compression_named(first_bytes);
  header.is_understood = !is_foreign_compression(header.compression);
  // Makeself 2.7.1 also stores the base64 command there.
  header.is_encrypted =
      header.is_understood && !header.is_base64() && !variables.value("decrypt_cmd").empty();
  auto lines = whole_number(variables.value("skip"));
  if (!lines) lines = lines_of_old_header(first_bytes);
  const auto offset =
      lines && *lines < most_header_lines ? end_of_lines(first_bytes, *lines) : std::nullopt;
  if (!offset) refuse_makeself(subject, "its header does not say where the payload begins");
  header.payload_offset = *offset;
  return header;
}

RunfileParts read_runfile(Source& source, const RunfileHeader& header, const std::string& subject,
                          const std::function<void(std::size_t part, Source& bytes)>& on_part) {
  if (!header.is_understood) {
    refuse_makeself(subject, format("its payload is compressed with {}", header.compression),
                    "unpack it on a disposable machine (`sh FILE --noexec --target FOLDER`), and "
                    "give the directory");
  }
  if (header.is_encrypted) {
    refuse_makeself(subject, "it is encrypted",
                    "unpack it with the vendor's password, and give the directory");
  }
  SourceReader reader(source);
  const auto skipped = next_bytes(reader, header.payload_offset, subject);
  drain(*skipped);
  RunfileParts parts;
  for (std::size_t part = 0; part < std::max<std::size_t>(header.sizes.size(), 1); ++part) {
    PartDigests digests(header, part);
    const auto bytes = header.sizes.empty() ? remaining_bytes(reader)
                                            : next_bytes(reader, header.sizes[part], subject);
    ObservedSource digested(*bytes, [&](std::string_view piece) { digests.update(piece); });
    on_part(part, digested);
    drain(digested);
    digests.judge(parts);
  }
  return parts;
}

}  // namespace topsctl
