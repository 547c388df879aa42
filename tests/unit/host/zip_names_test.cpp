// The flag that calls a zip's names UTF-8 is cleared, and nothing else is touched.
#include "topsctl/host/zip_names.hpp"

#include <gtest/gtest.h>

#include "../support/archives.hpp"

namespace topsctl {
namespace {

std::string marked(std::string zip) {
  mark_names_as_bytes(reinterpret_cast<unsigned char*>(zip.data()), zip.size());
  return zip;
}

std::string sample() {
  return zip_bytes({{"库/é.py", "content"}, {"plain", "PK\3\4 looks like a header \x08\x08"}});
}

TEST(ZipNames, LoseTheirFlagInBothHeadersOfEachMember) {
  std::string expected = sample();
  for (const auto& [magic, flag] : {std::pair("PK\1\2", 9U), std::pair("PK\3\4", 7U)}) {
    for (auto at = expected.find(magic); at != std::string::npos;
         at = expected.find(magic, at + 1)) {
      if (expected[at + flag] == '\x08') expected[at + flag] = '\0';
    }
  }
  EXPECT_NE(expected, sample());
  EXPECT_EQ(marked(sample()), expected);
}

TEST(ZipNames, AreFoundBeforeAComment) {
  std::string zip = sample();
  zip[zip.size() - 2] = 7;
  EXPECT_NE(marked(zip + "comment"), zip + "comment");
}

TEST(ZipNames, OfWhatIsNoZipAreLeftAlone) {
  for (const std::string& bytes :
       {std::string(), std::string("PK"), std::string(21, 'x'), std::string(100'000, '\x08')}) {
    EXPECT_EQ(marked(bytes), bytes);
  }
}

TEST(ZipNames, AreNeverLookedForBeyondTheEnd) {
  const std::string whole = sample();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(marked(whole.substr(0, length)).size(), length);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      marked(damaged);
    }
  }
}

}  // namespace
}  // namespace topsctl
