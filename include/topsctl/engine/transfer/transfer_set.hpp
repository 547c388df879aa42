// What of a bundle is sent, with its digests.
#pragma once

#include <cstdint>
#include <filesystem>
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

struct TransferSetRequest {
  std::vector<std::filesystem::path> bundle;
  std::string stack;                // name or file; empty: whichever fits the bundle
  std::string components;           // comma-separated ids; empty: all
  bool all = false;                 // every file, whatever it is
  std::optional<LockFile> lock;     // what every package that is sent must be
  Digests digests = Digests::none;  // `each`: also without a lock
  Sandboxing sandboxing = Sandboxing::on;
};

// Reads the bundle and the digests of what is to be sent. Throws Error{bad_bundle, bad_package,
// bad_stack, usage}.
TransferSet make_transfer_set(const TransferSetRequest& request, const DigestMemory& memory,
                              EventSink& events);

}  // namespace topsctl
