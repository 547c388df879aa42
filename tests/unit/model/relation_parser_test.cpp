// Reading fields that hold relations between packages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"
#include "topsctl/model/relation.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string canonical(const std::string& field) {
  return to_text(parse_relations(field, "Depends"));
}

Error refusal_of(const std::string& field) {
  return thrown_by([&] { parse_relations(field, "Depends of x.deb"); });
}

TEST(RelationFields, AreReadIntoTheirParts) {
  const auto clauses = parse_relations(
      "libc6:any (>= 1:2.31-0+deb11~1) [amd64 !i386] <!nocheck> <a b> | c", "Depends");
  ASSERT_EQ(clauses.size(), 1U);
  ASSERT_EQ(clauses[0].alternatives.size(), 2U);
  const Relation& first = clauses[0].alternatives[0];
  EXPECT_EQ(first.name, "libc6");
  EXPECT_EQ(first.architecture, "any");
  EXPECT_EQ(first.test, VersionTest::at_least);
  EXPECT_EQ(first.version, "1:2.31-0+deb11~1");
  EXPECT_THAT(first.architectures, ElementsAre("amd64", "!i386"));
  EXPECT_EQ(first.profiles, "<!nocheck> <a b>");
  Relation bare;
  bare.name = "c";
  EXPECT_EQ(clauses[0].alternatives[1], bare);
}

TEST(RelationFields, MayBeEmptyOrBlank) {
  EXPECT_TRUE(parse_relations("", "Depends").empty());
  EXPECT_TRUE(parse_relations(" \n\t", "Depends").empty());
}

TEST(RelationFields, NeedNoBlanks) {
  EXPECT_EQ(canonical("a(>=1),b(<<2)|c:amd64(=3)"), "a (>= 1), b (<< 2) | c:amd64 (= 3)");
  EXPECT_EQ(canonical("a (\t>=  1 ) ,\n b\n |\n c "), "a (>= 1), b | c");
}

TEST(RelationFields, MayHoldCommentLines) {
  EXPECT_EQ(canonical("a,\n# no, not (this\n b"), "a, b");
  EXPECT_EQ(canonical("a\n#, b"), "a");
  EXPECT_THAT(refusal_of("a,\n # b\n").message(), HasSubstr("an invalid package name"));
}

TEST(RelationFields, MayUseDeprecatedComparisons) {
  EXPECT_EQ(canonical("a (< 1), b (> 1), c (1), d (<1)"), "a (<= 1), b (>= 1), c (= 1), d (<= 1)");
}

TEST(RelationFields, NamesAreInLowerCase) {
  EXPECT_EQ(canonical("LibFoo_1.0+x-y"), "libfoo_1.0+x-y");
}

TEST(RelationFields, ThatDpkgRefusesAreRefused) {
  for (const char* field : {"a,",
                            ",a",
                            "a,,b",
                            "a, , b",
                            "a |",
                            "| a",
                            ",",
                            "a b",
                            "a (>= 1) b",
                            "a (>= 1) (<< 2)",
                            "a (>= 1",
                            "a (>= 1 2)",
                            "a (>= (1)",
                            "a (>=)",
                            "a ()",
                            "a (>< 1)",
                            "a (<> 1)",
                            "a (=> 1)",
                            "a (== 1)",
                            "a (> = 1)",
                            "a : any",
                            "a:",
                            "a: any",
                            "a:*",
                            "a:any:b",
                            "+a",
                            "-",
                            "\xC3\xA9",
                            "a;b",
                            "a [",
                            "a []",
                            "a [amd64",
                            "a [+]",
                            "a [!]",
                            "a <",
                            "a <>",
                            "a <x",
                            "a <!>",
                            "a [amd64] (>= 1)",
                            "a )"})
    EXPECT_EQ(refusal_of(field).code(), ErrorCode::bad_package) << field;
  EXPECT_EQ(refusal_of(std::string("a\0b", 3)).code(), ErrorCode::bad_package);
}

TEST(RelationFields, WithVersionsThatDpkgRefusesAreRefused) {
  for (const char* version : {"x1", "1_2", "1-", "-1", "1:", ":1", "a:1", "2147483648:1",
                              "99999999999:1", "-1:1", "1-1:2", "1+\xC3\xA9", "${x}", "1-a_b"})
    EXPECT_EQ(refusal_of("a (= " + std::string(version) + ")").code(), ErrorCode::bad_package)
        << version;
  for (const char* version : {"2147483647:1", "0000000000001:1", "+1:1", "-0:1", "1-2-3", "1:2:3"})
    EXPECT_EQ(canonical("a (= " + std::string(version) + ")"),
              "a (= " + std::string(version) + ")");
}

TEST(RelationFields, OfTheStatusFileMayHoldOddVersions) {
  const auto clauses = parse_relations("a (= x_1)", "status", RelationSource::status_file);
  EXPECT_EQ(to_text(clauses), "a (= x_1)");
  for (const std::string field : {"a (= 1-)", "a (<>1)", "a (><1)"}) {
    const Error error =
        thrown_by([&] { parse_relations(field, "status", RelationSource::status_file); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << field;
  }
}

TEST(RelationFields, ThatAreRefusedAreNamedWithThePlaceAndAHint) {
  const Error error = refusal_of("a, b (>= \x1B[31m)");
  EXPECT_THAT(error.message(), HasSubstr("cannot read 'Depends of x.deb': relation 2: "));
  EXPECT_THAT(error.message(), HasSubstr("a version that does not start with a digit"));
  EXPECT_THAT(error.message(), HasSubstr("'?[31m)'"));
  EXPECT_THAT(error.hint(), HasSubstr("policy 7.1"));
}

TEST(RelationFields, ShowLittleOfWhatTheyHold) {
  EXPECT_LT(refusal_of("a " + std::string(100'000, 'x')).message().size(), 300U);
}

TEST(RelationFields, AreBounded) {
  EXPECT_THAT(refusal_of(std::string((1 << 20) + 1, ' ')).message(), HasSubstr("at most 1.0 MiB"));
  EXPECT_NO_THROW(parse_relations(std::string(1 << 20, ' '), "Depends"));
  std::string field = "a";
  for (int i = 1; i < 10'000; ++i) field += i % 2 == 0 ? ",a" : "|a";
  EXPECT_EQ(parse_relations(field, "Depends").size(), 5000U);
  EXPECT_THAT(refusal_of(field + ",a").message(), HasSubstr("more than 10000 relations"));
}

}  // namespace
}  // namespace topsctl
