// Copies packages to the directory from which dpkg and the wheel installer read them.
#include "topsctl/engine/execution/stage.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/bundle_findings.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/debian/plain_deb.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/priority.hpp"
#include "topsctl/model/packed_inspection.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Installed files may need four times the size of the archive (small files, whole blocks), in
// addition to the copy: with this share, a copy can never exhaust the disk.
constexpr std::uint64_t share_of_free_space = 8;

// The largest package first: the end of decoding uses only one core, and smaller packages fill the
// others.
void for_each_package(const std::vector<Package>& packages,
                      const std::function<void(std::size_t)>& work) {
  std::vector<std::size_t> order(packages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return packages[a].size > packages[b].size;
  });
  for_each_index(order.size(), [&](std::size_t i) {
    throw_if_interrupted();
    std::optional<LowPriority> low;
    if (i > 0) low.emplace();
    work(order[i]);
  });
}

// The known digest must match the bytes that were read.
void require_same(const std::string& file, const std::string& found, const std::string& wanted) {
  if (found == wanted) return;
  throw Error(ErrorCode::bad_package, format("{} changed while it was read", in_quotes(file)),
              "make sure that nothing writes to the bundle, and run the same command again");
}

Contents read_whole(Package& package) {
  Contents contents = read_payload(package);
  if (package.sha256.empty()) package.sha256 = sha256_of_file(package.location);
  return contents;
}

// Reads the payload and writes it to an uncompressed copy; false: there is no copy.
bool read_and_copy(Package& package, const fs::path& to, SpaceBudget& budget, Contents& contents) {
  PlainDeb plain = read_deb_to_plain(package.location, package, to, budget);
  if (!package.sha256.empty()) require_same(package.path, plain.sha256, package.sha256);
  package.sha256 = plain.sha256;
  contents = std::move(plain.contents);
  return plain.is_written;
}

// The work of the reading process, and its result.
struct PayloadPass {
  std::vector<Package> packages;
  std::map<std::size_t, Contents> contents;
  std::vector<Finding> findings;
  std::vector<std::size_t> copied;
};
auto members_of(PayloadPass& value) {
  auto& [packages, contents, findings, copied] = value;
  return std::tie(packages, contents, findings, copied);
}

// `copies`: destinations of requested copies.
PayloadPass payload_pass(const std::vector<Package>& packages,
                         const std::map<std::size_t, fs::path>& copies, std::uint64_t room) {
  Inspection inspection;
  inspection.depth = Depth::deep;
  inspection.inventory.packages = packages;
  std::vector<Package>& read = inspection.inventory.packages;
  for (std::size_t i = 0; i < read.size(); ++i) inspection.contents[i];
  PayloadPass pass;
  SpaceBudget budget(room);
  std::mutex mutex;  // of pass.copied
  for_each_package(packages, [&](std::size_t i) {
    const auto copy = copies.find(i);
    if (copy == copies.end()) {
      inspection.contents.at(i) = read_whole(read[i]);
      return;
    }
    if (!read_and_copy(read[i], copy->second, budget, inspection.contents.at(i))) return;
    const std::lock_guard lock(mutex);
    pass.copied.push_back(i);
  });
  pass.findings = bundle_findings(inspection);
  pass.packages = std::move(inspection.inventory.packages);
  pass.contents = std::move(inspection.contents);
  return pass;
}

// Takes over the fields that the reading process adds; keeps the others.
void take(Package& package, Package& read) {
  package.files = std::move(read.files);
  package.files_are_claims = read.files_are_claims;
  package.payload_md5sums = std::move(read.payload_md5sums);
  package.record = std::move(read.record);
  package.sha256 = std::move(read.sha256);
}

PayloadPass read_in_sandbox(std::vector<Package>& packages, Sandboxing sandboxing,
                            const std::map<std::size_t, fs::path>& copies, std::uint64_t room) {
  ConfinedCall call;
  call.sandboxing = sandboxing;
  call.subject = "the packages of the bundle";
  for (const Package& package : packages) call.inputs.insert(package.location);
  for (const auto& [index, copy] : copies) call.outputs.insert(copy);
  auto pass = confined<PayloadPass>(call, [&](const ConfinedProgress& /*progress*/) {
    return payload_pass(packages, copies, room);
  });
  if (pass.packages.size() != packages.size() || pass.contents.size() != packages.size())
    throw Error(ErrorCode::internal, "the reader process reports other packages");
  for (std::size_t i = 0; i < packages.size(); ++i) take(packages[i], pass.packages[i]);
  return pass;
}

ReadPayloads payloads_of(PayloadPass pass) {
  ReadPayloads payloads;
  for (auto& [index, contents] : pass.contents) payloads.contents.push_back(std::move(contents));
  payloads.findings = std::move(pass.findings);
  return payloads;
}

}  // namespace

void copy_package(const PlannedPackage& package, const fs::path& to) {
  require_same(package.file, copy_with_digest(package.location, to), package.sha256);
}

ReadPayloads read_payloads(std::vector<Package>& packages, Sandboxing sandboxing) {
  return payloads_of(read_in_sandbox(packages, sandboxing, {}, 0));
}

Stage::Stage(const Host& host) : folder_(host.resolve(concat(system_state, "/stage"))) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  make_directories(folder_, 0700);
}

Stage::~Stage() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

ReadPayloads Stage::read_payloads(std::vector<Package>& packages, Sandboxing sandboxing,
                                  const std::function<bool(const Package&)>& is_wanted) {
  std::map<std::size_t, fs::path> wanted;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    if (packages[i].kind == PackageKind::deb && is_wanted(packages[i]))
      wanted[i] = folder_ / concat(i, ".deb");
  }
  PayloadPass pass =
      read_in_sandbox(packages, sandboxing, wanted, free_bytes(folder_) / share_of_free_space);
  for (const std::size_t index : pass.copied) {
    const auto copy = wanted.find(index);
    if (copy == wanted.end()) continue;
    copies_[packages[index].sha256] = {copy->second, packages[index].size};
    wanted.erase(copy);
  }
  std::error_code ignored;
  for (const auto& [index, given_up] : wanted) fs::remove(given_up, ignored);
  return payloads_of(std::move(pass));
}

std::uint64_t Stage::staged_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [sha256, copy] : copies_) bytes += copy.package_size;
  return bytes;
}

void Stage::deliver(const PlannedPackage& package, const fs::path& to) {
  const auto copy = copies_.find(package.sha256);
  if (copy == copies_.end() || ::rename(copy->second.file.c_str(), to.c_str()) != 0) {
    copy_package(package, to);
  }
}

}  // namespace topsctl
