// Holds a throw-away view by a child process, and runs programs in it.
#include "topsctl/host/filesystem/overlay_sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/mounts.hpp"
#include "topsctl/host/system/call_filter.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/memory.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/root_path.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t patience_ms = 60'000;  // for mounting; a server may not answer
constexpr int own_namespaces =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

void say(const Pipe& pipe, const std::string& line) {
  const std::string text = concat(printable(line), "\n");
  static_cast<void>(!::write(pipe.write_end.get(), text.data(), text.size()));
}

// The first process of the view: mounts it, and stays as long as topsctl holds its end of `alive`.
// It says "ready" with a mark for each mount, or "failed" and why.
int hold_view(const SandboxSpec& order, Pipe& report, Pipe& alive) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::signal(SIGCHLD, SIG_IGN);  // orphans of the view become ours, and need no burial
  alive.write_end.close();
  try {
    if (!can_filter_calls())
      throw Error(ErrorCode::host_unfit, "this kernel cannot filter system calls (seccomp)");
    std::string marks;
    for (const bool is_overlay : mount_view(order)) marks += is_overlay ? 'o' : '-';
    say(report, concat("ready ", marks));
  } catch (const Error& error) {
    say(report, concat("failed ", error.message()));
    return 1;
  }
  report.write_end.close();
  pollfd topsctl = {alive.read_end.get(), POLLIN, 0};
  while (::poll(&topsctl, 1, -1) <= 0) {
  }
  return 0;
}

// Only children of who asks for a process namespace are in it: this one stays between.
// `ended` closes when it ends.
int part_from_machine(const SandboxSpec& order, Pipe& report, Pipe& alive, Pipe& ended) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  alive.write_end.close();
  if (::unshare(own_namespaces) != 0) {
    say(report,
        concat("failed ", format("cannot create mount, PID, network, IPC and UTS namespaces: {}",
                                 std::strerror(errno))));
    return 1;
  }
  const pid_t holder = start_copy([&] {
    ended.write_end.close();
    return hold_view(order, report, alive);
  });
  say(report, concat("pid ", holder));
  report.write_end.close();
  int status = 0;
  while (::waitpid(holder, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

// Puts every program into the enclosure.
class EnclosedRunner : public ProcessRunner {
 public:
  explicit EnclosedRunner(const Enclosure& enclosure) : enclosure_(enclosure) {}
  RunResult run(const Command& command) override {
    Command enclosed = command;
    enclosed.enclosure = &enclosure_;
    return runner_.run(enclosed);
  }

 private:
  const Enclosure& enclosure_;
  SystemRunner runner_;
};

Descriptor opened(const fs::path& path, int flags) {
  Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC));
  if (!descriptor.is_open()) {
    throw system_error(errno, "open", path.string(), ErrorCode::host_unfit);
  }
  return descriptor;
}

// The process that holds a view, and the way to it.
class Holder {
 public:
  explicit Holder(const SandboxSpec& order) {
    Pipe report = make_pipe();
    Pipe alive = make_pipe();
    Pipe ended = make_pipe();
    child_ = start_copy([&] { return part_from_machine(order, report, alive, ended); });
    ended_ = std::move(ended.read_end);
    ended.write_end.close();  // or the child's end would not be seen before ours is closed
    alive_ = std::move(alive.write_end);
    alive.read_end.close();
    report.write_end.close();
    try {
      listen(report.read_end);
      enter(order);
    } catch (...) {
      end();
      throw;
    }
  }
  ~Holder() { end(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  // Where a path of ours lies in the view's namespace of mounts.
  fs::path inside(const fs::path& path) const {
    return concat("/proc/", pid_, "/root", fs::absolute(path).string());
  }
  bool is_overlay(std::size_t mount) const { return marks_.at(mount) == 'o'; }
  const Enclosure& enclosure() const { return enclosure_; }

 private:
  void listen(const Descriptor& report) {
    std::string said;  // by two processes, in any order
    const WaitLimit limit(patience_ms);
    while (marks_.empty() || pid_.empty()) {
      const bool is_in_time = wait_for({report.get()}, limit);
      throw_if_interrupted();
      if (!is_in_time) throw Error(ErrorCode::host_unfit, "mounting the sandbox timed out");
      std::array<char, 4096> bytes{};
      const ssize_t got = ::read(report.get(), bytes.data(), bytes.size());
      if (got <= 0) throw Error(ErrorCode::host_unfit, "the sandbox process has ended");
      said.append(bytes.data(), static_cast<std::size_t>(got));
      for (std::size_t end = said.find('\n'); end != std::string::npos; end = said.find('\n')) {
        take(said.substr(0, end));
        said.erase(0, end + 1);
      }
    }
  }

  void take(const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(std::min(space + 1, line.size()));
    if (word == "failed") throw Error(ErrorCode::host_unfit, printable(rest));
    if (word == "pid") pid_ = rest;
    if (word == "ready") marks_ = rest;
  }

  void enter(const SandboxSpec& order) {
    const std::string namespaces = concat("/proc/", pid_, "/ns/");
    enclosure_.processes = opened(namespaces + "pid", O_RDONLY);
    enclosure_.mounts = opened(namespaces + "mnt", O_RDONLY);
    enclosure_.network = opened(namespaces + "net", O_RDONLY);
    enclosure_.messages = opened(namespaces + "ipc", O_RDONLY);
    enclosure_.names = opened(namespaces + "uts", O_RDONLY);
    enclosure_.root = opened(inside(view_root(order.layers)), O_PATH | O_DIRECTORY);
  }

  void end() {
    enclosure_ = {};
    alive_.close();
    if (child_ < 0) return;
    // One that is not ready may wait for a server that does not answer. A ready one ends by itself,
    // after everything that runs in the view.
    if (marks_.empty()) ::kill(child_, SIGKILL);
    // A container may lack a first process that buries orphans: some of the view then never ends.
    if (!has_ended_within(10'000)) {
      ::kill(child_, SIGKILL);
      has_ended_within(1'000);
    }
    child_ = -1;
  }

  // A signal to us does not shorten it.
  bool has_ended_within(std::int64_t milliseconds) const {
    pollfd watched = {ended_.get(), POLLIN, 0};
    const WaitLimit limit(milliseconds);
    while (::poll(&watched, 1, limit.poll_timeout()) < 0 && errno == EINTR) {
    }
    if (watched.revents == 0) return false;
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    return true;
  }

  pid_t child_ = -1;
  std::string pid_;  // of the view's first process, as we see it
  std::string marks_;
  Descriptor alive_;
  Descriptor ended_;  // readable when the child has ended
  Enclosure enclosure_;
};

bool is_same_or_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(concat(folder, "/"));
}

}  // namespace

class OverlaySandbox::Parts {
 public:
  Parts(const Host& machine, const OverlayRequest& request)
      : machine_(machine), folder_(machine, request.layers), hidden_(request.hidden) {
    order_.root = fs::absolute(machine.root);
    order_.layers = fs::absolute(folder_.path);
    const auto mountinfo = read_text_if_present("/proc/self/mountinfo");
    if (!mountinfo) throw Error(ErrorCode::host_unfit, "/proc is not mounted");
    std::vector<std::string> written;
    for (const std::string& path : request.written) {
      written.push_back(canonical_in_root(machine.root, path));
    }
    hidden_ = canonical_in_root(machine.root, hidden_, LastLink::follow);
    order_.mounts = view_mounts(all_mounts(machine, *mountinfo), written, hidden_);
    order_.hidden = request.hidden;
    order_.shown = request.shown;
    order_.folders = request.folders;
    start(request.needed_bytes);
    view_ = machine;
    view_.root = holder_->inside(view_root(order_.layers));
    view_.runner = &runner_.emplace(holder_->enclosure());
  }

  const Host& view() const { return view_; }
  LayerStore store() const { return order_.store; }
  std::uint64_t room() const { return topsctl::free_bytes(holder_->inside(order_.layers)); }

  std::vector<MountChanges> changes() const {
    std::vector<MountChanges> all;
    const std::string policy = canonical_in_root(machine_.root, service_policy_file);
    for (std::size_t i = 0; i < order_.mounts.size(); ++i) {
      if (!holder_->is_overlay(i)) continue;
      const std::string& mount = order_.mounts[i].path;
      MountChanges found{mount, read_upper_layer(holder_->inside(upper_layer(order_.layers, i)),
                                                 machine_.join_canonical(mount))};
      for (LayerChange& change : found.changes) {
        if (mount != "/") change.path = concat(mount, change.path);
      }
      std::erase_if(found.changes, [&](const LayerChange& change) {
        return change.path == policy || is_same_or_below(change.path, hidden_);
      });
      all.push_back(std::move(found));
    }
    return all;
  }

 private:
  // The folder of the layers, gone when the view is.
  struct Folder {
    Folder(const Host& host, const std::string& layers) : path(host.resolve(layers)) {
      remove_layers(host, layers);
      make_directories(path, 0700);
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path;
  };

  void start(std::uint64_t needed) {
    std::vector<std::string> reasons;
    bool lacks_only_room = true;
    const auto attempt = [&](LayerStore store, const char* place, std::uint64_t room) {
      if (room < needed) {
        reasons.push_back(
            format("{}: {} needed, {} available", place, human_size(needed), human_size(room)));
        return false;
      }
      order_.store = store;
      order_.most_memory = room;
      try {
        holder_.emplace(order_);
        return true;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::host_unfit) throw;
        lacks_only_room = false;
        reasons.push_back(concat(place, ": ", error.message()));
        return false;
      }
    };
    if (attempt(LayerStore::disk, "with layers on disk", topsctl::free_bytes(order_.layers)))
      return;
    if (attempt(LayerStore::memory, "with layers in memory", spare_memory() / 2)) return;
    throw Error(lacks_only_room ? ErrorCode::no_space : ErrorCode::host_unfit,
                joined(reasons, "; "));
  }

  const Host& machine_;
  Folder folder_;
  std::string hidden_;
  SandboxSpec order_;
  std::optional<Holder> holder_;
  std::optional<EnclosedRunner> runner_;
  Host view_;
};

OverlaySandbox::OverlaySandbox(const Host& host, const OverlayRequest& request)
    : parts_(std::make_unique<Parts>(host, request)) {}

OverlaySandbox::~OverlaySandbox() = default;

const Host& OverlaySandbox::host() const {
  return parts_->view();
}

LayerStore OverlaySandbox::store() const {
  return parts_->store();
}

std::vector<MountChanges> OverlaySandbox::changes() const {
  return parts_->changes();
}

std::uint64_t OverlaySandbox::free_bytes() const {
  return parts_->room();
}

void remove_layers(const Host& host, const std::string& layers) {
  std::error_code ignored;
  fs::remove_all(host.resolve(layers), ignored);
}

}  // namespace topsctl
