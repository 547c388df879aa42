// The one message for packages that dpkg refuses.
#include "topsctl/host/debian/dpkg_refusal.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

DpkgRefusal::DpkgRefusal(std::string_view subject, std::string_view why)
    : Error(ErrorCode::bad_package, format("dpkg refuses {}: {}", in_quotes(subject), why),
            "ask the vendor for a package built with dpkg-deb: another copy of this file will not "
            "help") {}

}  // namespace topsctl
