// Formats the documents of `topsctl status`.
#include "cli/overview/status_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/training/bench_text.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

constexpr std::size_t fewest_digits = 12;  // of a digest
constexpr std::array<const char*, fleet_properties.size()> property_labels = {
    "release", "driver", "kernel", "Python", "torch", "stack sha256"};

// Documents also come from other hosts: omits invalid values.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? printable(found->get<std::string>())
                                                     : std::string();
}

std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                             : otherwise;
}

const Json& part_of(const Json& object, const char* key) {
  static const Json nothing = nullptr;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nothing : *found;
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& each : list) {
    if (each.is_string()) texts.push_back(printable(each.get<std::string>()));
  }
  return texts;
}

std::string local_time(const std::string& timestamp) {
  return local_minute(time_of(timestamp));
}

std::string host_line(const Json& document) {
  std::vector<std::string> words = {text_of(document, "host"), text_of(document, "system")};
  if (const std::string kernel = text_of(document, "kernel"); !kernel.empty())
    words.push_back(concat("Linux ", kernel));
  if (const std::string driver = text_of(document, "driver"); !driver.empty())
    words.push_back(format("driver {}", driver));
  std::erase(words, "");
  return joined(words, ", ");
}

std::string release_line(const Json& document) {
  const Json& installed = part_of(document, "installed");
  if (!installed.is_object()) return format("nothing is installed");
  const std::string release = text_of(installed, "release");
  const std::string title =
      concat(text_of(installed, "stack"), release.empty() ? "" : " ", release);
  const Json& transaction = part_of(installed, "transaction");
  const Json& waiting = part_of(document, "waiting");
  if (!transaction.is_object() && waiting.is_array() && !waiting.empty())
    return format("{}, by transaction {}, which has not ended", title,
                  number_of(waiting[0], "transaction", 0));
  if (!transaction.is_object()) {
    return part_of(document, "waiting").is_null()
               ? format("{}; only root may read by which transaction", title)
               : format("{}, not installed by topsctl", title);
  }
  const std::string host = text_of(transaction, "host");
  return format("{}, transaction {}, {}, by {}", title, number_of(transaction, "id", 0),
                local_time(text_of(transaction, "started_at")),
                concat(text_of(transaction, "user"), host.empty() ? "" : "@", host));
}

std::string python_line(const Json& document) {
  const Json& python = part_of(document, "python");
  if (!python.is_object()) return {};
  const std::string torch = text_of(document, "torch");
  return concat(text_of(python, "version"), " (", text_of(python, "executable"), ")",
                torch.empty() ? "" : ", torch ", torch);
}

// The first line says whether the files are intact; each other one names what is not as it should.
std::string files_line(const Json& document) {
  const Json& intact = part_of(document, "intact");
  const Json& checks = part_of(document, "checks");
  if (!checks.is_array() || checks.empty()) return {};
  std::vector<std::string> lines;
  std::size_t passed = 0;
  for (const Json& check : checks) {
    const std::string status = text_of(check, "status");
    passed += status == "pass" ? 1 : 0;
    const bool is_named =
        status == "fail" || status == "unknown" || (status == "warn" && intact != Json(false));
    if (is_named) lines.push_back(concat(text_of(check, "id"), ": ", text_of(check, "observed")));
  }
  if (intact == Json(true))
    lines.insert(lines.begin(), format("intact, {} passed", counted(passed, "check")));
  if (intact.is_null())
    lines.insert(lines.begin(), format("unknown, {} passed", counted(passed, "check")));
  return joined(lines, "\n");
}

std::string environment_line(const Json& document) {
  const Json& environment = part_of(document, "environment");
  if (!environment.is_object()) return {};
  const std::vector<std::string> missing = texts_of(part_of(environment, "missing"));
  const std::vector<std::string> different = texts_of(part_of(environment, "different"));
  if (!missing.empty()) return format("not in effect in this shell: no {}", joined(missing, ", "));
  if (!different.empty())
    return format("in effect in this shell, with another {}", joined(different, ", "));
  return format("in effect in this shell");
}

std::string cards_line(const Json& document) {
  const Json& cards = part_of(document, "cards");
  if (!cards.is_object()) return {};
  const std::int64_t listed = number_of(cards, "listed", -1);
  const std::int64_t busy = number_of(cards, "busy", -1);
  const std::int64_t wanted = number_of(cards, "wanted", 0);
  const std::int64_t processes = number_of(cards, "processes", 0);
  const std::string in_use =
      processes == 0 ? std::string() : concat(", ", format("processes: {}", processes));
  if (listed < 0) {
    const std::string failure = text_of(cards, "failure");
    const std::string nodes = format("{} of {} device nodes", number_of(cards, "nodes", 0), wanted);
    return concat(failure.empty() ? format("unknown, no {}; {}", text_of(cards, "tool"), nodes)
                                  : format("unknown, {} says {}; {}", text_of(cards, "tool"),
                                           in_quotes(failure), nodes),
                  in_use);
  }
  const std::string number = listed == wanted ? concat(listed) : format("{} of {}", listed, wanted);
  return concat(busy < 0 ? number : format("{}, {} busy", number, busy), in_use);
}

std::string trainings_line(const Json& document) {
  std::vector<std::string> lines;
  const Json& trainings = part_of(document, "trainings");
  if (trainings.is_array()) {
    for (const Json& run : trainings)
      lines.push_back(format("{}, {}, since {}, logs in {}", text_of(run, "run"),
                             counted(static_cast<std::size_t>(number_of(run, "ranks", 0)), "rank"),
                             local_time(text_of(run, "started_at")), text_of(run, "log_folder")));
  }
  const Json& failed = part_of(document, "failed_run");
  if (failed.is_object())
    lines.push_back(
        format("{} failed, logs in {}", text_of(failed, "run"), text_of(failed, "log_folder")));
  return lines.empty() ? format("none") : joined(lines, "\n");
}

std::string waiting_line(const Json& waiting) {
  const std::string state = text_of(waiting, "state");
  const std::int64_t id = number_of(waiting, "transaction", 0);
  const std::string until = local_time(text_of(waiting, "until"));
  if (state == "at_work") return format("transaction {} is at work", id);
  if (state == "damaged") return format("transaction {} has a damaged journal", id);
  if (state == "lost")
    return format("transaction {} is damaged, and its backup cannot be read", id);
  if (state == "unfinished")
    return format("transaction {} was interrupted: it is to be recovered", id);
  if (state == "conflicting")
    return format(
        "transaction {} was interrupted, and others changed its files since: --force restores "
        "these, too",
        id);
  if (state == "overdue")
    return format("transaction {} was not confirmed in time: it is to be recovered", id);
  if (state == "unwatched")
    return format("transaction {} is to be confirmed by {}; nothing will roll it back then", id,
                  until);
  return format("transaction {} is to be confirmed by {}, else it is rolled back", id, until);
}

std::string waiting_lines(const Json& document) {
  const Json& waiting = part_of(document, "waiting");
  if (!waiting.is_array()) return format("unknown: only root may read the transactions");
  std::vector<std::string> lines;
  for (const Json& each : waiting) lines.push_back(waiting_line(each));
  return lines.empty() ? format("nothing") : joined(lines, "\n");
}

std::string next_line(const std::string& label, const std::string& command, const Style& style) {
  return command.empty() ? std::string() : concat(style.bold(label), " ", command, "\n");
}

}  // namespace

ReportPage status_page(const Json& document) {
  ReportPage page;
  page.title = format("topsctl status: {}", text_of(document, "host"));
  page.failed = text_of(document, "status") != "ok";
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) page.facts.emplace_back(translated(label), value);
  };
  add("host", host_line(document));
  add("release", release_line(document));
  add("files", files_line(document));
  add("Python", python_line(document));
  add("environment", environment_line(document));
  add("cards", cards_line(document));
  add("benchmark", benchmark_line(part_of(document, "benchmark")));
  if (part_of(document, "cards").is_object()) add("trainings", trainings_line(document));
  add("waiting", waiting_lines(document));
  return page;
}

std::string status_text(const Json& document, const std::string& where, const Style& style) {
  const Json& next = part_of(document, "next");
  const Json& elsewhere = part_of(next, "over_new_connection");
  const std::string label = !where.empty()            ? format("next, on {}:", where)
                            : elsewhere == Json(true) ? format("next, over a new connection:")
                                                      : format("next:");
  return concat(labelled_lines(status_page(document).facts, style),
                next_line(label, text_of(next, "command"), style));
}

namespace {

// As many digits as tell the digests of a fleet apart.
std::size_t telling_digits(const FleetStatus& fleet) {
  std::size_t digits = fewest_digits;
  for (std::size_t i = 0; i < fleet_properties.size(); ++i) {
    if (std::string_view(fleet_properties[i]) != "sha256") continue;
    for (const FleetHost& one : fleet.hosts) {
      for (const FleetHost& other : fleet.hosts) {
        if (one.values[i] == other.values[i]) continue;
        while (one.values[i].substr(0, digits) == other.values[i].substr(0, digits)) ++digits;
      }
    }
  }
  return digits;
}

std::string shown(std::size_t property, const std::string& value, std::size_t digits) {
  if (value.empty()) return "-";
  return std::string_view(fleet_properties[property]) == "sha256" ? value.substr(0, digits) : value;
}

std::string state_word(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::unreached:
      return format("not reached");
    case FleetVerdict::problems:
      return format("problems");
    case FleetVerdict::differs:
      return format("differs");
    case FleetVerdict::same:
      return format("ok");
  }
  return {};
}

std::string deviations_of(const FleetHost& host) {
  std::vector<std::string> names;
  for (const std::size_t i : host.deviations)
    names.push_back(std::string(translated(property_labels[i])));
  return names.empty() ? "-" : joined(names, ", ");
}

std::string summary_of(const FleetStatus& fleet) {
  return fleet.deviating() == 0
             ? format("all {} hosts are alike and intact", fleet.hosts.size())
             : format("{} of {} hosts deviate", fleet.deviating(), fleet.hosts.size());
}

// With all properties, or only those that differ.
std::vector<std::vector<std::string>> matrix(const FleetStatus& fleet, bool with_all) {
  std::vector<std::vector<std::string>> rows = {{"host", "state"}};
  const auto is_shown = [&](std::size_t i) { return with_all || fleet.differs[i]; };
  const std::size_t digits = telling_digits(fleet);
  for (std::size_t i = 0; i < fleet_properties.size(); ++i) {
    if (is_shown(i)) rows.front().emplace_back(property_labels[i]);
  }
  for (const FleetHost& host : fleet.hosts) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {host.target, state_word(host.verdict)};
    for (std::size_t i = 0; i < fleet_properties.size(); ++i) {
      if (is_shown(i)) row.push_back(shown(i, host.values[i], digits));
    }
  }
  return rows;
}

}  // namespace

ReportPage fleet_page(const FleetStatus& fleet, const Json& targets) {
  ReportPage page;
  page.title = format("topsctl status: {}", summary_of(fleet));
  page.failed = fleet.deviating() > 0;
  page.facts_title = format("on most hosts");
  ReportPage::Section section{format("hosts"), matrix(fleet, true), 1, true};
  for (std::string& label : section.rows.front()) label = translated(label);
  section.rows.front().insert(section.rows.front().begin() + 2, format("differs in"));
  for (std::size_t i = 0; i < fleet.hosts.size(); ++i) {
    const FleetHost& host = fleet.hosts[i];
    auto& row = section.rows[i + 1];
    row.insert(row.begin() + 2, deviations_of(host));
    ReportPage& part = page.parts.emplace_back(host.verdict == FleetVerdict::unreached
                                                   ? ReportPage{}
                                                   : status_page(targets[host.place].at("report")));
    part.title = format("{}: {}", host.target, state_word(host.verdict));
    part.failed = host.verdict != FleetVerdict::same;
    if (!host.error.empty()) part.facts.emplace_back(format("error"), host.error);
  }
  page.sections.push_back(std::move(section));
  for (std::size_t i = 0; i < fleet_properties.size(); ++i)
    page.facts.emplace_back(translated(property_labels[i]),
                            fleet.usual[i].empty() ? "-" : fleet.usual[i]);
  return page;
}

std::string fleet_text(const FleetStatus& fleet, const Json& targets, const std::string& next,
                       const Style& style) {
  std::string text = table(matrix(fleet, false), style);
  std::vector<std::pair<std::string, std::string>> facts;
  for (const FleetHost& host : fleet.hosts) {
    if (host.verdict == FleetVerdict::unreached) {
      facts.emplace_back(host.target, host.error);
    } else if (host.verdict == FleetVerdict::problems) {
      const Json& report = targets[host.place].at("report");
      std::vector<std::string> lines = split(files_line(report), '\n');
      if (part_of(report, "intact") == Json(true) || lines.front().empty()) lines.clear();
      const Json& waiting = part_of(report, "waiting");
      if (waiting.is_array()) {
        for (const Json& each : waiting) lines.push_back(waiting_line(each));
      }
      if (lines.empty())
        lines.push_back(format("its report does not say that its files are intact"));
      facts.emplace_back(host.target, joined(lines, "\n"));
    }
  }
  std::vector<std::string> common;
  for (std::size_t i = 0; i < fleet_properties.size(); ++i) {
    if (!fleet.differs[i] && !fleet.usual[i].empty())
      common.push_back(concat(translated(property_labels[i]), " ", fleet.usual[i]));
  }
  if (!common.empty()) facts.emplace_back(format("all alike"), joined(common, ", "));
  facts.emplace_back(format("state:"), summary_of(fleet));
  return concat(text, labelled_lines(facts, style), next_line(format("next:"), next, style));
}

}  // namespace topsctl
