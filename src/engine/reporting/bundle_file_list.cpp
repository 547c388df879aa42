// The files of a bundle that a report lists: for training, documents, the largest.
#include "engine/reporting/bundle_file_list.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "topsctl/base/text.hpp"
#include "topsctl/model/place.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

std::string_view base_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

bool is_eccl(const Package& package) {
  const std::string name = normalized_name(package.name);
  return name == "tops-eccl" || name == "eccl";
}

bool is_training_script(std::string_view path) {
  const std::string name = lower_case(base_name(path));
  if (!name.ends_with(".py") && !name.ends_with(".sh")) return false;
  constexpr std::array<std::string_view, 9> words = {"train",    "launch",   "dist",
                                                     "torchrun", "horovod",  "deepspeed",
                                                     "ptex",     "megatron", "benchmark"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

bool is_training_program(const Package& package, const PayloadEntry& entry) {
  const std::string_view name = base_name(entry.path);
  if (name.starts_with("eccl_") && name.ends_with("_perf")) return true;
  constexpr unsigned executable = 0111;
  const bool is_library = name.find(".so") != std::string_view::npos;
  return is_eccl(package) && (entry.mode & executable) != 0 && !is_library;
}

bool is_document(std::string_view path) {
  const std::string name = lower_case(base_name(path));
  constexpr std::array<std::string_view, 8> endings = {".pdf",  ".md",   ".txt", ".rst",
                                                       ".html", ".docx", ".doc", ".chm"};
  // Lists inside packages for their installers.
  constexpr std::array<std::string_view, 4> lists = {"top_level.txt", "entry_points.txt",
                                                     "sources.txt", "requires.txt"};
  if (std::find(lists.begin(), lists.end(), name) != lists.end()) return false;
  return name.starts_with("eula") || name.starts_with("readme") || name.starts_with("license") ||
         std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Calls the function for each regular file within packages that are not archived.
void for_each_payload(
    const Inspection& inspection,
    const std::function<void(const Package&, const std::string& place, const PayloadEntry&)>& see) {
  for (const Package& package : inspection.inventory.packages) {
    if (!package.files || package.verdict == Verdict::archived) continue;
    for (const PayloadEntry& entry : *package.files) {
      if (entry.type != PayloadEntry::Type::file) continue;
      std::vector<std::string> container = package.container;
      container.push_back(package.path);
      see(package, place_text(container, entry.path), entry);
    }
  }
}

void sort_by_place(std::vector<BundleFile>& files) {
  std::sort(files.begin(), files.end(),
            [](const BundleFile& a, const BundleFile& b) { return a.place < b.place; });
}

bool is_bigger(const BundleFile& a, const BundleFile& b) {
  return a.size != b.size ? a.size > b.size : a.place < b.place;
}

}  // namespace

std::vector<BundleFile> training_files(const Inspection& inspection) {
  std::vector<BundleFile> files;
  for (const OtherFile& file : inspection.others) {
    if (is_training_script(file.path))
      files.push_back({place_text(file.container, file.path), file.size});
  }
  for_each_payload(
      inspection, [&](const Package& package, const std::string& place, const PayloadEntry& entry) {
        if (is_training_program(package, entry) || is_training_script(entry.path))
          files.push_back({place, entry.size});
      });
  sort_by_place(files);
  return files;
}

std::vector<BundleFile> document_files(const Inspection& inspection) {
  std::vector<BundleFile> files;
  for (const OtherFile& file : inspection.others) {
    if (is_document(file.path)) files.push_back({place_text(file.container, file.path), file.size});
  }
  for_each_payload(inspection,
                   [&](const Package&, const std::string& place, const PayloadEntry& entry) {
                     if (is_document(entry.path)) files.push_back({place, entry.size});
                   });
  sort_by_place(files);
  return files;
}

std::vector<BundleFile> biggest_files(const Inspection& inspection, std::size_t most) {
  std::vector<BundleFile> files;
  const auto take = [&](std::string place, std::uint64_t size) {
    files.push_back({std::move(place), size});
    // Limits the list, because a bundle may have a million files.
    if (files.size() < 4 * most + 64) return;
    std::sort(files.begin(), files.end(), is_bigger);
    files.resize(std::min(files.size(), most));
  };
  for (const Package& package : inspection.inventory.packages)
    take(place_text(package.container, package.path), package.size);
  for (const ContainerFile& file : inspection.containers)
    take(place_text(file.container, file.path), file.size);
  for (const OtherFile& file : inspection.others)
    take(place_text(file.container, file.path), file.size);
  for_each_payload(inspection, [&](const Package&, const std::string& place,
                                   const PayloadEntry& entry) { take(place, entry.size); });
  std::sort(files.begin(), files.end(), is_bigger);
  files.resize(std::min(files.size(), most));
  return files;
}

std::map<Setting, std::uint64_t> all_settings(const Inspection& inspection) {
  std::map<Setting, std::uint64_t> settings = inspection.settings;
  for (const auto& [unused, contents] : inspection.contents) {
    for (const auto& [setting, times] : contents.settings) settings[setting] += times;
  }
  return settings;
}

}  // namespace topsctl
