// Replaces secrets by marks.
#include "engine/launch/recorded_secrets.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/secret_marks.hpp"

namespace topsctl {

void leave_out_secrets(Json& record) {
  const std::string run = record.at("run").get<std::string>();
  for (const char* place : {"/request/words", "/request/set", "/plan/words", "/plan/argv"}) {
    Json& list = record.at(Json::json_pointer(place));
    auto words = list.get<std::vector<std::string>>();
    mark_secrets(words, run);
    list = words;
  }
  if (Json& resume = record.at("request").at("resume"); resume.is_string()) {
    auto words = split(resume.get<std::string>(), ' ');
    mark_secrets(words, run);
    resume = joined(words, " ");
  }
  for (auto& [name, value] : record.at("environment").at("set").items())
    value = value_or_mark(run, name, value.get<std::string>());
}

}  // namespace topsctl
