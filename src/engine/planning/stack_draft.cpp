// Guesses a stack from what packages declare and contain, and writes down why.
#include "topsctl/engine/planning/stack_draft.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "engine/planning/draft_environment.hpp"
#include "engine/planning/draft_packages.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr int driver_too_old = 35;  // cudaErrorInsufficientDriver: also without any driver
constexpr int no_device = 100;      // cudaErrorNoDevice

// The vendor's part of a version: a deb's without what its distribution adds.
std::vector<std::string> own_numbers(const Package& package) {
  std::string_view version = package.version;
  if (package.kind == PackageKind::deb) {
    version = version.substr(0, version.rfind('-'));
    for (const std::string_view added : {"~ubuntu", "+ubuntu", "ubuntu", "~deb", "+deb", "~bpo"})
      version = version.substr(0, version.find(added));
  }
  std::vector<std::string> numbers = numbers_of(version);
  // Ubuntu's number behind a tilde is one too: "6.2.4~22.04".
  std::erase_if(numbers, [&](const std::string& number) {
    return number.size() == 5 && (number.ends_with(".04") || number.ends_with(".10")) &&
           version.ends_with(concat("~", number));
  });
  return numbers;
}

class Draft {
 public:
  Draft(const Inspection& inspection, const DraftWishes& wishes)
      : wishes_(wishes), packages_(packages_of_draft(inspection)) {
    json_ = {
        {"schema", 1},
        {"name", wishes.name},
        {"title", wishes.title.empty() ? format("packages of {}", wishes.name) : wishes.title}};
    if (wishes.title.empty())
      note("/title", format("no package has a title for all"),
           format("what people call the stack"));
  }

  Json document() {
    find_release();
    add_components();
    add_python();
    json_["environment"] = drafted_environment(packages_, wishes_.name, notes_);
    add_accelerator();
    note_texts(packages_, json_.contains("accelerator"), notes_);
    add_checks();
    say_what_is_missing();
    json_["draft"] = std::move(notes_.list);
    return std::move(json_);
  }

 private:
  void note(const std::string& place, const std::string& evidence, const std::string& decide = {}) {
    notes_.add(place, evidence, decide);
  }

  // The one number that every package has in its version.
  void find_release() {
    std::optional<std::vector<std::string>> common;
    for (const DraftPackage& each : packages_) {
      std::vector<std::string> numbers = own_numbers(*each.package);
      if (common) {
        std::erase_if(*common, [&](const std::string& number) {
          return std::find(numbers.begin(), numbers.end(), number) == numbers.end();
        });
      } else {
        common = std::move(numbers);
      }
    }
    if (packages_.size() < 2 || common->empty()) return;
    release_ = *std::max_element(common->begin(), common->end(),
                                 [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::vector<std::string> parts = split(release_, '.');
    const std::string next = concat(std::stoull(parts[1].substr(0, 9)) + 1);
    json_["releases"] = {{"from", concat(parts[0], ".", parts[1])},
                         {"below", concat(parts[0], ".", next)},
                         {"tested", Json::array()}};
    note("/releases", format("all packages have {} in their version", release_),
         format("which other releases these lines are good for, and which were tested"));
  }

  void add_components() {
    Json components = Json::array();
    for (const DraftPackage& each : packages_) {
      const Package& package = *each.package;
      const std::string place = concat("/components/", components.size());
      Json component = {{"id", each.id}, {"kind", name(package.kind)}, {"names", {package.name}}};
      const std::vector<std::string> numbers = own_numbers(package);
      if (!release_.empty()) {
        component["version"] = release_placeholder;
      } else if (!numbers.empty()) {
        component["version"] = numbers.front();
        note(concat(place, "/version"), format("{} is {}", package.name, package.version),
             format("whether other versions belong to the stack"));
      } else {
        note(place,
             format("{} is {}, which has no number with a dot", package.name, package.version),
             format("which versions belong to the stack"));
      }
      if (each.is_optional) {
        component["required"] = false;
        note(concat(place, "/required"),
             format("{} is named as packages are that a run does not need", package.name));
      }
      if (is_beside_torch(package)) {
        component["beside"] = "torch";
        note(concat(place, "/beside"), format("{} requires torch", package.name));
      }
      if (!each.after.empty())
        note(place, format("after {}, on which it depends", named(each.after)));
      if (!each.in_circle.empty())
        note(place, format("it depends on {}, which depends on it", named(each.in_circle)));
      if (each.others > 0)
        note(place, format("{} of {} in the bundle; this is the newest",
                           counted(each.others + 1, "version"), package.name));
      note_what_fits_not_everywhere(package, place);
      components.push_back(std::move(component));
    }
    json_["components"] = std::move(components);
  }

  void note_what_fits_not_everywhere(const Package& package, const std::string& place) {
    const std::string& architecture = package.architecture;
    if (!architecture.empty() && architecture != "all" && architecture != "any" &&
        architecture != "amd64" && architecture != "x86_64")
      note(place, format("{} is built for {}", package.name, architecture),
           format("whether the stack's servers have this architecture"));
    if (package.python && !package.python->requires_python.empty())
      note(place, format("{} requires Python {}", package.name, package.python->requires_python));
    if (package.wheel && !package.wheel->faults.empty())
      note(place,
           format("{} is no sound wheel: {}", package.path, package.wheel->faults.front().why),
           format("whether the vendor has a sound one: installs refuse it"));
  }

  static bool is_beside_torch(const Package& package) {
    return package.kind == PackageKind::wheel &&
           std::any_of(package.depends.begin(), package.depends.end(),
                       [](const std::string& need) { return distribution_of(need) == "torch"; });
  }

  void add_python() {
    Minors minors;
    bool is_beside = false;
    std::optional<Minors> shared;
    for (const DraftPackage& each : packages_) {
      minors.insert(each.minors.begin(), each.minors.end());
      is_beside = is_beside || is_beside_torch(*each.package);
      if (each.minors.empty()) continue;
      if (!shared) shared = each.minors;
      std::erase_if(*shared, [&](const std::string& one) { return !each.minors.contains(one); });
    }
    Json executables = Json::array();
    for (const std::string& minor : minors) executables.push_back(concat("/usr/bin/python", minor));
    for (const char* usual : {"/usr/bin/python3", "/usr/local/bin/python3"})
      executables.push_back(usual);
    json_["python"] = {{"tested_minors", minors}, {"executables", std::move(executables)}};
    if (is_beside) json_["python"]["unchanged"] = {"torch"};
    const std::vector<std::string> all(minors.begin(), minors.end());
    if (!minors.empty())
      note("/python/tested_minors", format("the wheels' tags: {}", joined(all, ", ")));
    if (shared && shared->empty())
      note("/python/tested_minors", format("no Python can have all wheels of the bundle"),
           format("which wheels belong to the stack"));
  }

  void add_accelerator() {
    const Json data =
        parse_json(*embedded_file("rules/card-vendors.json"), "rules/card-vendors.json");
    std::set<std::string> best;
    const Json* vendor = nullptr;
    for (const Json& each : data.at("vendors")) {
      std::set<std::string> marked;
      for (const DraftPackage& one : packages_) {
        std::string_view plain = one.package->name;
        if (plain.starts_with("lib")) plain.remove_prefix(3);
        for (const Json& mark : each.at("marks")) {
          if (plain.starts_with(mark.get<std::string>())) marked.insert(one.package->name);
        }
      }
      if (marked.size() <= best.size()) continue;
      best = std::move(marked);
      vendor = &each;
    }
    if (vendor == nullptr) return;
    Json accelerator = vendor->at("accelerator");
    if (wishes_.cards > 0) accelerator["cards"] = wishes_.cards;
    note("/accelerator",
         format("named as {}'s packages are: {}", vendor->at("name").get<std::string>(),
                named(best)),
         wishes_.cards > 0 ? std::string() : format("how many cards a server has"));
    json_["accelerator"] = std::move(accelerator);
  }

  void add_check(Json check) {
    auto& id = check.at("id").get_ref<std::string&>();
    const std::string wished = id;
    for (int number = 2; !check_ids_.insert(id).second; ++number) id = concat(wished, "-", number);
    checks_.push_back(std::move(check));
  }

  void add_checks() {
    for (const DraftPackage& each : packages_) {
      const bool is_deb = each.package->kind == PackageKind::deb;
      add_check({{"id", concat(each.id, "-installed")},
                 {"kind", is_deb ? "deb_installed" : "wheel_installed"},
                 {"rung", "files"},
                 {"component", each.id}});
    }
    add_check({{"id", "environment-file"}, {"kind", "environment_file"}, {"rung", "files"}});
    for (const DraftPackage& each : packages_) {
      if (each.package->kind == PackageKind::deb)
        add_check({{"id", concat(each.id, "-files")},
                   {"kind", "deb_files"},
                   {"rung", "files"},
                   {"component", each.id}});
    }
    for (const DraftPackage& each : packages_) {
      if (each.package->kind == PackageKind::deb) add_library_checks(each);
    }
    for (const DraftPackage& each : packages_) {
      if (each.module.empty()) {
        if (each.package->kind == PackageKind::wheel)
          note("/checks", format("{} has no top module", each.package->name),
               format("how its import is checked"));
        continue;
      }
      note(concat("/checks/", checks_.size()),
           format("{} is the top module of {}", each.module, each.package->name));
      add_check({{"id", concat(each.id, "-import")},
                 {"kind", "python_import"},
                 {"rung", "import"},
                 {"component", each.id},
                 {"module", each.module}});
    }
    if (json_.contains("accelerator")) {
      add_check({{"id", "driver"}, {"kind", "driver"}, {"rung", "device"}});
      add_check({{"id", "device-nodes"}, {"kind", "device_nodes"}, {"rung", "device"}});
      add_check({{"id", "pci-cards"}, {"kind", "pci_cards"}, {"rung", "device"}});
    }
    json_["checks"] = std::move(checks_);
  }

  void add_library_checks(const DraftPackage& each) {
    std::size_t number = 0;
    std::string last;
    for (const DraftLibrary& library : each.libraries) {
      if (library.file == std::exchange(last, library.file)) continue;  // in another directory
      const std::string base = concat(each.id, number == 0 ? std::string() : concat("-", number));
      ++number;
      add_check({{"id", concat(base, "-links")},
                 {"kind", "library_links"},
                 {"rung", "load"},
                 {"component", each.id},
                 {"file", library.file}});
      if (library.version_function.empty()) continue;
      note(concat("/checks/", checks_.size()),
           format("{} exports {}, which takes the address of an int in the libraries that have it",
                  library.file, library.version_function));
      Json call = {{"id", concat(base, "-version")},
                   {"kind", "library_call"},
                   {"rung", "load"},
                   {"component", each.id},
                   {"file", library.file},
                   {"symbols", {library.version_function}}};
      // CUDA's runtime and those of its kin share these codes.
      if (library.version_function.ends_with("RuntimeGetVersion"))
        call["accepted"] = {driver_too_old, no_device};
      add_check(std::move(call));
    }
  }

  void say_what_is_missing() {
    if (packages_.size() > 1 && packages_.are_unrelated())
      note("", format("no package depends on another one of the bundle"),
           format("whether these packages belong together"));
    if (packages_.has_only(PackageKind::wheel))
      note("", format("the bundle has no deb"),
           format("where the libraries that the wheel needs come from"));
    if (!packages_.missing_libraries.empty())
      note("", format("no package of the bundle has {}", named(packages_.missing_libraries)),
           format("which package brings these libraries"));
    if (!json_.contains("accelerator"))
      note("", format("no package is named as those of a known vendor of cards"),
           format("whether the stack is for cards: add 'accelerator' and its checks"));
    if (!packages_.unreadable.empty())
      note("", format("packages that cannot be read: {}", named(packages_.unreadable)),
           format("whether they belong to the stack: `topsctl inspect` says what is wrong"));
    if (!packages_.inexpressible.empty())
      note("", format("names that a stack file cannot hold: {}", named(packages_.inexpressible)),
           format("how these files are checked and found"));
    if (!packages_.outside.empty())
      note("/components", format("they depend on packages that are not in the bundle: {}",
                                 named(packages_.outside)));
  }

  const DraftWishes& wishes_;
  DraftPackages packages_;
  std::string release_;
  Json json_;
  Json checks_ = Json::array();
  std::set<std::string> check_ids_;
  DraftNotes notes_;
};

}  // namespace

Json drafted_stack(const Inspection& inspection, const DraftWishes& wishes) {
  return Draft(inspection, wishes).document();
}

std::string stack_name_of(const std::string& bundle) {
  std::filesystem::path path(bundle);
  if (!path.has_filename()) path = path.parent_path();
  std::string text = path.filename().string();
  for (const char* ending :
       {".tar.gz", ".tar.xz", ".tar", ".tgz", ".deb", ".whl", ".run", ".zip"}) {
    if (text.ends_with(ending)) text.resize(text.size() - std::string_view(ending).size());
  }
  std::string named = lower_case(text);
  for (char& c : named) {
    const bool is_good =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '_';
    if (!is_good) c = '-';
  }
  named.erase(0, named.find_first_not_of("-."));
  return named.empty() ? "stack" : named;
}

}  // namespace topsctl
