// The environment of a drafted stack, and the notes on its lines.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/planning/draft_packages.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct DraftNotes {
  Json list = Json::array();

  // What a line of the draft is taken from, and what a reviewer has to decide; `place` is a JSON
  // pointer.
  void add(const std::string& place, const std::string& evidence, const std::string& decide = {});
};

// The first few names, and how many more there are.
std::string named(const std::set<std::string>& names);

// The member "environment" of the stack `name`.
// Notes on what udev rules and pkg-config's files of the debs say.
void note_texts(const DraftPackages& packages, bool has_cards, DraftNotes& notes);
Json drafted_environment(const DraftPackages& packages, const std::string& name, DraftNotes& notes);

}  // namespace topsctl
