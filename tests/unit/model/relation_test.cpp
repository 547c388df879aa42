// Printing of relations, and what they accept.
#include "topsctl/model/relation.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {
namespace {

Relation relation(const std::string& text) {
  return parse_relations(text, "Depends").front().alternatives.front();
}

TEST(Relations, ArePrintedInCanonicalForm) {
  EXPECT_EQ(to_text(relation("a:any(>=1)[amd64  !i386]<!x  y> <z>")),
            "a:any (>= 1) [amd64 !i386] <!x y> <z>");
  EXPECT_EQ(to_text(parse_relations(" a|b(>=1),\n c:any ", "Depends")), "a | b (>= 1), c:any");
  EXPECT_EQ(to_text(std::vector<Clause>{}), "");
}

TEST(Relations, PrintedAreReadAsTheyWere) {
  const auto clauses =
      parse_relations("a (<< 1:2-3) | b:arm64 (<= 1~), c (= 2) [any-amd64], d (>> 3) <x>", "f");
  EXPECT_EQ(parse_relations(to_text(clauses), "f"), clauses);
}

TEST(Relations, AcceptVersionsByTheirTest) {
  const auto accepted = [](const std::string& text) {
    std::string found;
    for (const char* version : {"1", "2", "3"})
      if (accepts(relation(text), version)) found += version;
    return found;
  };
  EXPECT_EQ(accepted("a"), "123");
  EXPECT_EQ(accepted("a (<< 2)"), "1");
  EXPECT_EQ(accepted("a (<= 2)"), "12");
  EXPECT_EQ(accepted("a (= 2)"), "2");
  EXPECT_EQ(accepted("a (>= 2)"), "23");
  EXPECT_EQ(accepted("a (>> 2)"), "3");
  EXPECT_EQ(accepted("a (= 0:2-0)"), "2");
}

TEST(Relations, WithATestAcceptNoMissingVersion) {
  EXPECT_TRUE(accepts(relation("a"), ""));
  EXPECT_FALSE(accepts(relation("a (<< 2)"), ""));
  EXPECT_FALSE(accepts(relation("a (<= 2)"), " "));
}

TEST(Relations, ConcernTheArchitecturesTheyList) {
  EXPECT_TRUE(concerns_architecture(relation("a"), "amd64"));
  EXPECT_TRUE(concerns_architecture(relation("a [i386 amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [i386 arm64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [!i386 !amd64]"), "amd64"));
  EXPECT_TRUE(concerns_architecture(relation("a [!i386 !arm64]"), "amd64"));
  EXPECT_TRUE(concerns_architecture(relation("a [AMD64]"), "amd64"));
}

TEST(Relations, ConcernArchitecturesByWildcards) {
  for (const char* pattern :
       {"any", "linux-any", "any-amd64", "any-any", "gnu-linux-any", "any-any-linux-any"})
    EXPECT_TRUE(concerns_architecture(relation(concat("a [", pattern, ']')), "amd64")) << pattern;
  EXPECT_FALSE(concerns_architecture(relation("a [kfreebsd-any]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [any-i386]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [musl-any-any]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [a-b-c-d-any]"), "amd64"));
  EXPECT_TRUE(concerns_architecture(relation("a [any-arm]"), "armhf"));
}

TEST(Relations, ConcernArchitecturesByTheNamesDpkgHas) {
  EXPECT_TRUE(concerns_architecture(relation("a [linux-amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [gnu-linux-amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [base-gnu-linux-amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [musl-linux-amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [other-amd64]"), "amd64"));
  EXPECT_FALSE(concerns_architecture(relation("a [any-amd64]"), "other-amd64"));
}

}  // namespace
}  // namespace topsctl
