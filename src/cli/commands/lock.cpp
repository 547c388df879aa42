// topsctl lock: writes the digests of a bundle to a file, and signs such files and stacks.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/install_options.hpp"
#include "cli/lock_output.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/inspection/tree_packages.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/given_files.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/model/lock.hpp"
#include "topsctl/model/stack/stack_parser.hpp"

namespace topsctl {

namespace {

struct LockCommandOptions {
  std::vector<std::string> paths;
  std::string output;
  std::string sign;
  bool no_sandbox = false;
};

struct LockedFile {
  InputFile::Kind kind = InputFile::Kind::lock;
  std::string file;
  std::string text;
  std::size_t packages = 0;
  WrittenSignature signature;  // empty: not signed
};

Json to_json(const LockedFile& file) {
  const bool is_lock = file.kind == InputFile::Kind::lock;
  return {{"kind", name(file.kind)},
          {"file", printable(file.file)},
          {"sha256", sha256_of(file.text)},
          {"packages", is_lock ? Json(file.packages) : Json(nullptr)},
          {"signature", text_or_null(printable(file.signature.file))},
          {"key", text_or_null(file.signature.key)}};
}

std::string text_of(const LockedFile& file) {
  std::string text =
      file.kind == InputFile::Kind::lock
          ? format("lock: {} ({})\n", printable(file.file), counted(file.packages, "package"))
          : format("stack: {}\n", printable(file.file));
  if (!file.signature.file.empty())
    text += format("signed by {}: {}\n", file.signature.key, printable(file.signature.file));
  return text;
}

LockedFile written_lock(const LockCommandOptions& options, Session& session,
                        std::vector<std::string>& warnings) {
  BundleReading reading;
  reading.depth = Depth::digest;
  reading.threads = usual_threads();
  reading.on_file = [&](const std::string& file) {
    session.events->working(format("reading {}", file));
  };
  reading.on_bytes = [&](std::uint64_t done, std::uint64_t total) {
    session.events->progressed(done, total);
  };
  const SandboxWish wish{sandboxing_of(options.no_sandbox),
                         [&](const std::string& warning) { warnings.push_back(warning); }};
  const BundleFiles files({options.paths.begin(), options.paths.end()}, known_stacks(), wish);
  const Inspection inspection = read_and_judge(files.found(), reading, wish).inspection;
  LockedFile file;
  file.file = options.output;
  file.packages = inspection.inventory.packages.size();
  std::vector<std::string> of_signature;
  file.text = write_lock(options.output, inspection.inventory, *session.host.clock, of_signature);
  if (options.sign.empty())
    warnings.insert(warnings.end(), of_signature.begin(), of_signature.end());
  return file;
}

// An existing lock or stack file; its type is determined by its content.
LockedFile existing_file(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    throw Error(ErrorCode::usage,
                format("without --output, give a lock or stack file to sign: {} is not a file",
                       in_quotes(path)),
                "give the lock to write with --output FILE");
  }
  LockedFile file;
  file.file = path;
  file.text = read_text(path);
  const Json document = parse_json(file.text, in_quotes(path));
  const std::string shown = in_quotes(path);
  if (document.is_object() && document.contains("packages")) {
    file.packages = parse_lock(file.text, format("lock {}", shown)).packages.size();
  } else {
    static_cast<void>(parse_stack(file.text, format("stack {}", shown)));
    file.kind = InputFile::Kind::stack;
  }
  return file;
}

void require_meaning(const LockCommandOptions& options) {
  if (options.output.empty() && options.sign.empty()) {
    throw Error(ErrorCode::usage, "nothing to do: neither --output nor --sign is given",
                "write a lock with `topsctl lock BUNDLE --output FILE`");
  }
}

Output run_lock(const LockCommandOptions& options, Session& session) {
  require_meaning(options);
  require_folder_of(options.output);
  Output output;
  output.header.command = "lock";
  std::vector<LockedFile> files;
  if (!options.output.empty()) {
    files.push_back(written_lock(options, session, output.header.warnings));
  } else {
    for (const std::string& path : options.paths) files.push_back(existing_file(path));
  }
  Json list = Json::array();
  for (LockedFile& file : files) {
    if (!options.sign.empty()) {
      file.signature = write_signature(file.file, file.text, file.kind, options.sign, session.host);
    }
    list.push_back(to_json(file));
    output.text += text_of(file);
  }
  output.json = {{"files", std::move(list)}};
  return output;
}

}  // namespace

CommandAction define_lock(OptionTable& table) {
  auto options = std::make_shared<LockCommandOptions>();
  table
      .argument("path", options->paths,
                "Bundle directories and packages; without --output, lock and stack files to sign",
                "PATH")
      .required();
  table.value("-o,--output", options->output, "Write the digests of all packages to this lock",
              "FILE");
  table.value("--sign", options->sign, "Sign with this SSH key (Ed25519) to FILE.sig", "KEY");
  add_sandbox_option(table, options->no_sandbox);
  return {[options](Session& session) { return run_lock(*options, session); },
          {{"files", Json::array()}}};
}

}  // namespace topsctl
