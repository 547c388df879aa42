// Merges dpkg's database files.
#include "engine/transaction/dpkg_merge.hpp"

#include <algorithm>
#include <map>
#include <set>

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

}  // namespace topsctl
