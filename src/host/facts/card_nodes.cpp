// Looks for character devices by their names.
#include "topsctl/host/facts/card_nodes.hpp"

#include <sys/stat.h>

#include "topsctl/base/text.hpp"

namespace topsctl {

CardNodes card_nodes(const Host& host, const std::string& prefix, std::int64_t cards) {
  CardNodes nodes;
  for (std::int64_t card = 0; card < cards; ++card) {
    const std::string path = concat(prefix, card);
    struct stat status {};
    if (::stat(host.resolve(path).c_str(), &status) != 0) {
      if (nodes.first_missing.empty()) nodes.first_missing = path;
    } else if (!S_ISCHR(status.st_mode)) {
      if (nodes.no_device.empty()) nodes.no_device = path;
    } else {
      ++nodes.there;
    }
  }
  return nodes;
}

}  // namespace topsctl
