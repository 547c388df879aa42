// Lists stacks, transactions, runs and identifiers.
#include "cli/completion_values.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/network/ssh_remote.hpp"
#include "topsctl/model/catalogue/rewrite.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// The value of an option on the command line that is being typed.
std::string typed_value(const std::vector<std::string>& typed, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    if (typed[i] == name) value = typed[i + 1];
    if (typed[i].starts_with(name + "=")) value = typed[i].substr(name.size() + 1);
  }
  return value;
}

std::set<std::string> transaction_ids(const Session& session, const std::vector<std::string>& typed,
                                      bool (*is_meant)(const TransactionSummary&)) {
  const std::string root = typed_value(typed, "--root");
  const Host host = root.empty() ? session.with_root("/") : session.with_root(root);
  std::set<std::string> ids;
  for (const Transaction& transaction : list_transactions(host)) {
    if (transaction.state() && is_meant(summary_of(transaction)))
      ids.insert(concat(transaction.id));
  }
  return ids;
}

using Typed = std::vector<std::string>;

// In a list, keeps the text before the last comma; suggests nothing twice.
std::set<std::string> in_list(const std::set<std::string>& values, const Typed& typed) {
  const std::string begun = typed.empty() ? std::string() : typed.back();
  const std::string before = begun.substr(0, begun.rfind(',') + 1);
  std::set<std::string> lists;
  for (const std::string& value : values) {
    if (concat(",", before).find(concat(",", value, ",")) == std::string::npos)
      lists.insert(before + value);
  }
  return lists;
}

std::set<std::string> values_of_stacks(const std::string& kind, const Typed& typed) {
  std::set<std::string> values;
  for (const Stack& stack : stacks_meant(typed_value(typed, "--stack"))) {
    if (kind == "profiles") {
      for (const std::string& name : stack.profile_names()) values.insert(name);
      values.insert("none");
    } else {
      for (const Component& component : stack.components) values.insert(component.id);
    }
  }
  return kind == "components" ? in_list(values, typed) : values;
}

struct ValueKind {
  const char* name;
  std::set<std::string> (*list)(const Session& session, const Typed& typed);
};

constexpr ValueKind value_kinds[] = {
    {"stacks",
     [](const Session& /*unused*/, const Typed& /*unused*/) {
       std::set<std::string> names;
       for (const Stack& stack : known_stacks()) names.insert(stack.name);
       return names;
     }},
    {"components", [](const Session& /*unused*/,
                      const Typed& typed) { return values_of_stacks("components", typed); }},
    {"profiles", [](const Session& /*unused*/,
                    const Typed& typed) { return values_of_stacks("profiles", typed); }},
    {"transactions",
     [](const Session& session, const Typed& typed) {
       return transaction_ids(session, typed,
                              [](const TransactionSummary& /*each*/) { return true; });
     }},
    {"undoable",
     [](const Session& session, const Typed& typed) {
       return transaction_ids(session, typed,
                              [](const TransactionSummary& each) { return each.can_be_undone; });
     }},
    {"unconfirmed",
     [](const Session& session, const Typed& typed) {
       return transaction_ids(session, typed, [](const TransactionSummary& each) {
         return each.confirm_until.has_value();
       });
     }},
    {"runs",
     [](const Session& session, const Typed& /*unused*/) {
       std::set<std::string> names;
       for (const Run& run : all_runs(session.with_own_state())) names.insert(run.name);
       return names;
     }},
    {"findings",
     [](const Session& /*unused*/, const Typed& /*unused*/) {
       const std::vector<std::string> ids = finding_ids();
       return std::set<std::string>(ids.begin(), ids.end());
     }},
    {"diagnoses",
     [](const Session& /*unused*/, const Typed& typed) {
       std::set<std::string> ids;
       for (const Diagnosis& each : known_diagnoses("").diagnoses) ids.insert(each.finding.id);
       return in_list(ids, typed);
     }},
    {"hosts",
     [](const Session& session, const Typed& typed) {
       SshOptions wishes;
       wishes.environment = session.host.environment;
       wishes.config = typed_value(typed, "--ssh-config");
       const std::string begun = typed.empty() ? std::string() : typed.back();
       const std::string user = begun.substr(0, begun.rfind('@') + 1);
       std::set<std::string> targets;
       for (const std::string& name : ssh_host_names(wishes)) targets.insert(user + name);
       return targets;
     }},
    {"rewrites",
     [](const Session& /*unused*/, const Typed& /*unused*/) {
       std::set<std::string> ids;
       for (const Rewrite& rewrite : built_in_rewrites()) ids.insert(rewrite.id);
       return ids;
     }},
};

}  // namespace

std::vector<std::string> completion_kinds() {
  std::vector<std::string> names;
  for (const ValueKind& kind : value_kinds) names.emplace_back(kind.name);
  return names;
}

std::set<std::string> completion_values(const std::string& kind, const Session& session,
                                        const std::vector<std::string>& typed) {
  for (const ValueKind& each : value_kinds) {
    if (each.name == kind) return each.list(session, typed);
  }
  return {};
}

}  // namespace topsctl
