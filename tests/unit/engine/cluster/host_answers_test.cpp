// What hosts answer, and what of it does not fit together.
#include "topsctl/engine/cluster/host_answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

Json report() {
  return {{"refused", Json::array()},
          {"host",
           {{"name", "n0"},
            {"address", "10.0.0.1"},
            {"digests", {{"train.py", std::string(64, 'a')}}},
            {"versions", {{"torch", "1.10.0"}, {"tops-eccl", "2.5.136"}}}}},
          {"plan",
           {{"python", "/usr/bin/python3.8"},
            {"engine", "torchrun"},
            {"ranks", 8},
            {"master_port", "29500"}}}};
}

HostAnswer answer(const std::string& target) {
  HostAnswer made = host_answer_in(to_line(report()), target);
  made.name = target;
  return made;
}

std::vector<std::string> failures(const std::vector<HostAnswer>& answers) {
  std::vector<std::string> ids;
  for (const CheckResult& check : agreement_of(answers)) {
    if (check.status == CheckStatus::fail) ids.push_back(concat(check.id, ": ", check.observed));
  }
  return ids;
}

TEST(HostAnswers, AreReadFromAReport) {
  const HostAnswer read = host_answer_in(to_line(report()), "ops@n0");
  EXPECT_EQ(read.target, "ops@n0");
  EXPECT_EQ(read.name, "n0");
  EXPECT_EQ(read.ranks, 8);
  EXPECT_EQ(read.versions.at("torch"), "1.10.0");
  Json unknown = report();
  unknown["host"]["address"] = nullptr;
  EXPECT_EQ(host_answer_in(to_line(unknown), "n0").address, "");
}

TEST(HostAnswers, ThatAreNoneAreRefused) {
  for (const char* text : {"", "[]", "{}", "{\"host\": null}"})
    EXPECT_EQ(thrown_by([&] { host_answer_in(text, "n0"); }).code(), ErrorCode::unreachable)
        << text;
  const auto refuses = [](const char* pointer, const Json& value) {
    Json odd = report();
    odd[Json::json_pointer(pointer)] = value;
    return thrown_by([&] { host_answer_in(to_line(odd), "n0"); }).code() == ErrorCode::unreachable;
  };
  EXPECT_TRUE(refuses("/plan/ranks", 1'000'000'000));
  EXPECT_TRUE(refuses("/plan/engine", "mpirun"));
  for (const char* port : {"", "x", "0", "65536", "-1", "123456789012345678901234567890"})
    EXPECT_TRUE(refuses("/plan/master_port", port)) << port;
  for (const char* word : {"n0 --rdzv_id=x", "a=b", "fe80::1%eth0", "-n0", "\x1b[2J"}) {
    EXPECT_TRUE(refuses("/host/name", word)) << word;
    EXPECT_TRUE(refuses("/host/address", word)) << word;
  }
  EXPECT_TRUE(refuses("/host/digests/train.py", "aa"));
}

TEST(Agreement, IsWhereNothingDiffers) {
  EXPECT_EQ(failures({answer("n0"), answer("n1"), answer("n2")}), std::vector<std::string>());
}

TEST(Agreement, NamesTheHostThatDiffersAndHow) {
  const auto failure_of = [](const auto& change) {
    HostAnswer other = answer("n1");
    change(other);
    return joined(failures({answer("n0"), other}), "|");
  };
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.name = "n0"; }),
            "hosts-names: n0 and n1 are both named n0");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.clock_offset_ms = -61'000; }),
            "hosts-clocks: n1: 1 min 1 s behind");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.clock_offset_ms = 4'999; }), "");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.digests["train.py"] = "bb"; }),
            "hosts-scripts: n1: train.py differs");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.digests.clear(); }),
            "hosts-scripts: n1: train.py is not on this host");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.versions["torch"] = "1.9.0"; }),
            "hosts-versions: n1: torch 1.9.0, on n0 1.10.0");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.versions.erase("torch"); }),
            "hosts-versions: n1: torch is not installed on this host");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.versions["a is there alone"] = "1"; }),
            "hosts-versions: n1: a is there alone is on this host only");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.versions["topsfactor"] = "1"; }),
            "hosts-versions: n1: topsfactor is on this host only");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.engine = "topsctl"; }),
            "hosts-engines: n1: topsctl");
  EXPECT_EQ(failure_of([](HostAnswer& host) { host.ranks = 7; }), "hosts-ranks: n1: 7 ranks");
  EXPECT_EQ(failure_of([](HostAnswer& host) {
              host.refused = {"cards-free", "log-room"};
            }),
            "hosts-ready: n1: cards-free, log-room");
}

}  // namespace
}  // namespace topsctl
