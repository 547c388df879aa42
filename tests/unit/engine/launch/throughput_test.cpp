// Samples per second, and what is advised.
#include "topsctl/engine/launch/throughput.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Throughputs, CountSamples) {
  EXPECT_EQ(throughput_of(2.5, 512).samples_per_second, 1280.0);
  EXPECT_EQ(throughput_of(2.5, std::nullopt).samples_per_second, std::nullopt);
}

HostLoad load(double cpu, std::int64_t available = 50) {
  return {64, cpu, 100, available};
}

TEST(Throughputs, AdviseByWhatWasMeasured) {
  EXPECT_THAT(advice_on(load(20), 8, 30.0, 50.0), ElementsAre(HasSubstr("up to 8 per rank")));
  EXPECT_THAT(advice_on(load(97), 8, 30.0, 50.0),
              ElementsAre(HasSubstr("at most 8 num_workers per rank")));
  EXPECT_THAT(advice_on(load(70, 5), 8, 99.0, 99.0),
              ElementsAre(HasSubstr("5 % of the host's memory"), HasSubstr("99 %")));
  EXPECT_THAT(advice_on(load(70), 8, 30.0, 50.0), IsEmpty());
  EXPECT_THAT(advice_on(load(20), 8, 90.0, 50.0), IsEmpty());
  EXPECT_THAT(advice_on(load(20, 5), 0, 30.0, 99.0), IsEmpty()) << "no training runs";
  EXPECT_THAT(advice_on({}, 8, std::nullopt, std::nullopt), IsEmpty());
}

}  // namespace
}  // namespace topsctl
