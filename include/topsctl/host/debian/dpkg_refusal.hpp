// Packages that dpkg refuses though they are whole.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"

namespace topsctl {

// An Error{bad_package} of its own kind: another copy of the file would be refused as well.
class DpkgRefusal : public Error {
 public:
  // "dpkg refuses 'SUBJECT': WHY".
  DpkgRefusal(std::string_view subject, std::string_view why);
};

}  // namespace topsctl
