// Unpacking members: all of them, each as RECORD says, or an error.
#include "host/python/wheel_members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/open_zip.hpp"
#include "support/sample_wheel.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

class MembersOfWheels : public testing::Test {
 protected:
  void unpack() {
    const OpenZip zip("a.whl", zip_bytes(members_));
    folder_.make_folder("out");
    std::vector<MemberToUnpack> wanted;
    for (const ZipEntry& entry : zip.reader().entries()) {
      wanted.push_back(
          {&entry, folder_ / ("out/" + entry.path), entry.path == "b" ? 0755U : 0644U});
    }
    unpack_members(zip.reader(), wanted, record_claims(record_, "a.whl"));
  }
  std::string refusal() {
    const Error error = thrown_by([&] { unpack(); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    return error.message();
  }

  TemporaryFolder folder_;
  std::vector<Member> members_ = {{"a", std::string(700'000, 'a')}, {"b", "bytes"}};
  std::string record_ =
      SampleWheel::record_line(members_[0]) + "./" + SampleWheel::record_line(members_[1]);
};

TEST_F(MembersOfWheels, AreUnpackedWithTheirModes) {
  unpack();
  EXPECT_EQ(folder_.read("out/a"), members_[0].bytes);
  EXPECT_EQ(folder_.read("out/b"), "bytes");
  struct stat status {};
  ::stat((folder_ / "out/b").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
  ::stat((folder_ / "out/a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777U, 0644U);
}

TEST_F(MembersOfWheels, ThatAreNotWhatRecordSaysAreRefused) {
  members_[1].bytes = "Bytes";
  EXPECT_THAT(refusal(), HasSubstr("'b' does not match RECORD: its sha256 differs"));
}

TEST_F(MembersOfWheels, ThatRecordDoesNotListAreRefused) {
  members_.push_back({"c", ""});
  EXPECT_THAT(refusal(), HasSubstr("'c' is not listed in RECORD"));
  record_ += "c,,\n";
  std::filesystem::remove_all(folder_ / "out");
  EXPECT_THAT(refusal(), HasSubstr("'c' has no digest in RECORD"));
}

TEST_F(MembersOfWheels, ThatAreThereTwiceAreRefused) {
  members_.push_back(members_[1]);
  EXPECT_THAT(refusal(), HasSubstr("'b' is duplicated"));
}

TEST_F(MembersOfWheels, NeverFollowALinkInTheirPlace) {
  folder_.write("other", "as it was");
  folder_.make_folder("out");
  std::filesystem::create_symlink(folder_ / "other", folder_ / "out/b");
  EXPECT_THAT(refusal(), HasSubstr("is duplicated"));
  EXPECT_EQ(folder_.read("other"), "as it was");
}

}  // namespace
}  // namespace topsctl
