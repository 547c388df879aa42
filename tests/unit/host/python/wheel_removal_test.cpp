// Taking an installed wheel away: all of it, and nothing of others.
#include "topsctl/host/python/wheel_removal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class RemovedWheels : public testing::Test {
 protected:
  RemovedWheels() {
    for (const char* file : {"site/a/__init__.py", "site/a/deep/er.py", "site/a-1.dist-info/RECORD",
                             "site/a-1.dist-info/unlisted", "site/b.py", "bin/a",
                             "site/a/__pycache__/__init__.cpython-38.pyc",
                             "site/a/__pycache__/__init__.cpython-38.opt-1.pyc"}) {
      sample_.folder.write(file, "x");
    }
    wheel_.site_directory = "/site";
    wheel_.dist_info = "a-1.dist-info";
    wheel_.files = {"a/__init__.py", "a/deep/er.py", "a/gone.py", "../bin/a",
                    "a-1.dist-info/RECORD"};
  }
  WheelRemoval remove(const std::set<std::string>& kept = {}) {
    const InstallScheme scheme = {"/bin/python", "/site", "/site", "/bin", "/prefix", "/include"};
    return remove_installed_wheel(sample_.host, wheel_, scheme, "cpython-38", kept);
  }
  bool exists(const char* path) const {
    return fs::exists(fs::symlink_status(sample_.folder / path));
  }

  SampleHost sample_;
  InstalledWheel wheel_;
};

TEST_F(RemovedWheels, AreGoneWithTheirByteCodeAndFolders) {
  const WheelRemoval removal = remove();
  EXPECT_EQ(removal.files, 4U);
  EXPECT_THAT(removal.left, IsEmpty());
  EXPECT_FALSE(exists("site/a"));
  EXPECT_FALSE(exists("site/a-1.dist-info"));
  EXPECT_FALSE(exists("bin/a"));
  EXPECT_TRUE(exists("bin")) << "a folder of the scheme";
  EXPECT_TRUE(exists("site/b.py"));
}

TEST_F(RemovedWheels, LeaveFoldersThatHoldMore) {
  sample_.folder.write("site/a/settings.ini", "mine");
  remove();
  EXPECT_TRUE(exists("site/a/settings.ini"));
  EXPECT_FALSE(exists("site/a/__init__.py"));
  EXPECT_FALSE(exists("site/a/deep"));
}

TEST_F(RemovedWheels, LeaveWhatTheNextVersionReplaces) {
  remove({"/site/a/__init__.py"});
  EXPECT_TRUE(exists("site/a/__init__.py"));
  EXPECT_FALSE(exists("site/a/__pycache__")) << "byte code of the old one";
}

TEST_F(RemovedWheels, NeverTakeWhatLiesElsewhere) {
  sample_.folder.write("etc/passwd", "root");
  sample_.folder.write("elsewhere/x.py", "theirs");
  fs::create_directory_symlink("/elsewhere", sample_.folder / "site/link");
  wheel_.files = {"../etc/passwd", "/etc/passwd", "link/x.py", "../../../../etc/passwd"};
  EXPECT_THAT(remove().left,
              ElementsAre("/etc/passwd", "/etc/passwd", "/elsewhere/x.py", "/etc/passwd"));
  EXPECT_TRUE(exists("etc/passwd"));
  EXPECT_TRUE(exists("elsewhere/x.py"));
}

TEST_F(RemovedWheels, TakeALinkAndNotWhatItLeadsTo) {
  sample_.folder.write("elsewhere/x.py", "theirs");
  fs::create_symlink("/elsewhere/x.py", sample_.folder / "site/l.py");
  wheel_.files = {"l.py"};
  EXPECT_EQ(remove().files, 1U);
  EXPECT_FALSE(exists("site/l.py"));
  EXPECT_TRUE(exists("elsewhere/x.py"));
}

TEST(ByteCode, LiesBesidePythonFilesOnly) {
  EXPECT_THAT(
      byte_code_of("/s/a.py", "cpython-38"),
      ElementsAre("/s/__pycache__/a.cpython-38.pyc", "/s/__pycache__/a.cpython-38.opt-1.pyc",
                  "/s/__pycache__/a.cpython-38.opt-2.pyc"));
  EXPECT_THAT(byte_code_of("/s/a.so", "cpython-38"), IsEmpty());
  EXPECT_THAT(byte_code_of("/s/a.py", ""), IsEmpty());
}

}  // namespace
}  // namespace topsctl
