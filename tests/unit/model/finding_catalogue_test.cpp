// The catalogue of findings: every record says enough for a person to act on it.
#include "topsctl/model/finding_catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/source_tree.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

bool is_kebab_case(std::string_view id) {
  return !id.empty() && id.front() != '-' && id.back() != '-' &&
         id.find("--") == std::string_view::npos && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

TEST(FindingCatalogue, SaysForEachIdWhatItIsWhyItIsAndWhatToDo) {
  const std::vector<std::string> ids = finding_ids();
  EXPECT_THAT(ids, Contains("digest-mismatch"));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (const std::string& id : ids) {
    EXPECT_TRUE(is_kebab_case(id)) << id;
    const Finding finding = make_finding(id, "subject");
    EXPECT_EQ(finding.id, id);
    EXPECT_GE(finding.title.size(), 10U) << id;
    EXPECT_LE(finding.title.size(), 90U) << id << ": one line of a terminal";
    EXPECT_FALSE(finding.title.ends_with('.')) << id;
    EXPECT_FALSE(finding.title.front() >= 'A' && finding.title.front() <= 'Z' &&
                 !finding.title.starts_with("RECORD"))
        << id;
    EXPECT_GE(finding.cause.size(), 25U) << id;
    EXPECT_TRUE(finding.cause.ends_with('.')) << id;
    EXPECT_GE(finding.remedy.text.size(), 20U) << id;
    EXPECT_TRUE(finding.remedy.text.ends_with('.')) << id;
    EXPECT_EQ(printable(concat(finding.title, finding.cause, finding.remedy.text)),
              concat(finding.title, finding.cause, finding.remedy.text))
        << id;
  }
}

TEST(FindingCatalogue, HasEachIdInOnePlace) {
  std::vector<std::string> all;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with("findings/")) continue;
    const std::vector<Finding> findings = parse_findings(file.bytes, std::string(file.name));
    for (const Finding& finding : findings) all.push_back(finding.id);
    // A key that stands twice in one file leaves a single entry behind.
    std::size_t records = 0;
    for (const std::string& line : split(file.bytes, '\n')) {
      if (line.starts_with("  \"") && line.ends_with("\": {")) ++records;
    }
    EXPECT_EQ(records, findings.size()) << file.name;
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(FindingCatalogue, MakesAFindingOfASubjectAndEvidence) {
  const Finding finding =
      make_finding("digest-mismatch", "a/b.deb", {{"/usr/lib/x.so", 0, "another content"}});
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.subject, "a/b.deb");
  EXPECT_THAT(finding.evidence, ElementsAre(Evidence{"/usr/lib/x.so", 0, "another content"}));
}

TEST(FindingCatalogue, KnowsNoOtherIds) {
  const Error error = thrown_by([] { make_finding("no-such-thing", "x"); });
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_THAT(error.message(), HasSubstr("'no-such-thing'"));
}

// docs/findings.md has a row for each id: | `id` | severity | meaning | what to do |
TEST(FindingCatalogue, IsThePageForPeopleToo) {
  const std::filesystem::path page = source_tree() / "docs/findings.md";
  std::vector<std::string> named;
  for (const std::string& line : split(TemporaryFolder::read_bytes(page), '\n')) {
    if (!line.starts_with("| `")) continue;
    const std::string id = line.substr(3, line.find('`', 3) - 3);
    named.push_back(id);
    const std::vector<std::string> known = finding_ids();
    ASSERT_THAT(known, Contains(id));
    const Finding finding = make_finding(id, "");
    EXPECT_THAT(line, HasSubstr(concat("` | ", name(finding.severity), " | ", finding.title, " | ",
                                       finding.remedy.text)));
  }
  EXPECT_THAT(named, UnorderedElementsAreArray(finding_ids()));
}

const char* const sound_findings =
    R"({"an-id": {"severity": "warning", "title": "t", "cause": "c",
        "remedy": {"text": "do", "command": "reboot", "risk": "reboot"}}})";

TEST(FindingRecords, AreReadWithEveryField) {
  Finding expected;
  expected.id = "an-id";
  expected.severity = Severity::warning;
  expected.title = "t";
  expected.cause = "c";
  expected.remedy = {"do", "reboot", Risk::reboot};
  EXPECT_THAT(parse_findings(sound_findings, "s"), ElementsAre(expected));
}

struct CatalogueFault {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  // after "cannot read s: "
};

class FaultyFindingRecords : public testing::TestWithParam<CatalogueFault> {};

TEST_P(FaultyFindingRecords, AreRefused) {
  std::string text = sound_findings;
  const std::string from = GetParam().from;
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, from.size(), GetParam().to);
  const Error error = thrown_by([&] { parse_findings(text, "s"); });
  EXPECT_EQ(error.message(), concat("cannot read s: ", GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, FaultyFindingRecords,
    testing::Values(
        CatalogueFault{
            "severity", R"("warning")", R"("warnin")",
            "/an-id/severity: expected one of info, warning, error, critical; got \"warnin\" "
            "(did you mean 'warning'?)"},
        CatalogueFault{
            "risk", R"("risk": "reboot")", R"("risk": "none at all")",
            "/an-id/remedy/risk: expected one of none, restart-job, restart-service, reboot; got "
            "\"none at all\""},
        CatalogueFault{"no_cause", R"("cause": "c",)", "", "/an-id: missing key 'cause'"},
        CatalogueFault{"no_command", R"("command": "reboot",)", "",
                       "/an-id/remedy: missing key 'command'"},
        CatalogueFault{"empty_remedy", R"("do")", R"("")",
                       "/an-id/remedy/text: expected non-empty text, got \"\""},
        CatalogueFault{"unknown_key", R"("title")", R"("titel": "", "title")",
                       "/an-id: unknown key 'titel' (did you mean 'title'?)"}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace topsctl
