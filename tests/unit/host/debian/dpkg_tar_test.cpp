// Entry types that dpkg takes and does not take, whatever pieces they come in.
#include "host/debian/dpkg_tar.hpp"

#include <gmock/gmock.h>

#include "support/archives.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

std::string passed(const std::string& tar, std::size_t step) {
  struct Steps : Source {
    std::string_view left;
    std::size_t step = 1;
    std::string_view piece() override {
      const std::string_view bytes = left.substr(0, step);
      left.remove_prefix(bytes.size());
      return bytes;
    }
  } steps;
  steps.left = tar;
  steps.step = step;
  DpkgTar watched(steps, "a.deb");
  return whole_text(watched, UINT64_MAX, "a.deb");
}

TEST(DpkgTars, PassOnWhatDpkgTakes) {
  const std::string tar = tar_bytes({{"./", "", '5'},
                                     {"./a", std::string(1500, 'x')},
                                     {"./b", "", '2', "a"},
                                     {"./c", "", '1', "./a"},
                                     {"./d", std::string(512, 'S')}});
  for (const std::size_t step : {1U, 7U, 512U, 100'000U}) EXPECT_EQ(passed(tar, step), tar);
}

TEST(DpkgTars, AreRefusedForOtherTypes) {
  for (const char type : {'S', 'M', 'Z', '7', 'V'}) {
    const std::string tar = tar_bytes({{"./a", std::string(700, 'x')}, {"./odd", "x", type}});
    for (const std::size_t step : {3U, 512U, 100'000U}) {
      const Error error = thrown_by([&] { passed(tar, step); });
      EXPECT_EQ(error.code(), ErrorCode::bad_package);
      EXPECT_THAT(error.message(), HasSubstr("'./odd' is an entry of type '"));
    }
  }
}

TEST(DpkgTars, AreNotJudgedWhereHeadersCannotBeFollowed) {
  std::string tar = tar_bytes({{"./a", "x"}, {"./odd", "x", 'Z'}});
  tar[1] = '#';  // the checksum of the first header is wrong now
  EXPECT_EQ(passed(tar, 100), tar);
  EXPECT_EQ(passed("no tar", 100), "no tar");
}

TEST(DpkgTars, HaveSizesInBase256) {
  // 8 GiB of data: the header that would be a fault lies within it.
  std::string tar = tar_bytes({{"./a", ""}});
  tar.resize(512);
  tar.replace(124, 12, std::string("\x80\0\0\0\0\0\0\2\0\0\0\0", 12));
  tar.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : tar) sum += static_cast<unsigned char>(c);
  std::string digits(6, '0');
  for (std::size_t i = 6; i-- > 0; sum /= 8) digits[i] = static_cast<char>('0' + sum % 8);
  tar.replace(148, 8, digits + std::string("\0 ", 2));
  tar += tar_bytes({{"./odd", "x", 'Z'}});
  EXPECT_EQ(passed(tar, 512), tar);
}

}  // namespace
}  // namespace topsctl
