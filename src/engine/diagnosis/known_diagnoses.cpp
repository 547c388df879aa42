// Reads the operator's diagnoses, and tests them with their own examples.
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/host/system/pattern.hpp"
#include "topsctl/host/trust/site_data.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_file = 4U << 20U;  // bytes
constexpr const char* way_out = "fix the file, or move it out of the directory";

[[noreturn]] void refuse_record(const std::string& source, const std::string& why) {
  throw Error(ErrorCode::bad_input, format("cannot use {}: {}", source, why), way_out);
}

void require_pattern(const std::string& pattern, const std::string& source) {
  try {
    static_cast<void>(Pattern(pattern));
  } catch (const Error& error) {
    refuse_record(source, error.message());
  }
}

void require_usable(const std::vector<std::string>& patterns, const std::string& source) {
  for (const std::string& pattern : patterns) {
    try {
      PatternSet({pattern}).require_texts();
    } catch (const Error& error) {
      refuse_record(source, error.message());
    }
  }
}

bool finds(const LogMatcher& matcher, const std::string& unit) {
  return !matcher.meaning(unit).diagnoses.empty() &&
         matcher.next(unit, 0, LogMatcher::Progress::ignored, {}) != std::string::npos;
}

void require_examples(const Diagnosis& diagnosis, const std::string& source) {
  if (diagnosis.log.empty()) return;
  DiagnosisCatalogue alone;
  alone.diagnoses.push_back(diagnosis);
  const LogMatcher matcher(alone);
  for (const std::string& example : diagnosis.example_match) {
    if (!finds(matcher, example))
      refuse_record(source, format("{} does not match its example {}",
                                   in_quotes(diagnosis.finding.id), in_quotes(example)));
  }
  for (const std::string& example : diagnosis.example_no_match) {
    if (finds(matcher, example))
      refuse_record(source, format("{} matches its counter-example {}",
                                   in_quotes(diagnosis.finding.id), in_quotes(example)));
  }
}

void require_sound(const DiagnosisCatalogue& own, const std::string& source) {
  for (const auto* signs : {&own.signs.progress, &own.signs.success, &own.signs.failure,
                            &own.signs.setback, &own.signs.restart})
    require_usable(*signs, source);
  for (const std::string& pattern : own.signs.data) require_pattern(pattern, source);
  for (const Diagnosis& diagnosis : own.diagnoses) {
    require_usable(diagnosis.log, source);
    if (!diagnosis.unless.empty()) require_pattern(diagnosis.unless, source);
    require_examples(diagnosis, source);
  }
}

}  // namespace

DiagnosisCatalogue known_diagnoses(std::string_view backend, const std::filesystem::path& folder) {
  DiagnosisCatalogue catalogue = built_in_diagnoses();
  for (const SiteFile& file : read_site_data(folder, most_file)) {
    const std::string source = format("diagnoses {}", in_quotes(file.path.string()));
    try {
      DiagnosisCatalogue own;
      add_diagnoses(own, file.text, source);
      require_sound(own, source);
      add_diagnoses(catalogue, std::move(own));
      require_known_ids(catalogue, source);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_stack) throw;
      throw Error(ErrorCode::bad_input, error.message(), way_out);
    }
  }
  return for_backend(catalogue, backend);
}

}  // namespace topsctl
