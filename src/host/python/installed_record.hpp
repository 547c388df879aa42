// The RECORD and direct_url.json that an installer writes (PEP 376, PEP 610).
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "topsctl/host/python/wheel_record.hpp"

namespace topsctl {

// Collects the lines of an installed wheel's RECORD; absolute paths become relative to the library
// directory.
class InstalledRecord {
 public:
  explicit InstalledRecord(std::string library) : library_(std::move(library)) {}

  // A file that matches the wheel's RECORD.
  void add_claim(const std::string& path, const RecordLine& claim);
  // A file of that content.
  void add(const std::string& path, std::string_view content);
  // RECORD itself.
  void add_unhashed(const std::string& path);

  // Sorted, as pip writes it.
  std::string text() const;

 private:
  std::string relative(const std::string& path) const;

  std::string library_;
  std::set<std::pair<std::string, std::string>> lines_;  // path, ",digest,size"
};

// The text that pip writes for a wheel that was given as a file.
std::string direct_url(const std::filesystem::path& wheel, const std::string& sha256);

}  // namespace topsctl
