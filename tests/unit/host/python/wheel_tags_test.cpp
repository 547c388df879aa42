// The Python versions that tags of wheels mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/host/python/wheel_tags.hpp"

namespace topsctl {
namespace {

using Tags = std::vector<std::string>;

TEST(PythonMinor, IsReadFromTheTags) {
  const std::vector<std::pair<Tags, std::optional<std::string>>> table = {
      {{"py3.8-none-any"}, "3.8"},
      {{"py3.6-none-any"}, "3.6"},
      {{"py3.10-none-any"}, "3.10"},
      {{"py38-none-any"}, "3.8"},
      {{"cp38-cp38-linux_x86_64"}, "3.8"},
      {{"cp310-cp310-linux_x86_64"}, "3.10"},
      {{"py27-none-any"}, "2.7"},
      {{"py3-none-any"}, std::nullopt},
      {{"py2-none-any"}, std::nullopt},
      {{"py2.py3-none-any"}, std::nullopt},
      {{"cp36.cp37-none-any"}, std::nullopt},
      {{"py3.8.py3.9-none-any"}, std::nullopt},
      {{"py3.8.py3.8-none-any"}, "3.8"},
      {{"cp36-abi3-linux_x86_64"}, std::nullopt},
      {{"pp38-none-any"}, std::nullopt},
      {{"py-none-any"}, std::nullopt},
      {{""}, std::nullopt},
      {{}, std::nullopt},
      {{"py3.-none-any"}, std::nullopt},
      {{"py3.x-none-any"}, std::nullopt},
      {{"py3" + std::string(40, '9') + "-none-any"}, std::nullopt},
      {{"cp38-cp38-linux_x86_64", "cp38-cp38-manylinux1_x86_64"}, "3.8"},
      {{"cp38-cp38-linux_x86_64", "cp39-cp39-linux_x86_64"}, std::nullopt},
      {{"py3.8-none-any", "py3-none-any"}, std::nullopt},
  };
  for (const auto& [tags, minor] : table) {
    EXPECT_EQ(python_minor(tags), minor) << testing::PrintToString(tags);
  }
}

TEST(PythonTags, SayWhichVersionsTheyAreFor) {
  const std::vector<std::tuple<Tags, std::string, bool>> table = {
      {{"py3.8-none-any"}, "3.8", true},
      {{"py3.8-none-any"}, "3.9", false},
      {{"py38-none-any"}, "3.9", false},
      {{"py3-none-any"}, "3.6", true},
      {{"py3-none-any"}, "3.11", true},
      {{"cp3-none-any"}, "3.11", true},
      {{"py2-none-any"}, "3.6", false},
      {{"py27-none-any"}, "3.6", false},
      {{"py2.py3-none-any"}, "3.6", true},
      {{"cp36.cp37-none-any"}, "3.6", true},
      {{"cp36.cp37-none-any"}, "3.7", true},
      {{"cp36.cp37-none-any"}, "3.8", false},
      {{"cp36-abi3-linux_x86_64"}, "3.8", true},
      {{"cp36-abi3-linux_x86_64"}, "3.5", false},
      {{"cp310-cp310-linux_x86_64"}, "3.10", true},
      {{"cp310-cp310-linux_x86_64"}, "3.1", false},
      {{"pp38-none-any"}, "3.8", false},
      {{"py2-none-any", "py3-none-any"}, "3.8", true},
      {{"py3-none-any"}, "2.7", false},
      {{"py3-none-any"}, "", false},
      {{}, "3.8", false},
  };
  for (const auto& [tags, minor, fits] : table) {
    EXPECT_EQ(is_for_python(tags, minor), fits) << testing::PrintToString(tags) << " " << minor;
  }
}

}  // namespace
}  // namespace topsctl
