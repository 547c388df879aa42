// Collects, redacts and packs.
#include "topsctl/engine/diagnosis/support_bundle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/archive/decompress.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/archive/tar_writer.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_transactions = 5;
constexpr std::uint64_t most_of_system_file = 4U << 20U;
constexpr std::int64_t support_tool_timeout_ms = 20'000;
constexpr std::size_t longest_line = std::size_t{1} << 20U;  // bytes; kept lines are shorter
constexpr std::array<std::string_view, 5> system_files = {
    "/etc/os-release", "/proc/version", "/proc/meminfo", "/proc/cpuinfo", "/proc/mounts"};

class Collection {
 public:
  Collection(TarZstWriter& writer, Addresses addresses) : writer_(writer), redaction_(addresses) {}

  void add(const std::string& name, std::string_view text) {
    writer_.add(name, redaction_.whole(text, name));
    bundle_.names.push_back(name);
  }

  // Line by line into an unnamed file, because tar needs its size first.
  void add_log(const JobLog& log) {
    try {
      const Descriptor room = open_nameless_file();
      const std::string name = new_name(concat("with/", relative_name(log.shown)));
      const std::uint64_t size = redact(log, name, room);
      writer_.add_file(name, room, size);
      bundle_.names.push_back(name);
    } catch (const Error& error) {
      if (is_passing(error.code()) || error.code() == ErrorCode::interrupted ||
          error.code() == ErrorCode::terminated)
        throw;
      leave_out(log.shown, error.message());
    }
  }

  void leave_out(const std::string& what, const std::string& why) {
    bundle_.left_out.push_back(redaction_.name(concat(what, ": ", why)));
  }
  // The last entry: shows the sender what was blanked.
  void add_list_of_blanked() {
    std::string list;
    for (const Blanked& each : redaction_.blanked())
      list += concat(each.kind, " ", each.name, ":", each.line, "\n");
    writer_.add("blanked", list);
    bundle_.names.emplace_back("blanked");
    bundle_.blanked = redaction_.blanked().size();
  }
  SupportBundle take() { return std::move(bundle_); }

 private:
  // Without secrets; names that become equal get a number.
  std::string new_name(const std::string& wanted) {
    const std::string name = redaction_.name(wanted);
    const std::size_t number = ++taken_[name];
    return number == 1 ? name : concat(name, "-", number);
  }

  // Without parts that would lead out of the directory into which it is unpacked.
  static std::string relative_name(const std::string& path) {
    std::vector<std::string> parts;
    for (const std::string& part : split(path, '/')) {
      if (!part.empty() && part != "." && part != "..") parts.push_back(printable(part));
    }
    return joined(parts, "/");
  }

  std::uint64_t redact(const JobLog& log, const std::string& name, const Descriptor& room) {
    auto raw = std::make_unique<PeekedSource>(file_source(log.file, log.found_below));
    const std::string_view compression = compression_of(raw->peek(18));
    std::unique_ptr<Source> bytes = std::move(raw);
    if (compression != "none")
      bytes = decompressed(std::move(bytes), compression, {}, in_quotes(log.shown));
    PeekedSource source(std::move(bytes));
    redaction_.begin(name);
    std::string rest;
    std::uint64_t size = 0;
    for (std::string_view piece = source.piece(); !piece.empty(); piece = source.piece()) {
      throw_if_interrupted();
      if (piece.find('\0') != std::string_view::npos)
        throw Error(ErrorCode::bad_input, "not a text file");
      rest.append(piece);
      size += take_lines(rest, room, log.shown);
      // Drops the end of a line that is too long: it could begin in the middle of a secret.
      rest.resize(std::min(rest.size(), longest_line));
    }
    if (!rest.empty()) {
      rest.push_back('\n');
      size += take_lines(rest, room, log.shown);
    }
    return size;
  }

  // Whole lines.
  std::uint64_t take_lines(std::string& rest, const Descriptor& room, const std::string& name) {
    std::string out;
    std::size_t at = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', at)) {
      out += concat(redaction_.line(std::string_view(rest).substr(at, end - at)), "\n");
      at = end + 1;
    }
    rest.erase(0, at);
    write_all(room, out, name);
    return out.size();
  }

  TarZstWriter& writer_;
  Redaction redaction_;
  SupportBundle bundle_;
  std::map<std::string, std::size_t> taken_;  // how often, by name
};

void add_system(const Host& host, Collection& collection) {
  for (const std::string_view file : system_files) {
    try {
      if (const auto text = read_text_if_present(host.resolve(file), most_of_system_file))
        collection.add(concat("system", file), *text);
    } catch (const Error& error) {
      collection.leave_out(std::string(file), error.message());
    }
  }
  try {
    Command command = host.command({"efsmi"}, support_tool_timeout_ms);
    command.environment["PATH"] = script_path;
    collection.add("system/efsmi", host.runner->run(command).output);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    collection.leave_out("efsmi", error.message());
  }
  collection.add("system/environment", redacted_environment(host.environment));
}

void add_transactions(const Host& host, Collection& collection) {
  std::vector<FoundTransaction> all = find_transactions(host);
  if (all.size() > most_transactions)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most_transactions));
  for (const FoundTransaction& found : all) {
    const std::string folder = concat("transactions/", found.transaction.id, "/");
    if (found.damage) {
      collection.leave_out(folder, found.damage->message());
      continue;
    }
    int number = 0;
    for (const Json& report : reports_of(host, found.transaction))
      collection.add(concat(folder, ++number, ".json"), to_text(report));
    const std::string log = concat(host.logs, "/", found.transaction.id, ".log");
    try {
      if (const auto text = read_text_if_present(host.resolve(log)))
        collection.add(concat(folder, "log"), *text);
    } catch (const Error& error) {
      collection.leave_out(log, error.message());
    }
  }
}

}  // namespace

SupportBundle write_support_bundle(const Host& host, const std::string& file,
                                   const SupportContents& contents) {
  const std::vector<JobLog> logs =
      contents.paths.empty() ? std::vector<JobLog>() : find_log_files(contents.paths);
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out.is_open()) {
    if (errno == EEXIST)
      throw Error(ErrorCode::bad_input,
                  format("cannot write {}: it already exists", in_quotes(file)),
                  "remove it, or give another name");
    throw system_error(errno, "write", file);
  }
  try {
    TarZstWriter writer(out, file);
    Collection collection(writer, contents.addresses);
    for (const auto& [name, text] : contents.texts) collection.add(name, text);
    add_system(host, collection);
    add_transactions(host, collection);
    for (const JobLog& log : logs) collection.add_log(log);
    collection.add_list_of_blanked();
    writer.finish();
    return collection.take();
  } catch (...) {
    ::unlink(file.c_str());
    throw;
  }
}

}  // namespace topsctl
