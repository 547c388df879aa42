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
  // Without both times, uses the order of reading; a time in 1970 has no known year.
  constexpr std::int64_t year = 366LL * 24 * 3600 * 1000;
  const bool are_alike = a.time_ms && b.time_ms && (*a.time_ms < year) == (*b.time_ms < year);
  if (are_alike && *a.time_ms != *b.time_ms) return *a.time_ms < *b.time_ms;
  return a.order < b.order;
}

// In the last attempt: events before a successful restart are over.
bool is_of_last(const LogPlace& place, const LogTimeline& story) {
  return place.attempt >= story.attempts;
}

bool ended_well_after(const LogTimeline& story, const LogPlace& place) {
  return story.success && is_of_last(*story.success, story) &&
         story.success->source == place.source && story.success->order >= place.order;
}

bool counts(const LogPlace& place, const LogTimeline& story) {
  return !place.is_overcome && is_of_last(place, story) && !ended_well_after(story, place);
}

bool tells_failure(const LogTimeline& story) {
  const auto counts_itself = [&](const LogPlace& place) { return counts(place, story); };
  const auto its_place_counts = [&](const auto& each) { return counts(each.place, story); };
  return std::any_of(story.tracebacks.begin(), story.tracebacks.end(), its_place_counts) ||
         std::any_of(story.deaths.begin(), story.deaths.end(), its_place_counts) ||
         std::any_of(story.failures.begin(), story.failures.end(), counts_itself);
}

// Whether a rank failed, other than by a signal, before that place.
bool has_failed_before(const LogPlace& place, const LogTimeline& story) {
  constexpr int of_signal = 128;
  const auto is_before = [&](const LogPlace& each) {
    return counts(each, story) && was_earlier(each, place);
  };
  return std::any_of(
             story.tracebacks.begin(), story.tracebacks.end(),
             [&](const Traceback& each) { return !each.is_explained && is_before(each.place); }) ||
         std::any_of(story.deaths.begin(), story.deaths.end(), [&](const RankDeath& each) {
           return each.status > 0 && each.status < of_signal && is_before(each.place);
         });
}

// Whether a rank ended with a traceback that no diagnosis matches.
bool has_unexplained(const LogTimeline& story) {
  return std::any_of(story.tracebacks.begin(), story.tracebacks.end(), [&](const Traceback& each) {
    return !each.is_explained && counts(each.place, story);
  });
}

std::vector<Seen> seen_in(const DiagnosisCatalogue& catalogue, const LogTimeline& story) {
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

// Ended by a user or a time limit: not a fault of the training.
bool ends_as_wished(const Diagnosis& diagnosis) {
  return diagnosis.finding.severity == Severity::info;
}

// Whether the job continued or was restarted after each sighting: then it is not the cause.
bool is_over(const Seen& seen, const LogTimeline& story) {
  return std::none_of(seen.sightings.begin(), seen.sightings.end(),
                      [&](const Sighting* each) { return counts(each->place, story); });
}

// A warning does not end a job; a diagnosis that is not a fault, such as an interrupt, may have
// ended it.
bool ends_jobs(const Diagnosis& diagnosis) {
  return diagnosis.finding.severity != Severity::warning;
}

// Whether a rank had an error that it did not recover from: a successful job has none.
bool has_error(const std::vector<Seen>& seen, const LogTimeline& story) {
  return std::any_of(seen.begin(), seen.end(), [&](const Seen& each) {
    return each.diagnosis->finding.severity >= Severity::error && !is_over(each, story);
  });
}

// An external end is not the cause if something failed before it: a scheduler ends the other tasks
// of a job in which one fails.
bool yields(const Seen& seen, const std::vector<Seen>& all, const LogTimeline& story) {
  if (ends_as_wished(*seen.diagnosis)) {
    return has_failed_before(seen.first().place, story) ||
           std::any_of(all.begin(), all.end(), [&](const Seen& each) {
             return each.diagnosis->finding.severity >= Severity::error && !each.is_effect() &&
                    !each.diagnosis->is_last_resort && !is_over(each, story) &&
                    was_earlier(each.first().place, seen.first().place);
           });
  }
  return seen.diagnosis->is_last_resort && has_unexplained(story);
}

void drop_what_yields(std::vector<Seen>& seen, const LogTimeline& story) {
  std::vector<const Diagnosis*> yielding;
  for (const Seen& each : seen) {
    const bool is_dropped = ends_as_wished(*each.diagnosis) && each.diagnosis->is_last_resort;
    if (is_dropped && yields(each, seen, story)) yielding.push_back(each.diagnosis);
  }
  std::erase_if(seen, [&](const Seen& each) {
    return std::find(yielding.begin(), yielding.end(), each.diagnosis) != yielding.end();
  });
}

// Errors that a successful job recovered from are not reported. For a failed job they are, if its
// lines have no label: the rank that made progress may be another one.
void drop_what_is_over(std::vector<Seen>& seen, const LogTimeline& story, bool failed,
                       bool is_known) {
  const bool may_be_of_others = failed && !has_unexplained(story);
  const auto is_of_any = [&](const Sighting* each) {
    return may_be_of_others && !each->place.rank && is_of_last(each->place, story);
  };
  std::erase_if(seen, [&](const Seen& each) {
    const bool all_is_over = is_known && !failed;
    if (each.diagnosis->passes) return all_is_over || is_over(each, story);
    return ends_jobs(*each.diagnosis) && (all_is_over || is_over(each, story)) &&
           std::none_of(each.sightings.begin(), each.sightings.end(), is_of_any);
  });
}

bool can_be_first(const Seen& seen, const std::vector<Seen>& all, const LogTimeline& story) {
  return !seen.is_effect() && !yields(seen, all, story) && ends_jobs(*seen.diagnosis);
}

void sort_by_cause(std::vector<Seen>& seen, const LogTimeline& story) {
  std::stable_sort(seen.begin(), seen.end(), [&](const Seen& a, const Seen& b) {
    const auto key = [&](const Seen& each) {
      return std::tuple(each.is_effect(), !ends_jobs(*each.diagnosis), is_over(each, story),
                        each.diagnosis->is_last_resort && !ends_as_wished(*each.diagnosis));
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

std::vector<RankState> ranks_of(const LogTimeline& story) {
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
    if (!traceback.place.rank || traceback.place.is_overcome) continue;
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

// The rank that failed first, according to torchrun.
std::optional<int> first_failed_rank(const LogTimeline& story) {
  for (const RankDeath& death : story.deaths) {
    if (death.is_first_observed && counts(death.place, story)) return death.place.rank;
  }
  return std::nullopt;
}

// Where ranks write one log without labels, a rank's error is followed by the work of others. Then
// the last exception before the effect is the cause, though it looks overcome.
const Traceback* before_effect(const Traceback& effect, const LogTimeline& story) {
  constexpr int most_lines = 100;
  const Traceback* cause = &effect;
  if (!effect.is_explained || effect.place.rank) return cause;
  for (const Traceback& each : story.tracebacks) {
    const LogPlace& place = each.place;
    if (each.is_explained || place.rank || place.source != effect.place.source ||
        !was_earlier(place, effect.place) || effect.place.line - place.line > most_lines)
      continue;
    if (cause == &effect || was_earlier(cause->place, place)) cause = &each;
  }
  return cause;
}

// The first traceback of the last attempt: unexplained ones come first, then those of the rank that
// failed first.
std::optional<Traceback> first_traceback(const LogTimeline& story) {
  const std::optional<int> failed_first = first_failed_rank(story);
  const auto key = [&](const Traceback& each) {
    return std::tuple(each.is_explained, !failed_first || each.place.rank != failed_first);
  };
  const Traceback* first = nullptr;
  for (const Traceback& each : story.tracebacks) {
    if (each.place.is_overcome || !is_of_last(each.place, story)) continue;
    const bool is_better = first == nullptr || key(each) < key(*first) ||
                           (key(each) == key(*first) && was_earlier(each.place, first->place));
    if (is_better) first = &each;
  }
  if (first == nullptr) return std::nullopt;
  return *before_effect(*first, story);
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

Judgement judge_logs(const DiagnosisCatalogue& catalogue, const LogTimeline& story,
                     std::optional<int> exit_status, Language language) {
  Judgement judgement;
  std::vector<Seen> seen = seen_in(catalogue, story);
  judgement.has_failed =
      exit_status ? *exit_status != 0 : tells_failure(story) || has_error(seen, story);
  drop_what_is_over(seen, story, judgement.has_failed, exit_status.has_value());
  explain(seen);
  drop_what_yields(seen, story);
  sort_by_cause(seen, story);
  const bool is_explained =
      judgement.has_failed && !seen.empty() && can_be_first(seen.front(), seen, story);
  if (is_explained) {
    judgement.first_cause = seen.front().diagnosis->finding.id;
    for (Seen& each : seen) {
      const bool is_later = each.diagnosis->is_effect || each.diagnosis->is_last_resort;
      if (is_later && each.explained_by.empty() && &each != &seen.front())
        each.explained_by = judgement.first_cause;
    }
  }
  for (const Seen& each : seen) judgement.diagnoses.push_back(judged(each, language));
  judgement.ranks = ranks_of(story);
  if (judgement.has_failed) {
    judgement.verdict = is_explained ? JobVerdict::problems : JobVerdict::unknown;
    if (!is_explained) judgement.unexplained = first_traceback(story);
    return judgement;
  }
  const bool has_ended_well = exit_status || (story.success && is_of_last(*story.success, story));
  judgement.verdict = has_ended_well ? JobVerdict::healthy : JobVerdict::unknown;
  return judgement;
}

}  // namespace topsctl
