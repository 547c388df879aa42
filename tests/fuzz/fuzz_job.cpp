// Feeds what a launch reads of others: jobs, records, reports of the cards, lines that count. What
// is taken comes back as it was.
#include <nlohmann/json.hpp>

#include "engine/launch/busy_check.hpp"
#include "engine/launch/iteration.hpp"
#include "pieces.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/engine/launch/launch_record.hpp"

namespace {

using namespace topsctl;

void read_job(std::string_view text) {
  try {
    const Json job = parse_json(text, "job");
    const LaunchRequest request = launch_request_in(JsonReader(job, "job"));
    const Json again = to_json(request);
    fuzz::expect(launch_request_in(JsonReader(again, "job")) == request);
  } catch (const Error&) {
    // It is none.
  }
}

void read_record(std::string_view text) {
  try {
    const RecordSummary summary = record_summary_in(text, "record");
    fuzz::expect(!summary.run.empty() && !summary.request.words.empty() && summary.pid > 0);
  } catch (const Error&) {
    // It is none.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  read_job(text);
  read_record(text);
  static_cast<void>(busy_check_in(Json::parse(text, nullptr, false), {7}));
  if (const auto iteration = iteration_in(text)) fuzz::expect(!numbers_in(*iteration).empty());
  return 0;
}
