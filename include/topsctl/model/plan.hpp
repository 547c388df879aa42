// A plan: all steps of a change in their order, before any of them runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "topsctl/model/environment.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The object of a transaction: the packages of a host, or the sources of a project.
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
  std::string location;  // present path of the file
  std::string file;      // its name in the stage directory
  std::string sha256;
  std::uint64_t size = 0;
  bool operator==(const PlannedPackage&) const = default;
};

// "{stage}" in an argument is replaced by the directory with the transaction's copies of the
// packages.
inline constexpr std::string_view stage_placeholder = "{stage}";

struct StagePackages {
  bool operator==(const StagePackages&) const = default;
};
struct KeepWriteSet {
  bool operator==(const KeepWriteSet&) const = default;
};
struct RunCommand {
  std::string program;  // name in messages: "dpkg"
  std::vector<std::string> argv;
  std::int64_t timeout_s = 0;
  // Runs first, without observation; empty: nothing.
  std::vector<std::string> unobserved_argv = {};
  bool operator==(const RunCommand&) const = default;
};
// Unpacks a staged wheel into the directories of the plan's interpreter and replaces the installed
// version.
struct InstallWheel {
  std::string name;  // of the distribution
  std::string file;  // its name in the stage directory
  InstallScheme scheme;
  std::string cache_tag;  // "cpython-38"
  bool operator==(const InstallWheel&) const = default;
};
// Compares distributions with their state when the plan was made.
struct CompareWheels {
  std::vector<std::string> names;
  std::vector<InstalledIdentity> before;  // of the installed ones
  std::vector<std::string> site_directories;
  bool operator==(const CompareWheels&) const = default;
};
struct WriteFile {
  std::string path;
  std::string content;
  unsigned mode = 0644;
  bool operator==(const WriteFile&) const = default;
};
// Replaces the content of an existing file and keeps its attributes. Does not replace a file whose
// content has changed since.
struct PatchFile {
  std::string path;  // canonical
  std::string before_sha256;
  std::string content;
  std::string sha256;  // of the new content
  bool operator==(const PatchFile&) const = default;
};
// What programs load of the plan's debs, by the deb's name: other users must not be able to change
// it.
struct LoadedFiles {
  std::map<std::string, std::set<std::string>> of_debs;
  bool may_be_open = false;  // the operator accepts it
  bool operator==(const LoadedFiles&) const = default;
};
struct RunChecks {
  std::vector<CheckRule> checks;
  LoadedFiles loaded = {};
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
  std::vector<std::string> not_restored;  // its effects that no restore undoes
  bool operator==(const Step&) const = default;
};

// How programs write a file. A file that is replaced as a whole stays intact as an old inode, so a
// hard link suffices as its backup.
enum class Writing { in_place, replaced };

// Entries of a directory with a common name prefix; new ones belong to the write set too.
struct PathFamily {
  std::string directory;
  std::string prefix;  // empty: every entry except directories; else directories count with all
                       // their content
  Writing writing = Writing::in_place;
  // A directory that only the packages use: new unnamed entries may still be foreign.
  bool is_own = false;
  bool operator==(const PathFamily&) const = default;
};

// Every path that a plan will create, change or delete.
struct WriteSet {
  std::vector<std::string> paths;  // absolute, on the host; includes the directories above
  std::vector<PathFamily> families = {};
  std::vector<std::string> replaced = {};  // those of `paths` with Writing::replaced, sorted
  // Those whose new files come from packages and are not written into, sorted: their digests are
  // not needed. They are backed up all the same.
  std::vector<std::string> packed = {};
  // Those that dpkg unpacks, sorted; includes the files that it creates beside them (NAME.dpkg-new
  // and the like).
  std::vector<std::string> unpacked = {};
  // Those that no package has but package scripts often write, sorted: users and groups.
  std::vector<std::string> possible = {};
  // Names of the packages whose records dpkg changes, sorted: of the bundle, and those that it
  // removes.
  std::vector<std::string> debs = {};
  bool operator==(const WriteSet&) const = default;
};

// How the write set of a plan is determined, and why.
struct WriteSetKnowledge {
  std::string known = "predicted";  // or "observed"
  std::string reason;               // for display
  bool is_asked_for = false;        // the operator requires this way
  bool operator==(const WriteSetKnowledge&) const = default;
};

// Effects of scripts that no rollback undoes.
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
  WriteSetKnowledge knowledge;     // how an install determines the actual one
  LastingEffects lasting_effects;  // of the scripts that it runs
  std::uint64_t needed_bytes = 0;  // on all file systems together, including the backup
  std::vector<std::string> warnings;
  bool operator==(const Plan&) const = default;
};

Json to_json(const Plan& plan);

}  // namespace topsctl
