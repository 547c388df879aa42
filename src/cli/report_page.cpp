// What a page shows of a report, and the page as text.
#include "cli/report_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using Row = std::vector<std::string>;

std::string html_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? printable(value.get<std::string>(), Lines::keep) : value.dump();
}

std::string field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? "-" : html_text(*found);
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

class PageWriter {
 public:
  explicit PageWriter(const Json& document) : document_(document) {}

  ReportPage page() {
    page_.title =
        format("topsctl {}: {}", field(document_, "command"), field(document_, "outcome"));
    page_.failed = document_.value("failed", false);
    write_facts();
    write_error();
    write_packages();
    write_timed("phases", {"phase", "started", "took"}, {"name", "started_at"});
    write_timed("steps", {"step", "result", "took", "detail"}, {"id", "status"}, "detail");
    write_timed("checks", {"check", "result", "took", "observed"}, {"id", "status"}, "observed");
    write_restore();
    for (const char* key : {"not_restored", "kept_of_others", "escaped_paths", "warnings"})
      write_lines(key);
    write_logs();
    return std::move(page_);
  }

 private:
  void write_facts() {
    const auto fact = [&](const char* label, const char* key) {
      const std::string value = field(document_, key);
      if (value != "-") page_.facts.emplace_back(label, value);
    };
    fact("state", "msg");
    fact("transaction", "transaction");
    fact("outcome", "outcome");
    fact("status", "status");
    fact("changed", "changed");
    fact("to be confirmed until", "confirm_until");
    fact("root", "root");
    if (const auto plan = document_.find("plan"); plan != document_.end() && plan->is_object()) {
      for (const char* key : {"stack", "python"}) {
        if (const std::string value = field(*plan, key); value != "-")
          page_.facts.emplace_back(key, value);
      }
    }
    fact("topsctl", "topsctl_version");
  }

  void write_error() {
    const auto error = document_.find("error");
    if (error == document_.end() || !error->is_object()) return;
    for (const Json& circumstance : html_list(*error, "context"))
      page_.facts.emplace_back("failed at", html_text(circumstance));
    page_.facts.emplace_back("error", field(*error, "message"));
    if (const std::string hint = field(*error, "hint"); hint != "-")
      page_.facts.emplace_back("hint", hint);
  }

  void add(const std::string& title, const Row& heading, std::vector<Row> rows) {
    if (rows.empty()) return;
    rows.insert(rows.begin(), heading);
    page_.sections.push_back({title, std::move(rows)});
  }

  void write_packages() {
    std::vector<Row> rows;
    for (const Json& package : html_list(document_, "packages")) {
      rows.push_back({field(package, "name"), field(package, "kind"), field(package, "before"),
                      field(package, "after")});
    }
    add("packages", {"package", "kind", "before", "after"}, std::move(rows));
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
    add(key, heading, std::move(rows));
  }

  void write_restore() {
    const auto rollback = document_.find("rollback");
    if (rollback == document_.end() || !rollback->is_object()) return;
    const Json verified = rollback->value("verified", Json::object());
    page_.facts.emplace_back("proof of the restore", format("{} paths compared, {} differ",
                                                            field(verified, "paths_checked"),
                                                            field(verified, "paths_differing")));
    std::vector<Row> rows;
    for (const Json& path : html_list(verified, "differing")) rows.push_back({html_text(path)});
    add("paths that differ", {"path"}, std::move(rows));
  }

  void write_lines(const char* key) {
    std::string title = key;
    std::replace(title.begin(), title.end(), '_', ' ');
    std::vector<Row> rows;
    for (const Json& line : html_list(document_, key)) rows.push_back({html_text(line)});
    add(title, {"what"}, std::move(rows));
  }

  void write_logs() {
    std::vector<Row> rows;
    for (const Json& log : html_list(document_, "logs")) {
      rows.push_back(
          {field(log, "kind"), field(log, "path"), field(log, "bytes"), field(log, "sha256")});
    }
    add("raw records", {"kind", "path", "bytes", "sha256 of these"}, std::move(rows));
  }

  const Json& document_;
  ReportPage page_;
};

}  // namespace

ReportPage report_page(const Json& document) {
  return PageWriter(document).page();
}

std::string report_text(const ReportPage& page, const Style& style) {
  std::string text = concat(style.bold(page.title), "\n");
  std::size_t width = 0;
  for (const auto& [label, value] : page.facts) width = std::max(width, label.size());
  for (const auto& [label, value] : page.facts) {
    const std::vector<std::string> lines = split(value, '\n');
    text += concat("  ", style.dim(label), std::string(width - label.size() + 2, ' '),
                   lines.front(), "\n");
    for (std::size_t i = 1; i < lines.size(); ++i)
      text += concat(std::string(width + 4, ' '), lines[i], "\n");
  }
  for (const ReportPage::Section& section : page.sections) {
    std::vector<Row> rows = section.rows;
    for (Row& row : rows) {
      for (std::string& cell : row) std::replace(cell.begin(), cell.end(), '\n', ' ');
    }
    text += concat("\n", style.bold(section.title), "\n", table(rows, style));
  }
  return text;
}

}  // namespace topsctl
