// Feeds text to the readers of settings and of assignments: what they take is what topsctl writes,
// or a variable that was asked for.
#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/assignments.hpp"
#include "topsctl/engine/checks/shell_assignments.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace {

using namespace topsctl;

bool concerns(std::string_view name) {
  return !name.starts_with('S');
}

void expect_asked_for(const std::vector<Assignment>& assignments, std::string_view text) {
  const std::size_t lines = split(text, '\n').size();
  for (const Assignment& each : assignments) {
    fuzz::expect(is_variable_name(each.name) && concerns(each.name));
    fuzz::expect(each.line >= 0 && static_cast<std::size_t>(each.line) <= lines);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const KeptSettings kept = environment_settings_in(text);
  fuzz::expect(kept.warning.empty() || kept.settings.empty());
  if (!kept.settings.empty()) {
    const std::string line = settings_line(kept.settings);
    fuzz::expect(text.find(line.substr(0, line.size() - 1)) != std::string_view::npos);
    fuzz::expect(environment_settings_in(line).settings == kept.settings);
    for (const auto& [name, value] : kept.settings.set)
      fuzz::expect(is_variable_name(name) && objection_to_setting(name).empty() && is_utf8(value));
  }
  expect_asked_for(shell_assignments(text, concerns).assignments, text);
  expect_asked_for(login_assignments(text, concerns), text);
  expect_asked_for(unit_assignments(text, concerns), text);
  expect_asked_for(process_assignments(text, concerns), text);
  return 0;
}
