// A difference between two bundles as a value.
#pragma once

#include "topsctl/engine/reporting/bundle_diff.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {

// With something in every list.
inline BundleDiff every_change() {
  PackageDiff change;
  change.before = {PackageKind::wheel, "torch_gcu", "1.10", "3.8", "a.run > t.whl", 1000};
  change.after = {PackageKind::wheel, "torch_gcu", "1.11", "3.8", "t.whl", 2000};
  change.change = VersionChange::upgrade;
  change.files_compared = change.contents_compared = true;
  change.files_added.add("a");
  change.files_removed.add("b");
  change.files_changed.add({"c", 1, 2});
  change.files_changed.add({"claimed", std::nullopt, 2});
  change.modes_changed.add({"d", 0, 04755});
  change.conffiles_added.add("/etc/a");
  change.conffiles_removed.add("/etc/b");
  change.sonames_gained.add("liba.so.1");
  change.sonames_lost.add("libb.so.1");
  change.sonames_bumped.add({"libc.so.1", "libc.so.2"});
  change.needed_gained.add("libd.so.1");
  change.glibc_after = "2.31";
  change.scripts = {{"postinst", false, true, {0, 1, {"-x"}}}};
  change.relations = {{"requires_dist", {"numpy"}, {"numpy (>=1.19)"}}};
  PackageDiff unread = change;
  unread.files_compared = unread.contents_compared = false;
  BundleDiff diff;
  diff.added = {change.after};
  diff.removed = {{PackageKind::runfile, "", "", std::nullopt, "old.run", 1}};
  diff.changed = {change, unread};
  diff.same = 7;
  diff.containers.add({"a.run", false, true, 5, 0});
  diff.settings_compared = true;
  diff.settings.add({"ECCL_TOPOLOGY", {}, {"1"}});
  return diff;
}

}  // namespace topsctl
