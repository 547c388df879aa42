// Reads telemetry files in pieces.
#include "topsctl/engine/launch/flow_telemetry.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 1024;
constexpr std::size_t longest_flow_line = 1024;
constexpr std::size_t flow_piece = std::size_t{64} << 10U;
constexpr std::uint64_t most_in_a_look = std::uint64_t{256} << 20U;
constexpr unsigned time_bits = 54;
constexpr std::uint64_t bandwidth_mask = 511;
constexpr double most_gbps = 1e6;
constexpr std::int64_t ms_per_s = 1000;
constexpr std::int64_t ns_per_ms = 1'000'000;

std::optional<double> flow_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value >= 0 && value <= most_gbps ? std::optional(value) : std::nullopt;
}

std::optional<std::size_t> column_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

struct FlowName {
  std::string host;
  std::string nic;
  std::string port;
};

std::optional<FlowName> flow_name_in(const std::string& file) {
  static const Pattern form(
      "(.+?)[-_]([A-Za-z0-9]+_[0-9]+|[A-Za-z0-9]+)[-_]Port([0-9]{1,3})[-_][AB][.]log");
  const auto parts = form.groups(file);
  if (!parts) return std::nullopt;
  return FlowName{printable((*parts)[0]), (*parts)[1], (*parts)[2]};
}

std::vector<std::string> flow_files(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator at(folder, failure);
  if (failure == std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::bad_input, format("no such directory: {}", missing_path(folder)),
                "give the directory of VCCL's telemetry");
  if (failure) throw system_error(failure.value(), "read", folder.string(), ErrorCode::bad_input);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (flow_name_in(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  if (names.size() > most_files) names.resize(most_files);
  return names;
}

}  // namespace

void FlowValues::take(double value, bool is_drop) {
  lowest = count == 0 ? value : std::min(lowest, value);
  ++count;
  drops += is_drop ? 1 : 0;
  sum += value;
  last = value;
}

void FlowValues::add(const FlowValues& other) {
  if (other.count > 0) lowest = count == 0 ? other.lowest : std::min(lowest, other.lowest);
  count += other.count;
  unreadable += other.unreadable;
  drops += other.drops;
  sum += other.sum;
}

void FlowReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    if (!is_too_long_) rest_ += bytes.substr(0, end);
    if (rest_.size() > longest_flow_line) {
      is_too_long_ = true;
      rest_.clear();
    }
    if (end == std::string_view::npos) return;
    if (is_too_long_)
      ++values_.unreadable;
    else
      take_line(trimmed(rest_));
    is_too_long_ = false;
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void FlowReader::take_header(std::string_view line) {
  form_ = Form::numbers;
  const std::vector<std::string> names = split(std::string(line), ',');
  auto bandwidth = column_of(names, "Bandwidth");
  if (!bandwidth) bandwidth = column_of(names, "MeanBandwidth");
  if (!bandwidth) return;
  form_ = Form::columns;
  columns_ = names.size();
  bandwidth_ = *bandwidth;
  status_ = column_of(names, "Status");
}

void FlowReader::take_line(std::string_view line) {
  if (line.empty()) return;
  if (form_ == Form::unknown) {
    take_header(line);
    if (form_ == Form::columns || !is_digits(line)) return;
  }
  if (form_ == Form::numbers) {
    std::uint64_t packed = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), packed);
    if (error != std::errc() || end != line.data() + line.size()) {
      ++values_.unreadable;
      return;
    }
    values_.take(static_cast<double>((packed >> time_bits) & bandwidth_mask), packed >> 63U != 0);
    return;
  }
  const std::vector<std::string> cells = split(std::string(line), ',');
  const auto value =
      cells.size() == columns_ ? flow_number(cells[bandwidth_]) : std::optional<double>();
  if (!value) {
    ++values_.unreadable;
    return;
  }
  values_.take(*value, status_ && cells[*status_] == "1");
}

Json to_json(const FlowPort& port) {
  const FlowValues& values = port.values;
  const auto known = [&](double number) { return values.count > 0 ? Json(number) : Json(nullptr); };
  return {
      {"host", port.host},
      {"nic", port.nic},
      {"port", port.port},
      {"values", values.count},
      {"mean_gbps", known(values.count > 0 ? values.sum / static_cast<double>(values.count) : 0)},
      {"lowest_gbps", known(values.lowest)},
      {"last_gbps", known(values.last)},
      {"drops", values.drops},
      {"unreadable", values.unreadable},
      {"age_ms", port.age_ms}};
}

void FlowTelemetry::read(const std::string& name, File& file, std::uint64_t& left) const {
  const Descriptor open(
      ::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!open.is_open() || ::fstat(open.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  // The file was started again, because the two are used alternately.
  if (status.st_ino != file.inode || status.st_size < file.size) file = File();
  file.inode = status.st_ino;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  file.age_ms = std::max<std::int64_t>(
      0, now.count() - status.st_mtim.tv_sec * ms_per_s - status.st_mtim.tv_nsec / ns_per_ms);
  std::array<char, flow_piece> piece{};
  while (left > 0) {
    const ssize_t got = ::pread(open.get(), piece.data(), piece.size(), file.size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const auto size = static_cast<std::size_t>(got);
    file.reader.take({piece.data(), size});
    file.size += got;
    left -= std::min<std::uint64_t>(left, size);
  }
}

std::vector<FlowPort> FlowTelemetry::look() {
  std::uint64_t left = most_in_a_look;
  std::map<std::string, File> files;
  for (const std::string& name : flow_files(folder_)) {
    File& file = files[name];
    if (const auto known = files_.find(name); known != files_.end())
      file = std::move(known->second);
    read(name, file, left);
  }
  files_ = std::move(files);
  std::vector<FlowPort> ports;
  for (const auto& [name, file] : files_) {
    const FlowName told = *flow_name_in(name);
    const bool is_next = ports.empty() || ports.back().host != told.host ||
                         ports.back().nic != told.nic || ports.back().port != told.port;
    if (is_next) ports.push_back({told.host, told.nic, told.port, {}, file.age_ms});
    FlowPort& port = ports.back();
    const bool is_newer = is_next || file.age_ms < port.age_ms;
    port.values.add(file.reader.values());
    if (file.reader.values().count > 0 && is_newer) port.values.last = file.reader.values().last;
    port.age_ms = std::min(port.age_ms, file.age_ms);
  }
  return ports;
}

// A directory that cannot be read ends no training.
std::vector<FlowPort> FlowMeter::ports() {
  try {
    return telemetry_.look();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    return {};
  }
}

std::optional<FlowMeter> FlowMeter::begun(const std::map<std::string, std::string>& environment) {
  const auto enabled = environment.find("NCCL_TELEMETRY_ENABLE");
  const auto folder = environment.find("NCCL_TELEMETRY_LOG_PATH");
  if (enabled == environment.end() || enabled->second != "1" || folder == environment.end())
    return std::nullopt;
  FlowMeter meter(folder->second);
  meter.before_ = meter.ports();
  return meter;
}

std::optional<double> FlowMeter::mean() {
  std::optional<double> total;
  for (const FlowPort& port : ports()) {
    const auto old = std::find_if(before_.begin(), before_.end(), [&](const FlowPort& each) {
      return each.host == port.host && each.nic == port.nic && each.port == port.port;
    });
    const FlowValues earlier = old == before_.end() ? FlowValues{} : old->values;
    if (port.values.count <= earlier.count) continue;
    const auto values = static_cast<double>(port.values.count - earlier.count);
    total = total.value_or(0) + (port.values.sum - earlier.sum) / values;
  }
  return total;
}

}  // namespace topsctl
