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

// A name that several directories have is no anchor for any of them.
TEST(DraftsOfStacks, KeepEachDirectoryOfFilesOfOneName) {
  Bundle bundle;
  bundle.deb("acme", "1.0-1");
  bundle.library("/opt/acme/lib/libacme.so.1", "libacme.so.1");
  bundle.library("/opt/acme/debug/lib/libacme.so.1", "libacme.so.1");
  bundle.library("/opt/acme/debug/lib/libtrace.so.1", "libtrace.so.1");
  for (const char* path : {"/opt/acme/bin/smi", "/opt/acme/old/bin/smi"}) {
    PayloadEntry tool{path};
    tool.mode = 0755;
    bundle.inspection.inventory.packages.back().files->push_back(tool);
  }
  const Json draft = bundle.draft();
  EXPECT_EQ(draft.at("environment").at("paths"), Json::parse(R"([{"name": "LD_LIBRARY_PATH",
                       "entries": [{"directory_of": "libtrace.so.1"}, {"if_present": "/opt/acme/lib"}]},
                      {"name": "PATH",
                       "entries": [{"if_present": "/opt/acme/bin"}, {"if_present": "/opt/acme/old/bin"}]}])"));
  EXPECT_THAT(ids(draft.at("checks")), ElementsAre("acme-installed", "environment-file",
                                                   "acme-files", "acme-links", "acme-1-links"));
}

TEST(DraftsOfStacks, DoNotTakeADistributionForARelease) {
  for (const auto& versions :
       std::vector<std::vector<std::string>>{{"6.2.4.60204-139~22.04", "1.14.0-139~22.04"},
                                             {"6.2.4~22.04", "1.14.0~22.04"},
                                             {"2.0-0ubuntu0.20.04.1", "3.0-0ubuntu0.20.04.1"},
                                             {"2.26.6-1+cuda12.8", "9.8.0-1+cuda12.8"},
                                             {"1.2.3+deb12.1", "1.3.0+deb12.1"}}) {
    Bundle bundle;
    bundle.deb("one", versions[0]);
    bundle.deb("two", versions[1]);
    const Json draft = bundle.draft();
    EXPECT_FALSE(draft.contains("releases")) << to_text(draft);
    EXPECT_NE(draft.at("components")[0].at("version"), draft.at("components")[1].at("version"));
  }
  Bundle bundle;
  bundle.deb("libcudart11.0", "11.8.89~11.8.0-5~deb12u1");
  bundle.deb("libcublas11", "11.11.3.6~11.8.0-5~deb12u1");
  EXPECT_EQ(bundle.draft().at("releases").at("from"), "11.8");
}

TEST(DraftsOfStacks, TellADebFromAWheelOfItsNameAndDebsFromEachOther) {
  Bundle bundle;
  bundle.deb("foo", "1.0-1");
  bundle.deb("foo.bar", "1.0-1", "foo");
  bundle.deb("foo-bar", "1.0-1", "foo.bar");
  bundle.deb("foo-1", "1.0-1");
  bundle.library("/usr/lib/libone.so.1", "libone.so.1");
  bundle.add(PackageKind::wheel, "foo", "1.0").files = {{{"foo/__init__.py"}}};
  bundle.add(PackageKind::wheel, "foo_two", "1.0").depends = {"foo"};
  const Json draft = bundle.draft();
  EXPECT_THAT(ids(draft.at("components")),
              ElementsAre("foo", "foo-1", "foo.bar", "foo-bar", "foo-wheel", "foo_two"));
  EXPECT_EQ(draft.at("components")[4].at("names"), Json({"foo"}));
  EXPECT_EQ(draft.at("components")[4].at("kind"), "wheel");
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("foo_two has no top module")));
}

TEST(DraftsOfStacks, LeaveOutWhatNoStackFileCanHold) {
  Bundle bundle;
  bundle.deb("acme", "1.0-1");
  bundle.library("/opt/a:b/lib/libone.so.1", "libone.so.1");
  bundle.library("/opt/a\nb/lib/libtwo.so.1", "libtwo.so.1");
  bundle.library("/opt/acme/lib/libthree.so.1", "sub/libthree.so.1");
  PayloadEntry tool{"/opt/a\x1b[31m/bin/smi"};
  tool.mode = 0755;
  bundle.inspection.inventory.packages.back().files->push_back(tool);
  bundle.add(PackageKind::wheel, "na\xc3\xafve", "1.0");
  bundle.add(PackageKind::wheel, "plain", "1.0").files = {{{"\xe5\x8c\x85/__init__.py"}}};
  const Json draft = bundle.draft();
  EXPECT_THAT(ids(draft.at("components")), ElementsAre("acme", "plain"));
  EXPECT_EQ(draft.at("environment").at("paths").size(), 1U);
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("names that a stack file cannot hold")));
}

TEST(DraftsOfStacks, RequireWhatARequiredPackageNeeds) {
  Bundle bundle;
  bundle.deb("hipcc", "1.0-1", "libhip-dev");
  bundle.deb("libhip-dev", "1.0-1", "libhip-doc");
  bundle.deb("libhip-doc", "1.0-1");
  bundle.deb("other-dev", "1.0-1");
  const Json draft = bundle.draft();
  for (const Json& each : draft.at("components"))
    EXPECT_EQ(each.contains("required"), each.at("id") == "other-dev") << to_text(each);
  Bundle alone;
  alone.deb("libhip-dev", "1.0-1");
  EXPECT_FALSE(alone.draft().at("components")[0].contains("required"));
}

TEST(DraftsOfStacks, NoteWhatDoesNotFitEveryServer) {
  Bundle bundle;
  bundle.deb("acme", "1.0-1").architecture = "arm64";
  Package& one = bundle.add(PackageKind::wheel, "one", "1.0");
  one.python = PythonNeeds{">=3.8", {}, "3.10"};
  Package& two = bundle.add(PackageKind::wheel, "two", "1.0");
  two.python = PythonNeeds{"", {}, "3.8"};
  const Json draft = bundle.draft();
  EXPECT_EQ(draft.at("python").at("tested_minors"), Json({"3.8", "3.10"}));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("acme is built for arm64")));
  EXPECT_THAT(decisions(draft), Contains(HasSubstr("no Python can have all wheels")));
  EXPECT_THAT(to_text(draft), HasSubstr("one requires Python >=3.8"));
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

TEST(DraftsOfStacks, QuoteWhatTheFilesOfDebsSay) {
  Bundle bundle;
  bundle.deb("acme-runtime", "2.3.1-1");
  auto& texts = bundle.inspection.contents[0].texts;
  texts["/etc/profile.d/acme.sh"] =
      "export CUDA_CACHE_DISABLE=1\nexport CUDA_VISIBLE_DEVICES=0\n"
      "export CUDA_HOME=$HOME/x\n";
  texts["/usr/lib/udev/rules.d/60-acme.rules"] = R"(SUBSYSTEM=="misc", KERNEL=="acme[0-9]*")";
  texts["/usr/lib/pkgconfig/acme.pc"] = "prefix=/opt/acme\nlibdir=/opt/acme/lib\n";
  const Json draft = bundle.draft();
  const Json& variables = draft.at("environment").at("variables");
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].at("name"), "CUDA_CACHE_DISABLE");
  EXPECT_EQ(variables[0].at("source"), "/etc/profile.d/acme.sh of acme-runtime");
  EXPECT_THAT(decisions(draft),
              Contains(HasSubstr("60-acme.rules of acme-runtime names device nodes: acme[0-9]*")));
  EXPECT_THAT(to_text(draft.at("draft")), HasSubstr("says where its libraries are: /opt/acme/lib"));
}

}  // namespace
}  // namespace topsctl
