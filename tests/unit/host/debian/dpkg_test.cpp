// dpkg's database read from hand-written files, and its frontend lock.
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
using testing::IsEmpty;

constexpr const char* status_text = R"(Package: tops-eccl
Status: install ok installed
Architecture: amd64
Version: 2.5.136-1
Description: a
 b
 .
 c

Package: libc6
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 2.31

Package: tops-sdk
Status: install ok half-configured
Architecture: amd64
Version: 2.5.136-1

Package: old
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: gone
Status: purge ok not-installed

Package: kept
Status: hold ok installed
Architecture: all
Version: 3

Package: broken
Status: install reinstreq installed
Architecture: all
Version: 4

Package: waiting
Status: install ok triggers-pending
Architecture: all
Version: 5

Package: nameless-state
Version: 6
)";

struct DpkgHost : SampleHost {
  DpkgHost() { folder.write("var/lib/dpkg/status", status_text); }
};

TEST(DpkgDatabases, TellOfThePackagesThatWereAskedFor) {
  const DpkgHost sample;
  const DpkgDatabase database =
      read_dpkg_database(sample.host, {"tops-eccl", "eccl", "old", "kept", "tops-sdk"});
  EXPECT_EQ(database.wanted.size(), 4U);
  EXPECT_EQ(database.wanted.at("tops-eccl").version, "2.5.136-1");
  EXPECT_EQ(database.wanted.at("tops-eccl").architecture, "amd64");
  EXPECT_EQ(database.wanted.at("old").status, "deinstall ok config-files");
}

TEST(DpkgDatabases, ListEveryPackageThatIsNeitherInstalledNorGone) {
  const DpkgHost sample;
  EXPECT_THAT(
      read_dpkg_database(sample.host, {}).unfinished,
      ElementsAre("tops-sdk (install ok half-configured)", "broken (install reinstreq installed)",
                  "waiting (install ok triggers-pending)", "nameless-state ()"));
}

TEST(DpkgDatabases, HaveTheFileListsWithAndWithoutArchitecture) {
  const DpkgHost sample;
  sample.folder.write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr\n/usr/lib/libeccl.so\n");
  sample.folder.write("var/lib/dpkg/info/tops-eccl.md5sums", "d4  usr/lib/libeccl.so\n");
  sample.folder.write("var/lib/dpkg/info/libc6:amd64.list", "/.\n/lib/libc.so.6\n");
  sample.folder.write("var/lib/dpkg/info/libc6:amd64.md5sums", "d5  lib/libc.so.6\n");
  const auto wanted = read_dpkg_database(sample.host, {"tops-eccl", "libc6", "kept"}).wanted;
  EXPECT_THAT(wanted.at("tops-eccl").files, ElementsAre("/.", "/usr", "/usr/lib/libeccl.so"));
  EXPECT_EQ(wanted.at("tops-eccl").md5sums, "d4  usr/lib/libeccl.so\n");
  EXPECT_THAT(wanted.at("libc6").files, ElementsAre("/.", "/lib/libc.so.6"));
  EXPECT_EQ(wanted.at("libc6").md5sums, "d5  lib/libc.so.6\n");
  EXPECT_THAT(wanted.at("kept").files, IsEmpty());
}

TEST(DpkgDatabases, AreFoundBehindALink) {
  const SampleHost sample;
  sample.folder.write("srv/dpkg/status", status_text);
  sample.folder.make_folder("var/lib");
  std::filesystem::create_symlink("/srv/dpkg", sample.folder / "var/lib/dpkg");
  EXPECT_EQ(read_dpkg_database(sample.host, {"kept"}).wanted.size(), 1U);
}

TEST(DpkgDatabases, ThatAreMissingMakeAHostUnfit) {
  const SampleHost sample;
  const Error error = thrown_by([&] { read_dpkg_database(sample.host, {}); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("/var/lib/dpkg/status is missing"));
  EXPECT_THAT(error.hint(), HasSubstr("--root"));
}

TEST(InstalledDebs, AreInstalledAndConfigured) {
  const auto with_status = [](const char* status) {
    InstalledDeb deb;
    deb.status = status;
    return is_installed(deb);
  };
  EXPECT_TRUE(with_status("install ok installed"));
  EXPECT_TRUE(with_status("hold ok installed"));
  EXPECT_FALSE(with_status("install ok half-configured"));
  EXPECT_FALSE(with_status("install reinstreq installed"));
  EXPECT_FALSE(with_status("deinstall ok config-files"));
  EXPECT_FALSE(with_status(""));
}

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
