// Stopping services before the files of their packages go.
#include "engine/execution/services.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"

namespace topsctl {
namespace {

using testing::Contains;
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
         R"({"packages":[{"name":"a","kind":"deb","before":null,"after":"2","purl":"pkg:deb/a@2?arch=amd64"},)"
         R"({"name":"b","kind":"deb","before":"1","after":"2","purl":"pkg:deb/b@2?arch=amd64"},)"
         R"({"name":"w","kind":"wheel","before":null,"after":"2","purl":"pkg:pypi/w@2"}]})"}};
    add("a", "/etc/init.d/a\n");
    add("b:amd64", "/lib/systemd/system/b.service\n/opt/b\n");
  }
  void add(const std::string& name, const std::string& list) {
    sample_.folder.write("var/lib/dpkg/info/" + name + ".list", list);
    sample_.folder.write("var/lib/dpkg/info/" + name + ".prerm", "#!/bin/sh\n");
  }
  std::vector<std::string> stop() { return stop_services(sample_.host, transaction_, sink_); }

  SampleHost sample_;
  RecordingSink sink_;
  Transaction transaction_;
};

TEST_F(StoppingServices, RunsThePrermsAsDpkgWould) {
  const std::vector<std::string> told = stop();
  ASSERT_EQ(sample_.runner.commands.size(), 2U);
  EXPECT_THAT(sample_.runner.commands[0].argv, ElementsAre("/var/lib/dpkg/info/a.prerm", "remove"));
  EXPECT_THAT(sample_.runner.commands[1].argv,
              ElementsAre("/var/lib/dpkg/info/b:amd64.prerm", "upgrade", "1"));
  EXPECT_EQ(sample_.runner.commands[0].environment.at("DPKG_MAINTSCRIPT_PACKAGE"), "a");
  EXPECT_THAT(told, ElementsAre(HasSubstr("services of b were stopped")));
}

TEST_F(StoppingServices, LeavesPackagesWithoutServicesAlone) {
  add("a", "/opt/a\n");
  add("b:amd64", "/opt/b\n");
  EXPECT_THAT(stop(), IsEmpty());
  EXPECT_THAT(sample_.runner.commands, IsEmpty());
}

TEST_F(StoppingServices, TellsOfAScriptThatFails) {
  sample_.runner.on_run = [](const Command&) {
    RunResult result;
    result.status = 3;
    return result;
  };
  EXPECT_THAT(stop(), Contains(HasSubstr("prerm failed")));
}

}  // namespace
}  // namespace topsctl
