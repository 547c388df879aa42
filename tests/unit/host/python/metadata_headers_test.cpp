// Headers of METADATA and WHEEL: where they end, as Python's email parser sees it.
#include "host/python/metadata_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(MetadataHeaders, EndWithAnyLineEnd) {
  for (const char* text :
       {"Name: a\nVersion: 1\n\nName: b\n", "Name: a\r\nVersion: 1\r\n\r\nName: b",
        "Name: a\rVersion: 1\r\rName: b"}) {
    EXPECT_THAT(metadata_headers(text).fields, ElementsAre(Pair("Name", "a"), Pair("Version", "1")))
        << text;
  }
}

TEST(MetadataHeaders, MayGoOnOverLines) {
  EXPECT_THAT(metadata_headers(" lost\nSummary: a\n  b\n\tc\nName:d\n").fields,
              ElementsAre(Pair("Summary", "a\nb\nc"), Pair("Name", "d")));
}

TEST(MetadataHeaders, EndBeforeTheFirstLineThatIsNone) {
  for (const char* text : {"\nName: a\n", "# by hand\nName: a\n", "Name : a\n", "words\nName: a\n",
                           "\xef\xbb\xbfName: a\n", ""}) {
    EXPECT_THAT(metadata_headers(text).fields, IsEmpty()) << text;
  }
  EXPECT_EQ(metadata_headers("NAME: a\nwords\nVersion: 1\n").value("name"), "a");
  EXPECT_EQ(metadata_headers("NAME: a\nwords\nVersion: 1\n").value("Version"), "");
}

}  // namespace
}  // namespace topsctl
