// Installs that go on without the workstation.
#include "topsctl/engine/transfer/started_installs.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

TEST(StartedInstalls, AreFoundByTheirTarget) {
  const TemporaryFolder folder;
  const StartedInstalls started(folder / "of/deployments");
  const std::string id(32, 'a');
  const Target target = parse_target("ops@h1:22/box");
  EXPECT_EQ(started.find(target), std::nullopt);
  started.add(target, id);
  EXPECT_EQ(started.find(target), id);
  EXPECT_EQ(started.find(parse_target("ops@h1:22")), std::nullopt);
  started.remove(target);
  EXPECT_EQ(started.find(target), std::nullopt);
}

TEST(StartedInstalls, ThatAreDamagedAreNone) {
  const TemporaryFolder folder;
  const StartedInstalls started(folder.path());
  started.add(parse_target("h1"), "../../etc/passwd");
  EXPECT_EQ(started.find(parse_target("h1")), std::nullopt);
}

}  // namespace
}  // namespace topsctl
