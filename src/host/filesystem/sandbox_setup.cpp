// Overlays, private /proc, /dev and /run, and the files that a view shows besides.
#include "topsctl/host/filesystem/sandbox_setup.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr unsigned long safe = MS_NOSUID | MS_NODEV | MS_NOEXEC;

[[noreturn]] void fail(const std::string& what, int reason) {
  throw Error(ErrorCode::host_unfit, concat(what, ": ", std::strerror(reason)));
}

void make_folder(const fs::path& folder, mode_t mode) {
  if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) {
    throw system_error(errno, "create directory", folder.string());
  }
}

bool is_mount_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_device(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode);
}

void make_empty_file(const fs::path& file) {
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made.is_open()) throw system_error(errno, "make", file.string());
}

void mount_or_fail(const char* type, const fs::path& target, unsigned long flags,
                   const std::string& options, const std::string& shown) {
  if (::mount(type, target.c_str(), type, flags, options.c_str()) == 0) return;
  fail(format("cannot mount {} on {}", type, in_quotes(shown)), errno);
}

void bind_read_only(const fs::path& from, const fs::path& to, const std::string& shown) {
  // Flags that are there may have to stay; asking for more is always possible. A network's share
  // may hold devices.
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      ::mount(nullptr, to.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NODEV, nullptr) !=
          0) {
    fail(format("cannot bind-mount {} read-only", in_quotes(shown)), errno);
  }
}

// Paths with commas or colons would be cut in pieces: the kernel gets descriptors instead.
std::string by_descriptor(const Descriptor& descriptor) {
  return concat("/proc/self/fd/", descriptor.get());
}

Descriptor opened_mount(const fs::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) throw system_error(errno, "open", folder.string());
  return descriptor;
}

class Builder {
 public:
  explicit Builder(const SandboxSpec& order) : order_(order), view_(view_root(order.layers)) {}

  Overlaid run() {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      if (errno == EINVAL) {
        throw Error(ErrorCode::host_unfit, "'/' is not a mount point, as in a bare chroot");
      }
      fail("cannot make mounts private", errno);
    }
    if (order_.store == LayerStore::memory) {
      mount_or_fail("tmpfs", order_.layers, MS_NOSUID | MS_NODEV,
                    concat("mode=0700,size=", order_.most_memory), order_.layers.string());
    }
    make_folder(view_, 0700);
    Overlaid overlaid;
    for (std::size_t i = 0; i < order_.mounts.size(); ++i) overlaid.push_back(mount_one(i));
    hide();
    forbid_services();
    return overlaid;
  }

 private:
  fs::path in_view(const std::string& path) const {
    return path == "/" ? view_ : fs::path(concat(view_.string(), path));
  }

  fs::path on_machine(const std::string& path) const {
    return order_.root == "/" ? fs::path(path) : fs::path(concat(order_.root.string(), path));
  }

  bool mount_one(std::size_t index) {
    using Kind = SandboxMount::Kind;
    const SandboxMount& mount = order_.mounts[index];
    const fs::path target = in_view(mount.path);
    struct stat status {};
    if (::lstat(target.c_str(), &status) != 0) return false;  // hidden below another mount
    if (!S_ISDIR(status.st_mode)) {
      if (mount.kind == Kind::overlay || mount.kind == Kind::read_only) {
        bind_read_only(on_machine(mount.path), target, mount.path);
      }
      return false;
    }
    switch (mount.kind) {
      case Kind::overlay:
        return mount_overlay(index);
      case Kind::read_only:
        bind_read_only(on_machine(mount.path), target, mount.path);
        break;
      case Kind::temporary:
        mount_or_fail("tmpfs", target, MS_NOSUID | MS_NODEV, "mode=0755,size=64m", mount.path);
        make_folder(target / "lock", 01777);
        break;
      case Kind::processes:
        mount_processes(target);
        break;
      case Kind::kernel:
        mount_or_fail("sysfs", target, safe | MS_RDONLY, "", mount.path);
        break;
      case Kind::devices:
        mount_devices(target);
        break;
    }
    return false;
  }

  bool mount_overlay(std::size_t index) {
    const SandboxMount& mount = order_.mounts[index];
    const fs::path lower = on_machine(mount.path);
    const fs::path upper = upper_layer(order_.layers, index);
    const fs::path work = order_.layers / concat("work-", index);
    make_folder(upper, 0700);
    make_folder(work, 0700);
    // The root of an overlay has the attributes of its upper layer.
    FileState state = file_state(lower, Content::ignore);
    std::erase_if(state.xattrs,
                  [](const auto& entry) { return entry.first.starts_with("trusted."); });
    apply_attributes(upper, state);
    const Descriptor lower_folder = opened_mount(lower);
    const Descriptor upper_folder = opened_mount(upper);
    const Descriptor work_folder = opened_mount(work);
    const std::string layers =
        concat("lowerdir=", by_descriptor(lower_folder), ",upperdir=", by_descriptor(upper_folder),
               ",workdir=", by_descriptor(work_folder));
    int reason = 0;
    // Older kernels do not know the last ones, and do not do what these forbid.
    for (const char* rules : {",redirect_dir=off,index=off,metacopy=off",
                              ",redirect_dir=off,index=off", ",redirect_dir=off", ""}) {
      const std::string options = concat(layers, rules);
      if (::mount("overlay", in_view(mount.path).c_str(), "overlay", MS_NODEV, options.c_str()) ==
          0) {
        return true;
      }
      reason = errno;
      if (reason != EINVAL) break;
    }
    if (mount.required) {
      fail(format("cannot mount an overlay on {}", in_quotes(mount.path)), reason);
    }
    bind_read_only(lower, in_view(mount.path), mount.path);
    return false;
  }

  // Settings of the kernel are the machine's, in whichever namespace they are looked at.
  static void mount_processes(const fs::path& target) {
    mount_or_fail("proc", target, safe, "", "/proc");
    for (const char* name : {"sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi", "mtrr"}) {
      const fs::path path = target / name;
      if (::access(path.c_str(), F_OK) == 0) bind_read_only(path, path, concat("/proc/", name));
    }
  }

  void mount_devices(const fs::path& target) const {
    const fs::path machine = on_machine("/dev");
    // The machine's nodes below are mounts of their own, and can be opened.
    mount_or_fail("tmpfs", target, safe, "mode=0755,size=64m", "/dev");
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
      if (!is_device(machine / name)) continue;
      make_empty_file(target / name);
      if (::mount((machine / name).c_str(), (target / name).c_str(), nullptr, MS_BIND, nullptr) !=
          0) {
        fail(format("cannot bind-mount '/dev/{}'", name), errno);
      }
    }
    for (const char* name : {"fd", "stdin", "stdout", "stderr"}) {
      std::error_code failure;
      const fs::path link = fs::read_symlink(machine / name, failure);
      if (!failure) fs::create_symlink(link, target / name, failure);
    }
    if (is_mount_folder(machine / "shm")) {
      make_folder(target / "shm", 0700);
      ::chmod((target / "shm").c_str(), 01777);
    }
    if (is_device(machine / "pts/ptmx")) {
      make_folder(target / "pts", 0755);
      mount_or_fail("devpts", target / "pts", MS_NOSUID | MS_NOEXEC,
                    "newinstance,ptmxmode=0666,mode=0620", "/dev/pts");
      std::error_code ignored;
      fs::create_symlink("pts/ptmx", target / "ptmx", ignored);
    }
  }

  // Our own state is none of what is rehearsed, and the layers lie in it.
  void hide() const {
    const fs::path cover = order_.layers / "cover";
    make_folder(cover, 0755);
    const fs::path hidden = resolved_in_root(view_, order_.hidden, LastLink::follow);
    if (::mount(cover.c_str(), hidden.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      fail(format("cannot hide {}", in_quotes(order_.hidden)), errno);
    }
    for (const std::string& folder : order_.folders) {
      make_directories(resolved_in_root(view_, folder), 0700);
    }
    for (const ShownFile& file : order_.shown) {
      const fs::path target = resolved_in_root(view_, file.path);
      make_directories(target.parent_path(), 0700);
      make_empty_file(target);
      bind_read_only(file.from, target, file.path);
    }
  }

  void forbid_services() const {
    const fs::path file = resolved_in_root(view_, service_policy_file);
    if (is_mount_folder(file.parent_path())) write_plainly(file, "#!/bin/sh\nexit 101\n", 0755);
  }

  const SandboxSpec& order_;
  fs::path view_;
};

}  // namespace

fs::path upper_layer(const fs::path& layers, std::size_t index) {
  return layers / concat("upper-", index);
}

fs::path view_root(const fs::path& layers) {
  return layers / "view";
}

Overlaid mount_view(const SandboxSpec& order) {
  return Builder(order).run();
}

}  // namespace topsctl
