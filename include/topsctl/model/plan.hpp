// A plan: what will be done, in which order, before anything of it is done.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topsctl/model/environment.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// What a transaction changes: the packages of a machine, or the sources of a project.
enum class TransactionKind { install, patch };
std::string_view name(TransactionKind kind);

enum class PackageAction { install, upgrade, downgrade, reinstall, keep };
std::string_view name(PackageAction action);

struct PlannedPackage {
  std::string component;
  PackageKind kind = PackageKind::deb;
  std::string name;
  std::optional<std::string> before;  // installed version
  std::string after;
  std::string architecture;
  PackageAction action = PackageAction::install;
  std::string location;  // where the file lies now
  std::string file;      // its name once staged
  std::string sha256;
  std::uint64_t size = 0;
  bool operator==(const PlannedPackage&) const = default;
};

// "{stage}" in an argument stands for the folder with the transaction's own copies of the packages.
inline constexpr std::string_view stage_placeholder = "{stage}";

struct StagePackages {
  bool operator==(const StagePackages&) const = default;
};
struct KeepWriteSet {
  bool operator==(const KeepWriteSet&) const = default;
};
struct RunCommand {
  std::string program;  // as messages call it: "dpkg"
  std::vector<std::string> argv;
  std::int64_t timeout_s = 0;
  // What is run before it and need not be observed; empty: nothing.
  std::vector<std::string> unobserved_argv = {};
  bool operator==(const RunCommand&) const = default;
};
// Unpacks a staged wheel into the folders of the plan's interpreter, in the place of the version
// that is there.
struct InstallWheel {
  std::string name;  // of the distribution
  std::string file;  // its name once staged
  InstallScheme scheme;
  std::string cache_tag;  // "cpython-38"
  bool operator==(const InstallWheel&) const = default;
};
// Compares distributions with what they were when the plan was made.
struct CompareWheels {
  std::vector<std::string> names;
  std::vector<InstalledIdentity> before;  // of those that were there
  std::vector<std::string> site_directories;
  bool operator==(const CompareWheels&) const = default;
};
struct WriteFile {
  std::string path;
  std::string content;
  unsigned mode = 0644;
  bool operator==(const WriteFile&) const = default;
};
// Gives a file that is there another content, its attributes stay. What another content has by then
// is not replaced.
struct PatchFile {
  std::string path;  // canonical
  std::string before_sha256;
  std::string content;
  std::string sha256;  // of it
  bool operator==(const PatchFile&) const = default;
};
struct RunChecks {
  std::vector<CheckRule> checks;
  bool operator==(const RunChecks&) const = default;
};
struct Commit {
  bool operator==(const Commit&) const = default;
};
struct RestoreWriteSet {
  std::int64_t transaction = 0;
  bool operator==(const RestoreWriteSet&) const = default;
};

using StepAction =
    std::variant<StagePackages, KeepWriteSet, RunCommand, InstallWheel, CompareWheels, WriteFile,
                 PatchFile, RunChecks, Commit, RestoreWriteSet>;
std::string_view name(const StepAction& action);

struct Step {
  std::string id;           // "debs"
  std::string description;  // "dpkg --install tops-eccl_2.5.136-1_amd64.deb"
  StepAction action;
  std::vector<std::string> not_restored;  // what of it no restore of files can undo
  bool operator==(const Step&) const = default;
};

// How those who change a file write it. What is replaced as a whole leaves the old file as it was:
// a second name (hard link) is enough to keep it.
enum class Writing { in_place, replaced };

// Entries of a folder whose names begin alike; what appears among them belongs to the write set
// too.
struct PathFamily {
  std::string directory;
  std::string
      prefix;  // empty: every entry that is no folder; else folders count with all that is in them
  Writing writing = Writing::in_place;
  // A folder of the packages alone: what appears there unnamed may still be anybody's.
  bool is_own = false;
  bool operator==(const PathFamily&) const = default;
};

// Every path that a plan will create, change or delete.
struct WriteSet {
  std::vector<std::string>
      paths;  // absolute, as the machine sees them; the folders above them are meant too
  std::vector<PathFamily> families = {};
  std::vector<std::string> replaced = {};  // those of `paths` that are Writing::replaced, sorted
  // Those whose new files come from packages and are not written into, sorted: their digests are
  // not wanted. What is there before is kept all the same.
  std::vector<std::string> packed = {};
  // Those that dpkg unpacks, sorted: what it makes beside them (NAME.dpkg-new and the like) is
  // meant too.
  std::vector<std::string> unpacked = {};
  // Those that no package names, but scripts of packages often write, sorted: users and groups.
  std::vector<std::string> possible = {};
  // Names of the packages whose records dpkg changes, sorted: of the bundle, and what goes for
  // them.
  std::vector<std::string> debs = {};
  bool operator==(const WriteSet&) const = default;
};

// How the paths that a plan writes are known, and why in this way.
struct WriteSetKnowledge {
  std::string known = "predicted";  // or "observed"
  std::string reason;               // for people
  bool is_asked_for = false;        // by the operator: nothing else will do
  bool operator==(const WriteSetKnowledge&) const = default;
};

// What scripts do that no rollback undoes.
struct LastingEffects {
  bool services = false;
  bool kernel_modules = false;
  bool operator==(const LastingEffects&) const = default;
};
std::vector<std::string> sentences_on(const LastingEffects& effects);

struct Plan {
  std::string command;  // "install", "patch", "rollback"
  TransactionKind kind = TransactionKind::install;
  std::string project;  // the directory of a patch
  std::string stack;
  std::string release;  // of the stack; empty: it has none
  std::string python;   // the interpreter; empty: none is needed
  std::string python_version;
  std::vector<PlannedPackage> packages;
  std::optional<Environment> environment;
  std::vector<Step> steps;         // empty: nothing to do
  WriteSet write_set;              // as predicted
  WriteSetKnowledge knowledge;     // what an install then does about it
  LastingEffects lasting_effects;  // of the scripts that it runs
  std::uint64_t needed_bytes = 0;  // of all file systems together, copies for the undo included
  std::vector<std::string> warnings;
  bool operator==(const Plan&) const = default;
};

Json to_json(const Plan& plan);

}  // namespace topsctl
