// What sets variables on a machine: all that is planted is found, and nothing else.
#include "topsctl/engine/checks/environment_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/environment_places.hpp"
#include "topsctl/model/environment.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class CheckingTheEnvironment : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) { sample_.folder.write(file, text); }

  EnvironmentCheck check() { return check_environment(sample_.host, stack_, {}, warnings_); }

  // "id subject place:line place:line"
  std::vector<std::string> found(Severity least = Severity::warning) {
    std::vector<std::string> lines;
    for (const Finding& finding : check().findings) {
      if (finding.severity < least) continue;
      std::string line = concat(finding.id, " ", finding.subject);
      for (const Evidence& evidence : finding.evidence) {
        if (evidence.line > 0) line += concat(" ", evidence.source, ":", evidence.line);
      }
      lines.push_back(line);
    }
    return lines;
  }

  // What the original scripts leave, each in its own place.
  void write_files_of_the_scripts() {
    const std::string core =
        "export ECCL_ASYNC_DISABLE=false\nexport ECCL_MAX_NCHANNELS=2\n"
        "export ECCL_RUNTIME_3_0_ENABLE=true\n";
    write("etc/profile.d/topsrider.sh",
          core +
              "export ECCL_DEBUG=0\nexport ENFLAME_VISIBLE_DEVICES=all\n"
              "export TOPS_SDK_PATH=/usr/local/tops\nexport ECCL_ROOT=/usr/local/eccl\n"
              "export LD_LIBRARY_PATH=/usr/local/eccl/lib:/usr/local/tops/lib:$LD_LIBRARY_PATH\n");
    write("root/.topsrider_env",
          core +
              "export ECCL_DEBUG=INFO ENFLAME_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 GCU_DEVICE_COUNT=8\n"
              "export LD_LIBRARY_PATH=/usr/local/lib:$LD_LIBRARY_PATH\n"
              "export PYTHONPATH=/usr/local/lib/python3.8/site-packages:$PYTHONPATH\n");
    write("tmp/eccl_env.sh", core +
                                 "export TOPS_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n"
                                 "export CUDA_VISIBLE_DEVICES=\"\"\nexport MASTER_ADDR=localhost\n"
                                 "export MASTER_PORT=29500\n");
    sample_.folder.make_folder("usr/local/lib/python3.8/site-packages");
  }

  SampleHost sample_;
  Stack stack_ = sample_stack();
  std::vector<std::string> warnings_;
};

TEST_F(CheckingTheEnvironment, FindsEveryContradictionOfTheScriptsAndNothingElse) {
  write_files_of_the_scripts();
  EXPECT_THAT(found(),
              UnorderedElementsAre(
                  "environment-contradiction ECCL_DEBUG /etc/profile.d/topsrider.sh:4 "
                  "/root/.topsrider_env:4",
                  "environment-contradiction ENFLAME_VISIBLE_DEVICES /etc/profile.d/topsrider.sh:5 "
                  "/root/.topsrider_env:4",
                  "environment-empty-entry LD_LIBRARY_PATH /etc/profile.d/topsrider.sh:8",
                  "environment-empty-entry LD_LIBRARY_PATH /root/.topsrider_env:5",
                  "environment-empty-entry PYTHONPATH /root/.topsrider_env:6",
                  "environment-folder-missing ECCL_ROOT /etc/profile.d/topsrider.sh:7",
                  "environment-folder-missing LD_LIBRARY_PATH /etc/profile.d/topsrider.sh:8",
                  "environment-folder-missing LD_LIBRARY_PATH /etc/profile.d/topsrider.sh:8",
                  "environment-folder-missing TOPS_SDK_PATH /etc/profile.d/topsrider.sh:6",
                  "environment-master-set MASTER_ADDR /tmp/eccl_env.sh:6",
                  "environment-master-set MASTER_PORT /tmp/eccl_env.sh:7",
                  "environment-several-files /etc/profile.d/topsrider.sh"));
  EXPECT_TRUE(has_problems(check()));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CheckingTheEnvironment, HasNoProblemWithTheStacksOwnFile) {
  sample_.folder.make_folder("opt/e/lib");
  sample_.folder.make_folder("opt/s/lib");
  write("etc/profile.d/topsrider.sh",
        shell_file(derive_environment(stack_, {"/opt/e/lib/libeccl.so", "/opt/s/lib/libdtu_sdk.so"},
                                      {"dev", {{"OMP_NUM_THREADS", "5"}}, {}})));
  write("etc/environment", "PATH=\"/usr/bin:/usr/games:/snap/bin\"\n");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_FALSE(has_problems(check()));
  EXPECT_THAT(found(Severity::info), IsEmpty());
  // The value of others is theirs.
  write("root/.bashrc", "export ECCL_DEBUG=TRACE\n");
  EXPECT_THAT(found(Severity::info),
              testing::Contains("environment-variable-unknown ECCL_DEBUG /root/.bashrc:1"));
}

TEST_F(CheckingTheEnvironment, FindsRanksThatAreSetForEverybody) {
  write("etc/profile.d/job.sh", "export RANK=0 WORLD_SIZE=8; LOCAL_RANK=0\n");
  EXPECT_THAT(found(),
              UnorderedElementsAre("environment-rank-set LOCAL_RANK /etc/profile.d/job.sh:1",
                                   "environment-rank-set RANK /etc/profile.d/job.sh:1",
                                   "environment-rank-set WORLD_SIZE /etc/profile.d/job.sh:1"));
}

TEST_F(CheckingTheEnvironment, JudgesNamesAndValues) {
  write("etc/environment",
        "ECCL_MAX_NCHANNEL=2\nECCL_MAX_NCHANNELS=many\nECCL_PROTO=Simple\nECCL_WHATEVER=1\n"
        "ECCL_BUFFSIZE=8388608\nTOPS_HOME=/nowhere\n");
  EXPECT_THAT(found(Severity::info),
              ElementsAre("environment-folder-missing TOPS_HOME /etc/environment:6",
                          "environment-name-misspelt ECCL_MAX_NCHANNEL /etc/environment:1",
                          "environment-other-generation ECCL_PROTO /etc/environment:3",
                          "environment-value-wrong ECCL_MAX_NCHANNELS /etc/environment:2",
                          "environment-variable-unknown ECCL_WHATEVER /etc/environment:4",
                          "environment-variable-unknown TOPS_HOME /etc/environment:6"));
}

TEST_F(CheckingTheEnvironment, LooksIntoEveryPlace) {
  write("etc/passwd", "root:x:0:0::/root:/bin/sh\nann:x:1:1::/home/ann:/bin/sh\n");
  sample_.host.environment = {{"SUDO_USER", "ann"}};
  std::vector<std::string> places = {"/etc/environment",
                                     "/etc/profile",
                                     "/etc/profile.d/topsrider.sh",
                                     "/etc/profile.d/tops-eccl.sh",
                                     "/etc/profile.d/tops.sh",
                                     "/etc/bash.bashrc",
                                     "/root/.profile",
                                     "/root/.bashrc",
                                     "/root/.topsrider_env",
                                     "/tmp/eccl_env.sh",
                                     "/etc/systemd/system/job.service",
                                     "/etc/systemd/system/docker.service.d/gcu.conf"};
  if (::geteuid() == 0) places.push_back(concat("/home", "/ann/.bashrc"));
  for (const std::string& place : places) {
    const bool is_unit = place.find("systemd") != std::string::npos;
    write(place.substr(1), concat("#\n", is_unit ? "Environment=" : "", "ECCL_TOPOLOGY=1\n"));
  }
  std::vector<std::string> seen;
  const EnvironmentCheck checked = check();
  const std::vector<SetVariable> variables = set_variables(checked.places);
  for (const SetVariable::At& at : variables.at(0).at) {
    seen.push_back(at.place->name);
    EXPECT_EQ(at.assignment->line, 2) << at.place->name;
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAreArray(places));
}

TEST_F(CheckingTheEnvironment, ShowsNothingOfOtherVariables) {
  write("etc/environment", "PASSWORD=secret\nECCL_TOPOLOGY=1\n");
  write("etc/profile.d/x.sh", "export AWS_SECRET_ACCESS_KEY=secret\n");
  write("etc/systemd/system/x.service", "Environment=TOKEN=secret ECCL_TOPOLOGY=1\n");
  EXPECT_THAT(to_json(check()).dump(), Not(HasSubstr("secret")));
}

TEST_F(CheckingTheEnvironment, GoesOnWithoutFilesThatCannotBeRead) {
  write("etc/environment", std::string(5 << 20, 'x'));
  write("etc/profile", "ECCL_TOPOLOGY=1\n");
  EXPECT_EQ(check().places.size(), 1U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("larger than")));
}

TEST_F(CheckingTheEnvironment, LooksAtAProcess) {
  EXPECT_EQ(thrown_by([&] { check_environment(sample_.host, stack_, 4194304, warnings_); }).code(),
            ErrorCode::usage);
  const auto places = check_environment(sample_.host, stack_, ::getpid(), warnings_).places;
  if (!places.empty()) {
    EXPECT_EQ(places.back().kind, PlaceKind::process);
  }
}

class CheckingTheEnvironmentOfVccl : public CheckingTheEnvironment {
 protected:
  CheckingTheEnvironmentOfVccl() { stack_ = vccl_stack(); }
};

// Each relation, and what the guide has that is in no source.
TEST_F(CheckingTheEnvironmentOfVccl, FindsWhatTheGuideHasWrong) {
  write("etc/profile.d/vccl.sh",
        "export NCCL_PASS_SM=1\nexport NCCL_ENABLE_FAULT_TOLERANCE=1\n"
        "export NCCL_TELEMETRY_ENABLE=1\nexport NCCL_DEBUG=ERROR\n"
        "export NCCL_CUMEM_POOL_SIZE=8GB NCCL_CUMEM_PREALLOC=1 NCCL_TOPO_VERBOSE=1\n"
        "export NCCL_COMPRESSION=1 NCCL_COMPRESSION_THRESHOLD=65536\nexport VCCL_X=1\n");
  EXPECT_THAT(
      found(Severity::info),
      UnorderedElementsAre(
          "environment-variables-exclude NCCL_PASS_SM /etc/profile.d/vccl.sh:1 "
          "/etc/profile.d/vccl.sh:2",
          "environment-variable-alone NCCL_PASS_SM /etc/profile.d/vccl.sh:1 "
          "/etc/profile.d/vccl.sh:3",
          "environment-variable-alone NCCL_PASS_SM /etc/profile.d/vccl.sh:1",
          "environment-variable-alone NCCL_PASS_SM /etc/profile.d/vccl.sh:1",
          "environment-variables-exclude NCCL_ENABLE_FAULT_TOLERANCE /etc/profile.d/vccl.sh:2",
          "environment-variables-exclude NCCL_TELEMETRY_ENABLE /etc/profile.d/vccl.sh:3",
          "environment-variable-alone NCCL_TELEMETRY_ENABLE /etc/profile.d/vccl.sh:3",
          "environment-value-wrong NCCL_DEBUG /etc/profile.d/vccl.sh:4",
          "environment-variable-unknown NCCL_CUMEM_POOL_SIZE /etc/profile.d/vccl.sh:5",
          "environment-variable-unknown NCCL_CUMEM_PREALLOC /etc/profile.d/vccl.sh:5",
          "environment-variable-unknown NCCL_TOPO_VERBOSE /etc/profile.d/vccl.sh:5",
          "environment-variable-unknown NCCL_COMPRESSION /etc/profile.d/vccl.sh:6",
          "environment-variable-unknown NCCL_COMPRESSION_THRESHOLD /etc/profile.d/vccl.sh:6",
          "environment-variable-unknown VCCL_X /etc/profile.d/vccl.sh:7"));
}

TEST_F(CheckingTheEnvironmentOfVccl, TakesWhatOnePlaceAddsToAnother) {
  write("etc/profile.d/vccl.sh", "export NCCL_ENABLE_FAULT_TOLERANCE=1\n");
  write("root/.bashrc", "export NCCL_IB_HCA=mlx5_0:1\n");
  EXPECT_THAT(found(), Not(testing::Contains(HasSubstr("exclude"))));
}

TEST_F(CheckingTheEnvironmentOfVccl, WarnsOfAChosenVariableThatNothingReads) {
  const std::map<std::string, std::string> variables = {{"NCCL_COMPRESSION", "1"}, {"MINE", "1"}};
  EXPECT_THAT(setting_findings(variables, stack_, {}), IsEmpty());
  SettingOptions chosen;
  chosen.set = {"NCCL_COMPRESSION=1", "MINE=1"};
  const std::vector<Finding> found = setting_findings(variables, stack_, chosen);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "environment-variable-unknown");
  EXPECT_EQ(found[0].severity, Severity::warning);
}

TEST_F(CheckingTheEnvironment, LeavesOtherBackendsAlone) {
  write("etc/profile.d/vccl.sh",
        "export NCCL_PASS_SM=1 NCCL_ENABLE_FAULT_TOLERANCE=1 NCCL_DEBUG=ERROR NCCL_NONSENSE=1\n");
  EXPECT_THAT(found(Severity::info), IsEmpty());
}

}  // namespace
}  // namespace topsctl
