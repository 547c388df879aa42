// A stack's declarations of its checks, its cards and its backend. Always data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The level of a check; each level depends on those before it.
enum class CheckLevel { files, load, import, device, single, ranks, perf };
std::string_view name(CheckLevel level);
std::optional<CheckLevel> level_named(std::string_view name);
const std::vector<std::string>& level_names();

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
  // of the host
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
  CheckLevel level = CheckLevel::files;
  std::string component;  // id of its component; empty: the whole stack
  // library, library_links, management_tool, perf_tool: a file name. library_call: the library;
  // empty: the backend's.
  std::string file;
  // library: required exports. library_call with a file: the function, int(int*), that returns 0.
  std::vector<std::string> symbols;
  // library_call with a file: results that only say that a driver or a card is missing.
  std::vector<std::int64_t> accepted = {};
  std::string module;    // python_import
  std::string marker;    // loaded_library: text that only the stack's own library
                         // contains
  std::string variable;  // infiniband: the variable with the ports in use; empty: all ports
  std::vector<std::string> files;  // impostors: paths, "{site}" for each site directory
  std::string hint;                // remedy for a failure, in addition to the general one
  bool operator==(const CheckRule&) const = default;
};

// The vendor's tool that lists the cards.
struct CardToolRules {
  std::string file = "efsmi";
  std::vector<std::string> arguments;
  // The meaning of each value in comma-separated lines. Empty: one of efsmi's layouts.
  std::vector<std::string> columns;
  bool operator==(const CardToolRules&) const = default;
};
const std::vector<std::string>& card_tool_columns();

// The cards of the stack.
struct AcceleratorRules {
  std::int64_t cards = 0;   // number in a usual server
  std::string device_node;  // "/dev/gcu": the nodes are /dev/gcu0, /dev/gcu1, ...
  std::string driver;       // the kernel module: "enflame"
  std::string pci_vendor;   // four hexadecimal digits: "1e36"
  std::string gres;         // Slurm's name for a card: "gcu"
  std::string resource;     // Kubernetes' name: "enflame.com/gcu"; empty: unknown
  std::string variable;     // selects the cards of a process: "TOPS_VISIBLE_DEVICES"
  std::string metrics;      // prefix of its metric names: "enflame_gcu"
  CardToolRules tool;
  bool operator==(const AcceleratorRules&) const = default;
};

// The communication backend of the stack.
struct BackendRules {
  std::string name;              // as for init_process_group: "eccl"
  std::string module;            // the Python module that registers it: "torch_gcu"
  std::string library;           // the library that implements it: "libeccl.so"
  std::string version_function;  // of the library, int(int*): "ecclGetVersion"
  std::string device;            // torch's device type of the cards: "cuda"; empty: the module's
  bool operator==(const BackendRules&) const = default;
};

// Whether a check runs the backend on the cards, so that packages alone cannot make it pass.
bool needs_device(const CheckRule& rule);

}  // namespace topsctl
