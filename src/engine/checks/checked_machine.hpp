// The machine and the stack as checks see them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// The machine as the checks see it; it does not change while they run.
struct CheckedMachine {
  const Host& host;
  const Stack& stack;
  VerifyOptions options;
  HostFacts facts;
  const PythonFacts* python = nullptr;  // of facts; nullptr: there is none
  Environment environment = {};

  std::int64_t cards() const;  // that there should be
  // The stack's variables as a process shall have them; PATH stays the machine's.
  std::map<std::string, std::string> variables() const;
  // The installed package of a component, or one of its name in another state; nullptr: none.
  const InstalledDeb* deb_of(const std::string& component) const;
  std::string packages() const;  // of the stack, as a person names them: "tops-sdk, torch_gcu"
  // Where to look at the cards: "`dmesg`" and what the stack has for that.
  std::string card_tools() const;
};

}  // namespace topsctl
