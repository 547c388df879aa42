// The list of transactions, and one of them, as text.
#include "cli/overview/history_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Style plain;
const std::string started = "2026-11-20T10:15:00Z";

HistoryLine install() {
  HistoryLine line;
  line.stack = "topsrider-t2x 2.5.136";
  line.summary.id = 12;
  line.summary.origin = {"node1", "alice", started};
  line.summary.outcome = "committed";
  line.summary.kept_bytes = 1024;
  line.summary.packages = {{"tops-eccl", PackageKind::deb, std::nullopt, "2", ""},
                           {"x", PackageKind::deb, "1", std::nullopt, ""}};
  return line;
}

TEST(RenderHistory, HasALineForEachInLocalTime) {
  const std::string when = local_minute(time_of(started));
  HistoryLine patch;
  patch.summary = install().summary;
  patch.summary.id = 13;
  patch.summary.kind = TransactionKind::patch;
  patch.summary.patched = {"/p/a.py", "/p/b.sh"};
  patch.summary.project = "/p";
  patch.summary.origin.host.clear();
  EXPECT_EQ(render_history({install(), patch}, plain),
            "  id  started           outcome    what                   by           kept\n"
            "  12  " +
                when +
                "  committed  topsrider-t2x 2.5.136  alice@node1  1.0 KiB\n"
                "  13  " +
                when + "  committed  2 files of /p          alice        1.0 KiB\n");
  EXPECT_EQ(render_history({}, plain), "topsctl has changed nothing on this host\n");
}

TEST(RenderHistory, HasFewerColumnsOnANarrowTerminal) {
  HistoryLine line = install();
  line.summary.outcome = "rolled_back_with_differences";
  line.summary.reason = "step 3 of 8: dpkg: dpkg failed: exit status 1";
  line.summary.bundle = GivenBundle{{"a.deb"}, std::string(64, 'd')};
  const std::string text = render_history({line}, Style{false, 80});
  EXPECT_THAT(text, AllOf(HasSubstr("rolled_back_with_differences  topsrider-t2x 2.5.136\n"),
                          Not(HasSubstr("alice")), Not(HasSubstr("..."))));
  EXPECT_EQ(split(text, '\n').size(), 3U);
}

TEST(RenderHistory, SaysUntilWhenToConfirm) {
  HistoryLine line = install();
  line.summary.confirm_until = started;
  EXPECT_THAT(render_history({line}, plain),
              HasSubstr("to be confirmed by " + local_minute(time_of(started))));
}

TEST(RenderTransaction, TellsAllOfOne) {
  HistoryLine line = install();
  line.summary.made_by = "install";
  line.summary.reason = "step 3 of 8: dpkg: dpkg failed: exit status 1";
  line.summary.bundle = GivenBundle{{"a.deb", "b.deb", "c.whl"}, std::string(64, 'd')};
  EXPECT_THAT(
      render_transaction(line, plain),
      AllOf(HasSubstr("transaction  12, install\n"), HasSubstr("by           alice@node1\n"),
            HasSubstr("packages     tops-eccl 2\n             x -\n"),
            HasSubstr("bundle       a.deb, b.deb and 1 more\n"
                      "sha256       " +
                      std::string(64, 'd') + "\n"),
            HasSubstr("reason       step 3 of 8: dpkg: dpkg failed: exit status 1\n")));
}

}  // namespace
}  // namespace topsctl
