// Reads the data archive of a .deb once: list, digests, ELF files, and unusual entries.
#include "topsctl/host/debian/deb_contents.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "host/debian/dpkg_tar.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/content/payload_scan.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// Approximate memory limit for the list of entries; Debian's packages have at most 60,000.
constexpr std::size_t most_list_bytes = 56U << 20U;
constexpr std::uint64_t most_text_size = 128U << 10U;  // bytes
constexpr std::uint64_t most_text_bytes = 4U << 20U;   // of all together

// The digests that md5sums gives, by path.
class ClaimedDigests {
 public:
  explicit ClaimedDigests(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      take(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    std::stable_sort(claims_.begin(), claims_.end(),
                     [](const Claim& a, const Claim& b) { return a.path < b.path; });
  }

  struct Claim {
    std::string_view path;
    std::string_view hex;
    bool seen = false;
  };

  Claim* find(std::string_view path) {
    const auto at = std::lower_bound(claims_.begin(), claims_.end(), path,
                                     [](const Claim& a, std::string_view b) { return a.path < b; });
    return at == claims_.end() || at->path != path ? nullptr : &*at;
  }
  const std::vector<Claim>& all() const { return claims_; }

 private:
  void take(std::string_view line) {
    constexpr std::size_t hex_size = 32;
    if (line.size() < hex_size + 2 || (line[hex_size] != ' ' && line[hex_size] != '\t')) return;
    std::string_view path = line.substr(hex_size);
    path.remove_prefix(std::min(path.find_first_not_of(" \t*"), path.size()));
    while (path.starts_with("./")) path.remove_prefix(2);
    while (path.starts_with('/')) path.remove_prefix(1);
    if (!path.empty()) claims_.push_back({path, line.substr(0, hex_size)});
  }

  std::vector<Claim> claims_;
};

class DataReading {
 public:
  DataReading(Source& tar, const std::string& file, Package& package, Contents& contents,
              Md5sums md5sums)
      : tar_(tar, file),
        reader_(tar_, file),
        file_(file),
        package_(package),
        contents_(contents),
        claims_(md5sums == Md5sums::compare ? std::string_view(package.md5sums)
                                            : std::string_view()) {
    if (!package.md5sums.empty() && md5sums == Md5sums::compare) contents_.list_name = "md5sums";
    makes_digests_ = package.md5sums.empty();
    for (const MaintainerScript& script : package.deb->scripts)
      named_by_scripts_.merge(names_in(script.text));
  }

  void read() {
    while (const auto entry = reader_.next()) {
      throw_if_interrupted();
      take(*entry);
    }
    for (const ClaimedDigests::Claim& claim : claims_.all()) {
      if (!claim.seen)
        add_mismatch(
            {Mismatch::Kind::missing, concat("/", claim.path), std::string(claim.hex), ""});
    }
    refuse_odd_conffiles();
    note_hard_links();
    note_duplicates();
    note_entries_behind_links();
    if (makes_digests_) package_.payload_md5sums = digest_lines();
    package_.files = std::move(files_);
    package_.files_are_claims = false;
  }

 private:
  void take(const TarEntry& entry) {
    if (entry.path.empty()) return;
    if (entry.escapes) {
      add_strange({StrangeEntry::Kind::escapes, printable(entry.raw_path), ""});
      return;
    }
    PayloadEntry listed;
    listed.path = concat("/", entry.path);
    listed.type = entry.type;
    listed.size = entry.type == PayloadEntry::Type::file ? entry.size : 0;
    listed.mode = entry.mode;
    listed.owner = entry.owner;
    listed.mtime = entry.mtime;
    listed.link_target = entry.type == PayloadEntry::Type::hardlink
                             ? concat("/", plain_path(entry.link_target))
                             : entry.link_target;
    list_bytes_ += sizeof listed + listed.path.capacity() + listed.link_target.capacity();
    if (list_bytes_ > most_list_bytes) {
      throw DecompressionBomb(file_, format("more than {} entries", files_.size()));
    }
    judge_type(entry);
    if (entry.type == PayloadEntry::Type::file) read_file(entry);
    if (entry.type == PayloadEntry::Type::hardlink) compare_hard_link(entry);
    files_.push_back(std::move(listed));
  }

  void judge_type(const TarEntry& entry) {
    const std::string path = printable(concat("/", entry.path));
    if (has_harmful_character(entry.path)) add_strange({StrangeEntry::Kind::bad_name, path, ""});
    if (entry.type == PayloadEntry::Type::character_device ||
        entry.type == PayloadEntry::Type::block_device) {
      add_strange({StrangeEntry::Kind::device, path,
                   concat(name(entry.type), " ", entry.device_major, ":", entry.device_minor)});
    }
    if (entry.type == PayloadEntry::Type::fifo || entry.type == PayloadEntry::Type::other) {
      add_strange({StrangeEntry::Kind::device, path, std::string(name(entry.type))});
    }
    if (entry.type == PayloadEntry::Type::symlink && link_escapes(entry.path, entry.link_target)) {
      add_strange({StrangeEntry::Kind::link_escapes, path, printable(entry.link_target)});
    }
  }

  void read_file(const TarEntry& entry) {
    ClaimedDigests::Claim* claim = claims_.find(entry.path);
    FileScan scan(entry.path, entry.size, contents_);
    const bool is_kept = is_telling_text(entry);
    std::string text;
    std::uint64_t size = 0;
    for (std::string_view bytes = reader_.piece(); !bytes.empty(); bytes = reader_.piece()) {
      size += bytes.size();
      scan.take(bytes);
      if (is_kept) text.append(bytes);
      if (claim != nullptr || makes_digests_) md5_.update(bytes);
    }
    scan.end(concat("/", entry.path));
    if (is_kept) {
      text_bytes_ += text.size();
      contents_.texts.emplace(concat("/", entry.path), std::move(text));
    }
    contents_.unpacked_size += size;
    if (makes_digests_) made_.emplace(entry.path, md5_.hex());
    if (claim == nullptr) return;
    compare(*claim, md5_.hex());
  }

  // Whether Contents::texts has it.
  bool is_telling_text(const TarEntry& entry) const {
    if (entry.size > most_text_size || text_bytes_ + entry.size > most_text_bytes) return false;
    const std::filesystem::path path(entry.path);
    const std::string folder = path.parent_path().string();
    if (folder.ends_with("udev/rules.d") || folder.ends_with("/pkgconfig") ||
        folder == "etc/profile.d")
      return true;
    return named_by_scripts_.contains(path.filename().string());
  }

  std::string digest_lines() const {
    std::string lines;
    for (const auto& [path, hex] : made_) lines += concat(hex, "  ", path, "\n");
    return lines;
  }

  void compare(ClaimedDigests::Claim& claim, const std::string& found) {
    claim.seen = true;
    ++contents_.files_checked;
    if (lower_case(claim.hex) != found) {
      add_mismatch(
          {Mismatch::Kind::digest, concat("/", claim.path), std::string(claim.hex), found});
    }
    found_.emplace(claim.path, found);
  }

  // A hard link has no data of its own: it shares those of its target, which came before.
  void compare_hard_link(const TarEntry& entry) {
    if (const auto target = made_.find(plain_path(entry.link_target)); target != made_.end())
      made_.emplace(entry.path, target->second);
    ClaimedDigests::Claim* claim = claims_.find(entry.path);
    if (claim == nullptr) return;
    const auto target = found_.find(plain_path(entry.link_target));
    if (target == found_.end()) {
      claim->seen = true;  // content unknown: the target is not in md5sums
      return;
    }
    compare(*claim, std::string(target->second));
  }

  // dpkg does not unpack a conffile that it should remove, and moves a directory aside for a
  // conffile.
  void refuse_odd_conffiles() const {
    const DebFacts& deb = *package_.deb;
    const std::set<std::string_view> kept(deb.conffiles.begin(), deb.conffiles.end());
    const std::set<std::string_view> removed(deb.removed_conffiles.begin(),
                                             deb.removed_conffiles.end());
    if (kept.empty() && removed.empty()) return;
    for (const PayloadEntry& entry : files_) {
      if (removed.contains(entry.path)) {
        throw DpkgRefusal(file_,
                          format("conffile {} is marked for removal, but the package contains it",
                                 in_quotes(entry.path)));
      }
      if (entry.type == PayloadEntry::Type::directory && kept.contains(entry.path)) {
        throw DpkgRefusal(file_, format("conffile {} is a directory", in_quotes(entry.path)));
      }
    }
  }

  // dpkg looks for the target on the host, where the package's own file exists after it was
  // unpacked.
  void note_hard_links() {
    const bool has_links = std::any_of(files_.begin(), files_.end(), [](const PayloadEntry& entry) {
      return entry.type == PayloadEntry::Type::hardlink;
    });
    if (!has_links) return;
    std::set<std::string_view> own;
    for (const PayloadEntry& entry : files_) {
      const bool is_link = entry.type == PayloadEntry::Type::hardlink;
      if (is_link && !own.contains(entry.link_target)) {
        add_strange({StrangeEntry::Kind::hard_link_outside, printable(entry.path),
                     printable(entry.link_target)});
      } else if (is_link || entry.type == PayloadEntry::Type::file) {
        own.insert(entry.path);
      }
    }
  }

  // Directories may occur twice, files must not: tools differ in which one they use.
  void note_duplicates() {
    std::vector<std::uint32_t> order(files_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return files_[a].path < files_[b].path; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const PayloadEntry& one = files_[order[i - 1]];
      const PayloadEntry& other = files_[order[i]];
      const bool folders =
          one.type == PayloadEntry::Type::directory && other.type == PayloadEntry::Type::directory;
      if (one.path == other.path && !folders) {
        add_strange({StrangeEntry::Kind::duplicate, printable(one.path), ""});
      }
    }
  }

  // An entry below a link of the same package is written to the link's target.
  void note_entries_behind_links() {
    std::map<std::string_view, const PayloadEntry*> links;
    for (const PayloadEntry& entry : files_) {
      if (entry.type == PayloadEntry::Type::symlink) links.emplace(entry.path, &entry);
    }
    if (links.empty()) return;
    for (const PayloadEntry& entry : files_) {
      const std::string_view path = entry.path;
      for (auto slash = path.find('/', 1); slash != std::string_view::npos;
           slash = path.find('/', slash + 1)) {
        const auto link = links.find(path.substr(0, slash));
        if (link == links.end()) continue;
        add_strange({StrangeEntry::Kind::link_escapes, printable(path),
                     printable(format("through the link {} to {}", link->second->path,
                                      link->second->link_target))});
        break;
      }
    }
  }

  void add_mismatch(Mismatch mismatch) {
    mismatch.path = printable(mismatch.path);
    mismatch.expected = printable(mismatch.expected);
    if (contents_.mismatches.size() < 1000) contents_.mismatches.push_back(std::move(mismatch));
  }

  void add_strange(StrangeEntry entry) {
    if (contents_.strange.size() < 1000) contents_.strange.push_back(std::move(entry));
  }

  DpkgTar tar_;
  TarReader reader_;
  const std::string& file_;
  Package& package_;
  Contents& contents_;
  ClaimedDigests claims_;
  Md5 md5_;
  std::vector<PayloadEntry> files_;
  std::size_t list_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::set<std::string_view> named_by_scripts_;
  bool makes_digests_ = false;
  std::map<std::string, std::string, std::less<>> made_;  // digests of all files, by path
  std::map<std::string_view, std::string> found_;         // digests of files of md5sums, by path
};

}  // namespace

void read_data_archive(Source& tar, const std::string& file_name, Package& package,
                       Contents& contents, Md5sums md5sums) {
  DataReading(tar, file_name, package, contents, md5sums).read();
}

}  // namespace topsctl
