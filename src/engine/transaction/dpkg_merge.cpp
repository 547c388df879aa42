// Merges dpkg's database files.
#include "engine/transaction/dpkg_merge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/dpkg_status.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

struct StanzaText {
  std::string key;  // "name:architecture"
  std::string_view text;
};

std::string_view field(std::string_view stanza, std::string_view name) {
  while (!stanza.empty()) {
    const std::string_view line = stanza.substr(0, stanza.find('\n'));
    if (line.starts_with(name)) {
      std::string_view value = line.substr(name.size());
      value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
      return value.substr(0, value.find_last_not_of(" \t\r") + 1);
    }
    stanza.remove_prefix(std::min(line.size() + 1, stanza.size()));
  }
  return {};
}

std::vector<StanzaText> stanzas_of(std::string_view text) {
  std::vector<StanzaText> stanzas;
  while (!text.empty()) {
    if (text.front() == '\n') {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find("\n\n");
    const std::string_view stanza = end == std::string_view::npos ? text : text.substr(0, end + 1);
    stanzas.push_back(
        {concat(field(stanza, "Package:"), ":", field(stanza, "Architecture:")), stanza});
    text.remove_prefix(stanza.size());
  }
  return stanzas;
}

using ByKey = std::map<std::string, std::string_view>;

ByKey by_key(const std::vector<StanzaText>& stanzas) {
  ByKey found;
  for (const StanzaText& stanza : stanzas) found.emplace(stanza.key, stanza.text);
  return found;
}

std::string_view stanza_in(const ByKey& stanzas, const std::string& key) {
  const auto found = stanzas.find(key);
  return found == stanzas.end() ? std::string_view() : found->second;
}

void append_stanza(std::string_view stanza, std::string& text) {
  if (stanza.empty()) return;
  text += stanza;
  text += stanza.ends_with('\n') ? "\n" : "\n\n";
}

std::vector<std::string> records_of(std::string_view text, std::size_t lines) {
  std::vector<std::string> records;
  std::size_t count = 0;
  for (const std::string& line : split(std::string(text), '\n')) {
    if (count % lines == 0) {
      if (line.empty()) continue;
      records.emplace_back();
    }
    records.back() += line + "\n";
    ++count;
  }
  return records;
}

}  // namespace

DpkgMerge merged_status(std::string_view before, std::string_view after, std::string_view now) {
  const ByKey old_ones = by_key(stanzas_of(before));
  const ByKey left = by_key(stanzas_of(after));
  const std::vector<StanzaText> present = stanzas_of(now);
  const ByKey current = by_key(present);
  std::set<std::string> keys;
  for (const auto* stanzas : {&old_ones, &left}) {
    for (const auto& [key, text] : *stanzas) {
      if (stanza_in(old_ones, key) != stanza_in(left, key)) keys.insert(key);
    }
  }
  DpkgMerge merge;
  merge.packages.assign(keys.begin(), keys.end());
  for (const std::string& key : keys) {
    const std::string_view found = stanza_in(current, key);
    if (found != stanza_in(left, key) && found != stanza_in(old_ones, key)) {
      merge.conflicts.push_back(key);
    }
  }
  for (const StanzaText& stanza : present) {
    append_stanza(keys.contains(stanza.key) ? stanza_in(old_ones, stanza.key) : stanza.text,
                  merge.text);
  }
  for (const std::string& key : keys) {
    if (!current.contains(key)) append_stanza(stanza_in(old_ones, key), merge.text);
  }
  return merge;
}

std::string merged_records(std::string_view before, std::string_view after, std::string_view now,
                           std::size_t lines) {
  const std::vector<std::string> old_ones = records_of(before, lines);
  const std::vector<std::string> left = records_of(after, lines);
  const auto is_in = [](const std::vector<std::string>& records, const std::string& record) {
    return std::find(records.begin(), records.end(), record) != records.end();
  };
  const std::vector<std::string> current = records_of(now, lines);
  std::string text;
  for (const std::string& record : current) {
    if (is_in(old_ones, record) || !is_in(left, record)) text += record;
  }
  for (const std::string& record : old_ones) {
    if (!is_in(left, record) && !is_in(current, record)) text += record;
  }
  return text;
}

namespace {

std::string_view name_of(std::string_view key) {
  return key.substr(0, key.find(':'));
}

DpkgStatus status_in(std::string_view stanza) {
  return parse_dpkg_status(field(stanza, "Status:")).value_or(DpkgStatus{});
}

// While a trigger runs, dpkg calls its package half configured (trigproc() in its trigproc.c).
bool is_at_its_triggers(std::string_view stanza) {
  const DpkgState state = status_in(stanza).state;
  return state == DpkgState::triggers_awaited || state == DpkgState::triggers_pending ||
         state == DpkgState::half_configured;
}

// Whether a foreign package's stanza was changed only by triggers of our packages.
bool is_changed_by_triggers_alone(std::string_view before, std::string_view now) {
  return is_installed(status_in(before)) && is_at_its_triggers(now) &&
         field(before, "Version:") == field(now, "Version:");
}

bool is_on_its_way(std::string_view planned, std::string_view before, std::string_view now) {
  if (now.empty()) return before.empty() || planned.empty();
  const DpkgWant want = status_in(now).want;
  const bool is_selected_as_ever = planned.empty() || want == DpkgWant::install ||
                                   (!before.empty() && want == status_in(before).want);
  const std::string_view version = field(now, "Version:");
  return is_selected_as_ever && (version.empty() || version == planned || planned.empty() ||
                                 (!before.empty() && version == field(before, "Version:")));
}

}  // namespace

DpkgMerge status_without(const OwnDebs& own, std::string_view before, std::string_view now) {
  const std::vector<StanzaText> old_list = stanzas_of(before);
  const ByKey old_ones = by_key(old_list);
  const std::vector<StanzaText> present = stanzas_of(now);
  const ByKey current = by_key(present);
  DpkgMerge merge;
  bool is_as_before = true;
  const auto judge = [&](const std::string& key) {
    const auto planned = own.find(name_of(key));
    if (planned == own.end()) return false;
    merge.packages.push_back(key);
    const std::string_view old_one = stanza_in(old_ones, key);
    const std::string_view found = stanza_in(current, key);
    if (found != old_one && !is_on_its_way(planned->second, old_one, found))
      merge.conflicts.push_back(key);
    return true;
  };
  for (const StanzaText& stanza : present) {
    const std::string_view old_one = stanza_in(old_ones, stanza.key);
    const bool is_put_back =
        judge(stanza.key) || is_changed_by_triggers_alone(old_one, stanza.text);
    is_as_before = is_as_before && (is_put_back || old_one == stanza.text);
    append_stanza(is_put_back ? old_one : stanza.text, merge.text);
  }
  for (const StanzaText& stanza : old_list) {
    if (current.contains(stanza.key)) continue;
    if (judge(stanza.key)) {
      append_stanza(stanza.text, merge.text);
    } else {
      is_as_before = false;
    }
  }
  if (is_as_before) merge.text = before;
  return merge;
}

std::string records_without(const std::function<bool(std::string_view record)>& is_own,
                            std::string_view before, std::string_view now, std::size_t lines) {
  const std::vector<std::string> old_ones = records_of(before, lines);
  const std::vector<std::string> current = records_of(now, lines);
  const auto is_in = [](const std::vector<std::string>& records, const std::string& record) {
    return std::find(records.begin(), records.end(), record) != records.end();
  };
  std::string text;
  bool is_as_before = true;
  for (const std::string& record : old_ones) {
    const bool stays = is_in(current, record) || is_own(record);
    if (stays) text += record;
    is_as_before = is_as_before && stays;
  }
  for (const std::string& record : current) {
    if (is_in(old_ones, record) || is_own(record)) continue;
    text += record;
    is_as_before = false;
  }
  return is_as_before ? std::string(before) : text;
}

}  // namespace topsctl
