// Checks: each looks at the state of the machine, never at an exit status of an install.
#include "topsctl/engine/checks.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planner.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/dpkg.hpp"
#include "topsctl/host/elf.hpp"
#include "topsctl/host/facts.hpp"
#include "topsctl/host/files.hpp"
#include "topsctl/host/python.hpp"
#include "topsctl/host/wheel.hpp"
#include "topsctl/host/wheel_scripts.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t import_timeout_ms = 300'000;
constexpr off_t most_script = 1 << 20;

void pass(CheckResult& result, const std::string& observed) {
  result.status = CheckStatus::pass;
  result.observed = printable(observed);
}

void fail(CheckResult& result, const std::string& observed, const std::string& hint) {
  result.status = CheckStatus::fail;
  result.observed = printable(observed);
  result.hint = printable(hint);
}

// The first file of RECORD that is not there or not what RECORD says.
std::string record_difference(const Host& host, const InstalledWheel& wheel) {
  for (const RecordLine& line : parse_record(wheel.record, wheel.dist_info)) {
    if (line.sha256.empty()) continue;
    const std::string path = recorded_path(wheel, line.path);
    struct stat status {};
    const auto file = host.behind(path);
    if (::stat(file.c_str(), &status) != 0) return concat(in_quotes(path), " is missing");
    if (digest_of_file(file).base64url() == line.sha256) continue;
    const bool is_script = line.path.starts_with("../") && status.st_size <= most_script &&
                           had_digest_before_rewriting(read_text(file), line.sha256);
    if (!is_script) return concat(in_quotes(path), " is not what RECORD says");
  }
  return {};
}

void judge_wheel(const Host& host, const InstalledWheel& wheel, CheckResult& result) {
  const std::string hint = "install the stack again with `topsctl install`";
  const bool signed_off =
      std::any_of(wheel.files.begin(), wheel.files.end(),
                  [](const std::string& file) { return file.ends_with(".dist-info/INSTALLER"); });
  if (!signed_off) {
    fail(result,
         concat(wheel.name, " ", wheel.version, " is there in part: its RECORD names no INSTALLER"),
         hint);
    return;
  }
  const std::string difference = record_difference(host, wheel);
  if (!difference.empty()) {
    fail(result, difference, hint);
    return;
  }
  pass(result, concat(wheel.name, " ", wheel.version, " in ", wheel.site_directory,
                      ", every file as recorded"));
}

class Checker {
 public:
  Checker(const Host& host, const Stack& stack, const std::string& python)
      : host_(host), stack_(stack), facts_(read_host_facts(host, stack, python)) {
    for (const PythonFacts& candidate : facts_.pythons) {
      if (python_ == nullptr) python_ = &candidate;
      if (has_wheel(candidate) && !has_wheel(*python_)) python_ = &candidate;
    }
    environment_ = derive_environment(stack, stack_payload({}, installed_only()));
  }

  std::string python() const { return python_ == nullptr ? "" : python_->executable; }

  CheckResult run(const CheckRule& rule) {
    CheckResult result;
    result.id = rule.id;
    result.rung = rule.rung;
    const auto started = host_.clock->steady();
    try {
      judge(rule, result);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
      result.status = CheckStatus::unknown;
      result.observed = error.message();
      result.hint = error.hint();
    } catch (const std::exception& error) {
      result.status = CheckStatus::unknown;
      result.observed = printable(error.what());
    }
    result.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(host_.clock->steady() - started)
            .count();
    return result;
  }

 private:
  bool has_wheel(const PythonFacts& python) const {
    return std::all_of(stack_.components.begin(), stack_.components.end(), [&](const Component& c) {
      return c.kind != PackageKind::wheel || python.wheel(c.names.front()) != nullptr;
    });
  }

  HostFacts installed_only() const {
    HostFacts facts = facts_;
    std::erase_if(facts.debs, [](const auto& deb) { return !is_installed(deb.second); });
    return facts;
  }

  void judge(const CheckRule& rule, CheckResult& result) {
    switch (rule.kind) {
      case CheckKind::deb_installed:
        judge_deb(rule, result);
        return;
      case CheckKind::library:
        judge_library(rule, result);
        return;
      case CheckKind::wheel_installed:
        judge_wheel_component(rule, result);
        return;
      case CheckKind::python_import:
        judge_import(rule, result);
        return;
      case CheckKind::environment_file:
        judge_environment(result);
        return;
    }
  }

  const InstalledDeb* deb_of(const CheckRule& rule) const {
    const InstalledDeb* found = nullptr;
    for (const std::string& name : stack_.component(rule.component)->names) {
      const auto deb = facts_.debs.find(name);
      if (deb != facts_.debs.end() && (found == nullptr || is_installed(deb->second))) {
        found = &deb->second;
      }
    }
    return found;
  }

  void judge_deb(const CheckRule& rule, CheckResult& result) {
    const Component& component = *stack_.component(rule.component);
    result.expected =
        concat(joined(component.names, " or "), " ", component.version, ", install ok installed");
    const InstalledDeb* deb = deb_of(rule);
    if (deb == nullptr) {
      fail(result, "not installed", "install it with `topsctl install BUNDLE`");
      return;
    }
    const std::string observed = concat(deb->name, " ", deb->version, ", ", deb->status);
    const bool right =
        component.version.empty() || version_contains(deb->version, component.version);
    if (is_installed(*deb) && right) {
      pass(result, observed);
    } else {
      fail(result, observed,
           concat("install version ", component.version, " with `topsctl install BUNDLE`"));
    }
  }

  void judge_library(const CheckRule& rule, CheckResult& result) {
    result.expected =
        concat("a real library ", rule.file, " that exports ", joined(rule.symbols, ", "));
    const InstalledDeb* deb = deb_of(rule);
    if (deb == nullptr || !is_installed(*deb)) {
      fail(result, "its package is not installed", "install it with `topsctl install BUNDLE`");
      return;
    }
    const auto path =
        std::find_if(deb->files.begin(), deb->files.end(), [&](const std::string& file) {
          return std::filesystem::path(file).filename() == rule.file;
        });
    if (path == deb->files.end()) {
      fail(result, concat("package ", deb->name, " has no file ", rule.file),
           "take the vendor's own package");
      return;
    }
    const ElfFacts elf = read_elf(host_.behind(*path), Exports::list);
    const std::string hint = concat("the file is not the vendor's library: reinstall ", deb->name);
    if (!elf.is_sound()) {
      fail(result, concat(*path, ": ", elf.problem), hint);
      return;
    }
    if (elf.machine != "x86-64") {
      fail(result, concat(*path, ": an ELF file for another machine"), hint);
      return;
    }
    for (const std::string& symbol : rule.symbols) {
      if (std::find(elf.exported.begin(), elf.exported.end(), symbol) == elf.exported.end()) {
        fail(result, concat(*path, " does not export ", symbol), hint);
        return;
      }
    }
    pass(result, concat(*path, ", ", elf.exported.size(), " symbols, owned by ", deb->name));
  }

  void judge_wheel_component(const CheckRule& rule, CheckResult& result) {
    const Component& component = *stack_.component(rule.component);
    result.expected =
        concat(component.names.front(), " ", component.version, " complete as RECORD says");
    const InstalledWheel* wheel =
        python_ == nullptr ? nullptr : python_->wheel(component.names.front());
    if (wheel == nullptr) {
      fail(
          result,
          python_ == nullptr ? "no interpreter" : concat("not installed for ", python_->executable),
          "install it with `topsctl install BUNDLE`");
    } else if (!version_contains(wheel->version, component.version)) {
      fail(result, concat(wheel->name, " ", wheel->version),
           "install the stack's version with `topsctl install BUNDLE`");
    } else {
      judge_wheel(host_, *wheel, result);
    }
  }

  std::map<std::string, std::string> variables() const {
    std::map<std::string, std::string> variables;
    for (const EnvironmentVariable& variable : environment_.variables)
      variables[variable.name] = variable.value;
    for (const SearchPath& path : environment_.paths) {
      if (path.name == "PATH") continue;
      std::vector<std::string> folders;
      for (const SearchPathEntry& entry : path.entries) folders.push_back(entry.directory);
      variables[path.name] = joined(folders, ":");
    }
    return variables;
  }

  void judge_import(const CheckRule& rule, CheckResult& result) {
    result.expected = concat("`import ", rule.module, "` works");
    if (python_ == nullptr) {
      fail(result, "no interpreter", "install Python, or name one with --python");
      return;
    }
    const ImportResult import =
        import_module(host_, python_->executable, rule.module, variables(), import_timeout_ms);
    if (import.ok) {
      pass(result, concat(rule.module, " ", import.version, " from ", import.file, " by ",
                          python_->executable));
    } else {
      fail(result, import.error,
           concat("run `", python_->executable, " -c 'import ", rule.module, "'` there"));
    }
  }

  void judge_environment(CheckResult& result) {
    const std::string& file = environment_.file;
    result.expected = concat(file, " as the installed packages need it");
    const auto found = facts_.files.find(file);
    if (found == facts_.files.end()) {
      fail(result, concat(file, " is missing"),
           "install the stack, or write it with `topsctl env`");
    } else if (found->second == shell_file(environment_)) {
      pass(result, concat(file, " is right"));
    } else {
      result.status = CheckStatus::warn;
      result.observed = concat(file, " differs from what the installed packages need");
      result.hint = "compare it with the output of `topsctl env`";
    }
  }

  const Host& host_;
  const Stack& stack_;
  HostFacts facts_;
  const PythonFacts* python_ = nullptr;
  Environment environment_;
};

}  // namespace

Verification run_checks(const Host& host, const Stack& stack, const std::vector<CheckRule>& checks,
                        const std::string& python) {
  Checker checker(host, stack, python);
  Verification verification{checker.python(), {}};
  for (const CheckRule& rule : checks) verification.checks.push_back(checker.run(rule));
  return verification;
}

CheckResult check_installed_wheel(const Host& host, const std::string& name,
                                  const std::string& python) {
  CheckResult result;
  result.id = concat("wheel-", name);
  const auto facts = read_python(host, python, {name});
  const InstalledWheel* wheel = facts ? facts->wheel(name) : nullptr;
  if (wheel == nullptr) {
    fail(result, concat(name, " is not installed for ", python), "");
  } else {
    judge_wheel(host, *wheel, result);
  }
  return result;
}

}  // namespace topsctl
