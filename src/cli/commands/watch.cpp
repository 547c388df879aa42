// topsctl watch: the cards of this machine and the ranks on them.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/machine_judgement.hpp"
#include "topsctl/engine/launch/card_watch.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

struct WatchCommandOptions {
  std::string stack;
  std::string prometheus;
};

std::string dash_or(const std::optional<double>& number, const char* unit) {
  if (!number) return "-";
  return concat(static_cast<std::int64_t>(*number + 0.5), unit);
}

std::optional<double> as_double(const std::optional<std::int64_t>& number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::string memory_of(const CardReading& card) {
  const std::string total = card.memory_total_bytes
                                ? human_size(static_cast<std::uint64_t>(*card.memory_total_bytes))
                                : "-";
  if (!card.memory_used_bytes) return total;
  return concat(human_size(static_cast<std::uint64_t>(*card.memory_used_bytes)), " / ", total);
}

std::string state_of(const CardWatch& watch, const Judgement& judgement) {
  std::string text = watch.busy
                         ? format("{} of {} cards busy", *watch.busy, watch.cards.size())
                         : std::string("unknown whether cards work: efsmi is not there or fails");
  if (!watch.ranks.empty()) text += format(", {} run", counted(watch.ranks.size(), "rank"));
  if (!judgement.first_cause.empty()) {
    text += format("; {} ({}): `topsctl doctor`", judgement.diagnoses.front().finding.title,
                   judgement.first_cause);
  }
  return text;
}

std::string watch_text(const CardWatch& watch, const Judgement& judgement, const Style& style) {
  std::string text;
  if (!watch.cards.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"card", "model", "state", "temp", "power", "memory", "use", "rank", "pid"}};
    for (const WatchedCard& card : watch.cards) {
      const CardReading& reading = card.reading;
      rows.push_back(
          {concat(reading.index), reading.model.empty() ? "-" : reading.model,
           reading.state.empty() ? "-" : reading.state,
           dash_or(as_double(reading.temperature_c), " C"),
           concat(dash_or(reading.power_w, ""), " / ", dash_or(reading.power_cap_w, " W")),
           memory_of(reading), dash_or(reading.utilization_percent, " %"),
           card.rank ? concat(*card.rank) : "-", card.pid ? concat(*card.pid) : "-"});
    }
    text += table(rows, style);
  }
  return text + concat(style.bold("state:"), " ", state_of(watch, judgement), "\n");
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void write_metrics(const std::string& file, const std::string& text) {
  try {
    write_durably(std::filesystem::absolute(file), text, 0644);
  } catch (const Error& error) {
    throw Error(ErrorCode::host_unfit, error.message(),
                "name a file in a directory that you may write to");
  }
}

Output run_watch(const WatchCommandOptions& options, Session& session) {
  const Stack stack = options.stack.empty() ? known_stacks().front() : load_stack(options.stack);
  MachineFacts facts;
  facts.state = look_at_machine(session.host, stack, {});
  const DiagnosisCatalogue catalogue = known_diagnoses();
  const Judgement judgement = judge_machine(catalogue, facts, Language::english);
  const CardWatch watch = card_watch(facts.state);
  if (!options.prometheus.empty())
    write_metrics(options.prometheus, prometheus_text(watch, host_name()));
  Output output;
  output.header.command = "watch";
  output.json = to_line(to_json(watch, judgement));
  output.text = watch_text(watch, judgement, session.style);
  if (watch.are_cards_idle) output.header.exit = ExitCode::problems;
  return output;
}

}  // namespace

CommandAction define_watch(OptionTable& table) {
  auto options = std::make_shared<WatchCommandOptions>();
  table.value("--stack", options->stack, "A known stack's name, or a stack file", "STACK");
  table.value("--prometheus", options->prometheus,
              "Write metrics to this file of node_exporter's textfile collector", "FILE.prom");
  return {[options](Session& session) { return run_watch(*options, session); },
          to_line(to_json(CardWatch{}, Judgement{}))};
}

}  // namespace topsctl
