// Findings on the names of wheels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/inspection/wheel_findings.hpp"
#include "support/sample_packages.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

// The evidence of wheel-name-differs; empty if there is no such finding.
std::vector<std::string> name_evidence(const std::string& file_name,
                                       const std::string& file_version, const std::string& name,
                                       const std::string& version) {
  Package package = sample_torch("3.8");
  package.name = name;
  package.version = version;
  package.wheel = WheelFacts{};
  package.wheel->file_name = file_name;
  package.wheel->file_version = file_version;
  package.wheel->build = "2.5.136";
  std::vector<std::string> texts;
  for (const Finding& finding : wheel_findings(package, nullptr)) {
    if (finding.id != "wheel-name-differs") continue;
    for (const Evidence& piece : finding.evidence) {
      texts.push_back(concat(piece.source, ": ", piece.text));
    }
  }
  return texts;
}

TEST(WheelNames, ThatMeanTheSameAreNoFinding) {
  using testing::IsEmpty;
  EXPECT_THAT(name_evidence("torch_gcu", "1.10.0", "Torch.GCU", "1.10.0"), IsEmpty());
  EXPECT_THAT(name_evidence("a", "1.0", "a", "1.0.0"), IsEmpty());
  EXPECT_THAT(name_evidence("a", "1.0+x_1", "a", "1.0+x.1"), IsEmpty());
  EXPECT_THAT(name_evidence("a", "0.19.1.115.gcu", "a", "0.19.1.115.gcu"), IsEmpty());
  EXPECT_THAT(name_evidence("a", "1_x_gcu", "a", "1-x-gcu"), IsEmpty());
}

TEST(WheelNames, OfAnotherPackageAreAFinding) {
  EXPECT_THAT(name_evidence("torch_gcu", "1.0", "other_demo", "1.0"),
              testing::ElementsAre("file name: name torch_gcu", "METADATA: Name: other_demo"));
}

// "torch_gcu-1.10.0-2.5.136-py3.6-none-any.whl"
TEST(WheelNames, OfAnotherVersionAreAFinding) {
  EXPECT_THAT(name_evidence("torch_gcu", "1.10.0", "torch_gcu", "1.10.0+2.5.136"),
              testing::ElementsAre("file name: version 1.10.0, build tag 2.5.136",
                                   "METADATA: Version: 1.10.0+2.5.136"));
}

}  // namespace
}  // namespace topsctl
