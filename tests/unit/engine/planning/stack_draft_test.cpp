// Which stack is drafted from which packages, and which of it is marked as a guess.
#include "topsctl/engine/planning/stack_draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack_parser.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Bundle {
  Inspection inspection;

  Package& add(PackageKind kind, const std::string& name, const std::string& version) {
    Package package;
    package.kind = kind;
    package.name = name;
    package.version = version;
    package.path = concat(name, "_", version);
    package.files.emplace();
    if (kind == PackageKind::deb) package.deb.emplace();
    inspection.inventory.packages.push_back(package);
    return inspection.inventory.packages.back();
  }
  Package& deb(const std::string& name, const std::string& version,
               const std::string& depends = "") {
    Package& package = add(PackageKind::deb, name, version);
    package.deb->depends = depends;
    return package;
  }
  // A library of the package that was added last.
  ElfFacts& library(const std::string& path, const std::string& soname) {
    const std::size_t index = inspection.inventory.packages.size() - 1;
    inspection.inventory.packages[index].files->push_back({path});
    ElfFile file;
    file.path = path;
    file.facts.type = "shared";
    file.facts.soname = soname;
    auto& files = inspection.contents[index].elf_files;
    files.push_back(file);
    return files.back().facts;
  }
  Json draft(const std::string& name = "ours") const {
    Json json = drafted_stack(inspection, {name, "", 0});
    parse_stack(to_text(json), "the draft");  // what is drafted can be used
    return json;
  }
};

std::vector<std::string> ids(const Json& list) {
  std::vector<std::string> found;
  for (const Json& each : list) found.push_back(each.at("id"));
  return found;
}

// "PLACE: what is to be decided" and "PLACE: evidence", of all notes.
std::vector<std::string> decisions(const Json& draft) {
  std::vector<std::string> found;
  for (const Json& note : draft.at("draft")) {
    if (note.contains("decide"))
      found.push_back(concat(note.at("place").get<std::string>(), ": ",
                             note.at("evidence").get<std::string>()));
  }
  return found;
}

TEST(DraftsOfStacks, OrderComponentsByTheirDependenciesAndFindTheirRelease) {
  Bundle bundle;
  bundle.deb("acme-tools", "1:2.3.1-1", "libacme2 (>= 2.3), libc6");
  bundle.deb("libacme2", "2.3.1-4");
  bundle.deb("libacme-dev", "2.3.1+b1", "libacme2 (= 2.3.1-4)");
  const Json draft = bundle.draft();
  EXPECT_THAT(ids(draft.at("components")), ElementsAre("libacme2", "acme-tools", "libacme-dev"));
  EXPECT_EQ(draft.at("components")[0].at("version"), "{release}");
  EXPECT_EQ(draft.at("components")[2].at("required"), false);
  EXPECT_EQ(draft.at("releases"),
            Json({{"from", "2.3"}, {"below", "2.4"}, {"tested", Json::array()}}));
  EXPECT_THAT(to_text(draft.at("draft")), HasSubstr("not in the bundle: libc6"));
  EXPECT_THAT(decisions(draft), Not(Contains(HasSubstr("no package depends"))));
}

TEST(DraftsOfStacks, PinEachVersionWhereThereIsNoCommonRelease) {
  Bundle bundle;
  bundle.deb("one", "1.2-1");
  bundle.deb("two", "7-3");
  const Json draft = bundle.draft();
  EXPECT_FALSE(draft.contains("releases"));
  EXPECT_EQ(draft.at("components")[0].at("version"), "1.2");
  EXPECT_FALSE(draft.at("components")[1].contains("version"));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("no package depends on another")));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("known vendor of cards")));
}

TEST(DraftsOfStacks, TakeTheNewestOfAPackageAndStandCircles) {
  Bundle bundle;
  bundle.deb("a", "1.2-1", "b");
  bundle.deb("a", "1.10-1", "b");
  bundle.deb("b", "1.10-1", "a");
  const Json draft = bundle.draft();
  EXPECT_THAT(ids(draft.at("components")), ElementsAre("a", "b"));
  EXPECT_EQ(draft.at("releases").at("from"), "1.10");
}

TEST(DraftsOfStacks, HaveDirectoriesThatLoaderAndShellDoNotSearch) {
  Bundle bundle;
  bundle.deb("libacme", "1.0-1");
  bundle.library("/opt/acme/lib/libacme.so.1", "libacme.so.1").version_functions = {
      "acmeOtherGetVersion", "acclGetVersion"};
  bundle.library("/usr/lib/x86_64-linux-gnu/libplain.so.2", "libplain.so.2");
  bundle.library("/opt/acme/lib/plugins/libplugin.so", "libplugin.so").version_functions = {
      "xcclGetVersion"};
  PayloadEntry tool{"/opt/acme/bin/acme-smi"};
  tool.mode = 0755;
  bundle.inspection.inventory.packages.back().files->push_back(tool);
  const Json draft = bundle.draft();
  EXPECT_EQ(
      draft.at("environment").at("paths"),
      Json::parse(R"([{"name": "LD_LIBRARY_PATH", "entries": [{"directory_of": "libacme.so.1"}]},
                            {"name": "PATH", "entries": [{"directory_of": "acme-smi"}]}])"));
  EXPECT_THAT(ids(draft.at("checks")),
              ElementsAre("libacme-installed", "environment-file", "libacme-files", "libacme-links",
                          "libacme-version", "libacme-1-links"));
  EXPECT_EQ(draft.at("checks")[4].at("symbols"), Json({"acclGetVersion"}));
}

TEST(DraftsOfStacks, AcceptARuntimeThatFindsNoDriver) {
  Bundle bundle;
  bundle.deb("libcudart11.0", "11.8.89-1");
  bundle.library("/usr/lib/libcudart.so.11.0", "libcudart.so.11.0").version_functions = {
      "cudaDriverGetVersion", "cudaRuntimeGetVersion"};
  const Json check = bundle.draft().at("checks")[4];
  EXPECT_EQ(check.at("symbols"), Json({"cudaRuntimeGetVersion"}));
  EXPECT_EQ(check.at("accepted"), Json({35, 100}));
}

TEST(DraftsOfStacks, KnowCardsByTheNamesOfPackages) {
  Bundle bundle;
  bundle.deb("libamdhip64-5", "5.2.3-8", "libhsa-runtime64-1");
  bundle.deb("libhsa-runtime64-1", "5.2.3-3");
  bundle.deb("zip", "3.0-1");
  const Json draft = bundle.draft();
  EXPECT_EQ(draft.at("accelerator").at("pci_vendor"), "1002");
  EXPECT_THAT(ids(draft.at("checks")), Contains("pci-cards"));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("/accelerator: named as AMD's")));
  EXPECT_EQ(drafted_stack(bundle.inspection, {"ours", "Ours", 4}).at("accelerator").at("cards"), 4);
}

TEST(DraftsOfStacks, SayWhatAWheelAloneLacks) {
  Bundle bundle;
  Package& wheel = bundle.add(PackageKind::wheel, "torch_acme", "1.10.0+2.5");
  wheel.depends = {"Torch (>=1.10)", "numpy ; extra == 'x'"};
  wheel.python = PythonNeeds{"", {"cp38-cp38-linux_x86_64"}, "3.8"};
  wheel.files = {
      {{"torch_acme/__init__.py"}, {"helper.py"}, {"torch_acme-1.10.0.dist-info/METADATA"}}};
  bundle.library("torch_acme/_C.so", "").needed = {"libaccl.so.2", "libc.so.6", "libtorch_cpu.so"};
  const Json draft = bundle.draft();
  EXPECT_EQ(draft.at("components")[0].at("beside"), "torch");
  EXPECT_EQ(draft.at("python").at("executables")[0], "/usr/bin/python3.8");
  EXPECT_EQ(draft.at("checks").back().at("module"), "torch_acme");
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("no package of the bundle has libaccl.so.2")));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("has no deb")));
}

TEST(DraftsOfStacks, NeedAPackage) {
  Bundle bundle;
  EXPECT_THROW(bundle.draft(), Error);
  bundle.deb("broken", "1.0").verdict = Verdict::broken;
  EXPECT_THROW(bundle.draft(), Error);
  bundle.deb("sound", "1.0");
  EXPECT_THAT(decisions(bundle.draft()), Contains(HasSubstr("cannot be read: broken_1.0")));
}

TEST(NamesOfDraftedStacks, AreIdentifiers) {
  EXPECT_EQ(stack_name_of("/srv/ROCm 5.2/"), "rocm-5.2");
  EXPECT_EQ(stack_name_of("debs.tar.gz"), "debs");
  EXPECT_EQ(stack_name_of("."), "stack");
  EXPECT_EQ(stack_name_of("--x"), "x");
}

}  // namespace
}  // namespace topsctl
