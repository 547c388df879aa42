// dpkg's version and its frontend lock.
#include "topsctl/host/debian/dpkg.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct DpkgHost : SampleHost {
  DpkgHost() { folder.write("var/lib/dpkg/status", ""); }
};

TEST(DpkgVersion, IsWhatDpkgSays) {
  SampleHost sample;
  sample.runner.on_run = [](const Command&) {
    RunResult result;
    result.status = 0;
    result.output = "Debian 'dpkg' package management program version 1.19.7 (amd64).\nmore\n";
    return result;
  };
  EXPECT_EQ(dpkg_version(sample.host), "1.19.7");
  EXPECT_THAT(sample.runner.commands.at(0).argv, ElementsAre("dpkg", "--version"));
}

TEST(DpkgVersion, ThatIsNotSaidMakesAHostUnfit) {
  SampleHost sample;
  sample.runner.on_run = [](const Command&) {
    RunResult result;
    result.status = 127;
    return result;
  };
  EXPECT_EQ(thrown_by([&] { dpkg_version(sample.host); }).code(), ErrorCode::host_unfit);
}

// A child that holds the lock until its input ends.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& file) {
    int go[2];
    int ready[2];
    if (::pipe2(go, O_CLOEXEC) != 0 || ::pipe2(ready, O_CLOEXEC) != 0) throw std::runtime_error("");
    child_ = ::fork();
    if (child_ == 0) {
      ::close(go[1]);
      const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT, 0640);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      const char state = ::fcntl(descriptor, F_SETLK, &lock) == 0 ? 'y' : 'n';
      char byte = 0;
      if (::write(ready[1], &state, 1) != 1 || ::read(go[0], &byte, 1) != 0) ::_exit(1);
      ::_exit(0);
    }
    ::close(go[0]);
    ::close(ready[1]);
    go_ = Descriptor(go[1]);
    const Descriptor answer(ready[0]);
    char state = 'n';
    if (::read(answer.get(), &state, 1) != 1 || state != 'y') throw std::runtime_error("no lock");
  }
  ~Holder() { let_go(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void let_go() {
    if (!go_.is_open()) return;
    go_.close();
    ::waitpid(child_, nullptr, 0);
  }
  pid_t pid() const { return child_; }

 private:
  pid_t child_ = -1;
  Descriptor go_;
};

TEST(FrontendLocks, AreTakenWhenNobodyHoldsThem) {
  const DpkgHost sample;
  const DpkgFrontendLock lock(sample.host, 0, [](const std::string&) { FAIL(); });
  EXPECT_EQ(lock.waited_for(), "");
  EXPECT_EQ(lock.waited_ms(), 0);
}

TEST(FrontendLocks, NameTheirHolderWhenTheyAreBusy) {
  const DpkgHost sample;
  const Holder holder(sample.folder / "var/lib/dpkg/lock-frontend");
  std::vector<std::string> told;
  const Error error = thrown_by([&] {
    const DpkgFrontendLock lock(sample.host, 0,
                                [&](const std::string& who) { told.push_back(who); });
  });
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.message(), HasSubstr(concat("(pid ", holder.pid(), ")")));
  EXPECT_THAT(error.hint(), HasSubstr("--lock-timeout"));
  EXPECT_THAT(told, ElementsAre(HasSubstr(concat("(pid ", holder.pid(), ")"))));
}

TEST(FrontendLocks, AreTakenOnceTheirHolderLetsGo) {
  const DpkgHost sample;
  Holder holder(sample.folder / "var/lib/dpkg/lock-frontend");
  const DpkgFrontendLock lock(sample.host, 60'000, [&](const std::string&) { holder.let_go(); });
  EXPECT_THAT(lock.waited_for(), HasSubstr(concat("(pid ", holder.pid(), ")")));
}

TEST(FrontendLocks, KeepOthersOut) {
  const DpkgHost sample;
  const DpkgFrontendLock lock(sample.host, 0, [](const std::string&) {});
  EXPECT_THROW(Holder(sample.folder / "var/lib/dpkg/lock-frontend"), std::runtime_error);
}

TEST(FrontendLocks, FollowNoLink) {
  const DpkgHost sample;
  std::filesystem::create_symlink("target", sample.folder / "var/lib/dpkg/lock-frontend");
  thrown_by([&] { const DpkgFrontendLock lock(sample.host, 0, [](const std::string&) {}); });
  EXPECT_FALSE(std::filesystem::exists(sample.folder / "var/lib/dpkg/target"));
}

}  // namespace
}  // namespace topsctl
