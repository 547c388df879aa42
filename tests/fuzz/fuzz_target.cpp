// Feeds text to the reader of targets: what it takes can do no harm in a shell, and comes back as
// it was.
#include <string>

#include "host/network/ssh_config.hpp"
#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/destination.hpp"
#include "topsctl/model/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  const std::string text(fuzz::text_of(data, size));
  try {
    const Target target = parse_target(text);
    fuzz::expect(parse_target(target.text()) == target);
    for (const std::string& word : {target.user, target.container}) {
      fuzz::expect(!word.starts_with('-'));
      fuzz::expect(word.find_first_of(" \t\n'\"\\$`;&|<>(){}[]*?!~#%") == std::string::npos);
    }
    fuzz::expect(!target.host.starts_with('-'));
    fuzz::expect(target.host.find_first_of(" \t\n'\"\\$`;&|<>(){}[]*?!~#") == std::string::npos);
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  try {
    parse_targets(text, "a file");
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  if (is_safe_name(text)) {
    fuzz::expect(text.find('\n') == std::string::npos && !text.starts_with('/'));
    fuzz::expect(concat("/", text, "/").find("/../") == std::string::npos);
  }
  fits_patterns(text, split(text, ' '));
  return 0;
}
