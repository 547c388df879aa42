// What of a bundle is sent, with its digests.
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
  std::filesystem::path file;  // here
  std::string name;            // there
  ChunkList chunks;
  std::string id;
  std::string sha256;  // empty: not known, as nobody asked for it before
};

// Error{bad_bundle} of a file that is not what it was when its digests were read.
Error changed_while_sent(const std::filesystem::path& file);
// That one, or why it cannot be read; nothing if the chunk here is still what its digest says.
std::optional<Error> change_of(const ShippedFile& file, std::uint64_t chunk);

struct TransferSet {
  std::string stack;  // whose packages these are; empty: all files of the bundle
  std::vector<ShippedFile> files;
  std::vector<Package> packages;  // those of them that are the stack's, by their names there
  std::vector<InputFile> inputs;  // the lock and the stack file that they were chosen by
  std::shared_ptr<const BundleFiles> bundle;  // keeps what was packed from trees

  std::uint64_t bytes() const;
};

// Whether the sha256 of each package is wanted besides those of its chunks.
enum class Digests { none, each };

struct TransferSetRequest {
  std::vector<std::filesystem::path> bundle;
  std::string stack;                // name or file; empty: whichever fits the bundle
  std::string components;           // comma-separated ids; empty: all
  bool all = false;                 // every file, whatever it is
  std::optional<LockFile> lock;     // what every package that is sent must be
  Digests digests = Digests::none;  // `each`: also without a lock
  Sandboxing sandboxing = Sandboxing::on;
};

// Reads the bundle: what is to be sent, of which no digest is known yet. Throws Error{bad_bundle,
// bad_package, bad_stack, usage}.
TransferSet choose_transfer_set(const TransferSetRequest& request, EventSink& events);
// Reads the digests of what was chosen. Throws Error{bad_bundle, bad_package}.
TransferSet with_digests(TransferSet chosen, const TransferSetRequest& request,
                         const DigestMemory& memory, EventSink& events);

// One whose digests may still be read. Of several threads.
class AwaitedSet {
 public:
  // Not its own: it must outlive this.
  AwaitedSet(const TransferSet& whole)  // NOLINT(google-explicit-constructor): it is awaited, too
      : bytes_(whole.bytes()), get_([&whole]() -> const TransferSet& { return whole; }) {}
  AwaitedSet(TransferSet&& whole) = delete;
  AwaitedSet(std::uint64_t bytes, std::function<const TransferSet&()> get)
      : bytes_(bytes), get_(std::move(get)) {}

  // As far as that is known before.
  std::uint64_t bytes() const { return bytes_; }
  // Waits for it. Throws Error if it could not be read.
  const TransferSet& get() const { return get_(); }

 private:
  std::uint64_t bytes_;
  std::function<const TransferSet&()> get_;
};

}  // namespace topsctl
