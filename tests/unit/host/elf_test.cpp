// Telling a real library from a stand-in.
#include "topsctl/host/elf.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../support/small_library.hpp"
#include "../support/temporary_folder.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

fs::path libc() {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"}) {
    if (fs::exists(path)) return path;
  }
  return "/usr/lib/libc.so.6";
}

TEST(ElfFiles, OfTheCLibraryExportWhatEverybodyUses) {
  const ElfFacts facts = read_elf(libc());
  EXPECT_TRUE(facts.is_elf64_x86_64) << facts.problem;
  EXPECT_THAT(facts.problem, IsEmpty());
  EXPECT_THAT(facts.exported, Contains("printf"));
  EXPECT_GT(facts.exported.size(), 1000U);
}

TEST(ElfFiles, DoNotExportWhatTheyOnlyImport) {
  const ElfFacts facts = read_elf("/proc/self/exe");
  EXPECT_TRUE(facts.is_elf64_x86_64) << facts.problem;
  EXPECT_THAT(facts.exported, Not(Contains("fork")));
}

TEST(StandIns, AreNamed) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& bytes) {
    const ElfFacts facts = read_elf(folder.write("lib.so", bytes));
    EXPECT_FALSE(facts.is_elf64_x86_64);
    EXPECT_THAT(facts.exported, IsEmpty());
    return facts.problem;
  };
  EXPECT_EQ(problem(""), "no ELF file");
  EXPECT_EQ(problem("placeholder\n"), "no ELF file");
  EXPECT_EQ(problem(std::string("\x7f"
                                "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                                16)),
            "an ELF header cut short");
  std::string header = TemporaryFolder::read_bytes(libc()).substr(0, sizeof(Elf64_Ehdr));
  EXPECT_EQ(problem(header), "an ELF file without sections");
  header[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(problem(header), "an ELF file for another machine");
  header[EI_CLASS] = ELFCLASS64;
  header[18] = static_cast<char>(EM_AARCH64);
  EXPECT_EQ(problem(header), "an ELF file for another machine");
}

TEST(StandIns, ThatAreMissingOrFoldersAreAProblemAndNoCrash) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_elf(folder / "none").problem, HasSubstr("No such file"));
  EXPECT_THAT(read_elf(folder.path()).problem, HasSubstr("Is a directory"));
}

TEST(StandIns, CutShortAreNeverReadBeyondTheirEnd) {
  const TemporaryFolder folder;
  const std::string whole = TemporaryFolder::read_bytes(libc());
  for (std::size_t part = 0; part < 12; ++part) {
    const ElfFacts facts =
        read_elf(folder.write("cut.so", whole.substr(0, whole.size() * part / 12)));
    EXPECT_FALSE(facts.is_elf64_x86_64) << part;
  }
}

TEST(SmallLibraries, AreReadAndSurviveEveryChangedByte) {
  const TemporaryFolder folder;
  const std::string whole = small_library();
  EXPECT_THAT(read_elf(folder.write("lib.so", whole)).exported,
              testing::ElementsAre("ecclGetVersion"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = value;
      read_elf(folder.write("lib.so", bytes));
    }
  }
}

}  // namespace
}  // namespace topsctl
