// Follows the headers of a tar stream (POSIX ustar, GNU).
#include "host/debian/dpkg_tar.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"

namespace topsctl {

namespace {

constexpr std::size_t record = 512;
constexpr std::size_t checksum_at = 148;
constexpr std::size_t type_at = 156;
constexpr std::size_t link_at = 157;
constexpr std::size_t name_width = 100;
constexpr std::size_t prefix_at = 345;
constexpr std::size_t prefix_width = 155;
// dpkg unpacks a file as NAME.dpkg-new, and file systems take 255 bytes.
constexpr std::size_t longest_name = 255 - std::string_view(".dpkg-new").size();
constexpr std::size_t longest_text = 8192;

struct Number {
  std::uint64_t value = 0;
  bool is_negative = false;
};

// Digits between blanks and the end; the rest of the field must be blank.
std::optional<Number> octal_number(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  if (field.empty()) return std::nullopt;
  Number number;
  while (!field.empty() && field.front() >= '0' && field.front() <= '7') {
    number.value = number.value * 8 + static_cast<std::uint64_t>(field.front() - '0');
    field.remove_prefix(1);
  }
  const bool is_ended = field.find_first_not_of(std::string_view(" \0", 2)) == field.npos;
  return is_ended ? std::optional(number) : std::nullopt;
}

// GNU tar writes numbers that do not fit into octal digits in base 256, negative ones as a
// complement.
std::optional<Number> number_in(std::string_view field) {
  constexpr unsigned char positive = 0x80;
  constexpr unsigned char negative = 0xff;
  const auto first = static_cast<unsigned char>(field.front());
  if (first != positive && first != negative) return octal_number(field);
  Number number{first == negative ? ~std::uint64_t{0} : 0, first == negative};
  for (const char c : field.substr(1)) {
    const std::uint64_t top = number.value >> 55U;
    if (top != 0 && top != 0x1ff) return std::nullopt;
    number.value = number.value << 8U | static_cast<unsigned char>(c);
  }
  return number;
}

struct NumberField {
  const char* name;
  std::size_t at;
  std::size_t width;
  bool may_be_negative;
  std::uint64_t most;
};

constexpr std::uint64_t most_signed = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t most_id = std::numeric_limits<std::uint32_t>::max();
constexpr NumberField size_field = {"size", 124, 12, false, most_signed};
constexpr NumberField time_field = {"mtime", 136, 12, true, most_signed};
constexpr std::array<NumberField, 4> data_fields = {size_field, time_field,
                                                    NumberField{"uid", 108, 8, false, most_id},
                                                    NumberField{"gid", 116, 8, false, most_id}};
// GNU tar checks fewer owner fields, because it uses the names.
constexpr std::array<NumberField, 3> control_fields = {
    size_field, time_field, NumberField{"mode", 100, 8, true, most_signed}};

std::optional<Number> value_of(const NumberField& field, std::string_view header) {
  const auto number = number_in(header.substr(field.at, field.width));
  if (!number) return std::nullopt;
  if (number->is_negative) return field.may_be_negative ? number : std::nullopt;
  return number->value <= field.most ? number : std::nullopt;
}

// The first field without a valid number; nullptr: all are valid.
const NumberField* bad_number(std::span<const NumberField> fields, std::string_view header) {
  const auto bad = std::find_if(fields.begin(), fields.end(),
                                [&](const NumberField& field) { return !value_of(field, header); });
  return bad == fields.end() ? nullptr : &*bad;
}

std::uint64_t padded_size(std::string_view header) {
  return (value_of(size_field, header)->value + record - 1) / record * record;
}

bool has_right_checksum(std::string_view bytes) {
  std::string summed(bytes);
  std::fill_n(summed.begin() + checksum_at, 8, ' ');
  const auto sum = std::accumulate(
      summed.begin(), summed.end(), std::uint64_t{0},
      [](std::uint64_t all, char c) { return all + static_cast<unsigned char>(c); });
  const auto number = octal_number(bytes.substr(checksum_at, 8));
  return number && number->value == sum;
}

std::string text_in(std::string_view header, std::size_t at, std::size_t width) {
  const std::string_view field = header.substr(at, width);
  return std::string(field.substr(0, field.find('\0')));
}

}  // namespace

std::string_view DpkgTar::piece() {
  const std::string_view bytes = tar_.piece();
  if (!is_followed_) return bytes;
  if (bytes.empty()) {
    require_whole();
  } else {
    follow(bytes);
  }
  return bytes;
}

void DpkgTar::require_whole() const {
  if (archive_ == Archive::control || (header_.empty() && to_skip_ == 0)) return;
  throw unreadable_file(subject_, "its data archive ends within an entry");
}

void DpkgTar::follow(std::string_view bytes) {
  while (!bytes.empty() && is_followed_) {
    skip(bytes);
    const std::size_t taken = std::min(record - header_.size(), bytes.size());
    header_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (header_.size() < record) continue;
    take_header();
    header_.clear();
  }
}

void DpkgTar::skip(std::string_view& bytes) {
  const std::size_t skipped = std::min<std::uint64_t>(to_skip_, bytes.size());
  if (long_text_ != nullptr && long_text_->size() < longest_text) {
    long_text_->append(bytes.substr(0, skipped));
  }
  to_skip_ -= skipped;
  bytes.remove_prefix(skipped);
}

std::string DpkgTar::name_of_header() const {
  std::string name = text_in(header_, 0, name_width);
  if (has_long_name_) return long_name_.substr(0, long_name_.find('\0'));
  const bool is_ustar = std::string_view(header_).substr(257, 6) == std::string_view("ustar\0", 6);
  const std::string prefix = is_ustar ? text_in(header_, prefix_at, prefix_width) : std::string();
  return prefix.empty() ? name : concat(prefix, "/", name);
}

void DpkgTar::judge_name(std::string_view shown) const {
  if (shown.empty()) throw DpkgRefusal(subject_, "its data archive has an entry without a name");
  if (shown.find('\n') != std::string_view::npos) {
    throw DpkgRefusal(subject_,
                      format("the name of entry {} contains a line break", in_quotes(shown)));
  }
  while (shown.ends_with('/')) shown.remove_suffix(1);
  const auto slash = shown.rfind('/');
  const std::string_view last = slash == shown.npos ? shown : shown.substr(slash + 1);
  if (last.size() > longest_name) {
    throw DpkgRefusal(subject_, format("an entry name has {} bytes, at most {} are allowed: {}",
                                       last.size(), longest_name, in_quotes(shortened(last, 60))));
  }
}

void DpkgTar::take_header() {
  if (archive_ == Archive::control) {
    take_header_of_control();
  } else {
    take_header_of_data();
  }
}

void DpkgTar::take_header_of_control() {
  // The end, or a header that libarchive rejects too.
  is_followed_ = has_right_checksum(header_);
  if (!is_followed_) return;
  if (const NumberField* bad = bad_number(control_fields, header_)) {
    throw DpkgRefusal(subject_, format("the {} of entry {} is not a number", bad->name,
                                       in_quotes(text_in(header_, 0, name_width))));
  }
  constexpr std::string_view without_data("123456");
  if (without_data.find(header_[type_at]) == std::string_view::npos) {
    to_skip_ = padded_size(header_);
  }
}

void DpkgTar::take_header_of_data() {
  long_text_ = nullptr;
  const NumberField* bad = bad_number(data_fields, header_);
  const bool is_damaged = !has_right_checksum(header_);
  if (bad != nullptr || is_damaged) {
    // dpkg takes every header without a name for the end, including a block of zeros.
    is_followed_ = false;
    if (header_.front() == '\0') return;
    if (is_damaged) throw unreadable_file(subject_, "a header of its data archive is damaged");
    throw DpkgRefusal(subject_, format("the {} of entry {} is not a number", bad->name,
                                       in_quotes(text_in(header_, 0, name_width))));
  }
  const char type = header_[type_at];
  if (type == 'L' || type == 'K') {
    judge_name(text_in(header_, 0, name_width));
    long_text_ = type == 'L' ? &long_name_ : &long_link_;
    (type == 'L' ? has_long_name_ : has_long_link_) = true;
    long_text_->clear();
    to_skip_ = padded_size(header_);
    return;
  }
  const std::string name = name_of_header();
  const bool has_link =
      has_long_link_ ? !long_link_.empty() && long_link_.front() != '\0' : header_[link_at] != '\0';
  has_long_name_ = has_long_link_ = false;
  judge_name(name);
  constexpr std::string_view known(
      "0\0"
      "123456",
      8);
  if (known.find(type) == std::string_view::npos) {
    throw DpkgRefusal(subject_, format("{} is an entry of the unsupported type {}{}",
                                       in_quotes(name), in_quotes({&type, 1}),
                                       type == 'x' || type == 'g' ? " (a pax header)" : ""));
  }
  if (type == '2' && !has_link) {
    throw DpkgRefusal(subject_, format("the link {} has no target", in_quotes(name)));
  }
  if ((type == '0' || type == '\0') && !name.ends_with('/')) to_skip_ = padded_size(header_);
}

}  // namespace topsctl
