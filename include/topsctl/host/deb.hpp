// Reading of .deb files (deb(5)).
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether the file begins as a .deb does.
bool looks_like_deb(std::string_view first_bytes);

// Fills name, version, architecture, depends, installed_size and md5sums from the control archive;
// checks that all members lie within the file. Throws Error{bad_package}.
void read_deb_control(const std::filesystem::path& file, Package& package);

// Reads the data archive to its end and fills `files`. Throws Error{bad_package} if it is damaged
// anywhere.
void read_deb_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
