// Telemetry of VCCL, an NCCL fork: the bandwidth of each port, from its files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

// Bandwidths in Gbit/s, as the files have them.
struct FlowValues {
  std::uint64_t count = 0;
  std::uint64_t unreadable = 0;  // lines
  std::uint64_t drops = 0;       // values that the library itself marks as too low
  double sum = 0;
  double lowest = 0;
  double last = 0;
  void take(double value, bool is_drop);
  void add(const FlowValues& other);  // all except `last`
  bool operator==(const FlowValues&) const = default;
};

// Reads one file as it grows. The first line selects the format: names of comma-separated columns
// (NCCL_TELEMETRY_OBSERVE=1, and the summaries of older versions), else one number per line: bit 63
// a drop, bits 62 to 54 the bandwidth, the others nanoseconds.
class FlowReader {
 public:
  // Never throws; counts invalid values. Keeps an incomplete last line for the next call.
  void take(std::string_view bytes);
  const FlowValues& values() const { return values_; }

 private:
  void take_line(std::string_view line);
  void take_header(std::string_view line);

  enum class Form { unknown, columns, numbers };
  Form form_ = Form::unknown;
  std::size_t columns_ = 0;
  std::size_t bandwidth_ = 0;
  std::optional<std::size_t> status_;
  std::string rest_;
  bool is_too_long_ = false;
  FlowValues values_;
};

struct FlowPort {
  std::string host;
  std::string nic;
  std::string port;
  FlowValues values;
  std::int64_t age_ms = 0;  // since the last write to its files
  bool operator==(const FlowPort&) const = default;
};
Json to_json(const FlowPort& port);

// HOST-NIC-PortN-A.log and -B.log of a directory, which are written alternately; older versions use
// '_' for '-'. Does not follow links.
class FlowTelemetry {
 public:
  explicit FlowTelemetry(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Adds the data since the last call. Sorted by host, NIC and port. Throws Error{bad_input} if the
  // directory cannot be read.
  std::vector<FlowPort> look();

 private:
  struct File {
    ino_t inode = 0;
    off_t size = 0;  // bytes read
    std::int64_t age_ms = 0;
    FlowReader reader;
  };
  void read(const std::string& name, File& file, std::uint64_t& left) const;

  std::filesystem::path folder_;
  std::map<std::string, File> files_;
};

// What the ports send while a job runs.
class FlowMeter {
 public:
  // Begins now. Nothing if an environment with these variables makes no telemetry, or if its
  // directory cannot be read.
  static std::optional<FlowMeter> begun(const std::map<std::string, std::string>& environment);
  // The total of the ports' means in Gbit/s; nothing: there are no values yet.
  std::optional<double> mean();

 private:
  explicit FlowMeter(const std::filesystem::path& folder) : telemetry_(folder) {}
  std::vector<FlowPort> ports();

  FlowTelemetry telemetry_;
  std::vector<FlowPort> before_;
};

}  // namespace topsctl
