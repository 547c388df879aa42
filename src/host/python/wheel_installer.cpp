// Unpacks a wheel beside its place and renames it there.
#include "topsctl/host/python/wheel_installer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "host/python/installed_record.hpp"
#include "host/python/wheel_members.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/tree_move.hpp"
#include "topsctl/host/python/entry_points.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/wheel.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_places.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/host/python/wheel_removal.hpp"
#include "topsctl/host/python/wheel_scripts.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_wheel_metadata = 2ULL << 20U;
constexpr std::uint64_t most_script = 64ULL << 20U;
constexpr mode_t plain_mode = 0644;
constexpr mode_t program_mode = 0755;

Descriptor opened(const fs::path& file) {
  Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!descriptor.is_open()) throw system_error(errno, "read", file.string());
  return descriptor;
}

// A file of the wheel, or one that its installation makes.
struct NewFile {
  WheelPlace place;
  const ZipEntry* entry = nullptr;  // nullptr: made
};

class Installation {
 public:
  Installation(const Host& host, const WheelInstallation& request)
      : host_(host),
        request_(request),
        file_(opened(request.wheel)),
        zip_({file_.get(), 0, fs::file_size(request.wheel)}, request.wheel.filename().string()) {
    read_wheel_metadata(zip_, zip_.subject(), package_);
    info_ = package_.wheel->dist_info;
    if (request.scheme.purelib.empty()) {
      throw Error(ErrorCode::host_unfit, "the interpreter does not report where to install wheels",
                  "name another interpreter with --python");
    }
    library_ = library_folder(package_, request.scheme);
    list_commands();
    list_files();
    read_installed();
  }

  void require_possible() const {
    if (!package_.wheel->faults.empty()) {
      const WheelFault& fault = package_.wheel->faults.front();
      refuse(format("{}: {}", fault.place, fault.why));
    }
    for (const InstalledWheel& wheel : installed_) {
      if (!wheel.files.empty()) continue;
      throw Error(ErrorCode::host_unfit,
                  format("{} has no RECORD: its files are unknown",
                         in_quotes(concat(wheel.site_directory, "/", wheel.dist_info))),
                  "remove the rest of that installation first");
    }
    std::set<std::string> folders;
    std::set<std::string> places;
    for (const NewFile& file : files_) {
      if (!places.insert(file.place.path()).second)
        refuse(format("two files have the path {}", in_quotes(file.place.path())));
      fs::path relative = fs::path(file.place.relative).parent_path();
      for (; !relative.empty(); relative = relative.parent_path()) {
        if (!folders.insert(concat(file.place.folder, "/", relative.string())).second) break;
      }
    }
    for (const std::string& folder : folders) {
      if (places.contains(folder))
        refuse(format("{} is both a file and a directory", in_quotes(folder)));
      require_no_link(folder);
    }
  }

  InstalledFiles carry_out() {
    require_possible();
    make_public_folder(real(library_));
    staging_ = real(library_) / wheel_staging_folder;
    fs::remove_all(staging_);  // left by an interrupted run
    make_folder(staging_, 0700);
    unpack();
    make_files();
    remove_installed();
    move_into_place();
    fs::remove_all(staging_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::bad_package,
                format("cannot install {}: {}", in_quotes(zip_.subject()), why),
                "ask the vendor for a wheel that pip can install");
  }

  void list_commands() {
    const std::string path = concat(info_, "/entry_points.txt");
    for (const ZipEntry& entry : zip_.entries()) {
      if (entry.path != path || entry.type != PayloadEntry::Type::file) continue;
      entries_ = read_entry_points(zip_.text(entry, most_wheel_metadata)).scripts;
    }
  }

  void list_files() {
    for (const ZipEntry& entry : zip_.entries()) {
      if (entry.type == PayloadEntry::Type::directory) continue;
      const WheelPlace place = place_of(entry.path, package_, request_.scheme);
      if (entry.escapes || entry.type != PayloadEntry::Type::file || place.relative.empty()) {
        refuse(format("{} is not a file", in_quotes(printable(entry.raw_path))));
      }
      if (place.is_script && is_launcher_of(place.relative, entries_)) continue;
      // A signature of RECORD covers the wheel's RECORD, not the one that is written.
      if (is_exempt_from_record(entry.path, info_) || is_of_installer(entry.path, info_)) continue;
      files_.push_back({place, &entry});
    }
    for (const EntryPoint& entry : entries_) {
      files_.push_back({{request_.scheme.scripts, entry.name, true}, nullptr});
    }
  }

  // Others of that name, such as Debian's below /usr, do not conflict, and pip would not remove
  // them.
  void read_installed() {
    PythonFacts python;
    python.site_directories = {request_.scheme.purelib};
    if (request_.scheme.platlib != request_.scheme.purelib) {
      python.site_directories.push_back(request_.scheme.platlib);
    }
    installed_ = read_installed_wheels(host_, python, {package_.name});
  }

  void require_no_link(const std::string& folder) const {
    if (!fs::is_symlink(fs::symlink_status(host_.resolve_parent(folder)))) return;
    throw Error(ErrorCode::host_unfit,
                format("{} is a link: topsctl does not install through links", in_quotes(folder)),
                "remove the link, or name another interpreter with --python");
  }

  fs::path real(const std::string& folder) const { return host_.resolve(folder); }

  static void make_folder(const fs::path& folder, mode_t mode) {
    make_directories(folder, mode);
    if (::chmod(folder.c_str(), mode) != 0) {
      throw system_error(errno, "set the mode of", folder.string());
    }
  }

  // Also creates missing parents, readable for all users of the package, regardless of our umask.
  static void make_public_folder(const fs::path& folder) {
    if (fs::is_directory(folder)) return;
    make_public_folder(folder.parent_path());
    make_folder(folder, program_mode);
  }

  // Each directory of the scheme has its own tree in the staging directory.
  const fs::path& tree_of(const std::string& folder) {
    const auto [at, is_new] = trees_.emplace(folder, staging_ / std::to_string(trees_.size()));
    if (is_new) make_folder(at->second, program_mode);
    return at->second;
  }

  fs::path staged(const WheelPlace& place) {
    const fs::path& tree = tree_of(place.folder);
    fs::path folder = tree;
    for (const fs::path& part : fs::path(place.relative).parent_path()) {
      folder /= part;
      if (made_.insert(folder.string()).second) make_folder(folder, program_mode);
    }
    return tree / place.relative;
  }

  void unpack() {
    claims_ = record_claims(package_.record, zip_.subject());
    std::vector<MemberToUnpack> members;
    for (const NewFile& file : files_) {
      if (file.entry == nullptr) continue;
      const bool is_program = file.place.is_script || (file.entry->mode & 0111U) != 0;
      members.push_back({file.entry, staged(file.place), is_program ? program_mode : plain_mode});
      result_.bytes += file.entry->size;
    }
    result_.files = files_.size();
    unpack_members(zip_, std::move(members), claims_);
  }

  // Creates scripts for this interpreter, launchers, and the files of the dist-info directory that
  // installers write; RECORD last.
  void make_files() {
    InstalledRecord record(library_);
    for (const NewFile& file : files_) {
      if (file.entry == nullptr) continue;
      const RecordLine& claim = claims_.at(file.entry->path);
      if (!file.place.is_script || !take_interpreter(file.place, record)) {
        record.add_claim(file.place.path(), claim);
      }
    }
    for (const EntryPoint& entry : entries_) {
      const WheelPlace place{request_.scheme.scripts, entry.name, true};
      make(place, launcher_text(entry, request_.scheme.interpreter), program_mode, record);
    }
    make(info_file("INSTALLER"), "topsctl\n", plain_mode, record);
    make(info_file("REQUESTED"), "", plain_mode, record);
    make(info_file("direct_url.json"), direct_url(request_.origin, request_.sha256), plain_mode,
         record);
    record.add_unhashed(info_file("RECORD").path());
    write(staged(info_file("RECORD")), record.text(), plain_mode);
  }

  WheelPlace info_file(const char* name) const { return {library_, concat(info_, "/", name)}; }

  bool take_interpreter(const WheelPlace& place, InstalledRecord& record) {
    const fs::path file = staged(place);
    const auto changed =
        with_interpreter(read_text(file, most_script), request_.scheme.interpreter);
    if (!changed) return false;
    fs::remove(file);
    make(place, *changed, program_mode, record);
    return true;
  }

  void make(const WheelPlace& place, const std::string& text, mode_t mode,
            InstalledRecord& record) {
    write(staged(place), text, mode);
    record.add(place.path(), text);
  }

  static void write(const fs::path& file, const std::string& text, mode_t mode) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor output(::open(file.c_str(), flags, 0600));
    if (!output.is_open()) throw system_error(errno, "write", file.string());
    write_all(output, text, file);
    if (::fchmod(output.get(), mode) != 0) {
      throw system_error(errno, "set the mode of", file.string());
    }
  }

  void remove_installed() {
    std::set<std::string> replaced;
    for (const NewFile& file : files_) {
      replaced.insert(canonical_in_root(host_.root, file.place.path()));
    }
    for (const InstalledWheel& wheel : installed_) {
      throw_if_interrupted();
      WheelRemoval removal =
          remove_installed_wheel(host_, wheel, request_.scheme, request_.cache_tag, replaced);
      result_.removed += removal.files;
      result_.left.insert(result_.left.end(), removal.left.begin(), removal.left.end());
    }
  }

  // Moves the dist-info directory last: its readers see nothing, or the complete wheel.
  void move_into_place() {
    const fs::path info = staging_ / "info";
    fs::rename(tree_of(library_) / info_, info);
    for (const auto& [folder, tree] : trees_) {
      const fs::path place = real(folder);
      make_public_folder(place);
      move_tree(tree, FileTree(host_.root),
                canonical_in_root(host_.root, folder, LastLink::follow));
    }
    const fs::path place = real(library_) / info_;
    fs::remove_all(place);
    fs::rename(info, place);
  }

  const Host& host_;
  const WheelInstallation& request_;
  Descriptor file_;
  ZipReader zip_;
  Package package_;
  std::string info_;     // name of the dist-info directory
  std::string library_;  // its destination
  std::vector<EntryPoint> entries_;
  std::vector<NewFile> files_;
  std::vector<InstalledWheel> installed_;  // of that name
  RecordClaims claims_;
  fs::path staging_;
  std::map<std::string, fs::path> trees_;  // by the scheme's directory
  std::set<std::string> made_;             // directories in them
  InstalledFiles result_;
};

}  // namespace

void require_installable(const Host& host, const WheelInstallation& installation) {
  Installation(host, installation).require_possible();
}

InstalledFiles install_wheel(const Host& host, const WheelInstallation& installation) {
  return Installation(host, installation).carry_out();
}

}  // namespace topsctl
