// Stopping services before the files of their packages go.
#include "topsctl/engine/execution/services.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Services, AreUnitsAndInitScripts) {
  EXPECT_TRUE(is_service("/etc/init.d/tops"));
  EXPECT_TRUE(is_service("/lib/systemd/system/tops.service"));
  EXPECT_TRUE(is_service("/usr/lib/systemd/system/tops.timer"));
  EXPECT_FALSE(is_service("/lib/systemd/system/tops.service.d"));
  EXPECT_FALSE(is_service("/etc/init.d"));
  EXPECT_FALSE(is_service("/opt/lib/systemd/system/x.service"));
}

class StoppingServices : public testing::Test {
 protected:
  StoppingServices() {
    transaction_.records = {
        {TransactionState::begun,
         Json::parse(
             R"({"packages":[{"name":"a","kind":"deb","before":null,"after":"2","purl":"pkg:deb/a@2?arch=amd64"},)"
             R"({"name":"b","kind":"deb","before":"1","after":"2","purl":"pkg:deb/b@2?arch=amd64"},)"
             R"({"name":"w","kind":"wheel","before":null,"after":"2","purl":"pkg:pypi/w@2"}]})")}};
    sample_.folder.write("var/lib/dpkg/info/a.list", "/etc/init.d/a\n");
    sample_.folder.write("var/lib/dpkg/info/b:amd64.list",
                         "/lib/systemd/system/b.service\n/opt/b\n");
  }
  std::vector<std::string> stop() {
    return stop_services(sample_.host, transaction_, undo_, sink_);
  }

  SampleHost sample_;
  RecordingSink sink_;
  Transaction transaction_;
  Snapshot undo_;
};

TEST_F(StoppingServices, RunsNoScriptAndTellsOfThoseThatComeBack) {
  for (const char* package : {"a", "b:amd64"})
    sample_.folder.write(concat("var/lib/dpkg/info/", package, ".prerm"), "#!/bin/sh\n");
  undo_.paths = {{"/etc/init.d/a", {}}, {"/usr/lib/systemd/system/a.service", {}}};
  EXPECT_THAT(stop(), ElementsAre(HasSubstr("services of b were not restarted")));
  EXPECT_THAT(sample_.runner.commands, IsEmpty()) << "another root has no service manager of ours";
}

TEST_F(StoppingServices, LeavesPackagesWithoutServicesAlone) {
  sample_.folder.write("var/lib/dpkg/info/b:amd64.list", "/opt/b\n");
  EXPECT_THAT(stop(), IsEmpty());
}

}  // namespace
}  // namespace topsctl
