// What a stack declares of its checks, and of the cards and the backend that they look at. Always
// data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// How deep a check reaches; each rung stands on those before it.
enum class CheckLevel { files, load, import, device, single, ranks, perf };
std::string_view name(CheckLevel rung);
std::optional<CheckLevel> rung_named(std::string_view name);
const std::vector<std::string>& rung_names();

enum class CheckKind {
  // of the files
  deb_installed,
  deb_files,
  library,
  wheel_installed,
  impostors,
  environment_file,
  // of the loader
  library_links,
  library_call,
  // of the interpreter
  wheels_unchanged,
  python_import,
  loaded_library,
  // of the machine
  driver,
  device_nodes,
  pci_cards,
  management_tool,
  infiniband,
  device_count,
  // of the backend
  card_arithmetic,
  process_group,
  torch_distributed,
  ranks,
  perf_tool
};
std::string_view name(CheckKind kind);
std::optional<CheckKind> check_kind_named(std::string_view name);
const std::vector<std::string>& check_kind_names();

struct CheckRule {
  std::string id;
  CheckKind kind = CheckKind::deb_installed;
  CheckLevel rung = CheckLevel::files;
  std::string component;  // id of the component it belongs to; empty: the stack as a whole
  std::string file;       // library, library_links, management_tool, perf_tool: a file's name
  std::vector<std::string> symbols;  // library: what it must export
  std::string module;                // python_import
  std::string marker;                // loaded_library: text that only the stack's own library has
  std::string variable;  // infiniband: the variable that names the ports in use; empty: all are
  std::vector<std::string> files;  // impostors: paths, "{site}" for each site directory
  std::string hint;                // what to do about a failure, beyond what any stack's would be
  bool operator==(const CheckRule&) const = default;
};

// The vendor's tool that lists the cards.
struct CardToolRules {
  std::string file = "efsmi";
  std::vector<std::string> arguments;
  // Of lines of comma-separated values: what each value is. Empty: one of efsmi's layouts.
  std::vector<std::string> columns;
  bool operator==(const CardToolRules&) const = default;
};
const std::vector<std::string>& card_tool_columns();

// The cards that the stack is for.
struct AcceleratorRules {
  std::int64_t cards = 0;   // of a usual server
  std::string device_node;  // "/dev/gcu": the nodes are /dev/gcu0, /dev/gcu1, ...
  std::string driver;       // the kernel module: "enflame"
  std::string pci_vendor;   // four hexadecimal digits: "1e36"
  std::string gres;         // what Slurm calls a card: "gcu"
  std::string resource;     // what Kubernetes calls it: "enflame.com/gcu"; empty: nothing is known
  std::string variable;     // that chooses the cards of a process: "TOPS_VISIBLE_DEVICES"
  std::string metrics;      // what the names of its metrics begin with: "enflame_gcu"
  CardToolRules tool;
  bool operator==(const AcceleratorRules&) const = default;
};

// The communication backend that the stack is for.
struct BackendRules {
  std::string name;              // as init_process_group takes it: "eccl"
  std::string module;            // what brings it: "torch_gcu"
  std::string library;           // what carries it: "libeccl.so"
  std::string version_function;  // of the library, int(int*): "ecclGetVersion"
  std::string device;            // of torch, by which cards are named: "cuda"; empty: the module's
  bool operator==(const BackendRules&) const = default;
};

// Whether a check tries the backend on the cards, which no package alone can make pass.
bool needs_device(const CheckRule& rule);

}  // namespace topsctl
