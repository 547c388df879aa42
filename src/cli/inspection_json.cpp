// Writes the members of the document one package, and one file, at a time.
#include "cli/inspection_json.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

namespace topsctl {

namespace {

template <class Items, class Write>
void write_list(std::ostream& out, const char* name, const Items& items, const Write& write) {
  out << "  \"" << name << "\": [";
  const char* separator = "\n    ";
  for (const auto& item : items) {
    out << separator;
    write(item);
    separator = ",\n    ";
  }
  out << (items.empty() ? "]" : "\n  ]");
}

void write_package(std::ostream& out, const Package& package, const Contents* contents) {
  std::string line = to_line(to_json(package));
  line.pop_back();
  out << line << ",\"contents\":" << (contents == nullptr ? "null" : to_line(to_json(*contents)))
      << ",\"files\":";
  if (!package.files) {
    out << "null}";
    return;
  }
  const Listing listing = package.files_are_claims ? Listing::claimed : Listing::read;
  out << '[';
  const char* separator = "\n      ";
  for (const PayloadEntry& entry : *package.files) {
    out << separator << to_line(to_json(entry, listing));
    separator = ",\n      ";
  }
  out << "]}";
}

Json to_json(const StackMatch& match) {
  return {{"name", match.name},
          {"release", text_or_null(match.release)},
          {"complete", match.missing.empty() && match.problem.empty()},
          {"found", match.found},
          {"missing", match.missing},
          {"problem", text_or_null(match.problem)}};
}

}  // namespace

void write_members(std::ostream& out, const InspectionDocument& document) {
  const Inspection& inspection = document.inspection;
  out << "  \"level\": " << to_line(name(inspection.depth)) << ",\n";
  std::size_t index = 0;
  write_list(out, "packages", inspection.inventory.packages, [&](const Package& package) {
    const auto contents = inspection.contents.find(index++);
    write_package(out, package,
                  contents == inspection.contents.end() ? nullptr : &contents->second);
  });
  out << ",\n";
  write_list(out, "containers", inspection.containers,
             [&](const ContainerFile& container) { out << to_line(topsctl::to_json(container)); });
  out << ",\n";
  write_list(out, "findings", document.findings,
             [&](const Finding& finding) { out << to_line(topsctl::to_json(finding)); });
  out << ",\n";
  write_list(out, "stacks", document.stacks,
             [&](const StackMatch& match) { out << to_line(to_json(match)); });
  out << ",\n  \"verdict\": " << to_line(topsctl::to_json(document.verdict))
      << ",\n  \"other_files\": " << inspection.inventory.other_files << ",\n";
  write_list(out, "others", inspection.others,
             [&](const OtherFile& file) { out << to_line(topsctl::to_json(file)); });
  out << ",\n  \"settings\": " << to_line(topsctl::to_json(inspection.settings))
      << ",\n  \"against\": " << to_line(document.against)
      << ",\n  \"diff\": " << to_line(document.diff) << ",\n  \"lock\": " << to_line(document.lock);
}

}  // namespace topsctl
