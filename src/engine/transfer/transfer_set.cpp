// Chooses the files of a bundle that are sent, and reads their digests.
#include "topsctl/engine/transfer/transfer_set.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/inspection/locked_packages.hpp"
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/engine/planning/stack_match.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/filesystem/destination.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

void refuse_broken(const Stack& stack, const Inventory& inventory,
                   const std::vector<std::string>& components) {
  for (const Package& package : inventory.packages) {
    if (package.verdict != Verdict::broken) continue;
    for (const std::string& id : components) {
      if (!is_named_like(*stack.component(id), package)) continue;
      throw damaged_file(package.problem);
    }
  }
}

// Every package that the remote install may select; the choice of wheels depends on its Python.
std::vector<Package> packages_to_send(const TransferSetRequest& request, const Stack& stack,
                                      Inventory inventory) {
  const std::vector<std::string> components = selected_components(stack, request.components);
  refuse_broken(stack, inventory, components);
  identify(stack, inventory);
  std::vector<Package> packages;
  std::set<std::string> found;
  for (const Package& package : inventory.packages) {
    const bool is_meant =
        std::find(components.begin(), components.end(), package.component) != components.end();
    if (!package.chosen || !is_meant) continue;
    packages.push_back(package);
    found.insert(package.component);
  }
  for (const std::string& id : components) {
    const Component* component = stack.component(id);
    if (!component->required || found.contains(id)) continue;
    throw Error(ErrorCode::bad_bundle,
                format("the bundle has no package for component {} ({} {})", in_quotes(id),
                       joined(component->names, " or "), component->version),
                "add the package to the bundle, choose other components with --components, or send "
                "everything with --all");
  }
  return packages;
}

void require_safe_name(const std::string& name) {
  if (is_safe_name(name)) return;
  throw Error(ErrorCode::bad_bundle,
              format("cannot send a file with this name: {}", in_quotes(name)),
              "rename it: control characters and parts like '..' are not accepted");
}

// Without its digests.
ShippedFile chosen_file(const fs::path& file, const std::string& name) {
  require_safe_name(name);
  if (::access(file.c_str(), R_OK) != 0)
    throw system_error(errno, "read", file.string(), ErrorCode::bad_bundle);
  std::error_code unknown;  // the reader of the file reports the error
  const std::uintmax_t size = fs::file_size(file, unknown);
  return {file, name, {unknown ? 0 : size, {}}, "", ""};
}

// For files of gigabytes: stops after a signal.
std::string sha256_until_interrupted(const fs::path& file) {
  const auto source = file_source(file);
  Sha256 digest;
  for (auto bytes = source->piece(); !bytes.empty(); bytes = source->piece()) {
    throw_if_interrupted();
    digest.update(bytes);
  }
  return digest.hex();
}

void read_digests(ShippedFile& file, Digests digests, const DigestMemory& memory) {
  auto known = memory.find(file.file);
  const bool was_known = known && (digests == Digests::none || !known->sha256.empty());
  std::future<std::string> whole;  // computed in parallel to the chunks, on one thread
  if (digests == Digests::each && (!known || known->sha256.empty()))
    whole = std::async(std::launch::async, [&] { return sha256_until_interrupted(file.file); });
  if (!known) known = DigestMemory::Known{read_chunks(file.file), ""};
  if (whole.valid()) known->sha256 = whole.get();
  if (!was_known) memory.keep(file.file, *known);
  file.id = content_id(known->chunks);
  file.chunks = std::move(known->chunks);
  file.sha256 = std::move(known->sha256);
}

}  // namespace

Error changed_while_sent(const fs::path& file) {
  return Error(ErrorCode::bad_bundle,
               format("{} changed during the transfer", in_quotes(file.string())),
               "wait until it is complete, then rerun the same command");
}

std::optional<Error> change_of(const ShippedFile& file, std::uint64_t chunk) {
  try {
    const bool is_same =
        read_chunk(file.file, file.chunks.size, chunk) == file.chunks.digests.at(chunk);
    return is_same ? std::nullopt : std::optional<Error>(changed_while_sent(file.file));
  } catch (const Error& error) {
    return error;
  }
}

std::uint64_t TransferSet::bytes() const {
  std::uint64_t sum = 0;
  for (const ShippedFile& file : files) sum += file.chunks.size;
  return sum;
}

TransferSet choose_transfer_set(const TransferSetRequest& request, EventSink& events) {
  TransferSet transfer_set;
  if (request.lock) transfer_set.inputs.push_back(request.lock->input);
  if (request.all) {
    for (const fs::path& path : request.bundle) {
      for (const FoundFile& found : files_under(path))
        transfer_set.files.push_back(chosen_file(found.file, found.shown));
    }
    return transfer_set;
  }
  const SandboxWish wish{request.sandboxing,
                         [&](const std::string& warning) { events.warning(warning); }};
  transfer_set.bundle =
      std::make_shared<BundleFiles>(request.bundle, stacks_meant(request.stack), wish);
  const Inventory inventory = read_inventory_confined(transfer_set.bundle->found(), wish);
  const ChosenStack chosen = chosen_stack(request.stack, inventory);
  const Stack& stack = chosen.stack;
  if (chosen.file) {
    transfer_set.inputs.push_back(*chosen.file);
    transfer_set.stack_text = chosen.text;
    transfer_set.stack_signature = chosen.signature;
  }
  transfer_set.packages = packages_to_send(request, stack, inventory);
  std::set<std::string> names;
  for (const Package& package : transfer_set.packages) {
    const std::string name = fs::path(package.location).filename().string();
    if (!names.insert(name).second) {
      throw Error(ErrorCode::bad_bundle,
                  format("two packages to send have the same name {}", in_quotes(name)),
                  "remove one of them from the bundle");
    }
    transfer_set.files.push_back(chosen_file(package.location, name));
  }
  transfer_set.stack = stack.name;
  return transfer_set;
}

TransferSet with_digests(TransferSet chosen, const TransferSetRequest& request,
                         const DigestMemory& memory, EventSink& events) {
  const Digests digests = request.lock ? Digests::each : request.digests;
  for (ShippedFile& file : chosen.files) {
    throw_if_interrupted();
    events.working(format("reading {}", printable(file.name)));
    read_digests(file, digests, memory);
  }
  // By their local paths so far; on the remote host each has another name.
  for (std::size_t i = 0; i < chosen.packages.size(); ++i)
    chosen.packages[i].sha256 = chosen.files[i].sha256;
  if (request.lock && !request.all) require_locked(request.lock->lock, chosen.packages);
  for (std::size_t i = 0; i < chosen.packages.size(); ++i) {
    chosen.packages[i].path = chosen.files[i].name;
    chosen.packages[i].container.clear();
  }
  return chosen;
}

}  // namespace topsctl
