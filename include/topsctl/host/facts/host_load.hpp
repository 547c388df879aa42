// Processor and memory load of a host (proc(5): stat, meminfo).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct HostLoad {
  std::int64_t cpus = 0;
  std::optional<double> cpu_percent;  // between two measurements; nothing: they were too close
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<std::int64_t> memory_available_bytes;
  bool operator==(const HostLoad&) const = default;
};

// Ticks of all processors since the boot.
struct CpuTicks {
  std::int64_t cpus = 0;
  std::uint64_t busy = 0;
  std::uint64_t all = 0;
  bool operator==(const CpuTicks&) const = default;
};
// Parses /proc/stat; zeros for invalid text.
CpuTicks cpu_ticks_in(std::string_view stat);
// Parses /proc/meminfo: adds the two memory fields, if present.
void read_memory(std::string_view meminfo, HostLoad& load);

// Measures the load between calls; the constructor takes the first measurement.
class HostLoadMeter {
 public:
  explicit HostLoadMeter(const Host& host);
  // Never throws: unreadable values are unknown.
  HostLoad look();
  // The load since the construction.
  HostLoad since_start() const;

 private:
  CpuTicks ticks() const;
  HostLoad between(const CpuTicks& from, const CpuTicks& to) const;

  const Host& host_;
  CpuTicks start_;
  CpuTicks last_;
};

}  // namespace topsctl
