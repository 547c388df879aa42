// Names in wheels, by PEP 427 and as vendors write them.
#include "topsctl/host/python/wheel_layout.hpp"

#include <algorithm>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

std::optional<WheelFileName> parse_wheel_file_name(std::string_view file_name) {
  constexpr std::string_view extension = ".whl";
  // As pip has it: not in capitals, and without blanks.
  if (!file_name.ends_with(extension)) return std::nullopt;
  if (file_name.find_first_of(" \t\n\v\f\r") != std::string_view::npos) return std::nullopt;
  file_name.remove_suffix(extension.size());
  const std::vector<std::string> parts = split(file_name, '-');
  const std::size_t n = parts.size();
  const auto is_empty = [](const std::string& part) { return part.empty(); };
  if (n < 5 || n > 6 || std::any_of(parts.begin(), parts.end(), is_empty)) return std::nullopt;
  WheelFileName name{parts[0], parts[1], n == 6 ? parts[2] : "",
                     concat(parts[n - 3], "-", parts[n - 2], "-", parts[n - 1]), parts[n - 1]};
  if (n == 6 && !is_digits(name.build.substr(0, 1))) return std::nullopt;
  return name;
}

bool is_info_of(std::string_view folder, std::string_view distribution) {
  if (!folder.ends_with(".dist-info")) return false;
  return normalized_name(folder.substr(0, folder.find('-'))) == normalized_name(distribution);
}

WheelDestination wheel_destination(std::string_view member) {
  using Kind = WheelDestination::Kind;
  const auto first = member.find('/');
  if (!member.substr(0, first).ends_with(".data")) return {Kind::site, std::string(member)};
  const auto second = first == std::string_view::npos ? first : member.find('/', first + 1);
  if (second == std::string_view::npos) return {Kind::elsewhere, std::string(member)};
  const std::string_view scheme = member.substr(first + 1, second - first - 1);
  const bool is_site = scheme == "purelib" || scheme == "platlib";
  return {is_site               ? Kind::site
          : scheme == "scripts" ? Kind::script
          : scheme == "data"    ? Kind::data
          : scheme == "headers" ? Kind::headers
                                : Kind::elsewhere,
          std::string(member.substr(second + 1))};
}

PayloadEntry wheel_file(const ZipEntry& entry) {
  WheelDestination destination = wheel_destination(entry.path);
  PayloadEntry listed;
  listed.path =
      destination.kind == WheelDestination::Kind::site ? std::move(destination.path) : entry.path;
  listed.type = entry.type;
  listed.size = entry.type == PayloadEntry::Type::file ? entry.size : 0;
  listed.mode = entry.mode;
  listed.mtime = entry.mtime;
  return listed;
}

bool is_exempt_from_record(std::string_view member, std::string_view info_folder) {
  if (info_folder.empty() || !member.starts_with(info_folder)) return false;
  const std::string_view rest = member.substr(info_folder.size());
  return rest == "/RECORD" || rest == "/RECORD.jws" || rest == "/RECORD.p7s";
}

bool is_of_installer(std::string_view member, std::string_view info_folder) {
  if (!member.starts_with(info_folder)) return false;
  const std::string_view rest = member.substr(info_folder.size());
  return rest == "/INSTALLER" || rest == "/REQUESTED" || rest == "/direct_url.json";
}

bool is_name_too_long(std::string_view name) {
  constexpr std::size_t longest = 255;
  return name.size() > longest;
}

}  // namespace topsctl
