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
  for (const char type : {'S', 'M', 'Z', '7', 'V', 'x', 'g'}) {
    const std::string tar = tar_bytes({{"./a", std::string(700, 'x')}, {"./odd", "x", type}});
    for (const std::size_t step : {3U, 512U, 100'000U}) {
      const Error error = thrown_by([&] { passed(tar, step); });
      EXPECT_EQ(error.code(), ErrorCode::bad_package);
      EXPECT_THAT(error.message(), HasSubstr("'./odd' is an entry of the unsupported type"));
    }
  }
}

std::string refusal_of_tar(const std::string& tar) {
  return thrown_by([&] { passed(tar, 100); }).message();
}

TEST(DpkgTars, AreRefusedForHeadersThatAreDamagedOrCut) {
  std::string tar = tar_bytes({{"./a", "x"}, {"./b", "x"}});
  tar[1] = '#';  // the checksum of the first header is wrong now
  EXPECT_THAT(refusal_of_tar(tar), HasSubstr("is damaged"));
  EXPECT_THAT(refusal_of_tar("no tar"), HasSubstr("ends within an entry"));
  const std::string whole = tar_bytes({{"./a", "x"}, {"./b", "x"}});
  for (const std::size_t kept : {100U, 512U, 600U, 1200U}) {
    EXPECT_THAT(refusal_of_tar(whole.substr(0, kept)), HasSubstr("ends within an entry")) << kept;
  }
}

TEST(DpkgTars, EndWhereDpkgEndsThem) {
  // A header without a name is the end, whatever else is in it.
  const std::string tar = tar_bytes({{"./a", "x"}}) + "text that nobody reads";
  EXPECT_EQ(passed(tar, 100), tar);
  EXPECT_EQ(passed("", 100), "");
}

// The header with other bytes at a place, and the checksum that goes with them.
std::string with_bytes(std::string tar, std::size_t at, const std::string& bytes) {
  tar.replace(at, bytes.size(), bytes);
  tar.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : tar.substr(0, 512)) sum += static_cast<unsigned char>(c);
  return tar.replace(148, 8, detail::octal(sum, 6) + std::string("\0 ", 2));
}

TEST(DpkgTars, AreRefusedForNumbersThatAreNone) {
  const std::string tar = tar_bytes({{"./a", "x"}});
  EXPECT_EQ(with_bytes(tar, 0, "./a"), tar);
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 124, "0000000000x")),
              HasSubstr("size of entry './a'"));
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 124, std::string(12, ' '))),
              HasSubstr("size of entry"));
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 124, std::string(12, '\xff'))),
              HasSubstr("size of entry"));
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 136, "-0000000001")), HasSubstr("mtime of entry"));
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 108, "root")), HasSubstr("uid of entry"));
  EXPECT_THAT(refusal_of_tar(with_bytes(tar, 116, "\x80\xff\xff\xff\xff\xff\xff\xff")),
              HasSubstr("gid of entry"));
  for (const auto& [at, bytes] :
       {std::pair(136U, std::string(12, '\xff')),  // before 1970
        std::pair(136U, std::string(12, '\0')), std::pair(100U, std::string("rw-r--r-")),
        std::pair(124U, std::string("          1"))}) {
    const std::string odd = with_bytes(tar, at, bytes);
    EXPECT_EQ(passed(odd, 100), odd) << at;
  }
}

TEST(DpkgTars, AreRefusedForNamesAndLinksThatDpkgCannotMake) {
  EXPECT_THAT(refusal_of_tar(tar_bytes({{"", "x"}})), HasSubstr("without a name"));
  EXPECT_THAT(refusal_of_tar(tar_bytes({{"./a\nb", "x"}})), HasSubstr("contains a line break"));
  EXPECT_THAT(refusal_of_tar(tar_bytes({{"./l", "", '2', ""}})), HasSubstr("no target"));
  const auto named = [](std::size_t length) {
    return tar_bytes(
        {{"././@LongLink", "./" + std::string(length, 'n') + '\0', 'L'}, {"./n", "x"}});
  };
  EXPECT_EQ(passed(named(246), 100), named(246));
  EXPECT_THAT(refusal_of_tar(named(247)), HasSubstr("247 bytes, at most 246"));
}

TEST(DpkgTars, OfTheControlArchiveAreGnuTars) {
  const auto judge = [](const std::string& tar) {
    const auto source = text_source(tar);
    DpkgTar watched(*source, "a.deb", DpkgTar::Archive::control);
    return whole_text(watched, UINT64_MAX, "a.deb");
  };
  const std::string tar = tar_bytes({{"./a", "x", 'x'}, {"./b", "x", 'Z'}});
  EXPECT_EQ(judge(tar), tar);
  EXPECT_EQ(judge(tar.substr(0, 600)), tar.substr(0, 600)) << "that is for libarchive to judge";
  EXPECT_THAT(thrown_by([&] { judge(with_bytes(tar, 100, "rw-r--r-")); }).message(),
              HasSubstr("mode of entry"));
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
  EXPECT_THAT(refusal_of_tar(tar), HasSubstr("ends within an entry"));
}

}  // namespace
}  // namespace topsctl
