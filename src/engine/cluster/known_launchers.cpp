// Reads the launchers of src/data/launchers and the operator's.
#include "topsctl/engine/cluster/known_launchers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/trust/site_data.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_launcher = std::uint64_t{1} << 20U;  // bytes

JobTemplate launcher_in(std::string_view text, const std::string& source) {
  const Json document = parse_json(text, source);
  return job_template_in(JsonReader(document, source));
}

void add(std::vector<JobTemplate>& launchers, JobTemplate launcher) {
  std::erase_if(launchers, [&](const JobTemplate& each) { return each.name == launcher.name; });
  launchers.push_back(std::move(launcher));
}

}  // namespace

std::vector<JobTemplate> known_launchers(const std::filesystem::path& folder) {
  std::vector<JobTemplate> launchers;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.starts_with("launchers/"))
      add(launchers, launcher_in(file.bytes, format("launcher {}", in_quotes(file.name))));
  }
  for (const SiteFile& file : read_site_data(folder, most_launcher)) {
    try {
      add(launchers, launcher_in(file.text, format("launcher {}", in_quotes(file.path.string()))));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_stack) throw;
      throw Error(ErrorCode::bad_input, error.message(),
                  "fix the file, or move it out of the directory");
    }
  }
  return launchers;
}

JobTemplate launcher_named(const std::vector<JobTemplate>& launchers, const std::string& name) {
  std::vector<std::string> names;
  for (const JobTemplate& each : launchers) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  throw Error(ErrorCode::usage,
              format("unknown engine {}{}", in_quotes(name), did_you_mean(name, names)),
              format("known engines: {}; others are in {}", joined(names, ", "), launchers_folder));
}

}  // namespace topsctl
