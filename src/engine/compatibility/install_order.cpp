// The order in which to pass the debs of a bundle to dpkg.
#include "engine/compatibility/install_order.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

using Numbers = std::vector<std::size_t>;

// An edge from a deb to one that must come before it. Debs are numbered in the bundle's order.
struct Need {
  std::size_t before = 0;
  bool is_strict = false;  // it must be configured: a Pre-Depends that nothing installed meets
  std::string text;        // "Depends: tops-sdk (>= 2)"
};

using Needs = std::vector<std::vector<Need>>;

class NeedFinder {
 public:
  explicit NeedFinder(const ComparedDebs& debs) : debs_(debs) {
    for (std::size_t i = 0; i < debs.bundle.size(); ++i) numbers_.emplace(debs.bundle[i], i);
  }

  Needs needs() const {
    Needs needs(debs_.bundle.size());
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const KnownDeb& deb = *debs_.bundle[i];
      for (const Clause& clause : deb.pre_depends) add(deb, clause, "Pre-Depends", needs[i]);
      for (const Clause& clause : deb.depends) add(deb, clause, "Depends", needs[i]);
    }
    return needs;
  }

 private:
  // The first alternative that the bundle has counts, unless the target keeps one.
  void add(const KnownDeb& deb, const Clause& clause, std::string_view field,
           std::vector<Need>& needs) const {
    const bool is_strict = field == "Pre-Depends" && !is_met_before(clause, deb);
    std::vector<std::size_t> first;
    for (const Relation& relation : clause.alternatives) {
      std::vector<std::size_t> of_bundle;
      for (const KnownDeb* other : debs_.after.meant(relation, deb, RelationUse::dependency)) {
        if (!other->of_bundle()) return;
        if (other == &deb) return;
        of_bundle.push_back(numbers_.at(other));
      }
      if (first.empty()) first = of_bundle;
    }
    for (const std::size_t number : first) {
      needs.push_back({number, is_strict, concat(field, ": ", to_text(clause))});
    }
  }

  // dpkg accepts a version that was configured once if the one unpacked over it fits too, but not
  // if either only provides the name.
  bool is_met_before(const Clause& clause, const KnownDeb& deb) const {
    for (const Relation& relation : clause.alternatives) {
      const auto after = debs_.after.meant(relation, deb, RelationUse::dependency);
      for (const KnownDeb* now : debs_.before.meant(relation, deb, RelationUse::dependency)) {
        const KnownDeb* next = debs_.replacement(*now);
        if (next != nullptr && now->name != relation.name) continue;
        const KnownDeb* then = next == nullptr ? now : next;
        if (std::find(after.begin(), after.end(), then) != after.end()) return true;
      }
    }
    return false;
  }

  const ComparedDebs& debs_;
  std::unordered_map<const KnownDeb*, std::size_t> numbers_;
};

// Strongly connected components (Tarjan's algorithm with an explicit stack); the component index of
// each node.
class Components {
 public:
  explicit Components(const Needs& needs)
      : needs_(needs), order_(needs.size(), 0), low_(needs.size(), 0), of_(needs.size(), none) {
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (order_[i] == 0) visit(i);
    }
  }
  const Numbers& numbers() const { return of_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Frame {
    std::size_t node = 0;
    std::size_t next = 0;
  };

  void enter(std::size_t node) {
    order_[node] = low_[node] = ++visited_;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void leave(std::size_t node) {
    if (low_[node] == order_[node]) {
      while (true) {
        const std::size_t member = open_.back();
        open_.pop_back();
        of_[member] = count_;
        if (member == node) break;
      }
      ++count_;
    }
    frames_.pop_back();
    if (!frames_.empty()) {
      const std::size_t above = frames_.back().node;
      low_[above] = std::min(low_[above], low_[node]);
    }
  }

  void visit(std::size_t first) {
    enter(first);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::size_t node = frame.node;
      if (frame.next == needs_[node].size()) {
        leave(node);
        continue;
      }
      const std::size_t other = needs_[node][frame.next++].before;
      if (order_[other] == 0) {
        enter(other);
      } else if (of_[other] == none) {
        low_[node] = std::min(low_[node], order_[other]);
      }
    }
  }

  const Needs& needs_;
  Numbers order_;
  Numbers low_;
  Numbers of_;
  Numbers open_;
  std::vector<Frame> frames_;
  std::size_t visited_ = 0;
  std::size_t count_ = 0;
};

struct Arrow {
  std::size_t before = 0;
  std::size_t after = 0;
};

// Sorts nodes so that all `firm` edges hold (they have no cycle) and `soft` ones where possible;
// else ascending by `key`.
Numbers sorted_by(const Numbers& keys, const std::vector<Arrow>& firm,
                  const std::vector<Arrow>& soft) {
  Numbers firm_left(keys.size(), 0);
  Numbers soft_left(keys.size(), 0);
  std::vector<std::vector<std::pair<std::size_t, bool>>> after(keys.size());
  for (const Arrow& arrow : firm) {
    ++firm_left[arrow.after];
    after[arrow.before].emplace_back(arrow.after, true);
  }
  for (const Arrow& arrow : soft) {
    ++soft_left[arrow.after];
    after[arrow.before].emplace_back(arrow.after, false);
  }
  using Ready = std::tuple<bool, std::size_t, std::size_t>;  // wishes open, key, node
  std::set<Ready> ready;
  const auto entry = [&](std::size_t node) {
    return Ready{soft_left[node] != 0, keys[node], node};
  };
  for (std::size_t node = 0; node < keys.size(); ++node) {
    if (firm_left[node] == 0) ready.insert(entry(node));
  }
  Numbers sorted;
  std::vector<bool> is_done(keys.size(), false);
  while (!ready.empty()) {
    const std::size_t node = std::get<2>(*ready.begin());
    ready.erase(ready.begin());
    sorted.push_back(node);
    is_done[node] = true;
    for (const auto& [next, is_firm] : after[node]) {
      if (is_done[next]) continue;
      ready.erase(entry(next));
      --(is_firm ? firm_left[next] : soft_left[next]);
      if (firm_left[next] == 0) ready.insert(entry(next));
    }
  }
  return sorted;
}

// dpkg configures a cycle of Depends together, but rejects one of Pre-Depends.
void report_cycle(const ComparedDebs& debs, const Numbers& members, const Needs& needs,
                  Findings& findings) {
  const std::set<std::size_t> inside(members.begin(), members.end());
  bool is_strict = false;
  std::vector<Evidence> evidence;
  for (const std::size_t member : members) {
    for (const Need& need : needs[member]) {
      if (!inside.contains(need.before)) continue;
      evidence.push_back({debs.bundle[member]->package->path, 0, need.text});
      is_strict |= need.is_strict;
    }
  }
  Finding finding = make_finding("dependency-cycle", debs.bundle[members.front()]->package->path,
                                 shortened(std::move(evidence)));
  if (is_strict) {
    finding.severity = Severity::error;
    finding.cause =
        "One package has a Pre-Depends on another, which must be configured before the first is "
        "unpacked, but that one depends on the first. dpkg refuses every order.";
    finding.remedy.text = "Ask the vendor for packages that can be installed one after the other.";
  }
  findings.push_back(std::move(finding));
}

// The index of the dpkg call for each node: starts a new call if a strict dependency is satisfied
// only by the current one. `groups` are cycles and single nodes, in order.
class Calls {
 public:
  Calls(const ComparedDebs& debs, const Needs& needs)
      : debs_(debs), needs_(needs), call_(needs.size(), none) {}

  void add(const Numbers& group) {
    if (has_strict_need(group)) ++last_;
    for (const std::size_t node : group) call_[node] = last_;
  }
  std::size_t of(std::size_t node) const { return call_[node]; }

  void report(Findings& findings) const {
    if (evidence_.empty()) return;
    Finding finding =
        make_finding("needs-several-calls", evidence_.front().source, shortened(evidence_));
    finding.remedy.text =
        format("Install the debs in {} dpkg runs, in the installation order.", last_ + 1);
    findings.push_back(std::move(finding));
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool has_strict_need(const Numbers& group) {
    bool has = false;
    for (const std::size_t node : group) {
      for (const Need& need : needs_[node]) {
        if (!need.is_strict || call_[need.before] != last_) continue;
        evidence_.push_back({debs_.bundle[node]->package->path, 0, need.text});
        has = true;
      }
    }
    return has;
  }

  const ComparedDebs& debs_;
  const Needs& needs_;
  Numbers call_;
  std::size_t last_ = 0;
  std::vector<Evidence> evidence_;
};

}  // namespace

InstallOrder install_order(const ComparedDebs& debs, const Precedence& wishes, Findings& findings) {
  const Needs needs = NeedFinder(debs).needs();
  const Components components(needs);
  const Numbers& component = components.numbers();
  std::vector<Numbers> members(components.count());
  for (std::size_t i = 0; i < needs.size(); ++i) members[component[i]].push_back(i);

  Numbers keys;
  for (const Numbers& nodes : members) keys.push_back(nodes.front());
  std::vector<Arrow> firm;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (const Need& need : needs[i]) {
      if (component[need.before] != component[i]) {
        firm.push_back({component[need.before], component[i]});
      }
    }
  }
  std::vector<Arrow> soft;
  std::unordered_map<const KnownDeb*, std::size_t> number;
  for (std::size_t i = 0; i < debs.bundle.size(); ++i) number.emplace(debs.bundle[i], i);
  for (const auto& [before, after] : wishes) {
    const Arrow arrow{component[number.at(before)], component[number.at(after)]};
    if (arrow.before != arrow.after) soft.push_back(arrow);
  }

  InstallOrder order;
  Calls calls(debs, needs);
  for (const std::size_t c : sorted_by(keys, firm, soft)) {
    if (members[c].size() > 1) report_cycle(debs, members[c], needs, findings);
    calls.add(members[c]);
    for (const std::size_t i : members[c]) {
      order.debs.push_back(debs.bundle[i]);
      order.call.push_back(calls.of(i));
    }
  }
  calls.report(findings);
  return order;
}

}  // namespace topsctl
