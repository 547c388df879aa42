// The JSON of rehearsals.
#include "topsctl/model/rehearsal.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

TEST(RehearsalJson, HasEveryFieldAndNullForNothing) {
  RehearsalReport rehearsal;
  rehearsal.store = "disk";
  rehearsal.paths = 7;
  rehearsal.missed = {"/opt/x"};
  rehearsal.mounts = {{"/", 4096, -512}};
  rehearsal.packages = {{"tops-eccl", PackageKind::deb, "2", "install ok installed"},
                        {"torch_gcu", PackageKind::wheel, "", "missing"}};
  EXPECT_EQ(to_json(rehearsal).dump(),
            R"({"store":"disk","paths":7,"missed_paths":["/opt/x"],)"
            R"("mounts":[{"path":"/","written_bytes":4096,"growth_bytes":-512}],)"
            R"("packages":[{"name":"tops-eccl","kind":"deb","version":"2",)"
            R"("state":"install ok installed"},{"name":"torch_gcu","kind":"wheel","version":null,)"
            R"("state":"missing"}]})");
}

}  // namespace
}  // namespace topsctl
