// The rules of pip 20.3 to 26 for a wheel's metadata and names.
#include "host/python/wheel_faults.hpp"

#include <algorithm>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel_layout.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_faults = 1000;

void add_fault(std::vector<WheelFault>& faults, const char* finding, std::string_view place,
               std::string why) {
  if (faults.size() < most_faults) faults.push_back({finding, printable(place), std::move(why)});
}

void add_malformed(std::vector<WheelFault>& faults, std::string_view place, std::string why) {
  add_fault(faults, "wheel-malformed", place, std::move(why));
}

bool has_long_name(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return is_name_too_long(part); });
}

// The destination of a file, as far as it is known without an interpreter.
std::string place_of_member(std::string_view member) {
  const WheelDestination destination = wheel_destination(member);
  return concat(static_cast<int>(destination.kind), "/", destination.path);
}

// In byte order, everything below "a" comes after "a/".
void add_collisions(const std::set<std::string>& files, std::vector<WheelFault>& faults) {
  for (const std::string& file : files) {
    const std::string below = concat(file, "/");
    const auto inside = files.lower_bound(below);
    if (inside == files.end() || !inside->starts_with(below)) continue;
    add_malformed(faults, file.substr(file.find('/') + 1), "it is both a file and a directory");
  }
}

}  // namespace

void add_member_faults(const std::vector<ZipEntry>& entries, const std::string& info_folder,
                       std::vector<WheelFault>& faults) {
  std::set<std::string> files;
  for (const char* made : {"INSTALLER", "REQUESTED", "direct_url.json", "RECORD"}) {
    files.insert(place_of_member(concat(info_folder, "/", made)));
  }
  for (const ZipEntry& entry : entries) {
    if (entry.type == PayloadEntry::Type::directory || entry.escapes || entry.path.empty())
      continue;
    if (entry.type == PayloadEntry::Type::symlink) {
      add_fault(faults, "wheel-link", entry.path, "pip writes a text file instead of it");
    }
    if (wheel_destination(entry.path).kind == WheelDestination::Kind::elsewhere) {
      add_malformed(faults, entry.path, "no installer has a location for it");
    }
    if (has_long_name(entry.path)) {
      add_malformed(faults, shortened(entry.path, 80), "the name is longer than 255 bytes");
    }
    files.insert(place_of_member(entry.path));
  }
  add_collisions(files, faults);
}

void add_version_faults(std::string_view wheel_version, std::vector<WheelFault>& faults) {
  const std::vector<std::string> parts = split(wheel_version, '.');
  if (std::all_of(parts.begin(), parts.end(),
                  [](const std::string& part) { return is_digits(part); })) {
    return;
  }
  add_malformed(faults, "WHEEL",
                wheel_version.empty()
                    ? std::string("it has no Wheel-Version")
                    : format("its Wheel-Version is {}", in_quotes(shortened(wheel_version, 80))));
}

void add_record_faults(std::string_view record, std::vector<WheelFault>& faults) {
  constexpr std::size_t longest_field = 131'072;  // of Python's csv module
  std::size_t line = 0;
  while (!record.empty()) {
    ++line;
    const auto end = std::min(record.find_first_of("\r\n"), record.size());
    if (end == 0) {
      add_malformed(faults, "RECORD", format("line {} is blank", line));
    } else if (end > longest_field) {
      add_malformed(faults, "RECORD", format("line {} is too long", line));
    }
    record.remove_prefix(end);
    if (record.starts_with("\r\n")) record.remove_prefix(1);
    if (!record.empty()) record.remove_prefix(1);
  }
}

void add_text_faults(std::string_view text, std::string_view file,
                     std::vector<WheelFault>& faults) {
  if (!is_utf8(text)) add_malformed(faults, file, "not UTF-8");
}

}  // namespace topsctl
