// Orders causes: effects last, then by severity, then by time.
#include "topsctl/engine/diagnosis/verdict.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"

namespace topsctl {

namespace {

// The sightings of one diagnosis.
struct Seen {
  const Diagnosis* diagnosis = nullptr;
  std::vector<const Sighting*> sightings;
  std::string explained_by;

  const Sighting& first() const { return *sightings.front(); }
  bool is_effect() const { return diagnosis->is_effect || !explained_by.empty(); }
};

bool was_earlier(const LogPlace& a, const LogPlace& b) {
  // Without both times only the order in which it was read is known.
  if (a.time_ms && b.time_ms && *a.time_ms != *b.time_ms) return *a.time_ms < *b.time_ms;
  return a.order < b.order;
}

// Of the last attempt: what came before a good restart is over.
bool is_of_last(const LogPlace& place, const LogStory& story) {
  return place.attempt == story.attempts;
}

bool ended_well_after(const LogStory& story, const LogPlace& place) {
  return story.success && is_of_last(*story.success, story) &&
         story.success->source == place.source && story.success->order >= place.order;
}

bool has_failed(const LogStory& story, std::optional<int> exit_status) {
  if (exit_status) return *exit_status != 0;
  const auto counts = [&](const LogPlace& place) {
    return is_of_last(place, story) && !ended_well_after(story, place);
  };
  return std::any_of(story.tracebacks.begin(), story.tracebacks.end(),
                     [&](const Traceback& each) { return each.is_fatal && counts(each.place); }) ||
         std::any_of(story.deaths.begin(), story.deaths.end(),
                     [&](const RankDeath& each) { return counts(each.place); }) ||
         std::any_of(story.failures.begin(), story.failures.end(), counts);
}

std::vector<Seen> seen_in(const DiagnosisCatalogue& catalogue, const LogStory& story) {
  std::vector<Seen> seen;
  for (const Sighting& sighting : story.sightings) {
    const Diagnosis* diagnosis = catalogue.find(sighting.id);
    if (diagnosis == nullptr) continue;
    auto known = std::find_if(seen.begin(), seen.end(),
                              [&](const Seen& each) { return each.diagnosis == diagnosis; });
    if (known == seen.end()) known = seen.insert(seen.end(), Seen{diagnosis, {}, {}});
    known->sightings.push_back(&sighting);
  }
  for (Seen& each : seen) {
    std::stable_sort(
        each.sightings.begin(), each.sightings.end(),
        [](const Sighting* a, const Sighting* b) { return was_earlier(a->place, b->place); });
  }
  return seen;
}

void explain(std::vector<Seen>& seen) {
  for (Seen& effect : seen) {
    for (const Seen& cause : seen) {
      const auto& explains = cause.diagnosis->explains;
      const bool does = std::find(explains.begin(), explains.end(), effect.diagnosis->finding.id) !=
                        explains.end();
      if (does && effect.explained_by.empty()) effect.explained_by = cause.diagnosis->finding.id;
    }
  }
}

// Whether an earlier attempt only has it: a job that was started again does not fail of that.
bool is_over(const Seen& seen, const LogStory& story) {
  return std::none_of(seen.sightings.begin(), seen.sightings.end(),
                      [&](const Sighting* each) { return is_of_last(each->place, story); });
}

// A warning says that something is odd, not that the job ended of it; what is no fault, such as an
// interrupt, may have ended it.
bool ends_jobs(const Diagnosis& diagnosis) {
  return diagnosis.finding.severity != Severity::warning;
}

bool can_be_first(const Seen& seen, const LogStory& story) {
  return !seen.is_effect() && !is_over(seen, story) && ends_jobs(*seen.diagnosis);
}

void sort_by_cause(std::vector<Seen>& seen, const LogStory& story) {
  std::stable_sort(seen.begin(), seen.end(), [&](const Seen& a, const Seen& b) {
    const auto key = [&](const Seen& each) {
      return std::tuple(each.is_effect(), is_over(each, story), !ends_jobs(*each.diagnosis));
    };
    if (key(a) != key(b)) return key(a) < key(b);
    return was_earlier(a.first().place, b.first().place);
  });
}

Judged judged(const Seen& seen, Language language) {
  Judged out;
  out.finding = finding_in(*seen.diagnosis, language);
  const LogPlace& first = seen.first().place;
  out.finding.subject = first.rank ? format("rank {}", *first.rank) : first.source;
  EvidenceList evidence;
  for (const Sighting* each : seen.sightings)
    evidence.add(each->place.source, each->text, each->place.line);
  out.finding.evidence = evidence.pieces();
  out.rank = first.rank;
  out.time_ms = first.time_ms;
  out.explained_by = seen.explained_by;
  return out;
}

std::vector<RankState> ranks_of(const LogStory& story) {
  std::map<int, RankState> ranks;
  const auto state = [&](int rank) -> RankState& {
    RankState& found = ranks[rank];
    found.rank = rank;
    return found;
  };
  for (const LogSource& source : story.sources) {
    if (source.rank) state(*source.rank).source = source.path;
  }
  for (const Sighting& sighting : story.sightings) {
    if (sighting.place.rank) state(*sighting.place.rank);
  }
  for (const Traceback& traceback : story.tracebacks) {
    if (!traceback.place.rank || !traceback.is_fatal) continue;
    RankState& rank = state(*traceback.place.rank);
    if (rank.last_words.empty()) rank.last_words = last_lines(traceback.text, 1);
  }
  for (const RankDeath& death : story.deaths) {
    if (death.place.rank) state(*death.place.rank).status = death.status;
  }
  std::vector<RankState> list;
  for (auto& [rank, each] : ranks) list.push_back(std::move(each));
  return list;
}

}  // namespace

std::string_view name(JobVerdict verdict) {
  switch (verdict) {
    case JobVerdict::healthy:
      return "healthy";
    case JobVerdict::problems:
      return "problems";
    case JobVerdict::unknown:
      return "unknown";
  }
  return "unknown";
}

Judgement judge_logs(const DiagnosisCatalogue& catalogue, const LogStory& story,
                     std::optional<int> exit_status, Language language) {
  Judgement judgement;
  judgement.has_failed = has_failed(story, exit_status);
  std::vector<Seen> seen = seen_in(catalogue, story);
  explain(seen);
  sort_by_cause(seen, story);
  for (const Seen& each : seen) judgement.diagnoses.push_back(judged(each, language));
  judgement.ranks = ranks_of(story);
  if (!judgement.has_failed) return judgement;
  const bool is_explained = !seen.empty() && can_be_first(seen.front(), story);
  judgement.verdict = is_explained ? JobVerdict::problems : JobVerdict::unknown;
  if (is_explained) {
    judgement.first_cause = seen.front().diagnosis->finding.id;
    return judgement;
  }
  for (const Traceback& traceback : story.tracebacks) {
    if (!traceback.is_fatal || !is_of_last(traceback.place, story)) continue;
    const bool is_earlier =
        !judgement.unexplained || was_earlier(traceback.place, judgement.unexplained->place);
    if (is_earlier) judgement.unexplained = traceback;
  }
  return judgement;
}

}  // namespace topsctl
