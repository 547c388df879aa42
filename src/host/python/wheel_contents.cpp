// Reads all members of a wheel by several threads and compares them with RECORD.
#include "topsctl/host/python/wheel_contents.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <tuple>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/content/payload_scan.hpp"
#include "topsctl/host/content/settings_scan.hpp"
#include "topsctl/host/python/record_digest.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/sha256.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_told = 1000;
constexpr std::uint64_t longest_target = 4096;

// The entries of RECORD, by path.
class RecordDigests {
 public:
  RecordDigests(const std::string& record, const std::string& subject)
      : lines_(parse_record(record, subject)), is_seen_(lines_.size()) {
    for (RecordLine& line : lines_) {
      if (!line.path.ends_with('/')) line.path = plain_path(line.path);
    }
    std::stable_sort(lines_.begin(), lines_.end(), by_path);
  }

  // Normally one; none if the path is not listed.
  std::pair<std::size_t, std::size_t> find(const std::string& path) const {
    RecordLine wanted;
    wanted.path = path;
    const auto [from, to] = std::equal_range(lines_.begin(), lines_.end(), wanted, by_path);
    return {static_cast<std::size_t>(from - lines_.begin()),
            static_cast<std::size_t>(to - lines_.begin())};
  }
  const std::vector<RecordLine>& lines() const { return lines_; }
  void see(std::size_t line) { is_seen_[line] = true; }
  bool is_seen(std::size_t line) const { return is_seen_[line]; }

 private:
  static bool by_path(const RecordLine& a, const RecordLine& b) { return a.path < b.path; }

  std::vector<RecordLine> lines_;
  std::vector<bool> is_seen_;
};

void add_all(Contents& to, Contents&& part) {
  const auto append = [](auto& all, auto& some) {
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  };
  to.files_checked += part.files_checked;
  to.unpacked_size += part.unpacked_size;
  append(to.mismatches, part.mismatches);
  append(to.strange, part.strange);
  append(to.elf_files, part.elf_files);
  append(to.not_elf, part.not_elf);
  for (auto& [setting, times] : part.settings) {
    if (to.settings.size() < most_settings || to.settings.contains(setting)) {
      to.settings[setting] += times;
    }
  }
}

class ContentsReading {
 public:
  ContentsReading(const ZipReader& zip, Package& package, const WheelReading& reading)
      : zip_(zip),
        package_(package),
        info_(package.wheel ? package.wheel->dist_info : ""),
        reading_(reading),
        claims_(package.record, zip.subject()) {
    contents_.list_name = "RECORD";
  }

  Contents read() {
    choose();
    refuse_bombs();
    note_duplicates();
    note_unlisted();
    read_all();
    sort_and_bound();
    package_.files = std::move(files_);
    package_.files_are_claims = false;
    return std::move(contents_);
  }

 private:
  // Selects the members to read: no directories, and none with a problem.
  void choose() {
    const std::vector<ZipEntry>& entries = zip_.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ZipEntry& entry = entries[i];
      const std::string raw = printable(entry.raw_path);
      if (entry.escapes) {
        note(StrangeEntry::Kind::escapes, raw, "");
      } else if (entry.raw_path.find('\0') != std::string::npos ||
                 (entry.path.empty() && entry.type != PayloadEntry::Type::directory)) {
        note(StrangeEntry::Kind::bad_name, raw, entry.problem);
      } else if (entry.type != PayloadEntry::Type::file &&
                 entry.type != PayloadEntry::Type::directory &&
                 entry.type != PayloadEntry::Type::symlink) {
        note(StrangeEntry::Kind::device, raw, name(entry.type));
      } else if (!entry.path.empty()) {
        PayloadEntry listed = wheel_file(entry);
        if (has_harmful_character(entry.path)) note(StrangeEntry::Kind::bad_name, raw, "");
        if (entry.type == PayloadEntry::Type::symlink) take_link(entry, listed);
        files_.push_back(std::move(listed));
        if (entry.type != PayloadEntry::Type::directory) work_.push_back(i);
      }
    }
    std::stable_sort(work_.begin(), work_.end(), [&](std::size_t a, std::size_t b) {
      return entries[a].size > entries[b].size;
    });
  }

  // pip writes the target as a file's text, unzip creates a link.
  void take_link(const ZipEntry& entry, PayloadEntry& listed) {
    listed.link_target = zip_.text(entry, longest_target);
    if (listed.link_target.starts_with('/') || link_escapes(listed.path, listed.link_target)) {
      note(StrangeEntry::Kind::link_escapes, printable(listed.path), printable(listed.link_target));
    }
  }

  // Entries that are each possible with deflate can be too large together.
  void refuse_bombs() const {
    constexpr std::uint64_t harmless = 512ULL << 20U;
    constexpr std::uint64_t best_ratio = 400;
    std::uint64_t size = 0;
    std::uint64_t compressed = 0;
    for (const std::size_t i : work_) {
      const ZipEntry& entry = zip_.entries()[i];
      if (!entry.problem.empty()) continue;  // never decompressed, so its size is irrelevant
      size += entry.size;
      compressed += entry.compressed_size;
    }
    if (size <= harmless || size / best_ratio <= compressed) return;
    throw DecompressionBomb(zip_.subject(),
                            format("{} become {}", human_size(compressed), human_size(size)));
  }

  // Which of two wins depends on the tool.
  void note_duplicates() {
    std::vector<const std::string*> paths;
    for (const PayloadEntry& file : files_) {
      if (file.type != PayloadEntry::Type::directory) paths.push_back(&file.path);
    }
    std::sort(paths.begin(), paths.end(), [](auto* a, auto* b) { return *a < *b; });
    for (std::size_t i = 1; i < paths.size(); ++i) {
      if (*paths[i] == *paths[i - 1]) note(StrangeEntry::Kind::duplicate, printable(*paths[i]), "");
    }
  }

  void note_unlisted() {
    for (const ZipEntry& entry : zip_.entries()) {
      for (const std::string* path : {&entry.path, &entry.raw_path}) {
        const auto [from, to] = claims_.find(*path);
        for (std::size_t line = from; line < to; ++line) claims_.see(line);
      }
    }
    for (const std::size_t i : work_) {
      const ZipEntry& entry = zip_.entries()[i];
      const auto [from, to] = claims_.find(entry.path);
      if (from == to && !is_exempt_from_record(entry.path, info_)) {
        tell(contents_, {Mismatch::Kind::unlisted, wheel_file(entry).path, "", ""});
      }
    }
    for (std::size_t line = 0; line < claims_.lines().size(); ++line) {
      const RecordLine& claim = claims_.lines()[line];
      if (!claims_.is_seen(line) && !claim.path.ends_with('/')) {
        tell(contents_, {Mismatch::Kind::missing, claim.path, claim.digest, ""});
      }
    }
  }

  void read_all() {
    threads_ = std::min<std::size_t>(std::max(reading_.threads, 1U), work_.size());
    left_.assign(work_.size() + 1, 0);
    for (std::size_t i = work_.size(); i > 0; --i)
      left_[i - 1] = left_[i] + zip_.entries()[work_[i - 1]].size;
    const std::uint64_t memory =
        std::min(ZipBuffers::usual_memory, reading_.memory / std::max<std::size_t>(threads_, 1));
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < threads_) helpers.emplace_back([this, memory] { work(memory); });
    } catch (const std::system_error&) {
      // Fewer threads suffice: this thread works too.
    }
    work(memory);
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  // A member that one thread is reading.
  struct Member {
    const ZipEntry& entry;
    std::string path;
    std::span<const RecordLine> claims;  // the last one counts
    bool is_hashed;
    std::unique_ptr<Source> content;
    FileScan scan;
    std::uint64_t size = 0;       // bytes until now
    std::string_view piece = {};  // the last of them; empty at the end
  };

  void work(std::uint64_t memory) {
    try {
      ZipBuffers buffers(memory);
      std::array<RecordDigest, 2> digests;
      std::array<std::optional<Member>, 2> members;
      std::vector<RecordDigest::Piece> hashed;
      Contents part;
      while (!is_stopped_) {
        throw_if_interrupted();
        if (!members[0] && (!members[1] || pays_beside(buffers)))
          begin(members[0], &buffers, digests[0], part);
        if (!members[1] && members[0] && pays_beside(buffers))
          begin(members[1], nullptr, digests[1], part);
        if (!members[0] && !members[1]) break;
        hashed.clear();
        for (std::size_t i = 0; i < members.size(); ++i) {
          if (!members[i]) continue;
          take_piece(*members[i]);
          if (members[i]->is_hashed) hashed.push_back({&digests[i], members[i]->piece});
        }
        RecordDigest::update_each(hashed);
        for (std::size_t i = 0; i < members.size(); ++i) {
          if (!members[i] || !members[i]->piece.empty()) continue;
          end(*members[i], digests[i], part);
          members[i].reset();
        }
      }
      const std::lock_guard lock(mutex_);
      add_all(contents_, std::move(part));
    } catch (...) {
      is_stopped_ = true;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  // Whether to read the next member interleaved with another one, to compute their digests in
  // parallel: it is large, the remaining members keep all other threads busy until it ends, and
  // there is memory for its collected data, up to 16 MiB for an ELF file.
  bool pays_beside(const ZipBuffers& buffers) const {
    constexpr std::size_t most_threads = 2;
    const std::size_t next = next_;
    if (threads_ > most_threads || next >= work_.size() || !Sha256::pay_side_by_side(2))
      return false;
    const ZipEntry& entry = zip_.entries()[work_[next]];
    return !buffers.fits(entry) && left_[next + 1] >= threads_ * entry.size;
  }

  // The next member that no thread has, if any; in pieces if there are no buffers.
  void begin(std::optional<Member>& member, ZipBuffers* buffers, RecordDigest& digest,
             Contents& part) {
    const std::size_t at = next_++;
    if (at >= work_.size()) return;
    const ZipEntry& entry = zip_.entries()[work_[at]];
    const auto [first, last] = claims_.find(entry.path);
    const std::span<const RecordLine> claims(claims_.lines().data() + first, last - first);
    const bool is_hashed = !claims.empty() && !is_exempt_from_record(entry.path, info_) &&
                           digest.begin(claims.back().algorithm);
    member.emplace(Member{entry, wheel_file(entry).path, claims, is_hashed,
                          buffers == nullptr ? zip_.open(entry) : zip_.open(entry, *buffers),
                          FileScan(entry.path, entry.size, part)});
  }

  static void take_piece(Member& member) {
    member.piece = member.content->piece();
    if (member.piece.empty()) return;
    member.size += member.piece.size();
    member.scan.take(member.piece);
  }

  void end(Member& member, RecordDigest& digest, Contents& part) const {
    member.scan.end(member.path);
    part.unpacked_size += member.size;
    if (reading_.on_bytes) reading_.on_bytes(member.entry.compressed_size);
    if (member.claims.empty() || is_exempt_from_record(member.entry.path, info_)) return;
    const RecordLine& claim = member.claims.back();
    if (!member.is_hashed) {
      const std::string said =
          claim.algorithm.empty() ? "" : concat(claim.algorithm, "=", claim.digest);
      tell(part, {Mismatch::Kind::no_digest, member.path, said, ""});
      return;
    }
    ++part.files_checked;
    const std::string found = digest.base64url();
    for (const RecordLine& line : member.claims)
      compare(line, claim, member.path, found, member.size, part);
  }

  // A path may be listed twice; ignores lines with another algorithm than the last one's.
  static void compare(const RecordLine& line, const RecordLine& last, const std::string& path,
                      const std::string& found, std::uint64_t size, Contents& part) {
    if (line.algorithm == last.algorithm && line.digest != found) {
      tell(part, {Mismatch::Kind::digest, path, line.digest, found});
    } else if (line.size && *line.size != size) {
      tell(part, {Mismatch::Kind::size, path, std::to_string(*line.size), std::to_string(size)});
    }
  }

  static void tell(Contents& contents, Mismatch mismatch) {
    mismatch.path = printable(mismatch.path);
    mismatch.expected = shortened(printable(mismatch.expected), 200);
    contents.mismatches.push_back(std::move(mismatch));
  }

  void note(StrangeEntry::Kind kind, std::string path, std::string_view detail) {
    contents_.strange.push_back({kind, std::move(path), std::string(detail)});
  }

  // Makes the result independent of the order of threads, also which entries exceed the limit.
  void sort_and_bound() {
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::stable_sort(contents_.mismatches.begin(), contents_.mismatches.end(),
                     [](const Mismatch& a, const Mismatch& b) {
                       return std::tie(a.path, a.kind) < std::tie(b.path, b.kind);
                     });
    std::stable_sort(contents_.strange.begin(), contents_.strange.end(), by_path);
    std::stable_sort(contents_.elf_files.begin(), contents_.elf_files.end(), by_path);
    std::sort(contents_.not_elf.begin(), contents_.not_elf.end());
    if (contents_.mismatches.size() > most_told) contents_.mismatches.resize(most_told);
    if (contents_.strange.size() > most_told) contents_.strange.resize(most_told);
  }

  const ZipReader& zip_;
  Package& package_;
  const std::string info_;
  const WheelReading& reading_;
  RecordDigests claims_;
  Contents contents_;
  std::vector<PayloadEntry> files_;
  std::vector<std::size_t> work_;    // indices of entries, the biggest first
  std::vector<std::uint64_t> left_;  // bytes of each element of `work_` and all following ones
  std::size_t threads_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;  // of contents_ and failure_ while threads work
  std::exception_ptr failure_;
};

}  // namespace

Contents read_wheel_contents(const ZipReader& zip, Package& package, const WheelReading& reading) {
  return ContentsReading(zip, package, reading).read();
}

}  // namespace topsctl
