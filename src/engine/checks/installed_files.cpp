// Reads the files of packages and compares them with md5sums and RECORD.
#include "topsctl/engine/checks/installed_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/package_findings.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/host/debian/dpkg_filters.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/record_digest.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/python/wheel_scripts.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/root_path.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr off_t most_script = 1 << 20;

struct RecordedFile {
  std::string path;
  std::string md5;
};

// The diversion of a package's file by another package or the administrator.
const Diversion* diversion_of(const std::string& path, const std::string& deb,
                              const std::vector<Diversion>& diversions) {
  const auto found = std::find_if(diversions.begin(), diversions.end(), [&](const Diversion& each) {
    return each.from == path && each.package != deb;
  });
  return found == diversions.end() ? nullptr : &*found;
}

// Parses lines of "HEX  path/without/leading/slash" (deb-md5sums(5)), and follows diversions of
// other packages. Like dpkg(1), --verify: a file that is no longer in the file list was taken over
// by another package, and configuration files belong to the administrator.
std::vector<RecordedFile> recorded_files(const InstalledDeb& deb,
                                         const std::vector<Diversion>& diversions) {
  const std::set<std::string_view> own(deb.files.begin(), deb.files.end());
  const std::set<std::string_view> conffiles(deb.conffiles.begin(), deb.conffiles.end());
  constexpr std::size_t digits = 32;
  std::vector<RecordedFile> files;
  for (const std::string& line : split(deb.md5sums, '\n')) {
    if (line.size() < digits + 3) continue;
    std::string path = concat("/", line.substr(digits + 2));
    if (!own.contains(path) || conffiles.contains(path)) continue;
    const Diversion* diversion = diversion_of(path, deb.name, diversions);
    files.push_back({diversion != nullptr ? diversion->to : path, line.substr(0, digits)});
  }
  return files;
}

// A file's digest, or why it is missing.
struct ReadFile {
  std::string md5;
  std::string fault;
  bool is_unread = false;  // there may be nothing wrong with it
};

std::string md5_of_open_file(const Descriptor& file, int& failure) {
  constexpr std::size_t block = 256U << 10U;
  std::string buffer(block, '\0');
  Md5 digest;
  for (;;) {
    throw_if_interrupted();
    const ssize_t got = ::read(file.get(), buffer.data(), block);
    if (got == 0) return digest.hex();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      failure = errno;
      return {};
    }
    digest.update({buffer.data(), static_cast<std::size_t>(got)});
  }
}

ReadFile md5_of_file(const fs::path& file, DigestCache* cache) {
  const auto unread = [](int reason) {
    if (reason == ENOENT || reason == ENOTDIR) return ReadFile{"", format("is missing")};
    return ReadFile{"", format("cannot be read: {}", std::strerror(reason)), true};
  };
  // Must not block on a pipe in its place.
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.get(), &status) != 0) return unread(errno);
  if (!S_ISREG(status.st_mode)) return {"", format("is no file")};
  int failure = 0;
  const DigestCache::Reader read = [&](struct stat& after) -> std::optional<std::string> {
    std::string md5 = md5_of_open_file(opened, failure);
    if (failure == 0 && ::fstat(opened.get(), &after) != 0) failure = errno;
    return failure == 0 ? std::optional(md5) : std::nullopt;
  };
  struct stat after {};
  const auto md5 = cache == nullptr ? read(after) : cache->digest_of(status, "md5", read);
  return md5 ? ReadFile{*md5, ""} : unread(failure);
}

// The file, with its differences from the package.
ReadFile compared(const Host& host, const RecordedFile& file, const DpkgFilters& filters,
                  DigestCache* cache) {
  const fs::path place = host.resolve(file.path);
  struct stat status {};
  if (filters.leaves_out(file.path) && ::stat(place.c_str(), &status) != 0 && errno == ENOENT)
    return {};
  ReadFile read = md5_of_file(place, cache);
  if (read.fault.empty() && read.md5 != file.md5) read.fault = format("differs from the package");
  return read;
}

std::vector<std::string> changed_conffiles(const Host& host, const InstalledDeb& deb,
                                           const std::vector<Diversion>& diversions,
                                           DigestCache* cache) {
  std::vector<std::string> changed;
  const std::set<std::string_view> own(deb.files.begin(), deb.files.end());
  for (const auto& [path, md5] : deb.conffile_md5s) {
    if (!own.contains(path)) continue;
    const fs::path place = host.resolve(path);
    if (const Diversion* diversion = diversion_of(path, deb.name, diversions)) {
      changed.push_back(format("{} is diverted to {}", in_quotes(path), in_quotes(diversion->to)));
    } else if (const ReadFile read = md5_of_file(place, cache); !read.fault.empty()) {
      changed.push_back(concat(in_quotes(path), " ", read.fault));
    } else if (read.md5 != md5) {
      changed.push_back(format("{} was modified", in_quotes(path)));
    }
  }
  return changed;
}

// Whether something has this name, with any target. Files of packages do not persist in /run.
bool is_there(const Host& host, const std::string& path) {
  struct stat status {};
  return path.starts_with("/run/") || path.starts_with("/var/run/") ||
         ::lstat(host.resolve_parent(path).c_str(), &status) == 0;
}

// For paths without a digest: links, directories.
std::vector<std::string> missing_names(const Host& host, const InstalledDeb& deb,
                                       const std::vector<Diversion>& diversions,
                                       const std::vector<RecordedFile>& compared,
                                       const DpkgFilters& filters) {
  std::set<std::string_view> known(deb.conffiles.begin(), deb.conffiles.end());
  for (const RecordedFile& file : compared) known.insert(file.path);
  std::vector<std::string> missing;
  for (const std::string& path : deb.files) {
    const Diversion* diversion = diversion_of(path, deb.name, diversions);
    const std::string& place = diversion != nullptr ? diversion->to : path;
    if (known.contains(path) || known.contains(place) || filters.leaves_out(place) ||
        is_there(host, place))
      continue;
    missing.push_back(format("{} is missing", in_quotes(place)));
  }
  return missing;
}

// A directory that is missing is judged by that in which it would be made.
bool is_open_folder(const Host& host, const std::string& folder) {
  fs::path there = canonical_in_root(host.root, folder, LastLink::follow);
  struct stat status {};
  while (::lstat(host.join_canonical(there.string()).c_str(), &status) != 0)
    there = there.parent_path();
  return can_others_change(host, there.string());
}

// Whether a file of directories, for the loader or for Python, names one that others can change:
// ldconfig(8), and the documentation of Python's `site`.
bool names_open_folder(const Host& host, const std::string& path) {
  constexpr std::uint64_t most_of_list = 64U << 10U;
  const bool is_for_loader = path.starts_with("/etc/ld.so.conf") && path.ends_with(".conf");
  // Elsewhere it is the name of a model's weights.
  const bool is_for_python = path.ends_with(".pth") && path.find("-packages/") != path.npos;
  struct stat status {};
  const auto file = host.resolve(path);
  if ((!is_for_loader && !is_for_python) || ::stat(file.c_str(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) > most_of_list)
    return false;
  const auto text = read_text_if_present(file, most_of_list);
  const std::vector<std::string> lines = split(text.value_or(""), '\n');
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string folder(trimmed(line));
    return folder.starts_with('/') && is_open_folder(host, folder);
  });
}

// Missing files are not. A link whose target is missing is judged by the directories of both.
bool is_open(const Host& host, const std::string& path, ChangeRights& rights) {
  if (!rights.can_others_change(path) || !is_there(host, path)) return false;
  const std::string target = canonical_in_root(host.root, path, LastLink::follow);
  struct stat status {};
  if (::lstat(host.join_canonical(target).c_str(), &status) == 0) return true;
  return rights.can_others_change(fs::path(path).parent_path().string()) ||
         is_open_folder(host, target);
}

}  // namespace

std::vector<std::string> changed_conffiles(const Host& host, const InstalledDeb& deb) {
  return changed_conffiles(host, deb, read_diversions(host), nullptr);
}

DebFiles compare_deb_files(const Host& host, const InstalledDeb& deb, DigestCache* cache) {
  const std::vector<Diversion> diversions = read_diversions(host);
  const std::vector<RecordedFile> files = recorded_files(deb, diversions);
  const DpkgFilters filters = read_dpkg_filters(host);
  DebFiles found;
  found.compared = files.size() + deb.conffile_md5s.size();
  found.changed_conffiles = changed_conffiles(host, deb, diversions, cache);
  std::vector<ReadFile> read(files.size());
  for_each_index(files.size(),
                 [&](std::size_t i) { read[i] = compared(host, files[i], filters, cache); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (read[i].fault.empty()) continue;
    (read[i].is_unread ? found.unread : found.differences)
        .push_back(concat(in_quotes(files[i].path), " ", read[i].fault));
  }
  ChangeRights rights(host);
  for (const RecordedFile& file : files) {
    if (is_there(host, file.path) && rights.can_others_change(file.path))
      found.open.push_back(in_quotes(file.path));
  }
  std::vector<std::string> missing = missing_names(host, deb, diversions, files, filters);
  std::move(missing.begin(), missing.end(), std::back_inserter(found.differences));
  return found;
}

std::string wheel_difference(const Host& host, const InstalledWheel& wheel, DigestCache* cache) {
  for (const RecordLine& line : parse_record(wheel.record, wheel.dist_info)) {
    if (line.digest.empty()) continue;
    throw_if_interrupted();
    const std::string path = recorded_path(wheel, line.path);
    struct stat status {};
    const auto file = host.resolve(path);
    if (::stat(file.c_str(), &status) != 0) return format("{} is missing", in_quotes(path));
    if (!S_ISREG(status.st_mode)) return concat(in_quotes(path), " ", format("is no file"));
    if (!RecordDigest().begin(line.algorithm))
      return format("{} has no digest in RECORD that can be compared", in_quotes(path));
    const DigestCache::Reader read = [&](struct stat& after) {
      const auto digest = recorded_digest(file, line.algorithm);
      if (::stat(file.c_str(), &after) != 0) after = {};
      return digest;
    };
    struct stat after {};
    const auto found =
        cache == nullptr ? read(after) : cache->digest_of(status, line.algorithm, read);
    if (!found || *found == line.digest) continue;
    const bool is_script = line.path.starts_with("../") && status.st_size <= most_script &&
                           had_digest_before_rewriting(read_text(file), line.sha256);
    if (!is_script) return format("{} does not match RECORD", in_quotes(path));
  }
  return {};
}

std::string open_file_of(const Host& host, const InstalledWheel& wheel) {
  ChangeRights rights(host);
  for (const RecordLine& line : parse_record(wheel.record, wheel.dist_info)) {
    std::string path = recorded_path(wheel, line.path);
    if (is_there(host, path) && rights.can_others_change(path)) return path;
  }
  return {};
}

void require_closed(const Host& host, const LoadedFiles& loaded, ErrorCode code,
                    std::vector<std::string>& warnings) {
  const std::vector<Diversion> diversions = read_diversions(host);
  ChangeRights rights(host);
  std::vector<std::string> open;
  for (const auto& [deb, files] : loaded.of_debs) {
    for (const std::string& file : files) {
      const Diversion* diversion = diversion_of(file, deb, diversions);
      const std::string& path = diversion != nullptr ? diversion->to : file;
      if (is_open(host, path, rights) || names_open_folder(host, path)) open.push_back(path);
    }
  }
  if (open.empty()) return;
  const std::size_t others = open.size() - 1;
  const Finding finding = make_finding(
      open_finding, "", {{open.front(), 0, others > 0 ? format("and {} more", others) : ""}});
  if (loaded.may_be_open) {
    warnings.push_back(line_of(finding));
    return;
  }
  throw Error(code, line_of(finding),
              format("{} {} proceeds at your own risk", finding.remedy.text,
                     format("--accept {}", open_finding)));
}

}  // namespace topsctl
