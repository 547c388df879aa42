// What was read of packages, carried to another machine.
#include "topsctl/engine/execution/carried_reading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

CarriedReading sample() {
  CarriedReading reading;
  for (const char* name : {"tops-eccl", "tops-sdk"}) {
    Package& package = reading.packages.emplace_back();
    package.path = std::string(name) + ".deb";
    package.name = name;
    package.kind = PackageKind::deb;
    package.files.emplace().push_back({"/usr/lib/\n\xff.so"});
    Contents& contents = reading.contents.emplace_back();
    contents.list_name = "md5sums";
    contents.settings = {{{"A", "1"}, 2}};
  }
  return reading;
}

TEST(CarriedReadings, ArriveAsTheyWere) {
  const CarriedReading reading = parse_carried_reading(to_text(sample()));
  EXPECT_EQ(reading.packages, sample().packages);
  EXPECT_EQ(reading.contents, sample().contents);
}

TEST(CarriedReadings, AreRefusedIfTheyAreNotWhole) {
  const std::string text = to_text(sample());
  CarriedReading uneven = sample();
  uneven.contents.pop_back();
  for (const std::string& wrong : {std::string(), std::string("no hex"),
                                   text.substr(0, text.size() - 2), text + "00", to_text(uneven)}) {
    EXPECT_EQ(thrown_by([&] { parse_carried_reading(wrong); }).code(), ErrorCode::bad_input)
        << wrong;
  }
}

TEST(CarriedReadings, HaveThePayloadsOfThePackagesThatWereChosen) {
  const CarriedReading reading = sample();
  EXPECT_EQ(payloads_in(reading, {reading.packages[1]}).contents.size(), 1U);
  Package other;
  other.path = "another.deb";
  EXPECT_EQ(thrown_by([&] { payloads_in(reading, {other}); }).code(), ErrorCode::bad_input);
}

}  // namespace
}  // namespace topsctl
