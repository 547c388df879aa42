// Packages that dpkg refuses although they are intact.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"

namespace topsctl {

// An Error{bad_package} of its own type: dpkg would refuse another copy of the file too.
class DpkgRefusal : public Error {
 public:
  // "dpkg refuses 'SUBJECT': WHY".
  DpkgRefusal(std::string_view subject, std::string_view why);
};

}  // namespace topsctl
