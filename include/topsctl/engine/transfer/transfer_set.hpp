// The files of a bundle that are sent, with their digests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/events.hpp"
#include "topsctl/engine/inspection/tree_packages.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/bundle/lock_file.hpp"
#include "topsctl/host/filesystem/chunks.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

struct ShippedFile {
  std::filesystem::path file;  // local path
  std::string name;            // remote name
  ChunkList chunks;
  std::string id;
  std::string sha256;  // empty: unknown, not requested before
};

// Error{bad_bundle} for a file that changed after its digests were read.
Error changed_while_sent(const std::filesystem::path& file);
// That error, or why the file cannot be read; nothing if the chunk still has its digest.
std::optional<Error> change_of(const ShippedFile& file, std::uint64_t chunk);

struct TransferSet {
  std::string stack;  // the stack of these packages; empty: all files of the bundle
  // The stack file that was given, as it was read and verified; empty: none was given.
  std::string stack_text;
  std::string stack_signature;
  std::vector<ShippedFile> files;
  std::vector<Package> packages;  // the files that are the stack's packages, by their remote names
  std::vector<InputFile> inputs;  // the lock and the stack file of the selection
  std::shared_ptr<const BundleFiles> bundle;  // owns the files that were packed from trees

  std::uint64_t bytes() const;
};

// Whether the sha256 of each package is needed in addition to those of its chunks.
enum class Digests { none, each };

struct TransferSetRequest {
  std::vector<std::filesystem::path> bundle;
  std::string stack;                // name or file; empty: the one that fits the bundle
  std::string components;           // comma-separated ids; empty: all
  bool all = false;                 // every file, of any kind
  std::optional<LockFile> lock;     // each sent package must match it
  Digests digests = Digests::none;  // `each`: also without a lock
  Sandboxing sandboxing = Sandboxing::on;
};

// Reads the bundle and selects the files; their digests are still unknown. Throws Error{bad_bundle,
// bad_package, bad_stack, usage}.
TransferSet choose_transfer_set(const TransferSetRequest& request, EventSink& events);
// Computes the digests of the selected files. Throws Error{bad_bundle, bad_package}.
TransferSet with_digests(TransferSet chosen, const TransferSetRequest& request,
                         const DigestMemory& memory, EventSink& events);

// A set whose digests may still be computed. Thread-safe.
class AwaitedSet {
 public:
  // Does not own the set, which must outlive this object.
  AwaitedSet(const TransferSet& whole)  // NOLINT(google-explicit-constructor): it is awaited, too
      : bytes_(whole.bytes()), get_([&whole]() -> const TransferSet& { return whole; }) {}
  AwaitedSet(TransferSet&& whole) = delete;
  AwaitedSet(std::uint64_t bytes, std::function<const TransferSet&()> get)
      : bytes_(bytes), get_(std::move(get)) {}

  // The size as far as it is known in advance.
  std::uint64_t bytes() const { return bytes_; }
  // Waits for the set. Throws Error if it could not be read.
  const TransferSet& get() const { return get_(); }

 private:
  std::uint64_t bytes_;
  std::function<const TransferSet&()> get_;
};

}  // namespace topsctl
