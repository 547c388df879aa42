// Reads debs as streams, and wheels by seeking, with one digest over each file.
#include "host/bundle/package_reader.hpp"

#include <future>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"
#include "topsctl/host/archive/spool.hpp"
#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/debian/deb.hpp"
#include "topsctl/host/debian/deb_contents.hpp"
#include "topsctl/host/debian/deb_control.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t largest_wheel = 8ULL << 30U;

Fault fault_of(const Error& error) {
  if (dynamic_cast<const DecompressionBomb*>(&error) != nullptr) return Fault::bomb;
  if (dynamic_cast<const DpkgRefusal*>(&error) != nullptr) return Fault::refused_by_dpkg;
  return Fault::damage;
}

void attempt(Package& package, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_package) throw;
    package.verdict = Verdict::broken;
    package.problem = error.message();
    package.fault = fault_of(error);
  }
}

class Reading {
 public:
  Reading(const std::string& file_name, const PackageReading& how, Package& package,
          Contents& contents)
      : name_(file_name), how_(how), package_(package), contents_(contents) {}

  void read(Source& source) {
    if (package_.kind == PackageKind::wheel) {
      read_wheel(source);
    } else {
      read_deb(source);
    }
  }

 private:
  void read_deb(Source& source) {
    std::optional<Sha256> digest;
    if (how_.depth != Depth::fast) digest.emplace();
    std::uint64_t size = 0;
    ObservedSource observed(source, [&](std::string_view bytes) {
      size += bytes.size();
      if (digest) digest->update(bytes);
      if (how_.on_bytes) how_.on_bytes(bytes.size());
    });
    DebMembers members;
    members.control = [&](Source& tar) { read_control_archive(tar, name_, package_); };
    if (how_.depth == Depth::deep) {
      members.data = [&](Source& tar) { read_data_archive(tar, name_, package_, contents_); };
    }
    attempt(package_, [&] { read_deb_members(observed, name_, how_.limits, package_, members); });
    if (const auto range = source.range(); range && how_.depth == Depth::fast) {
      package_.size = range->size;
      return;
    }
    // The source itself may have failed; then size and digest stay unknown.
    attempt(package_, [&] {
      drain(observed);
      package_.size = size;
      if (digest) package_.sha256 = digest->hex();
    });
  }

  void read_wheel(Source& source) {
    std::optional<Spool> spool;
    std::optional<FileRange> range = source.range();
    if (!range) {
      attempt(package_, [&] {
        spool.emplace(source, largest_wheel, name_);
        range = spool->range();
      });
    }
    if (!range) return;
    package_.size = range->size;
    std::future<std::string> digest;
    if (how_.depth != Depth::fast) {
      digest = std::async(std::launch::async, [this, bytes = *range] { return digest_of(bytes); });
    }
    attempt(package_, [&] {
      const ZipReader zip(*range, name_);
      read_wheel_metadata(zip, name_, package_);
      if (how_.depth == Depth::deep) {
        contents_ = read_wheel_contents(zip, package_, how_.wheel);
      }
    });
    if (digest.valid()) package_.sha256 = digest.get();
  }

  std::string digest_of(const FileRange& range) const {
    const auto source = range_source(range, name_);
    Sha256 digest;
    for (std::string_view bytes = source->piece(); !bytes.empty(); bytes = source->piece()) {
      digest.update(bytes);
      if (how_.on_bytes) how_.on_bytes(bytes.size());
    }
    return digest.hex();
  }

  const std::string& name_;
  const PackageReading& how_;
  Package& package_;
  Contents& contents_;
};

}  // namespace

void read_package(Source& source, const std::string& file_name, const PackageReading& reading,
                  Package& package, Contents& contents) {
  Reading(file_name, reading, package, contents).read(source);
}

}  // namespace topsctl
