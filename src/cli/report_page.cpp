// The parts of a report that a page shows, and the page as text.
#include "cli/report_page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/finding_text.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

using Row = std::vector<std::string>;

std::string html_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? printable(value.get<std::string>(), Lines::keep) : to_line(value);
}

std::string field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? "-" : html_text(*found);
}

// A document of a remote host may have anything.
bool flag(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const Json& html_list(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : nothing;
}

std::string duration(const Json& object) {
  const auto found = object.find("duration_ms");
  const bool is_number = found != object.end() && found->is_number_integer();
  return is_number ? human_duration(found->get<std::int64_t>()) : "-";
}

// Adds a section unless it would only have a heading.
void add_section(ReportPage& page, ReportPage::Section section, const Row& heading) {
  if (section.rows.empty()) return;
  section.title = translated(section.title);
  for (Row& row : section.rows) {
    for (std::string& cell : row) cell = translated_text(cell);
  }
  section.rows.insert(section.rows.begin(), heading);
  for (std::string& name : section.rows.front()) name = translated(name);
  page.sections.push_back(std::move(section));
}

void add_lines(ReportPage& page, const Json& document, const char* key, const char* heading) {
  ReportPage::Section section;
  section.title = key;
  std::replace(section.title.begin(), section.title.end(), '_', ' ');
  for (const Json& line : html_list(document, key)) section.rows.push_back({html_text(line)});
  add_section(page, std::move(section), {heading});
}

void add_fact(ReportPage& page, const char* label, const std::string& value) {
  if (value != "-") page.facts.emplace_back(translated(label), translated_text(value));
}

// Host, user, time and packages.
void add_origin(ReportPage& page, const Json& document) {
  add_fact(page, "host", field(document, "host"));
  add_fact(page, "user", field(document, "user"));
  add_fact(page, "started", field(document, "started_at"));
  const auto bundle = document.find("bundle");
  if (bundle == document.end() || !bundle->is_object()) return;
  std::vector<std::string> paths;
  for (const Json& path : html_list(*bundle, "paths")) paths.push_back(html_text(path));
  if (!paths.empty()) add_fact(page, "bundle", joined(paths, "\n"));
  add_fact(page, "bundle sha256", field(*bundle, "sha256"));
}

void add_error(ReportPage& page, const Json& document) {
  const auto error = document.find("error");
  if (error == document.end() || !error->is_object()) return;
  for (const Json& circumstance : html_list(*error, "context"))
    add_fact(page, "failed at", html_text(circumstance));
  page.facts.emplace_back(translated("error"), field(*error, "message"));
  add_fact(page, "hint", field(*error, "hint"));
}

// The version that a package URL names.
std::string version_of_purl(const std::string& purl) {
  const std::size_t at = purl.find('@');
  if (at == std::string::npos) return {};
  const std::string encoded = purl.substr(at + 1, purl.find('?') - at - 1);
  std::string version;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const auto byte =
        encoded[i] == '%' ? bytes_of_hex(lower_case(encoded.substr(i + 1, 2))) : std::nullopt;
    if (byte && byte->size() == 1) i += 2;
    version += byte && byte->size() == 1 ? *byte : std::string(1, encoded[i]);
  }
  return printable(version);
}

class PageWriter {
 public:
  explicit PageWriter(const Json& document) : document_(document) {}

  ReportPage page() {
    page_.title =
        format("topsctl {}: {}", field(document_, "command"), field(document_, "outcome"));
    page_.failed = flag(document_, "failed");
    write_facts();
    write_packages();
    write_timed("phases", {"phase", "started", "took"}, {"name", "started_at"});
    write_timed("steps", {"step", "result", "took", "detail"}, {"id", "status"}, "detail");
    write_timed("checks", {"check", "result", "took", "observed"}, {"id", "status"}, "observed");
    write_restore();
    add_lines(page_, document_, "not_restored", "what");
    add_lines(page_, document_, "kept_of_others", "what");
    add_lines(page_, document_, "escaped_paths", "path");
    add_lines(page_, document_, "warnings", "warning");
    write_logs();
    return std::move(page_);
  }

 private:
  void write_facts() {
    const auto fact = [&](const char* label, const char* key) {
      add_fact(page_, label, field(document_, key));
    };
    // An error's message is not repeated.
    const auto error = document_.find("error");
    const bool is_error = error != document_.end() && error->is_object() &&
                          field(*error, "message") == field(document_, "msg");
    if (!is_error) fact("state", "msg");
    add_error(page_, document_);
    add_origin(page_, document_);
    fact("transaction", "transaction");
    fact("outcome", "outcome");
    fact("status", "status");
    fact("changed", "changed");
    fact("to be confirmed by", "confirm_until");
    fact("root", "root");
    if (const auto plan = document_.find("plan"); plan != document_.end() && plan->is_object()) {
      for (const char* key : {"stack", "python"}) add_fact(page_, key, field(*plan, key));
    }
    fact("topsctl", "topsctl_version");
  }

  void add(const std::string& title, const Row& heading, std::vector<Row> rows,
           std::optional<std::size_t> result = std::nullopt) {
    add_section(page_, {title, std::move(rows), result}, heading);
  }

  void write_packages() {
    std::vector<Row> rows;
    bool is_tried = false;
    for (const Json& package : html_list(document_, "packages")) {
      const std::string after = field(package, "after");
      const std::string tried = version_of_purl(field(package, "purl"));
      rows.push_back({field(package, "name"), field(package, "kind"), field(package, "before"),
                      tried.empty() ? after : tried, after});
      is_tried = is_tried || rows.back()[3] != after;
    }
    Row heading = {"package", "kind", "before", "tried", "after"};
    if (!is_tried) {
      heading.erase(heading.begin() + 3);
      for (Row& row : rows) row.erase(row.begin() + 3);
    }
    add("packages", heading, std::move(rows));
  }

  void write_timed(const char* key, const Row& heading, const std::vector<const char*>& before,
                   const char* after = nullptr) {
    std::vector<Row> rows;
    for (const Json& entry : html_list(document_, key)) {
      Row row;
      for (const char* name : before) row.push_back(field(entry, name));
      row.push_back(duration(entry));
      if (after != nullptr) row.push_back(field(entry, after));
      rows.push_back(std::move(row));
    }
    add(key, heading, std::move(rows),
        after == nullptr ? std::nullopt : std::optional<std::size_t>(1));
  }

  void write_restore() {
    const auto rollback = document_.find("rollback");
    if (rollback == document_.end() || !rollback->is_object()) return;
    const Json verified = rollback->value("verified", Json::object());
    page_.facts.emplace_back(format("rollback verified"),
                             format("{} paths, {} differences", field(verified, "paths_checked"),
                                    field(verified, "paths_differing")));
    std::vector<Row> rows;
    for (const Json& path : html_list(verified, "differing")) rows.push_back({html_text(path)});
    add("differing paths", {"path"}, std::move(rows));
  }

  void write_logs() {
    std::vector<Row> rows;
    for (const Json& log : html_list(document_, "logs")) {
      rows.push_back(
          {field(log, "kind"), field(log, "path"), field(log, "bytes"), field(log, "sha256")});
    }
    add("raw logs", {"kind", "path", "bytes", "sha256 of these bytes"}, std::move(rows));
  }

  const Json& document_;
  ReportPage page_;
};

}  // namespace

ReportPage report_page(const Json& document) {
  return PageWriter(document).page();
}

namespace {

std::string first_line(const std::string& text) {
  return split(text, '\n').front();
}

// For one target: its own report, if there is one. Its warnings are shown on the main page.
ReportPage target_page(const Json& target) {
  const auto report = target.find("report");
  const bool has_report = report != target.end() && report->is_object();
  Json shown = has_report ? *report : Json::object();
  shown.erase("warnings");
  ReportPage page = has_report ? report_page(shown) : ReportPage{};
  page.title = format("{}: {}", field(target, "target"), field(target, "status"));
  page.failed = field(target, "status") == "failed";
  if (!has_report) add_error(page, target);
  if (const auto confirmation = target.find("confirmation");
      confirmation != target.end() && confirmation->is_object())
    add_fact(page, "confirmation", field(*confirmation, "msg"));
  ReportPage::Section files{"files", {}};
  for (const Json& file : html_list(target, "files"))
    files.rows.push_back({field(file, "name"), field(file, "size"), field(file, "sent_bytes"),
                          field(file, "sha256")});
  add_section(page, std::move(files), {"file", "bytes", "sent", "sha256"});
  return page;
}

// `is_alone`: the page shows its error already.
Row target_row(const Json& target, bool is_alone) {
  static const Json nothing = Json::object();
  const auto found = target.find("report");
  const Json& report = found != target.end() && found->is_object() ? *found : nothing;
  const auto error = target.find("error");
  const bool has_error = error != target.end() && error->is_object();
  return {
      field(target, "target"),  field(target, "status"),
      field(report, "outcome"), field(report, "transaction"),
      duration(target),         has_error && !is_alone ? first_line(field(*error, "message")) : "-",
      field(report, "log")};
}

}  // namespace

ReportPage deployment_page(const Json& document) {
  ReportPage page;
  const Json& all = html_list(document, "targets");
  const bool is_alone = all.size() == 1;
  // A target's error is shown with the target, and the title is the error of several.
  page.title = format("topsctl {}: {}", field(document, "command"),
                      is_alone ? concat(field(all[0], "target"), ": ", field(all[0], "status"))
                               : field(document, "msg"));
  page.failed = flag(document, "failed");
  page.facts_title = format("deployment");
  if (all.empty()) add_error(page, document);
  add_origin(page, document);
  for (const char* key : {"stack", "destination", "changed"})
    add_fact(page, key, field(document, key));
  add_fact(page, "topsctl", field(document, "topsctl_version"));
  ReportPage::Section targets{"targets", {}, 1, true};
  for (const Json& target : all) {
    targets.rows.push_back(target_row(target, is_alone));
    page.parts.push_back(target_page(target));
  }
  add_section(page, std::move(targets),
              {"target", "state", "outcome", "transaction", "took", "error", "log"});
  add_lines(page, document, "warnings", "warning");
  return page;
}

Mark mark_of_result(const std::string& result) {
  static const std::map<std::string, Mark, std::less<>> marks = {
      {"ok", Mark::good},           {"differs", Mark::attention}, {"problems", Mark::bad},
      {"not reached", Mark::bad},   {"done", Mark::good},         {"pass", Mark::good},
      {"failed", Mark::bad},        {"fail", Mark::bad},          {"warn", Mark::attention},
      {"unknown", Mark::attention}, {"pending", Mark::open},      {"skipped", Mark::open},
      {"not_started", Mark::open},  {"planned", Mark::open}};
  const auto found = marks.find(result);
  return found == marks.end() ? Mark::none : found->second;
}

std::string report_text(const ReportPage& page, const Style& style) {
  const auto line = [&](const std::string& words, const std::string& before, std::size_t indent) {
    return style.columns == 0 ? concat(before, words, "\n")
                              : wrapped(words, before, style.columns, indent);
  };
  std::string text = line(style.bold(page.title), "", 2);
  std::size_t width = 0;
  for (const auto& [label, value] : page.facts) width = std::max(width, display_width(label));
  for (const auto& [label, value] : page.facts) {
    std::string before =
        concat("  ", style.dim(label), std::string(width - display_width(label) + 2, ' '));
    for (const std::string& each : split(value, '\n')) {
      text += line(each, before, width + 4);
      before = std::string(width + 4, ' ');
    }
  }
  for (const ReportPage::Section& section : page.sections) {
    std::vector<Row> rows = section.rows;
    for (Row& row : rows) {
      for (std::string& cell : row) std::replace(cell.begin(), cell.end(), '\n', ' ');
    }
    text += concat("\n", style.bold(section.title), "\n", table(rows, style));
  }
  for (const ReportPage& part : page.parts) text += concat("\n", report_text(part, style));
  return text;
}

}  // namespace topsctl
