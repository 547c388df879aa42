// Names of files that may be inside archives.
#include "topsctl/model/place.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string place_text(const std::vector<std::string>& container, const std::string& path) {
  std::string text;
  for (const std::string& archive : container) text += concat(printable(archive), " > ");
  return text + printable(path);
}

}  // namespace topsctl
