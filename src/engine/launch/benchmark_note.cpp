// One JSON file beside the runs.
#include "topsctl/engine/launch/benchmark_note.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t note_folder_mode = 0700;
constexpr mode_t note_mode = 0600;
constexpr std::uint64_t most_of_note = 64U << 10U;

fs::path file_on(const Host& own) {
  return own.resolve(concat(own.state, "/benchmark.json"));
}

constexpr std::size_t longest_name = 64;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60U;
constexpr double most_gb_s = 1e9;

// Throws Json::exception for what is no text, or longer than a name.
std::string name_at(const Json& json, const char* key) {
  const auto text = json.at(key).get<std::string>();
  return printable(text.size() <= longest_name ? text : Json().get<std::string>());
}

// The same for what is no whole number, or too large for one.
template <typename Number>
Number count_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  return (value.is_number_integer() && !is_large ? value : Json("none")).get<Number>();
}

}  // namespace

BenchmarkNote note_of(const Benchmark& benchmark, std::size_t stragglers,
                      const std::string& measured_at) {
  const Measurement* largest = &benchmark.measurements.front();
  for (const Measurement& each : benchmark.measurements) {
    if (each.operation == largest->operation && each.backend == largest->backend &&
        each.bytes > largest->bytes)
      largest = &each;
  }
  return {.measured_at = measured_at,
          .backend = benchmark.backend,
          .device = benchmark.device,
          .ranks = static_cast<std::int64_t>(benchmark.ranks.size()),
          .operation = largest->operation,
          .bytes = largest->bytes,
          .bus_gb_s = largest->bus_gb_s,
          .stragglers = static_cast<std::int64_t>(stragglers)};
}

void write_note(const Host& own, const BenchmarkNote& note) {
  try {
    make_directories(file_on(own).parent_path(), note_folder_mode);
    write_plainly(file_on(own), to_line(to_json(std::optional(note))), note_mode);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
  }
}

std::optional<BenchmarkNote> benchmark_note_in(const Json& json) {
  try {
    BenchmarkNote note{.measured_at = name_at(json, "measured_at"),
                       .backend = name_at(json, "backend"),
                       .device = name_at(json, "device"),
                       .ranks = count_at<std::int64_t>(json, "ranks"),
                       .operation = name_at(json, "operation"),
                       .bytes = count_at<std::uint64_t>(json, "bytes"),
                       .bus_gb_s = json.at("bus_gb_s").get<double>(),
                       .stragglers = count_at<std::int64_t>(json, "stragglers")};
    const bool makes_sense = note.ranks > 0 && note.stragglers >= 0 && note.bytes <= most_bytes &&
                             note.bus_gb_s >= 0 && note.bus_gb_s <= most_gb_s;
    return makes_sense ? std::optional(std::move(note)) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<BenchmarkNote> last_benchmark(const Host& own) {
  try {
    const auto text = read_text_if_present(file_on(own), most_of_note);
    return benchmark_note_in(json_or_null(text.value_or("")));
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json to_json(const std::optional<BenchmarkNote>& note) {
  if (!note) return nullptr;
  return {{"measured_at", note->measured_at}, {"backend", note->backend},
          {"device", note->device},           {"ranks", note->ranks},
          {"operation", note->operation},     {"bytes", note->bytes},
          {"bus_gb_s", note->bus_gb_s},       {"stragglers", note->stragglers}};
}

}  // namespace topsctl
