// Python version ordering: PEP 440, and what is not of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topsctl/base/python_version.hpp"

namespace topsctl {
namespace {

// Each version is older than all that follow it.
void expect_ascending(const std::vector<std::string>& versions) {
  for (std::size_t i = 0; i < versions.size(); ++i) {
    for (std::size_t j = 0; j < versions.size(); ++j) {
      const int order = compare_python_versions(versions[i], versions[j]);
      EXPECT_EQ((order > 0) - (order < 0), (i > j) - (i < j))
          << '\'' << versions[i] << "' and '" << versions[j] << '\'';
    }
  }
}

void expect_equal(const std::vector<std::string>& versions) {
  for (const std::string& version : versions) {
    EXPECT_TRUE(is_pep440_version(version)) << version;
    EXPECT_EQ(compare_python_versions(version, versions.front()), 0) << version;
    EXPECT_EQ(compare_python_versions(versions.front(), version), 0) << version;
  }
}

TEST(PythonVersions, PhasesFollowOneAnother) {
  expect_ascending({"1.0.dev456", "1.0a1.dev2", "1.0a1", "1.0a1.post1.dev1", "1.0a1.post1", "1.0a2",
                    "1.0a12", "1.0b1", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5",
                    "1.0.post1.dev3", "1.0.post1", "1.1.dev1", "1!0.1"});
}

TEST(PythonVersions, ZerosAtTheEndOfAReleaseDoNotCount) {
  expect_equal({"1", "1.0", "1.0.0", "01.000"});
  expect_equal({"0", "0.0"});
  expect_ascending({"0", "0.0.1", "1", "1.0.1", "1.1", "1.10"});
}

TEST(PythonVersions, SpellingsOfTheSameVersionAreEqual) {
  expect_equal({"1.0a1", "1.0alpha1", "1.0.a.1", "1.0-ALPHA_1", "v1.0_a-1", " 1.0a01\n"});
  expect_equal({"1.0b0", "1.0beta", "1.0.b", "1.0b-"});
  expect_equal({"1.0rc2", "1.0c2", "1.0pre2", "1.0-preview-2"});
  expect_equal({"1.0.post3", "1.0-3", "1.0rev3", "1.0r3", "1.0POST-3", "1.0.post.3", "V1-3"});
  expect_equal({"1.0.dev0", "1.0dev", "1.0-dev", "1.0.dev_"});
  expect_equal({"1.0+ubuntu.1", "1.0+Ubuntu-01", "1.0+ubuntu_1"});
  expect_equal({"1.0a0.post1", "1.0a--1"});
  expect_equal({"1!2.0", "01!2", "v1!2.0.0"});
}

TEST(PythonVersions, LocalSegmentsAreWordsBeforeNumbers) {
  expect_ascending({"1.0", "1.0+1a", "1.0+a", "1.0+a.b", "1.0+a.1", "1.0+ab", "1.0+0", "1.0+0.0",
                    "1.0+2", "1.0+10"});
}

TEST(PythonVersions, NumbersOfAnyLengthAreCompared) {
  const std::string nines(5000, '9');
  expect_ascending({"1.1", "1." + nines, "1.1" + nines, nines, "1!1", nines + "!1"});
  expect_equal({"1.0.dev" + nines, "1.0.dev000" + nines});
}

TEST(PythonVersions, OfPep440AreRecognised) {
  for (const char* version : {"1.10.0+2.5.136", "1", "2023.4", "1!1.0", "1.0.post1.dev2+x", "v1",
                              "1.0a.", "1.0prepost1", "1.0adev"})
    EXPECT_TRUE(is_pep440_version(version)) << version;
}

TEST(PythonVersions, NotOfPep440AreRecognised) {
  for (const char* version : {"0.19.1.115.gcu",
                              "",
                              " ",
                              "v",
                              "a1",
                              "1..0",
                              "1.",
                              ".1",
                              "1.0+",
                              "1.0+a..b",
                              "1.0+a.",
                              "1.0+a+b",
                              "1.0.x",
                              "1!",
                              "!1",
                              "1!2!3",
                              "1.0a1a2",
                              "1.0.dev1.post1",
                              "1.0.post--1",
                              "1 0",
                              "1.0-1-2",
                              "1.0--1",
                              "1.0+\xC3\xA9",
                              "\xC2\xA0"
                              "1"})
    EXPECT_FALSE(is_pep440_version(version)) << version;
}

TEST(PythonVersions, NotOfPep440AreOlderThanAllThatAre) {
  expect_ascending({"9999.gcu", "0.dev0"});
}

TEST(PythonVersions, NotOfPep440HaveAnOrderOfTheirOwn) {
  expect_ascending({"", "gcu", "0.19.gcu", "0.19.1.gcu", "0.19.1.115.gcu", "0.19.1.115.gcu.1",
                    "0.19.1.1150.gcu", "0.20.gcu"});
}

TEST(PythonVersions, NotOfPep440DifferOnlyByTheirPieces) {
  EXPECT_EQ(compare_python_versions("0.19.1.GCU", "0-19_01gcu"), 0);
}

}  // namespace
}  // namespace topsctl
