// References, places, dependencies, suppliers and licenses for bills of materials.
#include "engine/reporting/sbom_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

// Of the sample: 0 the container, 1 eccl, 2 sdk, 3 old eccl, 4 torch for 3.6, 5 torch for 3.8.
constexpr std::size_t eccl = 1;
constexpr std::size_t sdk = 2;
constexpr std::size_t torch36 = 4;
constexpr std::size_t torch38 = 5;

Package& package(Inspection& inspection, std::size_t node) {
  return inspection.inventory.packages[node - 1];
}

TEST(SbomNodes, HaveContainersFirstAndPlainUniqueReferences) {
  const Inspection inspection = sample_inspection();
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes[0].container, &inspection.containers[0]);
  EXPECT_EQ(nodes[0].parent, std::nullopt);
  std::set<std::string> refs;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].package, &inspection.inventory.packages[i - 1]);
    EXPECT_EQ(nodes[i].parent, 0U);
    EXPECT_THAT(nodes[i].ref, MatchesRegex("package-[0-9a-f]+"));
    refs.insert(nodes[i].ref);
  }
  EXPECT_EQ(refs.size(), 5U);
}

TEST(SbomNodes, AtTheSamePlaceStillDiffer) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages.assign(3, package(inspection, eccl));
  std::set<std::string> refs;
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  for (const SbomNode& node : nodes) refs.insert(node.ref);
  EXPECT_EQ(refs.size(), 4U);
}

TEST(SbomNodes, LieInTheInnermostContainerThatIsKnown) {
  Inspection inspection = sample_inspection();
  ContainerFile inner;
  inner.path = "inner.run";
  inner.container = {"TopsRider.run"};
  inspection.containers.insert(inspection.containers.begin(), inner);
  package(inspection, eccl).container = {"TopsRider.run", "inner.run"};
  package(inspection, sdk).container = {"TopsRider.run", "unknown.tar"};
  package(inspection, torch36).container = {"elsewhere.zip"};
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  EXPECT_EQ(nodes[0].container->path, "TopsRider.run");
  EXPECT_EQ(nodes[1].container->path, "inner.run");
  EXPECT_EQ(nodes[1].parent, 0U);
  EXPECT_EQ(nodes[2].parent, 1U);
  EXPECT_EQ(nodes[3].parent, 0U);
  EXPECT_EQ(nodes[5].parent, std::nullopt);
}

TEST(SbomNodes, OfManyArchivesInEachOtherStayBounded) {
  Inspection inspection;
  std::vector<std::string> container;
  for (int i = 0; i < 500; ++i) {
    ContainerFile file;
    file.path = concat("c", i);
    file.container = container;
    inspection.containers.push_back(file);
    container.push_back(file.path);
  }
  const std::vector<SbomNode> nodes = sbom_nodes(inspection);
  ASSERT_EQ(nodes.size(), 500U);
  EXPECT_EQ(nodes[15].parent, 14U);
  EXPECT_EQ(nodes[499].parent, 15U);
}

TEST(SbomNodes, ShowAnOpenedRunFileOnce) {
  Inspection inspection = sample_inspection();
  Package runfile;
  runfile.kind = PackageKind::runfile;
  runfile.path = "TopsRider.run";
  inspection.inventory.packages.push_back(runfile);
  EXPECT_EQ(sbom_nodes(inspection).size(), 6U);
  inspection.containers.clear();
  EXPECT_EQ(sbom_nodes(inspection).size(), 6U);
}

TEST(SbomDependencies, AreThoseWithinTheBundleThatMeetTheVersion) {
  Inspection inspection = sample_inspection();
  EXPECT_THAT(sbom_nodes(inspection)[eccl].depends_on, ElementsAre(sdk));
  EXPECT_THAT(sbom_nodes(inspection)[sdk].depends_on, IsEmpty());
  package(inspection, eccl).depends = {"tops-sdk (>= 2.6)"};
  EXPECT_THAT(sbom_nodes(inspection)[eccl].depends_on, IsEmpty());
}

TEST(SbomDependencies, TakeAlternativesAndProvidedNames) {
  Inspection inspection = sample_inspection();
  package(inspection, sdk).deb->provides = "tops-runtime (= 3), tops-any";
  const auto needs = [&](const char* field) {
    package(inspection, eccl).depends = {field};
    return !sbom_nodes(inspection)[eccl].depends_on.empty();
  };
  EXPECT_TRUE(needs("nothing | tops-runtime (>= 3)"));
  EXPECT_TRUE(needs("tops-any"));
  EXPECT_FALSE(needs("tops-any (>= 1)"));
  EXPECT_FALSE(needs("tops-runtime (>> 3)"));
}

TEST(SbomDependencies, LeaveOutMalformedFieldsAndThePackageItself) {
  Inspection inspection = sample_inspection();
  package(inspection, eccl).depends = {"tops-eccl", "((((", "tops-sdk"};
  EXPECT_THAT(sbom_nodes(inspection)[eccl].depends_on, ElementsAre(sdk));
}

TEST(SbomDependencies, AreNeitherToNorFromArchivedPackages) {
  Inspection inspection = sample_inspection();
  package(inspection, 3).depends = {"tops-sdk"};
  EXPECT_THAT(sbom_nodes(inspection)[3].depends_on, IsEmpty());
  package(inspection, sdk).depends = {"tops-eccl (<< 2.5)"};
  EXPECT_THAT(sbom_nodes(inspection)[sdk].depends_on, IsEmpty());
}

TEST(SbomDependencies, OfWheelsGoByNormalisedNameAndPython) {
  Inspection inspection = sample_inspection();
  Package user = package(inspection, torch38);
  user.name = "ptex";
  user.path = "ptex.whl";
  user.depends = {"Torch.GCU>=1.10 ; python_version >= '3.6'"};
  inspection.inventory.packages.push_back(user);
  EXPECT_THAT(sbom_nodes(inspection)[6].depends_on, ElementsAre(torch38));
  inspection.inventory.packages.back().python->minor.reset();
  EXPECT_THAT(sbom_nodes(inspection)[6].depends_on, ElementsAre(torch36, torch38));
  inspection.inventory.packages.back().depends = {"torch_gcu; extra == 'all'"};
  EXPECT_THAT(sbom_nodes(inspection)[6].depends_on, IsEmpty());
  inspection.inventory.packages.back().depends = {"torch", "", ";", "(>=1)"};
  EXPECT_THAT(sbom_nodes(inspection)[6].depends_on, IsEmpty());
}

TEST(SbomUuids, AreOfVersionEightAndFollowTheContent) {
  Inspection inspection = sample_inspection();
  const auto uuid = [&](std::string_view purpose) {
    return sbom_uuid(sbom_nodes(inspection), purpose);
  };
  const std::string first = uuid("a");
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                  "[0-9a-f]{12}"));
  EXPECT_EQ(uuid("a"), first);
  EXPECT_NE(uuid("b"), first);
  std::swap(inspection.inventory.packages[0], inspection.inventory.packages[1]);
  EXPECT_EQ(uuid("a"), first);
  inspection.inventory.packages[0].sha256 = sample_digest('0');
  EXPECT_NE(uuid("a"), first);
}

TEST(Suppliers, AreTheMaintainersOfDebs) {
  Package package = inspected_deb("x", "1", 'a');
  EXPECT_EQ(supplier_of(package), (Supplier{"Enflame", "support@example.com"}));
  package.deb->maintainer = "Enflame";
  EXPECT_EQ(supplier_of(package), (Supplier{"Enflame", ""}));
  package.deb->maintainer = "<a@b>";
  EXPECT_EQ(supplier_of(package), (Supplier{"a@b", "a@b"}));
  package.deb->maintainer = "A <open";
  EXPECT_EQ(supplier_of(package), (Supplier{"A", "open"}));
  for (const char* nobody : {"", "  ", "<>", " < > "}) {
    package.deb->maintainer = nobody;
    EXPECT_EQ(supplier_of(package), std::nullopt) << nobody;
  }
  EXPECT_EQ(supplier_of(inspected_torch("3.8", 'a')), std::nullopt);
}

TEST(Licenses, AreStatedOnlyWhereTheWheelDoes) {
  Package package = inspected_torch("3.8", 'a');
  EXPECT_EQ(license_of(package), "");
  package.wheel->license = "UNKNOWN";
  EXPECT_EQ(license_of(package), "");
  package.wheel->license = " MIT\n";
  EXPECT_EQ(license_of(package), "MIT");
  package.wheel->license = std::string(100'000, 'x');
  EXPECT_LE(license_of(package).size(), 1003U);
  EXPECT_TRUE(is_spdx_license("Apache-2.0"));
  EXPECT_FALSE(is_spdx_license("Apache License"));
  EXPECT_EQ(license_of(inspected_deb("x", "1", 'a')), "");
}

}  // namespace
}  // namespace topsctl
