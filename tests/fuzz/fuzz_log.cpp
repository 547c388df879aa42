// Feeds logs to their reader: in whatever pieces one comes, it tells the same story, and every
// story can be judged.
#include "engine/diagnosis/log_reader.hpp"
#include "pieces.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"

namespace {

using namespace topsctl;

const DiagnosisCatalogue& catalogue() {
  static const DiagnosisCatalogue made = for_backend(built_in_diagnoses(), "eccl");
  return made;
}

LogTimeline story_of(const LogMatcher& matcher, std::string_view text, unsigned shape) {
  LogTimeline story;
  LogMatcher::Effort effort;
  LogReader reader(matcher, effort, story, "log", std::nullopt, 0);
  fuzz::Pieces pieces(text, shape);
  for (std::string_view piece = pieces.piece(); !piece.empty(); piece = pieces.piece())
    reader.take(piece);
  reader.end();
  return story;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const LogMatcher matcher(catalogue());
  std::string_view text = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(text);
  const LogTimeline whole = story_of(matcher, text, 0);
  fuzz::expect(story_of(matcher, text, shape) == whole);
  const Judgement judgement = judge_logs(catalogue(), whole, std::nullopt,
                                         shape % 2 == 0 ? Language::english : Language::chinese);
  fuzz::expect(judgement.has_failed || judgement.verdict != JobVerdict::problems);
  fuzz::expect(judgement.verdict != JobVerdict::healthy || whole.success);
  for (const Judged& judged : judgement.diagnoses)
    fuzz::expect(catalogue().find(judged.finding.id) != nullptr);
  return 0;
}
