// What metadata and names of wheels have that pip refuses.
#include "host/python/wheel_faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> places(const std::vector<std::string>& paths) {
  std::vector<ZipEntry> entries;
  for (const std::string& path : paths) {
    ZipEntry entry;
    entry.raw_path = entry.path = path;
    if (path.ends_with('/')) entry.type = PayloadEntry::Type::directory;
    entries.push_back(entry);
  }
  std::vector<WheelFault> faults;
  add_member_faults(entries, "a-1.dist-info", faults);
  std::vector<std::string> places;
  for (const WheelFault& fault : faults) {
    EXPECT_EQ(fault.finding, "wheel-malformed");
    places.push_back(fault.place);
  }
  return places;
}

TEST(WheelMembers, InTheirPlacesAreSound) {
  EXPECT_THAT(places({"a/b.py", "a/b/c.py", "a-1.data/scripts/a", "a-1.data/purelib/a/d.py", "a/",
                      "a/b.py/", "a-1.dist-info/INSTALLER", std::string(255, 'x')}),
              IsEmpty());
}

TEST(WheelMembers, OfWhichNoInstallerKnowsAPlaceAreFaults) {
  for (const char* path : {"a-1.data/x", "b.data/x", "notes.data", "a-1.data/scripts",
                           "a-1.data/unknown/x", "a-1.data/Scripts/x"}) {
    EXPECT_THAT(places({path}), ElementsAre(path));
  }
}

TEST(WheelMembers, InThePlaceOfADirectoryAreFaults) {
  EXPECT_THAT(places({"a", "a/b/c.py"}), ElementsAre("a"));
  EXPECT_THAT(places({"a/b.py/c", "a/b.py", "a/b.py-x"}), ElementsAre("a/b.py"));
  EXPECT_THAT(places({"a", "a-1.data/purelib/a/b.py"}), ElementsAre("a"));
  EXPECT_THAT(places({"run", "a-1.data/scripts/run/x"}), IsEmpty());
  for (const std::string name : {"INSTALLER", "REQUESTED", "direct_url.json", "RECORD"}) {
    EXPECT_THAT(places({"a-1.dist-info/" + name + "/x"}), ElementsAre("a-1.dist-info/" + name));
  }
}

TEST(WheelMembers, WithNamesThatNoFileSystemTakesAreFaults) {
  EXPECT_THAT(places({"a/" + std::string(256, 'x') + "/b"}), ElementsAre(HasSubstr("a/xxx")));
}

TEST(WheelMembers, ThatAreLinksAreFaults) {
  ZipEntry link;
  link.raw_path = link.path = "a/link";
  link.type = PayloadEntry::Type::symlink;
  std::vector<WheelFault> faults;
  add_member_faults({link}, "a-1.dist-info", faults);
  EXPECT_THAT(faults, ElementsAre(Field(&WheelFault::finding, "wheel-link")));
}

TEST(WheelVersions, AreNumbersAndDots) {
  std::vector<WheelFault> faults;
  for (const char* sound : {"1", "1.0", "1.9.1", "0.1"}) add_version_faults(sound, faults);
  EXPECT_THAT(faults, IsEmpty());
  for (const char* bad : {"", "x", "1.", ".1", "1..0", "v1.0", "1.0 beta", "1,0"}) {
    faults.clear();
    add_version_faults(bad, faults);
    EXPECT_THAT(faults, ElementsAre(Field(&WheelFault::place, "WHEEL"))) << bad;
  }
}

TEST(RecordsOfWheels, WithABlankLineAreFaults) {
  std::vector<WheelFault> faults;
  for (const char* sound : {"", "a,,", "a,,\nb,,\n", "a,,\r\nb,,\r\n", "a,,\rb,,\r", "a,,\n \n"})
    add_record_faults(sound, faults);
  EXPECT_THAT(faults, IsEmpty());
  for (const char* bad : {"\na,,\n", "a,,\n\nb,,\n", "a,,\n\n", "a,,\r\n\r\nb,,", "a,,\r\rb,,"}) {
    faults.clear();
    add_record_faults(bad, faults);
    EXPECT_THAT(faults, ElementsAre(Field(&WheelFault::why, HasSubstr("is blank")))) << bad;
  }
  faults.clear();
  add_record_faults(std::string(131'073, 'x') + ",,\n", faults);
  EXPECT_THAT(faults, ElementsAre(Field(&WheelFault::why, HasSubstr("too long"))));
}

TEST(TextsOfWheels, AreUtf8) {
  std::vector<WheelFault> faults;
  add_text_faults("\xe8\xaf\xb4", "METADATA", faults);
  EXPECT_THAT(faults, IsEmpty());
  add_text_faults("\xe9", "METADATA", faults);
  EXPECT_THAT(faults, ElementsAre(Field(&WheelFault::place, "METADATA")));
}

TEST(WheelFaults, AreAThousandAtMost) {
  std::vector<WheelFault> faults;
  add_record_faults(std::string(5000, '\n'), faults);
  EXPECT_EQ(faults.size(), 1000U);
}

}  // namespace
}  // namespace topsctl
