// The checks of an install: what must pass, and what of the cards is told only.
#include "engine/execution/check_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "support/checked_sample.hpp"
#include "support/recording_sink.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CheckingAnInstall : public CheckingAStack {
 protected:
  CheckingAnInstall() {
    const std::string group = R"("state": "done", "backend": "eccl", "right": true, )"
                              R"("library": "/opt/eccl/lib/libeccl.so"})";
    answers_["devices"] = {
        R"({"step": "devices", "state": "begin"})",
        R"({"step": "devices", "state": "done", "count": 8, "available": true, "api": "s60"})"};
    answers_["cards"] = {R"({"step": "card", "state": "begin", "arguments": [0]})",
                         R"({"step": "card", "state": "done", "right": true})"};
    answers_["own"] = {R"({"step": "own", "state": "begin"})",
                       concat(R"({"step": "own", )", group)};
    answers_["stock"] = {R"({"step": "stock", "state": "begin"})",
                         concat(R"({"step": "stock", )", group)};
    for (const CheckRule& rule : stack_.checks) {
      if (rule.kind == CheckKind::python_import || rule.kind == CheckKind::device_count ||
          rule.kind == CheckKind::card_arithmetic || rule.kind == CheckKind::process_group)
        run_.checks.push_back(rule);
    }
  }

  void SetUp() override {
    CheckingAStack::SetUp();
    for (int card = 0; card < 8; ++card) {
      const fs::path node = sample_.folder / concat("dev/gcu", card);
      fs::create_directories(node.parent_path());
      ASSERT_EQ(::mknod(node.c_str(), S_IFCHR | 0666, ::makedev(1, 3)), 0);
    }
  }

  std::string check_all() {
    checks_.clear();
    warnings_.clear();
    return check_installation(sample_.host, stack_, "", run_, events_, checks_, warnings_);
  }
  std::vector<CheckStatus> statuses() const {
    std::vector<CheckStatus> found;
    for (const CheckResult& check : checks_) found.push_back(check.status);
    return found;
  }

  RunChecks run_;
  RecordingSink events_;
  std::vector<CheckResult> checks_;
  std::vector<std::string> warnings_;
};

TEST_F(CheckingAnInstall, TriesTheCardsOnceThePackagesAreSound) {
  EXPECT_EQ(check_all(), "4 checks passed");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(checks_.back().id, "eccl-group");
}

TEST_F(CheckingAnInstall, OnlyWarnsOfWhatTheCardsShow) {
  answers_["cards"].back() = R"({"step": "card", "state": "failed", "error": "busy"})";
  answers_["own"].clear();
  answers_["stock"].clear();
  EXPECT_EQ(check_all(), "2 checks passed");
  EXPECT_THAT(statuses(), ElementsAre(CheckStatus::pass, CheckStatus::pass, CheckStatus::warn,
                                      CheckStatus::skipped));
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0],
              HasSubstr("the packages are intact, but 'card-arithmetic' failed: card 0: busy"));
  for (const CheckResult& check : checks_) EXPECT_FALSE(check.is_problem);
}

TEST_F(CheckingAnInstall, FailsForWhatThePackagesMustDo) {
  answers_["module"].back() = R"({"step": "module", "state": "failed", "error": "no"})";
  const Error error = thrown_by([&] { check_all(); });
  EXPECT_EQ(error.code(), ErrorCode::checks_failed);
  EXPECT_EQ(error.message(), "check 'torch-gcu-import' failed: no");
  EXPECT_THAT(checks_, SizeIs(1));
}

TEST_F(CheckingAnInstall, SaysOneCheckOfOne) {
  run_.checks.resize(1);
  EXPECT_EQ(check_all(), "1 check passed");
}

}  // namespace
}  // namespace topsctl
