// Finds batch sizes in the words of a script and in the configurations that they name.
#include "topsctl/engine/launch/training_batch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "engine/launch/configured_batch.hpp"
#include "topsctl/engine/launch/launch_check.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_samples = 1'000'000'000;

}  // namespace

std::optional<std::int64_t> number_given(const std::vector<std::string>& words,
                                         const std::vector<std::string_view>& names) {
  std::optional<std::int64_t> last;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i].substr(0, words[i].find('='));
    std::replace(name.begin(), name.end(), '_', '-');
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    const bool is_behind = words[i].size() == name.size();
    if (is_behind && i + 1 == words.size()) continue;
    const std::string text = is_behind ? words[i + 1] : words[i].substr(name.size() + 1);
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure == std::errc() && end == text.data() + text.size() && number > 0 &&
        number <= most_samples)
      last = number;
  }
  return last;
}

std::optional<std::int64_t> global_batch_of(const std::vector<std::string>& words,
                                            std::int64_t ranks) {
  if (const auto all = number_given(words, {"--global-batch-size", "--global-batch"})) return all;
  auto each =
      number_given(words, {"--batch-size", "--micro-batch-size", "--per-device-train-batch-size"});
  if (!each) each = number_given(words, {"train-dataloader.batch-size", "data.samples-per-gpu"});
  if (!each && !words.empty())
    each = configured_batch(files_among({words.begin() + 1, words.end()}));
  return each && ranks > 0 ? std::optional(*each * ranks) : std::nullopt;
}

}  // namespace topsctl
