// Compares how attempts ended.
#include "engine/launch/restart.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t first_pause_ms = 5000;
constexpr std::int64_t longest_pause_ms = 300'000;
constexpr std::string_view checkpoint_word = "{checkpoint}";

}  // namespace

std::string objection_to_restart(const RestartRules& rules, const std::vector<AttemptEnd>& ends) {
  if (rules.most == 0) return "no restart was asked for";
  const AttemptEnd& last = ends.back();
  if (static_cast<std::int64_t>(ends.size()) > rules.most)
    return format("it has been restarted {}", counted(ends.size() - 1, "time"));
  const auto has = [&](const std::string& cause) {
    return std::find(rules.causes.begin(), rules.causes.end(), cause) != rules.causes.end();
  };
  if (has(any_cause)) return {};
  if (last.cause.empty()) return has(unknown_cause) ? std::string() : "no cause is known";
  const bool is_wanted = has(last.cause);
  if (!is_wanted && !last.does_restart_help)
    return format("a restart does not help against {}", last.cause);
  const bool was_before = std::any_of(ends.begin(), ends.end() - 1, [&](const AttemptEnd& end) {
    return end.cause == last.cause && end.place == last.place;
  });
  if (was_before) return format("{} twice at the same place", last.cause);
  return {};
}

std::int64_t restart_pause_ms(const RestartRules& rules, std::size_t attempts) {
  constexpr std::int64_t ms_per_s = 1000;
  if (rules.delay_s > 0) return rules.delay_s * ms_per_s;
  std::int64_t pause = first_pause_ms;
  for (std::size_t i = 1; i < attempts && pause < longest_pause_ms; ++i) pause *= 2;
  return std::min(pause, longest_pause_ms);
}

std::vector<std::string> resume_words(const RestartRules& rules, const std::string& checkpoint) {
  std::vector<std::string> words;
  for (std::string& word : split(rules.resume, ' ')) {
    if (word.empty()) continue;
    for (std::size_t at = word.find(checkpoint_word); at != std::string::npos;
         at = word.find(checkpoint_word, at + checkpoint.size()))
      word.replace(at, checkpoint_word.size(), checkpoint);
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace topsctl
