// Judges installed parts: debs, wheels, the environment file, files made by hand.
#pragma once

#include "engine/checks/checked_machine.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/check_rule.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

void judge_deb(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_deb_files(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_wheel(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);

// Whether a wheel is installed completely: every file of its RECORD is there with its hash, and its
// installer has signed off.
void judge_installed_wheel(const Host& host, const InstalledWheel& wheel, CheckResult& result,
                           DigestCache* digests);
void judge_environment(const CheckedMachine& machine, CheckResult& result);
void judge_impostors(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_unchanged(const CheckedMachine& machine, CheckResult& result);

}  // namespace topsctl
