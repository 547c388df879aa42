// A root in which a stack is installed, and an interpreter that answers as the probe does.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "archives.hpp"
#include "engine/checks/package_checks.hpp"
#include "sample_host.hpp"
#include "sample_stack.hpp"
#include "sample_wheel.hpp"
#include "small_library.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace fs = std::filesystem;

class Checking : public testing::Test {
 protected:
  Checking() {
    stack_.checks[5].symbols = {"ecclGetVersion"};
    std::string status;
    for (const char* name : {"tops-eccl", "tops-sdk", "topsfactor"}) {
      status +=
          concat("Package: ", name,
                 "\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.5.136-1\n\n");
    }
    write("var/lib/dpkg/status", status);
    write("var/lib/dpkg/info/tops-eccl.list", "/.\n/opt/eccl/lib/libeccl.so\n");
    write("opt/eccl/lib/libeccl.so", small_library());
    fs::permissions(write("usr/bin/python3.8", "#!"), fs::perms(0755));
    for (const Member& member : wheel_.all_members()) write("site/" + member.name, member.bytes);
    write("site/" + wheel_.info() + "/INSTALLER", "pip\n");
    write("site/" + wheel_.info() + "/RECORD",
          wheel_.record + SampleWheel::record_line({wheel_.info() + "/INSTALLER", "pip\n"}));
    for (const char* required : {"numpy", "six"})
      write(concat("site/", required, "-1.2.dist-info/METADATA"),
            concat("Name: ", required, "\nVersion: 1.2\n"));
    sample_.runner.on_run = [this](const Command& command) { return answer(command); };
  }

  fs::path write(const std::string& name, const std::string& bytes) {
    return sample_.folder.write(name, bytes);
  }
  RunResult answer(const Command& command) const {
    RunResult result;
    result.status = 0;
    if (command.argv[0] == "dpkg") result.output = "program version 1.19.7 (amd64).\n";
    if (command.argv.back().starts_with("{")) {
      const Json asked = parse_json(command.argv.back(), "what was asked");
      const std::string token = asked.at("token").get<std::string>();
      for (const auto& step : asked.at("steps")) {
        for (const std::string& line : answers_.at(step.get<std::string>()))
          result.report += concat(token, " ", line, "\n");
      }
    } else if (command.argv[0] != "dpkg") {
      result.report = R"({"executable": "/usr/bin/python3.8", "version": "3.8.10", "minor": "3.8",)"
                      R"( "site_directories": ["/site"], "script_directories": [],)"
                      R"( "externally_managed": false, "in_virtual_environment": false})";
    }
    return result;
  }
  CheckResult wheel_check() {
    CheckResult result;
    const auto facts = read_python(sample_.host, "/usr/bin/python3.8", {"torch_gcu"});
    if (const InstalledWheel* wheel = facts->wheel("torch_gcu"))
      judge_installed_wheel(sample_.host, *wheel, result, nullptr);
    return result;
  }
  // The result of one check of the stack.
  CheckResult check(const std::string& id) {
    for (const CheckResult& result : run_checks(sample_.host, stack_, stack_.checks, "").checks) {
      if (result.id == id) return result;
    }
    ADD_FAILURE() << "no check " << id;
    return {};
  }

  SampleHost sample_;
  Stack stack_ = sample_stack();
  SampleWheel wheel_ = SampleWheel().make_record();
  // What the probe of the backend says of each step.
  std::map<std::string, std::vector<std::string>> answers_ = {
      {"library",
       {R"({"step": "library", "state": "begin"})",
        R"({"step": "library", "state": "done", "code": 25136, "library": "/opt/eccl/lib/libeccl.so"})"}},
      {"torch",
       {R"({"step": "torch", "state": "begin"})",
        R"({"step": "torch", "state": "done", "version": "1.10.0", "file": "/t"})"}},
      {"module",
       {R"({"step": "module", "state": "begin"})",
        R"({"step": "module", "state": "done", "version": "1.10", "file": "/site/torch_gcu/__init__.py"})"}}};
};

// read_host_facts looks into another root for root alone.
class CheckingAStack : public Checking {
 protected:
  void SetUp() override {
    if (!is_root_user()) GTEST_SKIP() << "needs root: only root may look into another root";
  }
};

}  // namespace topsctl
