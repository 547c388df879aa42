// Lists of hosts as Slurm writes them, and what is none.
#include "topsctl/engine/cluster/host_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

TEST(HostNames, AreExpandedInTheirOrder) {
  EXPECT_THAT(host_names_in("t20"), ElementsAre("t20"));
  EXPECT_THAT(host_names_in("gpu_[1-2]"), ElementsAre("gpu_1", "gpu_2"));
  EXPECT_THAT(host_names_in("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(host_names_in("n[1,3-4]-ib,m1.example"),
              ElementsAre("n1-ib", "n3-ib", "n4-ib", "m1.example"));
  EXPECT_THAT(host_names_in("b,a"), ElementsAre("b", "a"));
  EXPECT_THAT(host_names_in("n[9-11]"), ElementsAre("n9", "n10", "n11"));
  EXPECT_EQ(host_names_in("n[0-9999]").size(), most_cluster_hosts);
}

TEST(HostNames, RefuseWhatIsNoList) {
  for (const char* list : {"",     ",",       "a,",     "n[",         "n]",
                           "n[]",  "n[1-]",   "n[-1]",  "n[2-1]",     "n[1-2-3]",
                           "n[x]", "n[1][2]", "n[[1]]", "a,a",        "n[1-2],n2",
                           "-a",   "a b",     "a;b",    "n[0-10000]", "n[0-99999999999]",
                           "a/b"}) {
    EXPECT_THROW(host_names_in(list), Error) << list;
  }
}

TEST(HostNames, AreSortedByTheirNumbers) {
  std::vector<std::string> hosts = {"n10", "m1", "n2-b", "n9", "n2-a1"};
  sort_as_slurm(hosts);
  EXPECT_THAT(hosts, ElementsAre("m1", "n2-a1", "n2-b", "n9", "n10"));
}

}  // namespace
}  // namespace topsctl
