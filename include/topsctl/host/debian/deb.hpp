// Reads .deb files (deb(5), deb-old(5)).
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

// Whether the file begins like a .deb, of the present or the old format.
bool looks_like_deb(std::string_view first_bytes);

// Consumers of the archives in a .deb; each may read its source or leave it.
struct DebMembers {
  std::function<void(Source& tar)> control;
  std::function<void(Source& tar)> data;  // empty: reading ends before the data
  std::function<void()> other = {};       // called for each member that is ignored
};

// Reads the members of a .deb and passes its two archives on, decompressed. Fills `format` and
// `compression` of package.deb. Throws Error{bad_package} with `file_name`.
void read_deb_members(Source& source, const std::string& file_name, const DecodeLimits& limits,
                      Package& package, const DebMembers& members);

// Only control data, from a file on disk; `files` stays empty.
void read_deb_control(const std::filesystem::path& file, Package& package);

// Observes read_deb_payload; empty functions are not called.
enum class DebArchive { control, data };
struct DebWatch {
  std::function<void(DebArchive archive, std::string_view compression)> archive_begins;
  std::function<void(std::string_view bytes)> archive_bytes;  // every byte, decompressed
  std::function<void()> archive_ends;
  std::function<void()> other_member;  // not an archive, or after the data
};

// Also reads the data archive of a file that is to be installed: rejects unusual entries, and
// ignores md5sums, as dpkg does. Reads the source to its end, xz data on several threads. Throws
// Error{bad_package}.
Contents read_deb_payload(Source& source, const std::string& file_name, Package& package,
                          const DebWatch& watch);
Contents read_deb_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
