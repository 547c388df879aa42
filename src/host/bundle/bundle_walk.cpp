// Walks nested archives as one stream, and reads their packages.
#include "host/bundle/bundle_walk.hpp"

#include <algorithm>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/makeself.hpp"
#include "topsctl/host/archive/spool.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/archive/zip.hpp"
#include "topsctl/host/content/payload_scan.hpp"
#include "topsctl/host/content/settings_scan.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_depth = 8;
constexpr std::size_t most_others = 100'000;
constexpr std::uint64_t most_members = 2'000'000;
constexpr std::size_t runfile_header = 128U << 10U;
constexpr std::uint64_t largest_zip = 16ULL << 30U;
constexpr std::uint64_t most_settings_text = 1U << 20U;

// The content of the current entry of a tar.
class TarMember : public Source {
 public:
  explicit TarMember(TarReader& reader) : reader_(reader) {}
  std::string_view piece() override { return reader_.piece(); }

 private:
  TarReader& reader_;
};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_archived(const std::string& path, const std::vector<std::string>& container) {
  const auto holds = [](const std::string& text) {
    const std::vector<std::string> parts = split(text, '/');
    return std::find(parts.begin(), parts.end(), "archived_versions") != parts.end();
  };
  return holds(path) || std::any_of(container.begin(), container.end(), holds);
}

class Walk {
 public:
  Walk(const std::string& location, const WalkReading& reading, BundlePart& part)
      : location_(location), reading_(reading), part_(part) {}

  void file(Source& source, FileKind kind, const std::string& path) {
    switch (kind) {
      case FileKind::deb:
        package(source, PackageKind::deb, path);
        break;
      case FileKind::wheel:
        package(source, PackageKind::wheel, path);
        break;
      case FileKind::runfile:
      case FileKind::tar:
      case FileKind::zip:
        container(source, kind, path);
        break;
      case FileKind::other:
        other(source, path);
        break;
    }
  }

 private:
  void package(Source& source, PackageKind kind, const std::string& path) {
    heard(path);
    FoundPackage& found = part_.packages.emplace_back();
    Package& package = found.package;
    package.path = printable(path);
    package.location = location_;
    package.container = chain_;
    package.kind = kind;
    read_package(source, file_name(path), for_member(), package, found.contents);
    if (package.verdict != Verdict::broken && is_archived(path, chain_)) {
      package.verdict = Verdict::archived;
    }
  }

  // Only the bytes of files on the disk count for the progress.
  PackageReading for_member() const {
    PackageReading reading = reading_.package;
    reading.limits = limits();
    if (!chain_.empty()) reading.on_bytes = {};
    return reading;
  }

  // Decoders of nested archives run at the same time, so the memory limit shrinks with the depth.
  DecodeLimits limits() const {
    DecodeLimits limits = reading_.package.limits;
    if (chain_.empty()) return limits;
    // xz -9, which makeself uses, needs 65 MiB; such archives are not nested deeply in practice.
    constexpr std::uint64_t ample = 72U << 20U;
    constexpr std::uint64_t scant = 24U << 20U;
    limits.memory = chain_.size() <= 2 ? ample : scant;
    limits.threads_memory = ample / 2;
    limits.threads = chain_.size() > 1 ? 1 : limits.threads;
    return limits;
  }

  void other(Source& source, const std::string& path) {
    ++part_.other_files;
    if (part_.other_files > most_members) refuse(path, "contains more than two million files");
    OtherFile other{printable(path), chain_, 0};
    if (const auto range = source.range()) other.size = range->size;
    const bool is_scanned = reading_.package.depth == Depth::deep && is_settings_file(path);
    const bool is_setup = part_.release.empty() && file_name(path) == setup_file;
    if (is_scanned || is_setup || !source.range()) {
      std::string text;
      std::uint64_t size = 0;
      for (std::string_view bytes = source.piece(); !bytes.empty(); bytes = source.piece()) {
        size += bytes.size();
        if ((is_scanned || is_setup) && size <= most_settings_text) text.append(bytes);
      }
      other.size = size;
      if (is_setup && size <= most_settings_text) part_.release = release_in_setup(text);
      if (is_scanned && size <= most_settings_text) scan_settings(text, part_.settings);
    }
    if (part_.others.size() < most_others) part_.others.push_back(std::move(other));
  }

  void container(Source& source, FileKind kind, const std::string& path) {
    heard(path);
    const std::size_t index = part_.containers.size();
    {
      ContainerFile& made = part_.containers.emplace_back();
      made.path = printable(path);
      made.container = chain_;
      made.kind = name(kind);
      made.compression = "none";
    }
    std::optional<Sha256> digest;
    if (reading_.package.depth != Depth::fast) digest.emplace();
    std::uint64_t size = 0;
    const bool lies_on_disk = chain_.empty();
    ObservedSource observed(source, [&](std::string_view bytes) {
      size += bytes.size();
      if (digest) digest->update(bytes);
      if (lies_on_disk && reading_.package.on_bytes) reading_.package.on_bytes(bytes.size());
    });
    attempt(index, [&] {
      if (chain_.size() >= most_depth) {
        refuse(path, format("is nested in more than {} archives", most_depth));
      }
      chain_.push_back(printable(path));
      const ChainEnd end(chain_);
      if (kind == FileKind::zip) {
        zip(source, path);
      } else if (kind == FileKind::tar) {
        tar(observed, index, path);
      } else {
        runfile(observed, index, path);
      }
    });
    attempt(index, [&] {
      drain(observed);
      part_.containers[index].size = size;
      if (digest) part_.containers[index].sha256 = digest->hex();
    });
  }

  // Removes the last part of the chain, also after an exception.
  class ChainEnd {
   public:
    explicit ChainEnd(std::vector<std::string>& chain) : chain_(chain) {}
    ~ChainEnd() { chain_.pop_back(); }
    ChainEnd(const ChainEnd&) = delete;
    ChainEnd& operator=(const ChainEnd&) = delete;

   private:
    std::vector<std::string>& chain_;
  };

  void attempt(std::size_t index, const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_package) throw;
      if (part_.containers[index].problem.empty())
        part_.containers[index].problem = error.message();
    }
  }

  void tar(Source& source, std::size_t index, const std::string& path) {
    auto peeked = std::make_unique<PeekedSource>(borrowed(source));
    const std::string compression(compression_of(peeked->peek(telling_bytes)));
    part_.containers[index].compression = compression;
    const auto plain = decompressed(std::move(peeked), compression, limits(), file_name(path));
    tar_members(*plain, path);
  }

  void tar_members(Source& plain, const std::string& path) {
    TarReader reader(plain, file_name(path));
    while (const auto entry = reader.next()) {
      if (entry->type != PayloadEntry::Type::file) continue;
      if (entry->escapes) {
        refuse(path, format("entry {} points outside the archive", in_quotes(entry->raw_path)));
      }
      member(std::make_unique<TarMember>(reader), entry->path);
    }
  }

  void zip(Source& source, const std::string& path) {
    std::optional<Spool> spool;
    std::optional<FileRange> range = source.range();
    if (!range) range = spool.emplace(source, largest_zip, file_name(path)).range();
    const ZipReader reader(*range, file_name(path));
    for (const ZipEntry& entry : reader.entries()) {
      if (entry.type != PayloadEntry::Type::file) continue;
      if (entry.escapes) {
        refuse(path, format("entry {} points outside the archive", in_quotes(entry.raw_path)));
      }
      member(reader.open(entry), entry.path);
    }
  }

  void runfile(Source& source, std::size_t index, const std::string& path) {
    PeekedSource peeked(borrowed(source));
    const RunfileHeader header = parse_runfile_header(peeked.peek(runfile_header), file_name(path));
    part_.containers[index].label = printable(header.label);
    part_.containers[index].start_script = printable(header.start_script);
    if (!header.is_understood) part_.containers[index].compression = header.compression;
    const RunfileParts parts =
        read_runfile(peeked, header, file_name(path), [&](std::size_t /*number*/, Source& bytes) {
          // An unreadable part must not prevent reading the others.
          attempt(index, [&] { runfile_part(bytes, header, index, path); });
        });
    part_.containers[index].checksums = parts.checksums;
  }

  void runfile_part(Source& bytes, const RunfileHeader& header, std::size_t index,
                    const std::string& path) {
    if (!header.is_base64()) return tar(bytes, index, path);
    const auto decoded =
        decompressed(borrowed(bytes), header.compression, limits(), file_name(path));
    tar(*decoded, index, path);
    part_.containers[index].compression = header.compression;
  }

  void member(std::unique_ptr<Source> bytes, const std::string& path) {
    PeekedSource peeked(std::move(bytes));
    file(peeked, kind_of(peeked.peek(telling_bytes), file_name(path)), path);
  }

  void heard(const std::string& path) const {
    if (!reading_.on_file) return;
    std::vector<std::string> parts = chain_;
    parts.push_back(printable(path));
    reading_.on_file(joined(parts, " > "));
  }

  [[noreturn]] static void refuse(const std::string& path, const std::string& why) {
    throw Error(ErrorCode::bad_package,
                format("cannot read {}: {}", in_quotes(file_name(path)), why),
                "get the archive again from the vendor");
  }

  const std::string& location_;
  const WalkReading& reading_;
  BundlePart& part_;
  std::vector<std::string> chain_;  // the archives that are open now, outermost first
};

}  // namespace

void walk_file(Source& source, FileKind kind, const std::string& path, const std::string& location,
               const WalkReading& reading, BundlePart& part) {
  Walk(location, reading, part).file(source, kind, path);
}

}  // namespace topsctl
