// Feeds text to the readers of targets, of lines of ssh_config and of an agent's keys: what is
// taken can do no harm in a shell, and comes back as it was.
#include <string>

#include "host/network/agent_filter.hpp"
#include "host/network/ssh_config_lines.hpp"
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
  if (const auto line = ssh_config_line(text)) {
    std::string_view rest = line->rest;
    while (!next_match_word(rest).empty()) {
    }
    with_tokens(line->rest, {{'h', "node1"}});
  }
  // An agent's answer: no more keys come out than go in.
  fuzz::expect(arranged_identities(text, {"a"}, OtherKeys::none).size() <= text.size());
  return 0;
}
