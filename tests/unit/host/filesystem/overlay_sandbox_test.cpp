// Throw-away views of a machine made of a temporary folder.
#include "topsctl/host/filesystem/overlay_sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class OverlaySandboxes : public testing::Test {
 protected:
  OverlaySandboxes() {
    sample_.folder.write("etc/config", "as it was");
    sample_.folder.write("usr/sbin/x", "x");
    sample_.folder.write("var/lib/topsctl/lock", "");
    sample_.folder.write("var/lib/topsctl/layers/left-over", "x");
    sample_.folder.write("package", "bytes of a package");
    request_.hidden = "/var/lib/topsctl";
    request_.layers = "/var/lib/topsctl/layers";
    request_.shown = {{sample_.folder / "package", "/var/lib/topsctl/stage/a.deb"}};
    request_.folders = {"/var/lib/topsctl/tmp"};
  }
  // Nothing where the right to mount is lacking.
  bool make_view() {
    if (!is_root_user()) return false;
    try {
      view_.emplace(sample_.host, request_);
    } catch (const Error& error) {
      why_ = error.message();
      EXPECT_THAT(why_, HasSubstr("not permitted"));  // by a container, say
    }
    return view_.has_value();
  }
  std::string read(const std::string& path) const {
    return read_text(view_->host().resolve_parent(path));
  }

  SampleHost sample_;
  OverlayRequest request_;
  std::optional<OverlaySandbox> view_;
  std::string why_ = "it mounts overlays";
};

TEST_F(OverlaySandboxes, TakeWhatIsWrittenInThePlaceOfTheMachine) {
  if (!make_view()) GTEST_SKIP() << "needs root: " << why_;
  EXPECT_THAT(view_->changes().at(0).changes, IsEmpty());
  write_durably(view_->host().resolve_parent("/etc/config"), "changed", 0644);
  fs::create_directories(view_->host().resolve_parent("/opt/new"));
  const std::vector<LayerChange> changes = view_->changes().at(0).changes;
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].path, "/etc/config");
  EXPECT_EQ(changes[1].path, "/opt");
  EXPECT_EQ(changes[2].path, "/opt/new");
  EXPECT_EQ(read("/etc/config"), "changed");
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_GT(view_->free_bytes(), 0U);
}

TEST_F(OverlaySandboxes, WriteToTheDiskWhereAnOverlayCanLie) {
  if (!make_view()) GTEST_SKIP() << "needs root: " << why_;
  const fs::path upper = sample_.folder / "var/lib/topsctl/layers/upper-0";
  if (view_->store() == LayerStore::memory) GTEST_SKIP() << "temporary folders lie on an overlay";
  write_durably(view_->host().resolve_parent("/etc/config"), "changed", 0644);
  EXPECT_EQ(read_text(upper / "etc/config"), "changed");
}

TEST_F(OverlaySandboxes, HideOurStateAndShowWhatTheyAreTold) {
  if (!make_view()) GTEST_SKIP() << "needs root: " << why_;
  EXPECT_FALSE(fs::exists(view_->host().resolve_parent("/var/lib/topsctl/lock")));
  EXPECT_EQ(read("/var/lib/topsctl/stage/a.deb"), "bytes of a package");
  EXPECT_EQ(thrown_by([&] {
              overwrite(view_->host().resolve_parent("/var/lib/topsctl/stage/a.deb"),
                        sample_.folder / "etc/config");
            }).code(),
            ErrorCode::permission);
  write_durably(view_->host().resolve_parent("/var/lib/topsctl/tmp/x"), "x", 0600);
  EXPECT_THAT(view_->changes().at(0).changes, IsEmpty());
  EXPECT_THAT(read("/usr/sbin/policy-rc.d"), HasSubstr("exit 101"));
}

TEST_F(OverlaySandboxes, LeaveNothingBehind) {
  if (!make_view()) GTEST_SKIP() << "needs root: " << why_;
  EXPECT_FALSE(fs::exists(sample_.folder / "var/lib/topsctl/layers/left-over"));
  write_durably(view_->host().resolve_parent("/etc/config"), "changed", 0644);
  const fs::path root = view_->host().root;
  view_.reset();
  EXPECT_FALSE(fs::exists(sample_.folder / "var/lib/topsctl/layers"));
  EXPECT_FALSE(fs::exists(root));
  EXPECT_FALSE(fs::exists(sample_.folder / "usr/sbin/policy-rc.d"));
}

TEST_F(OverlaySandboxes, NeedRoomForTheirLayers) {
  if (!make_view()) GTEST_SKIP() << "needs root: " << why_;
  view_.reset();
  request_.needed_bytes = 1ULL << 60U;
  const Error error = thrown_by([&] { const OverlaySandbox view(sample_.host, request_); });
  EXPECT_EQ(error.code(), ErrorCode::no_space);
  EXPECT_THAT(error.message(), HasSubstr("with layers on disk"));
  EXPECT_THAT(error.message(), HasSubstr("in memory"));
}

TEST_F(OverlaySandboxes, SayWhatIsNotPossible) {
  if (is_root_user()) GTEST_SKIP() << "needs an ordinary user";
  const Error error = thrown_by([&] { const OverlaySandbox view(sample_.host, request_); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("cannot make namespaces"));
}

}  // namespace
}  // namespace topsctl
