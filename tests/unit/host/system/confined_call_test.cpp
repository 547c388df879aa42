// What confined work can do, what it cannot, and how its end is told.
#include "topsctl/host/system/confined_call.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <thread>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Does the work, and hands back the number that it returns.
int number_from(const std::function<int()>& work) {
  ConfinedCall call;
  call.subject = "sample";
  return std::stoi(call_confined(call, [&](const ConfinedProgress&) { return concat(work()); }));
}

int errno_of(const std::function<long()>& act) {
  return number_from([&] { return act() >= 0 ? 0 : errno; });
}

Error death_by(const std::function<long()>& act) {
  return thrown_by([&] { number_from([&] { return static_cast<int>(act()); }); });
}

TEST(ConfinedCalls, HandBackLongResults) {
  const std::string text = std::string(3'000'000, 'x') + "end";
  ConfinedCall call;
  EXPECT_EQ(call_confined(call, [&](const ConfinedProgress&) { return text; }), text);
  EXPECT_EQ(call_confined(call, [&](const ConfinedProgress&) { return std::string(); }), "");
}

TEST(ConfinedCalls, HandOnErrorsWhole) {
  ConfinedCall call;
  const Error error = thrown_by([&] {
    call_confined(call, [](const ConfinedProgress&) -> std::string {
      throw Error(ErrorCode::bad_package, "message", "hint", {"outer", "inner"});
    });
  });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_EQ(error.message(), "message");
  EXPECT_EQ(error.hint(), "hint");
  EXPECT_THAT(error.context(), ElementsAre("outer", "inner"));
}

TEST(ConfinedCalls, TellOfTheirProgress) {
  std::vector<std::string> files;
  std::uint64_t done = 0;
  ConfinedCall call;
  call.on_file = [&](const std::string& path) { files.push_back(path); };
  call.on_bytes = [&](std::uint64_t bytes, std::uint64_t total) { done = bytes + total; };
  for (const Sandboxing sandboxing : {Sandboxing::on, Sandboxing::off}) {
    call.sandboxing = sandboxing;
    call_confined(call, [](const ConfinedProgress& progress) {
      progress.file("a");
      progress.bytes(3, 4);
      return std::string();
    });
  }
  EXPECT_THAT(files, ElementsAre("a", "a"));
  EXPECT_EQ(done, 7U);
}

TEST(ConfinedCalls, AreDoneByNobodyWithoutPrivileges) {
  std::string status;
  ConfinedCall call;
  call.on_file = [&](const std::string& pid) {
    status = read_text_if_present(concat("/proc/", pid, "/status")).value_or("");
  };
  call.on_warning = [](const std::string& warning) { ADD_FAILURE() << warning; };
  call_confined(call, [](const ConfinedProgress& progress) {
    progress.file(std::to_string(::getpid()));
    // The answer comes when the status was read.
    static_cast<void>(open_input("/none"));
    return std::string();
  });
  EXPECT_THAT(status, AllOf(HasSubstr("NoNewPrivs:\t1\n"), HasSubstr("Seccomp:\t2\n"),
                            HasSubstr("CapEff:\t0000000000000000\n")));
  if (::geteuid() == 0) {
    EXPECT_THAT(status,
                AllOf(HasSubstr("Uid:\t65534\t65534\t65534\t65534\n"),
                      HasSubstr("Gid:\t65534\t65534\t65534\t65534\n"), HasSubstr("Groups:\t \n")));
  }
}

TEST(ConfinedCalls, GetTheirFilesAndNoOthers) {
  const TemporaryFolder folder;
  folder.write("in", "text");
  folder.write("other", "secret");
  ::chmod((folder / "in").c_str(), 0600);
  ConfinedCall call;
  call.inputs = {folder / "in", folder / "gone"};
  call.outputs = {folder / "out", folder / "in"};
  const std::string said = call_confined(call, [&](const ConfinedProgress&) {
    std::string line;
    for (const char* name : {"in", "gone", "other", ".."}) {
      const Descriptor file = open_input(folder / name);
      line += file.is_open() ? "yes " : concat(errno, " ");
    }
    for (const char* name : {"out", "in", "more"}) {
      const Descriptor file = open_new_output(folder / name);
      line += file.is_open() ? concat(::write(file.get(), "made", 4), " ") : concat(errno, " ");
    }
    const Descriptor nameless = open_nameless_file();
    const ssize_t written = ::write(nameless.get(), "x", 1);
    return line + concat(written, ::lseek(nameless.get(), 0, SEEK_CUR));
  });
  EXPECT_EQ(said, format("yes {} {} {} 4 {} {} 11", ENOENT, EACCES, EACCES, EEXIST, EACCES));
  EXPECT_EQ(read_text_if_present(folder / "out"), "made");
  EXPECT_FALSE(std::filesystem::exists(folder / "more"));
}

TEST(ConfinedCalls, GetNoFileThatALinkLeadsToWhereFilesWereFound) {
  const TemporaryFolder folder;
  folder.write("found/a/in", "text");
  folder.write("other/in", "secret");
  std::filesystem::create_symlink(folder / "other", folder / "found/linked");
  std::filesystem::create_symlink(folder / "other/in", folder / "found/a/link");
  std::filesystem::create_symlink(folder / "found", folder / "given");
  ConfinedCall call;
  const std::vector<std::string> names = {"found/a/in", "found/linked/in", "found/a/link"};
  for (const std::string& name : names) call.found_inputs.emplace(folder / name, folder / "found");
  call.found_inputs.emplace(folder / "given/a/in", folder / "given");
  const auto opened = [&](const ConfinedProgress&) {
    std::string line;
    for (const std::string& name : {names[0], names[1], names[2], std::string("given/a/in")})
      line += open_input(folder / name).is_open() ? "yes " : concat(errno, " ");
    return line;
  };
  EXPECT_EQ(call_confined(call, opened), format("yes {} {} yes ", ENOTDIR, ELOOP));
  EXPECT_FALSE(open_input(folder / names[1], folder / "found").is_open());
  EXPECT_FALSE(open_input(folder / names[2], folder / "found").is_open());
  EXPECT_TRUE(open_input(folder / names[2]).is_open());
}

TEST(ConfinedCalls, CannotReachPaths) {
  const TemporaryFolder folder;
  const std::string file = (folder / "file").string();
  EXPECT_EQ(errno_of([] { return ::open("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(errno_of([&] { return ::open(file.c_str(), O_CREAT | O_WRONLY, 0600); }), EACCES);
  EXPECT_EQ(errno_of([] { return ::access("/etc", F_OK); }), EACCES);
  struct stat status {};
  EXPECT_EQ(errno_of([&] { return ::stat("/etc", &status); }), EACCES);
  EXPECT_EQ(errno_of([&] { return ::unlink(file.c_str()); }), EACCES);
  EXPECT_EQ(errno_of([] {
              return ::mmap(nullptr, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                             MAP_FAILED
                         ? -1
                         : 0;
            }),
            EACCES);
}

TEST(ConfinedCalls, HaveNoOtherDescriptors) {
  const TemporaryFolder folder;
  folder.write("held", "secret");
  const Descriptor low(::open((folder / "held").c_str(), O_RDONLY));
  const Descriptor held(::fcntl(low.get(), F_DUPFD_CLOEXEC, 20));
  const int number = held.get();
  EXPECT_EQ(number_from([&] {
              char byte = 0;
              return ::read(number, &byte, 1) < 0 ? errno : 0;
            }),
            EBADF);
}

TEST(ConfinedCalls, MayHaveThreads) {
  EXPECT_EQ(number_from([] {
              auto other = std::async(std::launch::async, [] { return 7; });
              return other.get();
            }),
            7);
}

TEST(ConfinedCalls, DieOfCallsThatNoReaderMakes) {
  static char none[] = "";
  const std::vector<std::pair<const char*, std::function<long()>>> calls = {
      {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }},
      {"connect", [] { return ::connect(3, nullptr, 0); }},
      {"execve", [] { return ::execl("/bin/true", none, nullptr); }},
      {"fork", [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
      {"kill", [] { return ::kill(1, SIGKILL); }},
      {"tgkill", [] { return ::syscall(SYS_tgkill, 1, 1, SIGKILL); }},
      {"ptrace", [] { return ::syscall(SYS_ptrace, 0, 0, 0, 0); }},
      {"mount", [] { return ::syscall(SYS_mount, none, none, none, 0, nullptr); }},
      {"unshare", [] { return ::syscall(SYS_unshare, 0); }},
      {"chmod", [] { return ::syscall(SYS_fchmodat, AT_FDCWD, none, 0777); }},
      {"setuid", [] { return ::syscall(SYS_setuid, 0); }},
      {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
      {"io_uring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
      {"memfd", [] { return ::syscall(SYS_memfd_create, none, 0); }}};
  for (const auto& [name, act] : calls) {
    const Error error = death_by(act);
    EXPECT_EQ(error.code(), ErrorCode::bad_bundle) << name;
    EXPECT_THAT(error.message(), HasSubstr("made a forbidden system call and was stopped")) << name;
  }
  EXPECT_EQ(errno_of([] { return ::syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
}

TEST(ConfinedCalls, ThatCrashAreTold) {
  ConfinedCall call;
  call.subject = "the bundle";
  const Error error = thrown_by([&] {
    call_confined(call, [](const ConfinedProgress& progress) {
      progress.file("a.deb");
      ::raise(SIGILL);
      return std::string();
    });
  });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_EQ(exit_code(error.code()), ExitCode::bad_input);
  EXPECT_EQ(error.message(),
            "cannot read the bundle: the reader process was killed by signal 4 (Illegal "
            "instruction), last at 'a.deb'");
  EXPECT_THAT(error.hint(), HasSubstr("defect of topsctl"));
  const Error early = death_by([]() -> long { ::_exit(0); });
  EXPECT_THAT(early.message(), HasSubstr("ended before it was done"));
}

#ifndef TOPSCTL_SANITIZED
TEST(ConfinedCalls, HaveLittleMemory) {
  const Error error = death_by([] {
    const std::string much(8ULL << 30U, 'x');
    return static_cast<long>(much.size());
  });
  EXPECT_THAT(error.message(), HasSubstr("needs more memory than allowed"));
}
#endif

TEST(ConfinedCalls, AreDoneHereWithoutASandbox) {
  ConfinedCall call;
  call.sandboxing = Sandboxing::off;
  const pid_t here = ::getpid();
  EXPECT_EQ(call_confined(call, [](const ConfinedProgress&) { return concat(::getpid()); }),
            std::to_string(here));
}

}  // namespace
}  // namespace topsctl
