// Judges driver, device nodes, PCI cards and the management tool.
#pragma once

#include "engine/checks/checked_machine.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

void judge_driver(const CheckedMachine& machine, CheckResult& result);
void judge_nodes(const CheckedMachine& machine, CheckResult& result);
void judge_pci(const CheckedMachine& machine, CheckResult& result);
// Checks state and speed of the ports that the rule's variable names.
void judge_infiniband(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_tool(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);

// Whether every expected card has a node: without one it cannot be tested.
bool has_every_node(const CheckedMachine& machine);

}  // namespace topsctl
