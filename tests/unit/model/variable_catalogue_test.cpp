// The catalogue of variables: what is in it, which names concern the stacks, which values can be.
#include "topsctl/model/variable_catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

TEST(VariableCatalogue, SaysOfEachHowItIsKnown) {
  const VariableCatalogue& catalogue = variable_catalogue();
  EXPECT_GE(catalogue.variables.size(), 50U);
  for (const auto& [known, variable] : catalogue.variables) {
    EXPECT_EQ(known, variable.name);
    EXPECT_GE(variable.source.size(), 6U) << known;
    EXPECT_EQ(printable(variable.source), variable.source) << known;
    for (const std::string& value : variable.values)
      EXPECT_EQ(objection_to(variable, value), "") << known << "=" << value;
  }
  EXPECT_EQ(catalogue.find("ECCL_MAX_NCHANNELS")->grade, VariableGrade::attested);
  EXPECT_EQ(catalogue.find("GCU_VISIBLE_DEVICES")->grade, VariableGrade::unknown);
  EXPECT_EQ(catalogue.find("ECCL_PROTO")->generation, "s60");
  EXPECT_FALSE(catalogue.find("ENFLAME_VISIBLE_DEVICES")->is_of_process);
  EXPECT_EQ(catalogue.find("ECCL_"), nullptr);
}

TEST(VariableCatalogue, HasAllThatTheStackSets) {
  const Stack stack = sample_stack();
  for (const VariableRule& rule : stack.environment.variables)
    EXPECT_NE(variable_catalogue().find(rule.name), nullptr) << rule.name;
  for (const ProfileRule& profile : stack.environment.profiles) {
    for (const VariableRule& rule : profile.variables) {
      const KnownVariable* known = variable_catalogue().find(rule.name);
      ASSERT_NE(known, nullptr) << rule.name;
      EXPECT_EQ(known->grade, VariableGrade::attested) << rule.name;
      EXPECT_EQ(objection_to(*known, rule.value), "") << rule.name;
    }
  }
}

TEST(VariableCatalogue, ReadsNoOtherVariables) {
  for (const char* name : {"ECCL_X", "ENFLAME_Y", "TOPS_Z", "GCU_A", "RANK", "PATH", "ENABLE_RDMA",
                           "HIP_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MASTER_ADDR"})
    EXPECT_TRUE(variable_catalogue().concerns(name)) << name;
  for (const char* name : {"HOME", "AWS_SECRET_ACCESS_KEY", "TOKEN", "RANKS", "TOPSECRET",
                           "MY_ECCL_X", "", "OMP", "PATHS", "PASSWORD"})
    EXPECT_FALSE(variable_catalogue().concerns(name)) << name;
}

TEST(VariableCatalogue, KnowsNearMisses) {
  EXPECT_EQ(variable_catalogue().nearly("ECCL_MAX_NCHANNEL", "eccl"), "ECCL_MAX_NCHANNELS");
  EXPECT_EQ(variable_catalogue().nearly("ECCL_ASNYC_DISABLE", "eccl"), "ECCL_ASYNC_DISABLE");
  EXPECT_EQ(variable_catalogue().nearly("ECCL_SOMETHING_ELSE", "eccl"), std::nullopt);
  EXPECT_EQ(variable_catalogue().nearly("NCCL_MAX_NCHANNEL", "nccl"), "NCCL_MAX_NCHANNELS");
  EXPECT_EQ(variable_catalogue().nearly("NCCL_PASS_SN", "eccl"), std::nullopt);
}

TEST(VariableCatalogue, JudgesValuesByTypeAndRange) {
  const auto objection = [](const char* name, const char* value) {
    return objection_to(*variable_catalogue().find(name), value);
  };
  EXPECT_EQ(objection("ECCL_MAX_NCHANNELS", "4"), "");
  EXPECT_EQ(objection("ECCL_MAX_NCHANNELS", "many"), "expected an integer");
  EXPECT_EQ(objection("ECCL_MAX_NCHANNELS", ""), "expected an integer");
  EXPECT_EQ(objection("ECCL_MAX_NCHANNELS", "4 "), "expected an integer");
  EXPECT_EQ(objection("ECCL_MAX_NCHANNELS", "0"), "expected an integer from 1 to 64");
  EXPECT_EQ(objection("MASTER_PORT", "65536"), "expected an integer from 1 to 65535");
  for (const char* value : {"true", "FALSE", "0", "1"})
    EXPECT_EQ(objection("ECCL_ASYNC_DISABLE", value), "");
  EXPECT_EQ(objection("ECCL_ASYNC_DISABLE", "2"), "expected true or false");
  EXPECT_EQ(objection("TOPS_VISIBLE_DEVICES", "0,1,GCU-7"), "");
  EXPECT_THAT(objection("TOPS_VISIBLE_DEVICES", "0;1"),
              HasSubstr("expected card numbers separated by commas"));
  EXPECT_EQ(objection("ENFLAME_UMD_FLAGS", "ib_pool_size=134217728"), "");
}

const char* const sound_variables =
    R"({"prefixes": ["X_"], "files": ["~/x"], "folder_words": ["x"], "variables": [{"name": "X_A", "grade": "attested", "type": "integer",
        "least": 1, "most": 3, "generation": "t2x", "where": "process", "source": "a test"}]})";

TEST(VariableRecords, AreReadStrictly) {
  VariableCatalogue catalogue;
  add_variables(sound_variables, "s", catalogue);
  EXPECT_EQ(catalogue.find("X_A")->most, 3);
  EXPECT_TRUE(catalogue.concerns("X_B"));
  EXPECT_EQ(catalogue.files, std::vector<std::string>{"~/x"});
  EXPECT_EQ(catalogue.folder_words, std::vector<std::string>{"x"});
  const auto refusal = [](const std::string& text) {
    VariableCatalogue unused;
    return thrown_by([&] { add_variables(text, "s", unused); }).message();
  };
  EXPECT_EQ(refusal(with(sound_variables, "\"attested\"", "\"atested\"")),
            "cannot read s: /variables/0/grade: expected one of attested, plausible, unknown, "
            "wrong; got \"atested\" (did you mean 'attested'?)");
  EXPECT_THAT(refusal(with(sound_variables, "\"least\"", "\"lest\"")),
              HasSubstr("unknown key 'lest'"));
  EXPECT_THAT(refusal(with(sound_variables, "\"source\": \"a test\"", "\"most\": 4")),
              HasSubstr("missing key 'source'"));
  EXPECT_THAT(thrown_by([&] { add_variables(sound_variables, "s", catalogue); }).message(),
              HasSubstr("'X_A' is duplicated"));
}

TEST(VariableCatalogue, HasAllThatTheStackOfVcclSets) {
  for (const ProfileRule& profile : vccl_stack().environment.profiles) {
    for (const VariableRule& rule : profile.variables) {
      const KnownVariable* known = variable_catalogue().find(rule.name);
      ASSERT_NE(known, nullptr) << rule.name;
      EXPECT_EQ(known->backend, "nccl") << rule.name;
      EXPECT_EQ(objection_to(*known, rule.value), "") << rule.name;
    }
  }
}

TEST(VariableCatalogue, TellsChoices) {
  const KnownVariable& debug = *variable_catalogue().find("NCCL_DEBUG");
  EXPECT_EQ(objection_to(debug, "warn"), "");
  EXPECT_EQ(objection_to(debug, "ERROR"), "expected VERSION, WARN, INFO, ABORT, TRACE");
}

TEST(VariableCatalogue, KnowsOfWhichBackendAVariableIs) {
  const VariableCatalogue& catalogue = variable_catalogue();
  EXPECT_TRUE(catalogue.is_of("NCCL_DEBUG", "nccl"));
  EXPECT_FALSE(catalogue.is_of("NCCL_DEBUG", "eccl"));
  EXPECT_FALSE(catalogue.is_of("NCCL_NOT_KNOWN", "eccl"));
  EXPECT_TRUE(catalogue.is_of("ECCL_DEBUG", "nccl"));
  EXPECT_TRUE(catalogue.is_of("MASTER_ADDR", "nccl"));
}

TEST(VariableRelations, HoldForTheValuesOfTheOther) {
  VariableRelation relation;
  relation.other = "B";
  relation.wanted = "1";
  EXPECT_TRUE(holds(relation, {"0", "1"}));
  EXPECT_FALSE(holds(relation, {"0"}));
  EXPECT_FALSE(holds(relation, {}));
  EXPECT_EQ(relation.wanted_text(), "B=1");
  relation.wish = VariableRelation::Wish::is_not;
  EXPECT_TRUE(holds(relation, {}));
  EXPECT_FALSE(holds(relation, {"0", "1"}));
  EXPECT_EQ(relation.wanted_text(), "no B=1");
  relation.wish = VariableRelation::Wish::is_set;
  EXPECT_FALSE(holds(relation, {""}));
  EXPECT_TRUE(holds(relation, {"", "x"}));
  EXPECT_EQ(relation.wanted_text(), "B set");
}

TEST(VariableRelations, AreAboutKnownVariables) {
  VariableCatalogue catalogue;
  const std::string text = with(sound_variables, "\"a test\"}]", R"("a test"}], "relations": [
      {"when": "X_A", "is": "1", "other": "X_B", "wish": "is-set", "severity": "error", "why": "so"}])");
  EXPECT_THAT(thrown_by([&] { add_variables(text, "s", catalogue); }).message(),
              HasSubstr("unknown variable 'X_B'"));
}

}  // namespace
}  // namespace topsctl
