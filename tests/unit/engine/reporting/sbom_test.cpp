// Bills of materials: whole documents, and what they must not hold.
#include "topsctl/engine/reporting/sbom.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/golden.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Not;

const SbomFrame sbom_frame = {"TopsRider", "2026-11-20T10:15:00Z"};

// All that a bill of materials can have: licenses, descriptions, an inner archive, a damaged deb.
Inspection whole_bundle() {
  Inspection inspection = sample_inspection();
  ContainerFile inner;
  inner.path = "platform/inner.tar.xz";
  inner.container = {"TopsRider.run"};
  inner.kind = "tar";
  inner.compression = "xz";
  inner.size = 500;
  inspection.containers.push_back(inner);
  std::vector<Package>& packages = inspection.inventory.packages;
  packages[1].container.push_back(inner.path);
  packages[0].deb->summary = "collective communication";
  packages[3].wheel->license = "Apache-2.0";
  packages[4].wheel->license = "Enflame EULA";
  packages[4].wheel->summary = "PyTorch on GCU";
  Package broken;
  broken.path = "framework/cut.deb";
  broken.kind = PackageKind::deb;
  broken.verdict = Verdict::broken;
  broken.sha256 = sample_digest('0');
  broken.size = 3;
  packages.push_back(broken);
  return inspection;
}

TEST(CycloneDx, IsTheGoldenDocument) {
  Json document = cyclonedx_document(whole_bundle(), sbom_frame);
  EXPECT_EQ(document["metadata"]["tools"]["components"][0]["version"], topsctl_version());
  document["metadata"]["tools"]["components"][0]["version"] = "0";
  expect_golden(to_text(document), "sbom/bundle.cdx.json");
}

TEST(CycloneDx, NestsPackagesInTheirArchives) {
  const Json document = cyclonedx_document(whole_bundle(), sbom_frame);
  ASSERT_EQ(document["components"].size(), 2U);
  const Json& outer = document["components"][0];
  EXPECT_EQ(outer["name"], "TopsRider.run");
  EXPECT_EQ(outer["components"][0]["name"], "inner.tar.xz");
  EXPECT_EQ(outer["components"][0]["components"][0]["name"], "tops-sdk");
  EXPECT_EQ(document["components"][1]["type"], "file");
  EXPECT_FALSE(document["components"][1].contains("purl"));
}

TEST(Sboms, EncodePackageUrls) {
  const std::string cyclonedx = cyclonedx_document(whole_bundle(), sbom_frame).dump();
  EXPECT_THAT(cyclonedx, HasSubstr("pkg:deb/tops-eccl@2.5.136-1?arch=amd64"));
  EXPECT_THAT(cyclonedx, HasSubstr("pkg:pypi/torch-gcu@1.10.0%2B2.5.136"));
}

TEST(Sboms, StateNoDigestThatWasNotRead) {
  Inspection inspection = whole_bundle();
  for (Package& package : inspection.inventory.packages) package.sha256.clear();
  for (ContainerFile& file : inspection.containers) file.sha256.clear();
  EXPECT_THAT(cyclonedx_document(inspection, sbom_frame).dump(), Not(HasSubstr("\"hashes\"")));
}

TEST(Sboms, HoldNoControlCharacters) {
  Inspection inspection = whole_bundle();
  Package& package = inspection.inventory.packages[0];
  package.deb->maintainer = "E\n(x) <a\tb>";
  package.deb->summary = "a\033[31m";
  package.path = "a\nb.deb";
  const std::string text = cyclonedx_document(inspection, sbom_frame).dump();
  EXPECT_EQ(text.find("\\n"), std::string::npos);
  EXPECT_EQ(text.find("\\u001b"), std::string::npos);
  EXPECT_EQ(text.find("\\t"), std::string::npos);
}

TEST(Sboms, OfNothingAreStillWhole) {
  const Json cyclonedx = cyclonedx_document({}, sbom_frame);
  EXPECT_TRUE(cyclonedx["components"].is_array());
  EXPECT_TRUE(cyclonedx["dependencies"].is_array());
}

}  // namespace
}  // namespace topsctl
