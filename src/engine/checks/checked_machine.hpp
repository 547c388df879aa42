// The host and the stack for checks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// The state of the host for the checks; it does not change while they run.
struct CheckedMachine {
  const Host& host;
  const Stack& stack;
  VerifyOptions options;
  HostFacts facts;
  const PythonFacts* python = nullptr;  // points into facts; nullptr: none
  Environment environment = {};

  std::int64_t cards() const;  // that there should be
  // The stack's variables for a process; PATH stays the host's.
  std::map<std::string, std::string> variables() const;
  // The installed package of a component, or one of its names in another state; nullptr: none.
  const InstalledDeb* deb_of(const std::string& component) const;
  std::string packages() const;  // of the stack, for display: "tops-sdk, torch_gcu"
  // Tools for examining the cards: "`dmesg`" and the stack's own.
  std::string card_tools() const;
};

}  // namespace topsctl
