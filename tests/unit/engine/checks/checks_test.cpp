// Checks judge the state of a machine: no stand-in and nothing half done passes.
#include "topsctl/engine/checks/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checked_sample.hpp"
#include "support/small_library.hpp"
#include "support/sudden_signal.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/environment.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

TEST_F(Checking, PassesAWheelThatIsWhatItsRecordSays) {
  const CheckResult result = wheel_check();
  EXPECT_EQ(result.status, CheckStatus::pass) << result.observed;
  EXPECT_EQ(result.observed, "torch_gcu 1.10.0+2.5.136 in /site, every file as recorded");
}

TEST_F(Checking, FailsAWheelWithAChangedOrMissingFile) {
  write("site/torch_gcu/lib.so", "patched");
  EXPECT_EQ(wheel_check().status, CheckStatus::fail);
  EXPECT_EQ(wheel_check().observed, "'/site/torch_gcu/lib.so' does not match RECORD");
  fs::remove(sample_.folder / "site/torch_gcu/lib.so");
  EXPECT_EQ(wheel_check().observed, "'/site/torch_gcu/lib.so' is missing");
}

TEST_F(Checking, FailsAWheelThatItsInstallerDidNotFinish) {
  write("site/" + wheel_.info() + "/RECORD", wheel_.record);
  EXPECT_EQ(wheel_check().status, CheckStatus::fail);
  EXPECT_THAT(wheel_check().observed,
              HasSubstr("is only partly installed: its RECORD does not list INSTALLER"));
}

TEST_F(CheckingAStack, PassesWhatIsInstalled) {
  for (const char* id :
       {"eccl-installed", "sdk-installed", "topsfactor-installed", "torch-gcu-installed",
        "eccl-library", "eccl-links", "eccl-version", "no-impostors", "torch-gcu-import"}) {
    const CheckResult result = check(id);
    EXPECT_EQ(result.status, CheckStatus::pass) << id << ": " << result.observed;
    EXPECT_EQ(result.hint, "");
  }
  EXPECT_EQ(run_checks(sample_.host, stack_, {}, "").python, "/usr/bin/python3.8");
}

TEST_F(CheckingAStack, AddsTheHintOfTheStackToAFailureAlone) {
  for (CheckRule& rule : stack_.checks) rule.hint = "ask the vendor";
  EXPECT_EQ(check("eccl-library").hint, "");
  write("opt/eccl/lib/libeccl.so", "placeholder\n");
  EXPECT_EQ(
      check("eccl-library").hint,
      "the file is not the vendor's library: restore it with `topsctl repair`; ask the vendor");
}

TEST_F(CheckingAStack, FailsAStandInForTheLibrary) {
  write("opt/eccl/lib/libeccl.so", "placeholder\n");
  EXPECT_EQ(check("eccl-library").status, CheckStatus::fail);
  EXPECT_EQ(check("eccl-library").observed, "/opt/eccl/lib/libeccl.so: not an ELF file");
  stack_.checks[5].symbols = {"ecclCommInitRank"};
  write("opt/eccl/lib/libeccl.so", small_library());
  EXPECT_EQ(check("eccl-library").observed,
            "/opt/eccl/lib/libeccl.so does not export ecclCommInitRank");
  SampleElf<> other;
  other.machine = EM_AARCH64;
  write("opt/eccl/lib/libeccl.so", other.bytes());
  EXPECT_EQ(check("eccl-library").observed,
            "/opt/eccl/lib/libeccl.so: an ELF file for another architecture");
}

TEST_F(CheckingAStack, BelievesWhatAnInterruptedDpkgNotedLast) {
  EXPECT_EQ(check("eccl-installed").status, CheckStatus::pass);
  write("var/lib/dpkg/updates/0000",
        "Package: tops-eccl\nStatus: install ok half-configured\nArchitecture: amd64\n"
        "Version: 2.5.136-1\n");
  const CheckResult result = check("eccl-installed");
  EXPECT_EQ(result.status, CheckStatus::fail);
  EXPECT_EQ(result.observed, "tops-eccl 2.5.136-1, install ok half-configured");
}

TEST_F(CheckingAStack, FailsPackagesThatAreMissingHalfInstalledOrOfAnotherVersion) {
  const std::string whole = sample_.folder.read("var/lib/dpkg/status");
  write("var/lib/dpkg/status", with(whole, "Package: tops-sdk", "Package: other"));
  EXPECT_EQ(check("sdk-installed").observed, "not installed");
  write("var/lib/dpkg/status", with(whole, "ok installed", "ok half-configured"));
  EXPECT_EQ(check("eccl-installed").status, CheckStatus::fail);
  EXPECT_EQ(check("eccl-library").observed, "its package is not installed");
  write("var/lib/dpkg/status", with(whole, "2.5.136-1", "2.5.87-1"));
  EXPECT_EQ(check("eccl-installed").observed, "tops-eccl 2.5.87-1, install ok installed");
  EXPECT_EQ(check("eccl-installed").status, CheckStatus::fail);
}

TEST_F(CheckingAStack, WarnsOfWhatAWheelRequiresAndDoesNotFind) {
  fs::remove_all(sample_.folder / "site/six-1.2.dist-info");
  const CheckResult result = check("torch-gcu-installed");
  EXPECT_EQ(result.status, CheckStatus::warn);
  EXPECT_EQ(result.observed, "torch_gcu 1.10.0+2.5.136: it requires six, which is not installed");
  EXPECT_EQ(
      result.hint,
      "install what it requires, or another build of it; see `/usr/bin/python3.8 -m pip check`");
}

TEST_F(CheckingAStack, AsksForNoVersionWhereTheStackNamesNone) {
  for (Component& component : stack_.components) component.version.clear();
  EXPECT_EQ(check("eccl-installed").status, CheckStatus::pass);
  EXPECT_EQ(check("torch-gcu-installed").status, CheckStatus::pass);
}

TEST_F(CheckingAStack, JudgesTheEnvironmentFile) {
  EXPECT_EQ(check("environment-file").status, CheckStatus::fail);
  write("etc/profile.d/topsrider.sh", "export X=1\n");
  EXPECT_EQ(check("environment-file").status, CheckStatus::warn);
  write("etc/profile.d/topsrider.sh",
        shell_file(derive_environment(stack_, {"/opt/eccl/lib/libeccl.so"})));
  EXPECT_EQ(check("environment-file").status, CheckStatus::pass);
  write("etc/profile.d/topsrider.sh",
        shell_file(derive_environment(stack_, {"/opt/eccl/lib/libeccl.so"},
                                      {"prod", {{"A", "b"}}, {"ECCL_DEBUG"}})));
  EXPECT_EQ(check("environment-file").status, CheckStatus::pass) << "with settings of the operator";
}

TEST_F(CheckingAStack, TellsWhyAnImportFails) {
  answers_["module"][1] =
      R"({"step": "module", "state": "failed", "error": "ImportError: no libeccl.so"})";
  EXPECT_EQ(check("torch-gcu-import").status, CheckStatus::fail);
  EXPECT_EQ(check("torch-gcu-import").observed, "ImportError: no libeccl.so");
  EXPECT_EQ(sample_.runner.commands.back().environment.at("LD_LIBRARY_PATH"),
            "/opt/eccl/lib:/opt/tops/lib");
}

TEST_F(CheckingAStack, DoesNotEndForAnAnswerThatMakesNoSense) {
  for (const char* answer : {"[1e999]", "nonsense", R"({"step": 7})", ""}) {
    answers_["module"] = {answer};
    EXPECT_EQ(check("torch-gcu-import").status, CheckStatus::fail) << answer;
  }
}

TEST_F(CheckingAStack, ClimbsNoHigherThanWhatCarries) {
  write("opt/eccl/lib/libeccl.so", "placeholder\n");
  const Verification verification = run_checks(sample_.host, stack_, stack_.checks, "");
  ASSERT_TRUE(verification.stop);
  EXPECT_EQ(*verification.stop, (Stop{CheckLevel::files, "eccl-library"}));
  for (const CheckResult& result : verification.checks) {
    EXPECT_EQ(result.status == CheckStatus::skipped && result.level > CheckLevel::files,
              result.level > CheckLevel::files)
        << result.id;
  }
  EXPECT_EQ(check("torch-gcu-import").observed, "not run: 'eccl-library' failed");
}

TEST_F(CheckingAStack, ClimbsOnWithoutWhatNothingStandsOn) {
  const Verification verification = run_checks(sample_.host, stack_, stack_.checks, "");
  ASSERT_EQ(verification.problems().size(), 1U);
  EXPECT_EQ(verification.problems()[0]->id, "environment-file");
  EXPECT_FALSE(verification.stop);
  EXPECT_EQ(verification.checks.back().level, CheckLevel::import);
}

// To read it to its end would take a minute; no later check asks for a signal.
TEST_F(CheckingAStack, EndsTheReadingOfFilesAtASignal) {
  write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr/share/large\n");
  write("var/lib/dpkg/info/tops-eccl.md5sums",
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/large\n");
  fs::resize_file(write("usr/share/large", ""), 1ULL << 34U);
  std::erase_if(stack_.checks, [](const CheckRule& rule) { return rule.id != "eccl-files"; });
  EXPECT_EQ(thrown_when_interrupted([&] { check("eccl-files"); }).code(), ErrorCode::interrupted);
}

TEST_F(CheckingAStack, FindsFilesThatAreNotWhatTheirPackageBrought) {
  write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr/share/one\n/usr/share/other\n");
  write("var/lib/dpkg/info/tops-eccl.md5sums",
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/one\n"
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/other\n");
  write("usr/share/one", "");
  EXPECT_EQ(check("eccl-files").observed, "'/usr/share/other' is missing");
  write("usr/share/other", "patched");
  EXPECT_EQ(check("eccl-files").observed, "'/usr/share/other' differs from the package");
  write("usr/share/one", "patched");
  EXPECT_EQ(check("eccl-files").observed, "'/usr/share/one' differs from the package (and 1 more)");
  std::filesystem::remove(sample_.host.root / "usr/share/other");
  std::filesystem::create_directory(sample_.host.root / "usr/share/other");
  write("usr/share/one", "");
  EXPECT_EQ(check("eccl-files").observed, "'/usr/share/other' is no file");
  std::filesystem::remove(sample_.host.root / "usr/share/other");
  write("usr/share/other", "");
  write("usr/share/one", "");
  write("usr/share/other", "");
  EXPECT_EQ(check("eccl-files").status, CheckStatus::pass);
}

// As `dpkg --verify`, which looks where the package's own file lies.
TEST_F(CheckingAStack, LooksForDivertedFilesWhereTheirPackageHasThem) {
  write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr/share/one\n");
  write("var/lib/dpkg/info/tops-eccl.md5sums", "d41d8cd98f00b204e9800998ecf8427e  usr/share/one\n");
  write("usr/share/one", "");
  write("usr/share/one.distrib", "another package's");
  const auto diverted_by = [&](const std::string& package) {
    write("var/lib/dpkg/diversions", "/usr/share/one\n/usr/share/one.distrib\n" + package + "\n");
    return check("eccl-files").status;
  };
  EXPECT_EQ(diverted_by("tops-eccl"), CheckStatus::pass);
  EXPECT_EQ(diverted_by("other"), CheckStatus::fail);
  write("usr/share/one.distrib", "");
  write("usr/share/one", "another package's");
  EXPECT_EQ(diverted_by("other"), CheckStatus::pass);
  EXPECT_EQ(diverted_by(":"), CheckStatus::pass);
  EXPECT_EQ(diverted_by("tops-eccl"), CheckStatus::fail);
}

TEST_F(CheckingAStack, LeavesOutWhatAnotherPackageOrTheAdministratorHasTakenOver) {
  write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr/share/one\n/etc/eccl.conf\n");
  write("var/lib/dpkg/info/tops-eccl.md5sums",
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/one\n"
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/taken-over\n"
        "d41d8cd98f00b204e9800998ecf8427e  etc/eccl.conf\n");
  write("usr/share/one", "");
  write("usr/share/taken-over", "by Replaces");
  EXPECT_EQ(check("eccl-files").status, CheckStatus::fail);
  write("etc/eccl.conf", "");
  EXPECT_EQ(check("eccl-files").observed, "2 files of tops-eccl as recorded");
  write("usr/share/one", "patched");
  EXPECT_EQ(check("eccl-files").status, CheckStatus::fail);
}

TEST_F(CheckingAStack, WarnsOfConfigurationFilesThatTheAdministratorHasChanged) {
  write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr/share/one\n/etc/eccl.conf\n");
  write("var/lib/dpkg/info/tops-eccl.md5sums",
        "d41d8cd98f00b204e9800998ecf8427e  usr/share/one\n"
        "d41d8cd98f00b204e9800998ecf8427e  etc/eccl.conf\n");
  write("usr/share/one", "");
  write("etc/eccl.conf", "");
  write(
      "var/lib/dpkg/status",
      "Package: tops-eccl\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.5.136-1\n"
      "Conffiles:\n /etc/eccl.conf d41d8cd98f00b204e9800998ecf8427e\n"
      " /etc/old.conf d41d8cd98f00b204e9800998ecf8427e obsolete\n");
  EXPECT_EQ(check("eccl-files").status, CheckStatus::pass);
  EXPECT_EQ(check("eccl-files").observed, "2 files of tops-eccl as recorded");
  const auto expect_warning = [&](const std::string& what) {
    const CheckResult result = check("eccl-files");
    EXPECT_EQ(result.status, CheckStatus::warn);
    EXPECT_EQ(result.observed, "configuration files: '/etc/eccl.conf' " + what);
    EXPECT_THAT(result.hint, HasSubstr("dpkg --verify tops-eccl"));
  };
  write("etc/eccl.conf", "edited");
  expect_warning("was modified");
  std::filesystem::remove(sample_.host.root / "etc/eccl.conf");
  expect_warning("is missing");
  write("etc/eccl.conf.mine", "mine");
  write("var/lib/dpkg/diversions", "/etc/eccl.conf\n/etc/eccl.conf.dpkg\n:\n");
  expect_warning("is diverted to '/etc/eccl.conf.dpkg'");
  write("usr/share/one", "patched");
  EXPECT_EQ(check("eccl-files").status, CheckStatus::fail);
}

TEST_F(CheckingAStack, FindsFilesThatAreMadeByHand) {
  write("opt/tops/bin/tops-smi", "#!/bin/sh\n");
  write("site/eccl.py", "version = '2.5.136'\n");
  EXPECT_EQ(check("no-impostors").observed,
            "/opt/tops/bin/tops-smi, /site/eccl.py belong to no package: made by hand");
  write("site/other-1.dist-info/RECORD", "eccl.py,sha256=x,1\n");
  EXPECT_EQ(check("no-impostors").observed,
            "/opt/tops/bin/tops-smi belongs to no package: made by hand");
  write("var/lib/dpkg/info/tops-eccl.list",
        "/.\n/opt/eccl/lib/libeccl.so\n/opt/tops/bin/tops-smi\n");
  EXPECT_EQ(check("no-impostors").status, CheckStatus::pass);
}

TEST_F(CheckingAStack, TakesNoOtherLibraryForThePackagesOwn) {
  answers_["library"][1] =
      R"({"step": "library", "state": "done", "code": 1, "library": "/usr/local/lib/libeccl.so"})";
  EXPECT_EQ(check("eccl-version").status, CheckStatus::fail);
  EXPECT_THAT(check("eccl-version").observed,
              HasSubstr("was loaded, but no package of the stack owns it; the stack's is"));
  answers_["library"][1] = R"({"step": "library", "state": "done", "code": 1, "library": ""})";
  EXPECT_THAT(check("eccl-version").observed, HasSubstr("libeccl.so is not loaded"));
}

}  // namespace
}  // namespace topsctl
