// The binary distribution format's spread of members over a scheme.
#include "topsctl/host/python/wheel_places.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel_layout.hpp"

namespace topsctl {

namespace {

// As pip calls it: the file's name with "-" for "_".
std::string headers_of(const Package& package, const InstallScheme& scheme) {
  std::string name = package.wheel->file_name;
  std::replace(name.begin(), name.end(), '_', '-');
  return concat(scheme.headers, "/", name);
}

std::string_view kind_of(std::string_view member) {
  const auto first = member.find('/') + 1;
  return member.substr(first, member.find('/', first) - first);
}

}  // namespace

const std::string& library_folder(const Package& package, const InstallScheme& scheme) {
  return package.wheel->root_is_purelib ? scheme.purelib : scheme.platlib;
}

WheelPlace place_of(std::string_view member, const Package& package, const InstallScheme& scheme) {
  const WheelDestination destination = wheel_destination(member);
  switch (destination.kind) {
    case WheelDestination::Kind::site:
      if (destination.path == member) return {library_folder(package, scheme), destination.path};
      return {kind_of(member) == "purelib" ? scheme.purelib : scheme.platlib, destination.path};
    case WheelDestination::Kind::script:
      return {scheme.scripts, destination.path, true};
    case WheelDestination::Kind::data:
      return {scheme.data, destination.path};
    case WheelDestination::Kind::headers:
      return {headers_of(package, scheme), destination.path};
    case WheelDestination::Kind::elsewhere:
      break;
  }
  return {};
}

}  // namespace topsctl
