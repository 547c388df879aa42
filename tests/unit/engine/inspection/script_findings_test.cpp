// Risky lines of maintainer scripts: each rule by its own examples, evidence, and hostile scripts.
#include "engine/inspection/script_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "topsctl/base/text.hpp"
#include "topsctl/model/script_rule.hpp"

namespace topsctl {

void PrintTo(const ScriptRule& rule, std::ostream* out) {
  *out << rule.finding.id;
}

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Package package_with(const std::string& text, const std::string& script = "postinst") {
  Package package;
  package.kind = PackageKind::deb;
  package.path = "a/b.deb";
  package.deb.emplace();
  package.deb->scripts = {{script, text}};
  return package;
}

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

std::vector<std::string> ids_of(const std::string& script) {
  return ids(script_findings(package_with(script)));
}

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view id) {
  for (const Finding& finding : findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

class EachScriptRule : public testing::TestWithParam<ScriptRule> {};

TEST_P(EachScriptRule, FindsItsExamplesAndPassesOverTheOthers) {
  const ScriptRule& rule = GetParam();
  EXPECT_FALSE(rule.example_match.empty());
  EXPECT_FALSE(rule.example_no_match.empty());
  const bool is_of_programs = rule.applies_to == std::vector<std::string>{called_program};
  const auto found = [&](const std::string& script) {
    if (!is_of_programs) return ids_of(script);
    EXPECT_THAT(ids_of(script), Not(Contains(rule.finding.id)));
    Contents contents;
    contents.texts["/usr/sbin/get-it"] = script.starts_with("#!") ? script : "#!/bin/sh\n" + script;
    EXPECT_THAT(ids(script_findings(package_with("echo get-it\n"), &contents)),
                Not(Contains(rule.finding.id)));
    return ids(script_findings(package_with("if true; then get-it -q; fi\n"), &contents));
  };
  for (const std::string& script : rule.example_match) {
    EXPECT_THAT(found(script), Contains(rule.finding.id)) << script;
  }
  for (const std::string& script : rule.example_no_match) {
    EXPECT_THAT(found(script), Not(Contains(rule.finding.id))) << script;
  }
}

bool is_called(const std::string& program, const std::string& call) {
  Contents contents;
  contents.texts[program] = "wget -q http://x/y\n";
  const auto found = ids(script_findings(package_with(concat(call, "\n")), &contents));
  return std::find(found.begin(), found.end(), "script-runs-downloader") != found.end();
}

TEST(CalledProgram, IsFoundInEachFormOfACall) {
  for (const char* call : {"sh /opt/a/get.sh -q", "/bin/bash -e /opt/a/get.sh", ". /opt/a/get.sh",
                           "exec /opt/a/get.sh", "env A=1 /opt/a/get.sh", "nohup /opt/a/get.sh &",
                           "timeout 60 \"$DPKG_ROOT/opt/a/get.sh\"", "D=/opt/a; $D/get.sh",
                           "cd /opt/a && ./get.sh", "x=$(/opt/a/'get.sh')", "cd /opt/a; sh get.sh"})
    EXPECT_TRUE(is_called("/opt/a/get.sh", call)) << call;
  for (const char* call : {"get.sh", "echo /opt/a/get.sh", "command -v /opt/a/get.sh",
                           "/usr/bin/get.sh", "chmod 755 /opt/a/get.sh"})
    EXPECT_FALSE(is_called("/opt/a/get.sh", call)) << call;
  EXPECT_FALSE(is_called("/usr/share/a/install", "install -m 644 a b"));
}

// The old search took minutes.
TEST(CalledProgram, AreManyInAScriptThatNamesAll) {
  Contents contents;
  std::string line = ":";
  for (int i = 0; i < 3000; ++i) {
    const std::string name = concat("p", i);
    contents.texts[concat("/usr/bin/", name)] = "#!/bin/sh\nwget -q http://x/y\n";
    line += concat(" ", name);
  }
  std::string script;
  for (int i = 0; i < 100; ++i) script += concat(line.substr(0, 16000), "\n");
  EXPECT_THAT(ids(script_findings(package_with(script), &contents)),
              Not(Contains("script-runs-downloader")));
}

INSTANTIATE_TEST_SUITE_P(Data, EachScriptRule, testing::ValuesIn(script_rules()),
                         [](const auto& info) {
                           std::string name = info.param.finding.id;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

TEST(ScriptFindings, NameScriptLineAndText) {
  const auto findings = script_findings(
      package_with("#!/bin/sh\nset -e\n\nrm -rf \\\n\t/etc/modprobe.d\n", "preinst"));
  ASSERT_EQ(ids(findings), std::vector<std::string>{"script-deletes-system-folder"});
  EXPECT_EQ(findings[0].subject, "a/b.deb");
  EXPECT_EQ(findings[0].severity, Severity::critical);
  EXPECT_FALSE(findings[0].cause.empty());
  EXPECT_THAT(findings[0].evidence, ElementsAre(Evidence{"preinst", 4, "rm -rf /etc/modprobe.d"}));
}

TEST(ScriptFindings, OfOneRuleAreOne) {
  Package package = package_with("set -e\n" + std::string("reboot\n") + "reboot\n", "preinst");
  package.deb->scripts.push_back({"postinst", "set -e; reboot"});
  const auto findings = script_findings(package);
  ASSERT_EQ(ids(findings), std::vector<std::string>{"script-reboots"});
  EXPECT_THAT(findings[0].evidence,
              ElementsAre(Evidence{"preinst", 2, "reboot"}, Evidence{"preinst", 3, "reboot"},
                          Evidence{"postinst", 1, "set -e; reboot"}));
  std::string many = "set -e\n";
  for (int i = 0; i < 100; ++i) many += "reboot\n";
  const auto bounded = script_findings(package_with(many));
  ASSERT_EQ(bounded.size(), 1U);
  EXPECT_EQ(bounded[0].evidence.size(), 21U);
  EXPECT_EQ(bounded[0].evidence.back().text, "and 80 more");
}

TEST(ScriptFindings, HaveTheWorstFirst) {
  EXPECT_THAT(ids_of("ldconfig\nchmod 777 /x\nrm -rf /etc\npip install x\n"),
              ElementsAre("script-deletes-system-folder", "script-makes-world-writable",
                          "script-runs-pip", "script-goes-on-after-errors"));
}

TEST(ScriptFindings, AreNoneForASoundScript) {
  EXPECT_THAT(ids_of("#!/bin/sh\nset -e\ncase \"$1\" in\n  configure)\n"
                     "    ldconfig\n    mkdir -p /var/lib/tops\n"
                     "    echo \"run rm -rf /etc/foo to remove it\"\n"
                     "    chmod 755 /opt/tops\n    if [ -f /etc/tops.conf ]; then\n"
                     "      . /usr/share/debconf/confmodule\n      db_get tops/x || true\n    fi\n"
                     "    ;;\nesac\n# rm -rf /usr\nexit 0\n"),
              IsEmpty());
  EXPECT_THAT(ids_of(""), IsEmpty());
  EXPECT_THAT(script_findings(Package{}), IsEmpty());
}

TEST(ScriptFindings, LeaveOutWhatAWorseOneOfTheSameLineSays) {
  EXPECT_THAT(ids_of("set -e\ncurl http://x | sh\n"), ElementsAre("script-runs-download"));
  EXPECT_THAT(ids_of("set -e\ncurl http://x | sh\ncurl http://y\n"),
              ElementsAre("script-runs-download", "script-downloads"));
}

TEST(ScriptFindings, SeeCommandsOfPythonScriptsGivenAsLists) {
  const auto findings = script_findings(package_with(
      "#!/usr/bin/python3\nimport subprocess\nsubprocess.run([\"rm\", \"-rf\", \"/etc\"])\n"));
  ASSERT_EQ(ids(findings), std::vector<std::string>{"script-deletes-system-folder"});
  EXPECT_EQ(findings[0].evidence.size(), 1U);
  EXPECT_EQ(findings[0].evidence[0].line, 3);
}

TEST(ScriptFindings, SayThatAScriptIsNoText) {
  EXPECT_THAT(ids_of("\x7f"
                     "ELF\x02 rm -rf /etc\n"),
              ElementsAre("script-is-binary"));
  EXPECT_THAT(ids_of(std::string("set -e\0x\nrm -rf /etc", 20)), Contains("script-is-binary"));
  EXPECT_THAT(ids_of("set -e\n# caf\xe9\nreboot\n"),
              ElementsAre("script-reboots", "script-is-binary"));
}

TEST(ScriptFindings, SayWhatIsTooLongToBeJudged) {
  const std::string line = "set -e\nreboot; x=" + std::string(16384, 'a') + "; rm -rf /etc\n";
  const auto findings = script_findings(package_with(line));
  EXPECT_THAT(ids(findings), ElementsAre("script-reboots", "script-too-long"));
  EXPECT_EQ(findings[1].evidence[0].line, 2);
  const std::string script =
      "set -e\n" + std::string(std::size_t{4} << 20U, '\n') + "rm -rf /etc\n";
  const auto long_script = script_findings(package_with(script));
  ASSERT_EQ(ids(long_script), std::vector<std::string>{"script-too-long"});
  EXPECT_EQ(long_script[0].evidence[0].text, "the script is 4.0 MiB long");
}

TEST(ScriptFindings, StayFewHoweverManyLinesThereAre) {
  std::string script;
  for (const ScriptRule& rule : script_rules()) {
    for (const std::string& example : rule.example_match) script += example + "\n";
  }
  std::string much;
  for (int i = 0; i < 20; ++i) much += script;
  const auto findings = script_findings(package_with(much));
  EXPECT_LE(findings.size(), 200U);
  EXPECT_GT(findings.size(), script_rules().size() / 2);
  EXPECT_NE(finding_of(findings, "script-runs-pip"), nullptr);
}

TEST(ScriptFindings, PassOverWhatIsDoneWithThePackagesOwnFiles) {
  const auto found = [](const Package& package) {
    std::vector<std::string> severe;
    for (const Finding& finding : script_findings(package)) {
      if (finding.severity >= Severity::error) severe.push_back(finding.id);
    }
    return severe;
  };
  Package package = package_with(
      "set -e\nln -sf ${target#/lib64/} \"$DPKG_ROOT/lib64/ld-linux-x86-64.so.2\" 2>/dev/null\n"
      "apparmor_parser -R /etc/apparmor.d/usr.bin.tops\n");
  EXPECT_THAT(found(package),
              ElementsAre("script-replaces-system-library", "script-changes-security-policy"));
  package.files.emplace(1);
  package.files->front().path = "/lib64/ld-linux-x86-64.so.2";
  package.deb->conffiles = {"/etc/apparmor.d/usr.bin.tops"};
  EXPECT_THAT(found(package), IsEmpty());
  package.deb->scripts[0].text +=
      "apparmor_parser -R /etc/apparmor.d/usr.bin.tops /etc/apparmor.d/x\n";
  EXPECT_THAT(found(package), ElementsAre("script-changes-security-policy")) << "another's, too";
  package.deb->scripts[0].text = "set -e\ncp x /lib64/ld-linux-x86-64.so.2\n";
  package.files->front().type = PayloadEntry::Type::directory;
  EXPECT_THAT(found(package), ElementsAre("script-replaces-system-library"));
}

TEST(ScriptFindings, TakeARemovalOfSettingsForWorseWhereAnInstallDoesIt) {
  const std::string line = "set -e\nrm -f /etc/ssh/ssh_host_rsa_key\n";
  EXPECT_THAT(ids(script_findings(package_with(line, "prerm"))),
              ElementsAre("script-deletes-security-settings"));
  EXPECT_THAT(ids(script_findings(package_with(line, "postrm"))),
              ElementsAre("script-deletes-system-files"));
}

TEST(ScriptFindings, PassOverProseThatAFunctionPrints) {
  const std::string call = "fail \"give up and run 'dpkg --configure tops'\"\n";
  EXPECT_THAT(ids_of("set -e\nfail() { echo \"tops: $*\" >&2; exit 1; }\n" + call), IsEmpty());
  EXPECT_THAT(ids_of("set -e\nfail() { sh -c \"$*\"; }\n" + call),
              Contains("script-runs-package-manager"));
}

TEST(ScriptRules, HaveFieldsThatPeopleCanReadAndNoIdTwice) {
  std::vector<std::string> seen;
  for (const ScriptRule& rule : script_rules()) {
    EXPECT_THAT(seen, Not(Contains(rule.finding.id)));
    seen.push_back(rule.finding.id);
    EXPECT_TRUE(rule.finding.id.starts_with("script-"));
  }
  EXPECT_GE(seen.size(), 45U);
}

}  // namespace
}  // namespace topsctl
