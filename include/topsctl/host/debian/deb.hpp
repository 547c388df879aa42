// Reading of .deb files (deb(5), deb-old(5)).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether the file begins as a .deb does, of the present or the old format.
bool looks_like_deb(std::string_view first_bytes);

// What is done with the archives in a .deb; each must read its source or leave it.
struct DebMembers {
  std::function<void(Source& tar)> control;
  std::function<void(Source& tar)> data;  // empty: reading ends before the data
  std::function<void()> other = {};       // told of each member that is to be ignored
};

// Goes through the members of a .deb and hands its two archives on, decompressed. Fills `format`
// and `compression` of package.deb. Throws Error{bad_package}, naming `file_name`.
void read_deb_members(Source& source, const std::string& file_name, const DecodeLimits& limits,
                      Package& package, const DebMembers& members);

// Control data only, from a file on disk; `files` stays empty.
void read_deb_control(const std::filesystem::path& file, Package& package);

// Sees what read_deb_payload reads; what is empty is not called.
enum class DebArchive { control, data };
struct DebWatch {
  std::function<void(DebArchive archive, std::string_view compression)> archive_begins;
  std::function<void(std::string_view bytes)> archive_bytes;  // every byte, decompressed
  std::function<void()> archive_ends;
  std::function<void()> other_member;  // one that is no archive, or comes after the data
};

// The data archive too, of a file that is to be installed: strange entries are refused, and md5sums
// is not compared, as dpkg does not. The source is read to its end, xz data by several threads.
// Throws Error{bad_package}.
Contents read_deb_payload(Source& source, const std::string& file_name, Package& package,
                          const DebWatch& watch);
Contents read_deb_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
