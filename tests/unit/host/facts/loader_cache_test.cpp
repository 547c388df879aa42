// The loader's cache: both forms, every damage, and what is done without one.
#include "topsctl/host/facts/loader_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/programs.hpp"
#include "support/sample_host.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t x86_64 = 0x0303;
constexpr std::uint32_t i386 = 0x0003;

struct Entry {
  std::uint32_t flags;
  std::string soname;
  std::string path;
};

void put(std::string& bytes, std::uint32_t number) {
  std::string piece(sizeof number, '\0');
  std::memcpy(piece.data(), &number, sizeof number);
  bytes += piece;
}

// As ldconfig --format=new writes it.
std::string cache(const std::vector<Entry>& entries) {
  std::string strings;
  std::string table;
  const auto start = static_cast<std::uint32_t>(48 + entries.size() * 24);
  const auto add = [&](const std::string& text) {
    const auto at = static_cast<std::uint32_t>(start + strings.size());
    strings += text;
    strings.push_back('\0');
    return at;
  };
  for (const Entry& entry : entries) {
    put(table, entry.flags);
    put(table, add(entry.soname));
    put(table, add(entry.path));
    table += std::string(12, '\0');
  }
  std::string bytes = "glibc-ld.so.cache1.1";
  put(bytes, static_cast<std::uint32_t>(entries.size()));
  put(bytes, static_cast<std::uint32_t>(strings.size()));
  return bytes + std::string(20, '\0') + table + strings;
}

std::string sample_cache() {
  return cache({{x86_64, "libtops.so.1", "/opt/tops/lib/libtops.so.1"},
                {i386, "libc.so.6", "/lib/i386-linux-gnu/libc.so.6"},
                {x86_64, "libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"}});
}

// The same after the older form, as ldconfig --format=compat writes it.
std::string after_older_form(const std::string& newer, std::uint32_t entries) {
  std::string bytes = std::string("ld.so-1.7.0") + '\0';
  put(bytes, entries);
  bytes += std::string(entries * 12, '\0');
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes + newer;
}

TEST(LoaderCaches, TellTheLibrariesOfTheArchitecture) {
  const auto libraries = parse_loader_cache(sample_cache());
  ASSERT_TRUE(libraries.has_value());
  EXPECT_THAT(*libraries,
              ElementsAre(CachedLibrary{"libtops.so.1", "/opt/tops/lib/libtops.so.1"},
                          CachedLibrary{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"}));
}

TEST(LoaderCaches, AreFoundAfterTheOlderForm) {
  for (const std::uint32_t entries : {0U, 1U, 2U, 7U}) {
    EXPECT_EQ(parse_loader_cache(after_older_form(sample_cache(), entries)),
              parse_loader_cache(sample_cache()))
        << entries;
  }
}

TEST(LoaderCaches, MayHaveMoreAfterTheirTexts) {
  EXPECT_EQ(parse_loader_cache(sample_cache() + "extension"), parse_loader_cache(sample_cache()));
}

TEST(LoaderCaches, MayBeEmpty) {
  const auto libraries = parse_loader_cache(cache({}));
  ASSERT_TRUE(libraries.has_value());
  EXPECT_THAT(*libraries, IsEmpty());
}

TEST(LoaderCaches, ThatAreCutShortAreNone) {
  for (const std::string& whole : {sample_cache(), after_older_form(sample_cache(), 3)}) {
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(parse_loader_cache(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(LoaderCaches, ThatPointOutsideThemselvesAreNone) {
  for (const std::size_t field : {20U, 24U, 52U, 56U}) {  // both sizes, soname and path
    for (const std::uint32_t wrong : {0xffffffffU, 0x7fffffffU, 1U << 20U}) {
      std::string bytes = sample_cache();
      std::memcpy(bytes.data() + field, &wrong, sizeof wrong);
      EXPECT_FALSE(parse_loader_cache(bytes).has_value()) << field << " " << wrong;
    }
  }
  std::string older = after_older_form(sample_cache(), 1);
  const std::uint32_t many = 0xffffffff;
  std::memcpy(older.data() + 12, &many, sizeof many);
  EXPECT_FALSE(parse_loader_cache(older).has_value());
}

TEST(LoaderCaches, WithAnEmptyTextOrALineEndInItAreNone) {
  EXPECT_FALSE(parse_loader_cache(cache({{x86_64, "", "/a"}})).has_value());
  EXPECT_FALSE(parse_loader_cache(cache({{x86_64, "a", "/a\nb"}})).has_value());
}

TEST(LoaderCaches, SurviveAnyChangeOfOneByte) {
  const std::string whole = after_older_form(sample_cache(), 1);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char wrong : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = wrong;
      const auto libraries = parse_loader_cache(bytes);
      EXPECT_LE(libraries ? libraries->size() : 0, 3U);
    }
  }
}

TEST(LoaderCaches, OfThisMachineAreReadAsLdconfigReadsThem) {
  std::vector<std::string> wanted;
  for (const std::string& line : split(output_of({"ldconfig", "-p"}), '\n')) {
    const auto open = line.find(" (");
    const auto arrow = line.find(" => ");
    if (arrow == std::string::npos || line.find("x86-64") > arrow) continue;
    wanted.push_back(concat(trimmed(line.substr(0, open)), " ", line.substr(arrow + 4)));
  }
  SystemRunner runner;
  SystemClock clock;
  std::vector<std::string> seen;
  for (const CachedLibrary& library : read_libraries({"/", &runner, &clock, {}}))
    seen.push_back(concat(library.soname, " ", library.path));
  EXPECT_EQ(seen, wanted);
}

TEST(Libraries, AreTakenFromTheCache) {
  const SampleHost sample_host;
  sample_host.folder.write("etc/ld.so.cache", sample_cache());
  sample_host.folder.write("usr/lib/libother.so.1", "");
  EXPECT_EQ(read_libraries(sample_host.host).size(), 2U);
}

TEST(Libraries, AreTakenFromTheDefaultFoldersWithoutASoundCache) {
  const SampleHost sample_host;
  sample_host.folder.write("usr/lib/x86_64-linux-gnu/libz.so.1", "");
  sample_host.folder.write("usr/lib/x86_64-linux-gnu/libz.a", "");
  sample_host.folder.write("lib64/ld-linux-x86-64.so.2", "");
  sample_host.folder.write("usr/lib/notes.so", "");
  const auto expected =
      ElementsAre(CachedLibrary{"libz.so.1", "/usr/lib/x86_64-linux-gnu/libz.so.1"},
                  CachedLibrary{"ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"});
  EXPECT_THAT(read_libraries(sample_host.host), expected);
  sample_host.folder.write("etc/ld.so.cache", sample_cache().substr(0, 60));
  EXPECT_THAT(read_libraries(sample_host.host), expected);
}

}  // namespace
}  // namespace topsctl
