// From the state of a host to the verdict, with the built-in diagnoses.
#include "topsctl/engine/diagnosis/machine_judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace topsctl {
namespace {

constexpr double busy = 85.0;

// Eight ranks of torchrun, each with a card of its own that works.
MachineFacts healthy() {
  MachineFacts facts;
  facts.state.cards_wanted = 8;
  facts.state.card_nodes = 8;
  facts.state.cards.emplace();
  for (int i = 0; i < 8; ++i) {
    CardReading card;
    card.index = i;
    card.utilization_percent = busy;
    facts.state.cards->cards.push_back(card);
    JobProcess rank;
    rank.pid = 100 + i;
    rank.rank = i;
    rank.local_rank = i;
    rank.world_size = 8;
    rank.local_world_size = 8;
    rank.has_launcher = true;
    rank.cards = {i};
    facts.state.processes.push_back(rank);
    rank.cpu_ms += 900;
    facts.state.processes_later.push_back(rank);
  }
  return facts;
}

void leave_idle(MachineFacts& facts, std::size_t from) {
  for (std::size_t i = from; i < 8; ++i) facts.state.cards->cards[i].utilization_percent = 0;
}

const DiagnosisCatalogue& host_catalogue() {
  static const DiagnosisCatalogue made = for_backend(built_in_diagnoses(), "eccl");
  return made;
}

std::string first_cause(const MachineFacts& facts) {
  return judge_machine(host_catalogue(), facts, Language::english).first_cause;
}

TEST(MachineJudgements, eight_busy_cards_are_healthy) {
  EXPECT_EQ(judge_machine(host_catalogue(), healthy(), Language::english).verdict,
            JobVerdict::healthy);
}

TEST(MachineJudgements, an_idle_host_is_healthy) {
  MachineFacts facts = healthy();
  facts.state.processes.clear();
  facts.state.processes_later.clear();
  leave_idle(facts, 0);
  EXPECT_EQ(judge_machine(host_catalogue(), facts, Language::english).verdict, JobVerdict::healthy);
}

TEST(MachineJudgements, one_process_without_a_rank_was_started_without_a_launcher) {
  MachineFacts facts = healthy();
  facts.state.processes.resize(1);
  facts.state.processes[0].rank.reset();
  facts.state.processes[0].local_world_size.reset();
  leave_idle(facts, 1);
  EXPECT_EQ(first_cause(facts), "started-without-launcher");
}

TEST(MachineJudgements, ranks_that_all_have_one_node_open_are_on_one_card) {
  MachineFacts facts = healthy();
  for (JobProcess& rank : facts.state.processes) rank.cards = {0};
  leave_idle(facts, 1);
  EXPECT_EQ(first_cause(facts), "all-ranks-on-one-card");
}

TEST(MachineJudgements, a_rank_that_has_ended_is_missing_and_explains_that_others_wait) {
  MachineFacts facts = healthy();
  facts.state.processes.pop_back();
  facts.state.processes_later = facts.state.processes;
  leave_idle(facts, 0);
  const Judgement judgement = judge_machine(host_catalogue(), facts, Language::english);
  EXPECT_EQ(judgement.first_cause, "rank-missing");
  const auto stalled =
      std::find_if(judgement.diagnoses.begin(), judgement.diagnoses.end(),
                   [](const Judged& each) { return each.finding.id == "ranks-stalled"; });
  ASSERT_NE(stalled, judgement.diagnoses.end());
  EXPECT_EQ(stalled->explained_by, "rank-missing");
}

TEST(MachineJudgements, ranks_without_cpu_time_and_busy_cards_are_stalled) {
  MachineFacts facts = healthy();
  facts.state.processes_later = facts.state.processes;
  EXPECT_EQ(first_cause(facts), "") << "the cards still work";
  leave_idle(facts, 0);
  EXPECT_EQ(first_cause(facts), "ranks-stalled");
}

TEST(MachineJudgements, a_rank_that_no_launcher_gave_is_stale) {
  MachineFacts facts = healthy();
  facts.state.processes.resize(1);
  facts.state.processes[0].has_launcher = false;
  facts.state.processes[0].local_world_size.reset();
  const Judgement judgement = judge_machine(host_catalogue(), facts, Language::english);
  EXPECT_EQ(judgement.first_cause, "rank-exported");
  EXPECT_EQ(judgement.verdict, JobVerdict::problems);
}

TEST(MachineJudgements, ranks_of_different_numbers_are_not_stale_whatever_started_them) {
  MachineFacts facts = healthy();
  for (JobProcess& each : facts.state.processes) {
    each.has_launcher = false;
    each.local_world_size.reset();
  }
  EXPECT_EQ(first_cause(facts), "");
}

TEST(MachineJudgements, without_efsmi_a_job_is_unknown_and_never_guessed) {
  MachineFacts facts = healthy();
  facts.state.cards.reset();
  EXPECT_EQ(judge_machine(host_catalogue(), facts, Language::english).verdict, JobVerdict::unknown);
}

TEST(MachineJudgements, name_the_checks_that_failed) {
  MachineFacts facts = healthy();
  CheckResult check;
  check.id = "eccl-library";
  check.status = CheckStatus::fail;
  check.observed = "libeccl.so is missing";
  facts.checks = {check};
  const Judgement judgement = judge_machine(host_catalogue(), facts, Language::english);
  ASSERT_EQ(judgement.first_cause, "stack-check-failed");
  EXPECT_EQ(judgement.diagnoses[0].finding.evidence[1].source, "check eccl-library");
}

TEST(MachineJudgements, a_low_limit_is_a_warning_and_no_problem) {
  MachineFacts facts = healthy();
  facts.state.limits.shm_bytes = 64U << 20U;
  const Judgement judgement = judge_machine(host_catalogue(), facts, Language::english);
  EXPECT_EQ(judgement.verdict, JobVerdict::healthy);
  ASSERT_EQ(judgement.diagnoses.size(), 1U);
  EXPECT_EQ(judgement.diagnoses[0].finding.id, "shared-memory-too-small");
  EXPECT_EQ(judgement.diagnoses[0].finding.severity, Severity::warning);
}

TEST(MachineJudgements, a_warning_explains_no_error) {
  MachineFacts facts = healthy();
  facts.state.processes_later = facts.state.processes;
  leave_idle(facts, 0);
  facts.state.limits.shm_bytes = 64U << 20U;
  EXPECT_EQ(first_cause(facts), "ranks-stalled");
}

TEST(MachineConditions, do_not_hold_on_what_is_unknown) {
  using Comparison = SignalCondition::Comparison;
  const Signals signals = {{"a", "7"}, {"b", "8"}, {"word", "x"}};
  EXPECT_TRUE(holds({{"a", Comparison::below, "{b}"}}, signals));
  EXPECT_FALSE(holds({{"b", Comparison::below, "{a}"}}, signals));
  EXPECT_TRUE(holds({{"b", Comparison::above, "7"}, {"word", Comparison::equals, "x"}}, signals));
  EXPECT_FALSE(holds({{"word", Comparison::above, "7"}}, signals));
  EXPECT_TRUE(holds({{"word", Comparison::differs, "y"}}, signals));
  EXPECT_FALSE(holds({{"a", Comparison::differs, "7"}, {"b", Comparison::differs, "7"}}, signals));
  EXPECT_FALSE(holds({{"none", Comparison::equals, ""}}, signals));
  EXPECT_FALSE(holds({{"a", Comparison::equals, "{none}"}}, signals));
  EXPECT_FALSE(holds({}, signals));
}

}  // namespace
}  // namespace topsctl
