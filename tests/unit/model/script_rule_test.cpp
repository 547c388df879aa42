// The rules for maintainer scripts are read strictly, and are part of the catalogue of findings.
#include "topsctl/model/script_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const char* const sound_rules = R"({
  "names": {"a": "x|y", "b": "{a}+"},
  "rules": [
    {"id": "script-one", "severity": "error", "title": "t", "pattern": "{b}z{2,3}{", "why": "w",
     "remedy": {"text": "r", "command": null, "risk": "none"},
     "example_match": ["xzz{"], "example_no_match": ["q"]},
    {"id": "script-two", "severity": "info", "title": "t2", "when": "missing",
     "applies_to": ["preinst"], "pattern": "p", "unless": "{a}", "unless_own": true, "unless_found": ["script-one"],
     "why": "w", "remedy": {"text": "r", "command": "c", "risk": "reboot"},
     "example_match": ["m"], "example_no_match": ["n"]}]})";

TEST(ScriptRules, AreReadWithEveryField) {
  const std::vector<ScriptRule> rules = parse_script_rules(sound_rules, "s");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].finding.id, "script-one");
  EXPECT_EQ(rules[0].finding.severity, Severity::error);
  EXPECT_EQ(rules[0].finding.title, "t");
  EXPECT_EQ(rules[0].finding.cause, "w");
  EXPECT_EQ(rules[0].finding.remedy, (Remedy{"r", "", Risk::none}));
  EXPECT_EQ(rules[0].when, ScriptRule::When::matches);
  EXPECT_THAT(rules[0].applies_to, IsEmpty());
  EXPECT_EQ(rules[0].pattern, "(?:(?:x|y)+)z{2,3}{") << "names are filled in, repetitions stay";
  EXPECT_EQ(rules[0].unless, "");
  EXPECT_FALSE(rules[0].unless_own);
  EXPECT_THAT(rules[0].example_match, ElementsAre("xzz{"));
  EXPECT_THAT(rules[0].example_no_match, ElementsAre("q"));
  EXPECT_EQ(rules[1].when, ScriptRule::When::missing);
  EXPECT_THAT(rules[1].applies_to, ElementsAre("preinst"));
  EXPECT_EQ(rules[1].unless, "(?:x|y)");
  EXPECT_TRUE(rules[1].unless_own);
  EXPECT_THAT(rules[1].unless_found, ElementsAre("script-one"));
  EXPECT_EQ(rules[1].finding.remedy, (Remedy{"r", "c", Risk::reboot}));
}

struct RuleFault {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  // after "cannot read s: "
};

class FaultyScriptRules : public testing::TestWithParam<RuleFault> {};

TEST_P(FaultyScriptRules, AreRefused) {
  std::string text = sound_rules;
  const std::string from = GetParam().from;
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, from.size(), GetParam().to);
  const Error error = thrown_by([&] { parse_script_rules(text, "s"); });
  EXPECT_EQ(error.message(), concat("cannot read s: ", GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, FaultyScriptRules,
    testing::Values(
        RuleFault{"id", "script-one", "one", "/rules/0/id: expected 'script-...'"},
        RuleFault{"name", "{b}z", "{c}z", "/rules/0/pattern: unknown name 'c'"},
        RuleFault{"later_name", "x|y", "{b}", "/names/a: unknown name 'b'"},
        RuleFault{
            "script", "\"preinst\"", "\"pre\"",
            "/rules/1/applies_to/0: expected one of preinst, postinst, prerm, postrm, config, "
            "called-program; got \"pre\" (did you mean 'preinst'?)"},
        RuleFault{"when", "\"missing\"", "\"always\"",
                  "/rules/1/when: expected one of missing; got \"always\""},
        RuleFault{"other_rule", "[\"script-one\"]", "[\"script-two\"]",
                  "/rules/1/unless_found: no earlier rule 'script-two'"},
        RuleFault{"no_why", "\"why\": \"w\",", "", "/rules/0: missing key 'why'"},
        RuleFault{"no_examples", "\"example_match\": [\"xzz{\"],", "",
                  "/rules/0: missing key 'example_match'"},
        RuleFault{"unknown_key", "\"title\": \"t\"", "\"titel\": \"t\"",
                  "/rules/0: unknown key 'titel' (did you mean 'title'?)"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(ScriptRules, ArePartOfTheCatalogue) {
  const std::vector<std::string> ids = finding_ids();
  for (const ScriptRule& rule : script_rules()) {
    EXPECT_THAT(ids, Contains(rule.finding.id));
    EXPECT_EQ(make_finding(rule.finding.id, "").cause, rule.finding.cause);
  }
}

}  // namespace
}  // namespace topsctl
