// Copies packages to where dpkg and pip take them from.
#include "topsctl/engine/execution/stage.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/debian/plain_deb.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/priority.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// What is installed may take four times as much as the archive (small files, whole blocks), and is
// written besides: then a copy can never be what the disk is too small for.
constexpr std::uint64_t share_of_free_space = 8;

// The largest first and before all others: what a decoder ends with is work for one core, and the
// smaller ones fill the rest.
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

// The digest that was known before must be that of the bytes which were read.
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

}  // namespace

void copy_package(const PlannedPackage& package, const fs::path& to) {
  require_same(package.file, copy_with_digest(package.location, to), package.sha256);
}

std::vector<Contents> read_payloads(std::vector<Package>& packages) {
  std::vector<Contents> contents(packages.size());
  for_each_package(packages, [&](std::size_t i) { contents[i] = read_whole(packages[i]); });
  return contents;
}

Stage::Stage(const Host& host) : folder_(host.resolve(concat(state_directory, "/stage"))) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  make_directories(folder_, 0700);
}

Stage::~Stage() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<Contents> Stage::read_payloads(std::vector<Package>& packages,
                                           const std::function<bool(const Package&)>& is_wanted) {
  std::vector<Contents> contents(packages.size());
  SpaceBudget budget(free_bytes(folder_) / share_of_free_space);
  std::mutex mutex;  // of copies_
  for_each_package(packages, [&](std::size_t i) {
    Package& package = packages[i];
    if (package.kind != PackageKind::deb || !is_wanted(package)) {
      contents[i] = read_whole(package);
      return;
    }
    const fs::path file = folder_ / concat(i, ".deb");
    PlainDeb plain = read_deb_to_plain(package.location, package, file, budget);
    if (!package.sha256.empty()) require_same(package.path, plain.sha256, package.sha256);
    package.sha256 = plain.sha256;
    contents[i] = std::move(plain.contents);
    if (!plain.is_written) return;
    const std::lock_guard lock(mutex);
    copies_[package.sha256] = {file, package.size};
  });
  return contents;
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
