// Stack files: the embedded one parses, and each kind of mistake is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/model/stack/stack_parser.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(StackParser, ReadsTheEmbeddedStack) {
  const Stack stack = sample_stack();
  EXPECT_EQ(stack.name, "topsrider-t2x");
  EXPECT_THAT(stack.component_ids(), ElementsAre("eccl", "sdk", "topsfactor", "torch_gcu"));
  EXPECT_THAT(stack.component("eccl")->names, ElementsAre("tops-eccl", "eccl"));
  EXPECT_EQ(stack.component("torch_gcu")->kind, PackageKind::wheel);
  EXPECT_TRUE(stack.component("sdk")->required);
  EXPECT_EQ(stack.component("none"), nullptr);
  EXPECT_THAT(stack.python.tested_minors, ElementsAre("3.6", "3.8"));
  EXPECT_THAT(stack.python.unchanged, ElementsAre("torch"));
  EXPECT_EQ(stack.environment.file, "/etc/profile.d/topsrider.sh");
  ASSERT_EQ(stack.environment.variables.size(), 7U);
  EXPECT_EQ(stack.environment.variables[0].grade, Grade::attested);
  EXPECT_EQ(stack.environment.variables[5].prefix_of, "libeccl.so");
  ASSERT_EQ(stack.environment.paths.size(), 2U);
  EXPECT_EQ(stack.environment.paths[0].entries[2].if_present, "/opt/tops/lib");
  EXPECT_EQ(stack.accelerator.cards, 8);
  EXPECT_EQ(stack.backend.library, "libeccl.so");
  EXPECT_EQ(stack.environment.generation, "t2x");
  EXPECT_THAT(stack.profile_names(), ElementsAre("dev", "staging", "prod"));
  EXPECT_EQ(stack.profile("prod")->variables[0].value, "4");
  EXPECT_EQ(stack.profile("none"), nullptr);
  ASSERT_EQ(stack.checks.size(), 32U);
  EXPECT_EQ(stack.checks[5].kind, CheckKind::library);
  EXPECT_EQ(stack.checks[10].level, CheckLevel::load);
  EXPECT_THAT(stack.checks[10].hint, HasSubstr("TopsPlatform"));
  EXPECT_EQ(stack.checks[11].hint, "");
  EXPECT_EQ(stack.checks[13].module, "torch_gcu");
}

TEST(StackParser, TakesAComponentThatIsNotRequired) {
  const std::string text =
      with(sample_stack_text(), R"("id": "sdk", )", R"("id": "sdk", "required": false, )");
  EXPECT_FALSE(parse_stack(text, "s").component("sdk")->required);
}

struct Mistake {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  // after "cannot read stack 's': "
};

class BrokenStacks : public testing::TestWithParam<Mistake> {};

TEST_P(BrokenStacks, AreRefusedByName) {
  const Mistake& mistake = GetParam();
  const std::string text = with(sample_stack_text(), mistake.from, mistake.to);
  const Error error = thrown_by([&] { parse_stack(text, "stack 's'"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_EQ(error.message(), std::string("cannot read stack 's': ") + mistake.message);
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> table = {
      {"unknown_key_at_the_top", R"("title":)", R"("titel":)",
       "/: unknown key 'titel' (did you mean 'title'?)"},
      {"unknown_key_in_a_component", R"("names": ["tops-sdk"])", R"("name": ["tops-sdk"])",
       "/components/1: unknown key 'name' (did you mean 'names'?)"},
      {"unknown_key_in_a_check", R"("module": "torch_gcu"})", R"("modul": "torch_gcu"})",
       "/checks/13: unknown key 'modul' (did you mean 'module'?)"},
      {"another_schema", R"("schema": 1)", R"("schema": 2)",
       "/schema: expected an integer from 1 to 1, got 2"},
      {"missing_name", R"("name": "topsrider-t2x",)", "", "/: missing key 'name'"},
      {"missing_grade", R"("value": "0", "grade": "guide")", R"("value": "0")",
       "/environment/variables/3: missing key 'grade'"},
      {"wrong_type_of_names", R"(["tops-sdk"])", R"("tops-sdk")",
       R"(/components/1/names: expected a list, got "tops-sdk")"},
      {"no_names", R"(["tops-sdk"])", "[]", "/components/1/names: expected at least one name"},
      {"wrong_type_of_required", R"("id": "sdk")", R"("id": "sdk", "required": "yes")",
       R"(/components/1/required: expected true or false, got "yes")"},
      {"unknown_kind", R"("kind": "wheel", "names")", R"("kind": "weel", "names")",
       R"(/components/3/kind: expected one of deb, wheel, tree; got "weel" (did you mean 'wheel'?))"},
      {"a_name_that_is_an_option", R"(["tops-sdk"])", R"(["--root"])",
       "/components/1/names/0: expected letters, digits and . _ - + only, got '--root'"},
      {"a_name_with_a_slash", R"("id": "sdk")", R"("id": "../sdk")",
       "/components/1/id: expected letters, digits and . _ - + only, got '../sdk'"},
      {"a_number_that_is_none", R"("from": "2.0")", R"("from": "2.x")",
       "/releases/from: expected a number such as \"2.5\", got '2.x'"},
      {"an_empty_range", R"("from": "2.0")", R"("from": "3.0")",
       "/releases: expected 'from' to be lower than 'below'"},
      {"a_tested_release_out_of_range", R"("tested": ["2.5.136"])", R"("tested": ["3.0.1"])",
       "/releases/tested/0: expected a release between 'from' and 'below'"},
      {"an_unknown_placeholder", R"(["tops-sdk"], "version": "{release}")",
       R"(["tops-sdk"], "version": "{relase}")",
       "/components/1/version: expected a version, {release} or {series}, got '{relase}'"},
      {"a_component_twice", R"("id": "sdk", "kind")", R"("id": "eccl", "kind")",
       "/components: 'eccl' is duplicated"},
      {"a_check_twice", R"("id": "sdk-installed")", R"("id": "eccl-installed")",
       "/checks: 'eccl-installed' is duplicated"},
      {"a_variable_twice", R"("name": "ECCL_DEBUG")", R"("name": "ECCL_ASYNC_DISABLE")",
       "/environment/variables: 'ECCL_ASYNC_DISABLE' is duplicated"},
      {"a_check_of_an_unknown_component",
       R"("kind": "deb_installed", "rung": "files", "component": "sdk")",
       R"("kind": "deb_installed", "rung": "files", "component": "skd")",
       R"(/checks/1/component: expected one of eccl, sdk, topsfactor, torch_gcu; got "skd" (did you mean 'sdk'?))"},
      {"a_deb_check_of_a_wheel", R"("kind": "deb_installed", "rung": "files", "component": "sdk")",
       R"("kind": "deb_installed", "rung": "files", "component": "torch_gcu")",
       "/checks/1/component: component 'torch_gcu' has the wrong kind for a deb_installed check"},
      {"an_import_of_a_deb", R"("rung": "import", "component": "torch_gcu")",
       R"("rung": "import", "component": "sdk")",
       "/checks/13/component: component 'sdk' has the wrong kind for a python_import check"},
      {"an_unknown_rung", R"("rung": "load")", R"("rung": "loads")",
       R"(/checks/10/rung: expected one of files, load, import, device, single, ranks, perf; got "loads" (did you mean 'load'?))"},
      {"a_library_check_without_symbols",
       R"(      "symbols": ["ecclGetVersion", "ecclGetUniqueId", "ecclCommInitRank"]})",
       R"(      "rung": "load"})", "/checks/5: missing key 'symbols'"},
      {"a_module_that_is_code", R"("module": "torch_gcu"})", R"("module": "os; os.remove"})",
       "/checks/13/module: expected a shell variable name, got 'os; os.remove'"},
      {"an_unknown_kind_of_check", R"("kind": "ranks")", R"("kind": "rank")",
       R"(/checks/22/kind: expected one of deb_installed, deb_files, library, wheel_installed, impostors, environment_file, library_links, library_call, wheels_unchanged, python_import, loaded_library, driver, device_nodes, pci_cards, management_tool, infiniband, device_count, card_arithmetic, process_group, torch_distributed, ranks, perf_tool; got "rank" (did you mean 'ranks'?))"},
      {"a_check_without_the_cards_that_it_looks_at",
       R"("accelerator": {"cards": 8, "device_node": "/dev/gcu", "driver": "enflame", "pci_vendor": "1e36", "gres": "gcu",
    "resource": "enflame.com/gcu", "variable": "TOPS_VISIBLE_DEVICES", "metrics": "enflame_gcu"},)",
       "", "/checks/14/kind: a driver check needs the stack's 'accelerator'"},
      {"no_cards", R"("cards": 8)", R"("cards": 0)",
       "/accelerator/cards: expected an integer from 1 to 1024, got 0"},
      {"a_vendor_that_is_no_number", R"("1e36")", R"("1E36")",
       "/accelerator/pci_vendor: expected four lower-case hexadecimal digits, got '1E36'"},
      {"a_backend_that_is_code", R"("name": "eccl", "module")", R"("name": "eccl'", "module")",
       "/backend/name: expected a shell variable name, got 'eccl''"},
      {"impostors_without_files", R"("rung": "files", "files": [)",
       R"("rung": "files", "symbols": [)", "/checks/9: missing key 'files'"},
      {"a_hint_of_two_lines", R"("hint": "TOPS_VISIBLE_DEVICES may)", R"("hint": "a\nTOPS may)",
       "/checks/18/hint: expected one line of text without control characters"},
      {"a_variable_with_a_dash", R"("name": "ECCL_DEBUG")", R"("name": "ECCL-DEBUG")",
       "/environment/variables/3/name: expected a shell variable name, got 'ECCL-DEBUG'"},
      {"a_variable_that_begins_with_a_digit", R"("name": "ECCL_DEBUG")", R"("name": "1ECCL")",
       "/environment/variables/3/name: expected a shell variable name, got '1ECCL'"},
      {"a_variable_that_is_code", R"("name": "ECCL_DEBUG")", R"("name": "A=1;id;B")",
       "/environment/variables/3/name: expected a shell variable name, got 'A=1;id;B'"},
      {"a_search_path_that_is_code", R"("name": "PATH")", R"("name": "PATH;id")",
       "/environment/paths/1/name: expected a shell variable name, got 'PATH;id'"},
      {"value_and_prefix_of", R"("value": "0", )", R"("value": "0", "prefix_of": "x", )",
       "/environment/variables/3: expected exactly one of 'value' and 'prefix_of'"},
      {"neither_value_nor_prefix_of", R"("value": "0", )", "",
       "/environment/variables/3: expected exactly one of 'value' and 'prefix_of'"},
      {"two_directories_in_one_entry", R"({"if_present": "/opt/tops/lib"})",
       R"({"if_present": "/opt/tops/lib", "directory_of": "x"})",
       "/environment/paths/0/entries/2: expected exactly one of 'directory_of' and 'if_present'"},
      {"no_directory_in_an_entry", R"({"if_present": "/opt/tops/lib"})", "{}",
       "/environment/paths/0/entries/2: expected exactly one of 'directory_of' and 'if_present'"},
      {"a_colon_in_a_search_path", "/opt/tops/lib", "/opt/a:/opt/b",
       "/environment/paths/0/entries/2/if_present: a search path cannot contain a colon"},
      {"a_climbing_file", "/etc/profile.d/topsrider.sh", "/etc/profile.d/../shadow",
       "/environment/file: expected an absolute path without '.', '..' or empty parts, got "
       "'/etc/profile.d/../shadow'"},
      {"a_relative_file", "/etc/profile.d/topsrider.sh", "etc/topsrider.sh",
       "/environment/file: expected an absolute path without '.', '..' or empty parts, got "
       "'etc/topsrider.sh'"},
      {"a_folder_for_a_file", "/etc/profile.d/topsrider.sh", "/etc/profile.d/",
       "/environment/file: expected an absolute path without '.', '..' or empty parts, got "
       "'/etc/profile.d/'"},
      {"a_climbing_directory", "/opt/tops/lib", "/opt/./tops/../lib",
       "/environment/paths/0/entries/2/if_present: expected an absolute path without '.', '..' or "
       "empty parts, got '/opt/./tops/../lib'"},
      {"a_path_for_a_file_name", R"("prefix_of": "libeccl.so")", R"("prefix_of": "lib/libeccl.so")",
       "/environment/variables/5/prefix_of: expected a file name without '/', got "
       "'lib/libeccl.so'"},
      {"a_line_end_in_a_value", R"("value": "false")", R"("value": "a\nb")",
       "/environment/variables/0/value: expected one line of text without control characters"},
      {"a_minor_version_with_a_patch", R"(["3.6", "3.8"])", R"(["3.6", "3.8.10"])",
       "/python/tested_minors/1: expected a Python minor version such as \"3.8\", got '3.8.10'"},
      {"an_empty_title", R"("title": "Enflame TopsRider 2.x for T20 servers")", R"("title": "")",
       "/title: expected non-empty text, got \"\""},
      {"an_unknown_generation", R"("generation": "t2x")", R"("generation": "t3x")",
       "/environment/generation: expected one of t2x, s60, cuda; got \"t3x\" (did you mean "
       "'t2x'?)"},
      {"a_profile_called_none", R"({"name": "dev", "title")", R"({"name": "none", "title")",
       "/environment/profiles/0/name: 'none' is reserved: it means no profile"},
      {"a_profile_twice", R"({"name": "prod", "title")", R"({"name": "dev", "title")",
       "/environment/profiles: 'dev' is duplicated"},
      {"a_search_path_in_a_profile", R"("ENFLAME_LOG_DEBUG_MOD", "value")", R"("PATH", "value")",
       "/environment/profiles/0/variables/0/name: 'PATH' is a search path, which settings cannot "
       "replace"},
      {"a_preloaded_library", R"("name": "ECCL_DEBUG")", R"("name": "LD_PRELOAD")",
       "/environment/variables/3/name: 'LD_PRELOAD' is a search path, which settings cannot "
       "replace"},
      {"a_variable_of_the_shell", R"("name": "ECCL_DEBUG")", R"("name": "BASH_ENV")",
       "/environment/variables/3/name: 'BASH_ENV' is reserved for the shell"},
      {"a_preloaded_library_as_a_path", R"("name": "LD_LIBRARY_PATH")", R"("name": "LD_PRELOAD")",
       "/environment/paths/0/name: 'LD_PRELOAD' makes every program load code"},
      {"a_file_that_is_no_login_setting", "/etc/profile.d/topsrider.sh", "/etc/cron.d/topsrider",
       "/environment/file: expected a file below /etc/profile.d, got '/etc/cron.d/topsrider'"},
      {"a_derived_value_in_a_profile", R"("value": "ECCL,OPREG")", R"("prefix_of": "libeccl.so")",
       "/environment/profiles/0/variables/0: expected a 'value': a profile cannot derive one"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Each, BrokenStacks, testing::ValuesIn(mistakes()),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(StackParser, RefusesAStackWithoutComponents) {
  const Error error = thrown_by(
      [] { parse_stack(R"({"schema":1,"name":"n","title":"t","components":[]})", "stack 's'"); });
  EXPECT_EQ(error.message(), "cannot read stack 's': /components: expected at least one component");
}

TEST(StackParser, RefusesWhatIsNoObject) {
  const Error error = thrown_by([] { parse_stack("[]", "stack 's'"); });
  EXPECT_EQ(error.message(), "cannot read stack 's': /: expected an object, got array");
}

TEST(StackParser, RefusesEveryTruncation) {
  const std::string text = sample_stack_text();
  const std::size_t end = text.rfind('}');
  for (std::size_t length = 0; length <= end; length += 37) {
    const Error error = thrown_by([&] { parse_stack(text.substr(0, length), "stack 's'"); });
    EXPECT_THAT(error.message(), StartsWith("cannot read stack 's': ")) << length;
  }
}

}  // namespace
}  // namespace topsctl
