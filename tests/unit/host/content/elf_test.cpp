// What ELF files say of themselves, and telling a real library from a stand-in.
#include "topsctl/host/content/elf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/content/elf_versions.hpp"
#include "support/sample_elf.hpp"
#include "support/small_library.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/host/content/elf_collector.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

fs::path libc() {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"}) {
    if (fs::exists(path)) return path;
  }
  return "/usr/lib/libc.so.6";
}

ElfFacts collected(std::string_view bytes, std::size_t step) {
  ElfCollector collector(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += step) collector.take(bytes.substr(at, step));
  return collector.facts();
}

// The facts of a file on disk, which those of the stream must equal.
ElfFacts facts_of(const std::string& bytes, Exports exports = Exports::skip) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("lib.so", bytes);
  EXPECT_EQ(read_elf(file, Exports::skip), collected(bytes, 4093));
  EXPECT_EQ(read_elf(file, Exports::skip), collected(bytes, bytes.size() + 1));
  return read_elf(file, exports);
}

template <class Class>
SampleElf<Class> telling_sample() {
  SampleElf<Class> elf;
  elf.soname = "libeccl.so.2";
  elf.needed = {"libtopsrt.so", "libc.so.6", "libstdc++.so.6"};
  elf.rpath = "/not/this";
  elf.runpath = "$ORIGIN::/opt/tops/lib";
  elf.version_needs = {
      {"libc.so.6", {{"GLIBC_2.9"}, {"GLIBC_2.31"}, {"GLIBC_PRIVATE"}, {"GLIBC_ABI_DT_RELR"}}},
      {"libstdc++.so.6",
       {{"CXXABI_TM_1"}, {"GLIBCXX_3.4.9"}, {"CXXABI_1.3.11"}, {"GLIBCXX_3.4.26"}}}};
  elf.version_definitions = {{"libeccl.so.2", VER_FLG_BASE}, {"ECCL_1"}, {"ECCL_2.5"}};
  elf.symbols = {{"malloc", false}, {"ecclGetVersion", true}, {"PyInit_eccl", true}};
  return elf;
}

void expect_all_is_told(const ElfFacts& facts) {
  EXPECT_EQ(facts.problem, "");
  EXPECT_FALSE(facts.is_partial);
  EXPECT_EQ(facts.type, "shared");
  EXPECT_EQ(facts.soname, "libeccl.so.2");
  EXPECT_THAT(facts.needed, ElementsAre("libtopsrt.so", "libc.so.6", "libstdc++.so.6"));
  EXPECT_THAT(facts.search_paths, ElementsAre("$ORIGIN", "", "/opt/tops/lib"));
  ASSERT_EQ(facts.version_needs.size(), 2U);
  EXPECT_EQ(facts.version_needs[0].library, "libc.so.6");
  EXPECT_THAT(facts.version_needs[0].versions,
              ElementsAre("GLIBC_2.31", "GLIBC_2.9", "GLIBC_ABI_DT_RELR", "GLIBC_PRIVATE"));
  EXPECT_THAT(facts.defined_versions, ElementsAre("ECCL_1", "ECCL_2.5"));
  EXPECT_EQ(facts.glibc, "2.31");
  EXPECT_EQ(facts.glibcxx, "3.4.26");
  EXPECT_EQ(facts.cxxabi, "1.3.11");
  EXPECT_TRUE(facts.is_python_extension);
  EXPECT_THAT(facts.exported, ElementsAre("ecclGetVersion", "PyInit_eccl"));
}

TEST(ElfFiles, OfEveryClassAndByteOrderTellTheSame) {
  for (const unsigned char order : {ELFDATA2LSB, ELFDATA2MSB}) {
    for (const bool has_gnu_hash : {false, true}) {
      auto large = telling_sample<Class64>();
      large.order = order;
      large.has_gnu_hash = has_gnu_hash;
      expect_all_is_told(facts_of(large.bytes(), Exports::list));
      auto small = telling_sample<Class32>();
      small.order = order;
      small.has_gnu_hash = has_gnu_hash;
      expect_all_is_told(facts_of(small.bytes(), Exports::list));
    }
  }
}

TEST(ElfFiles, NameTheirMachine) {
  const auto machine = [](auto elf, unsigned number) {
    elf.machine = number;
    elf.order = ELFDATA2MSB;
    const std::string name = facts_of(elf.bytes()).machine;
    elf.order = ELFDATA2LSB;
    EXPECT_EQ(facts_of(elf.bytes()).machine, name);
    return name;
  };
  const auto large = telling_sample<Class64>();
  const auto small = telling_sample<Class32>();
  EXPECT_EQ(machine(large, EM_X86_64), "x86-64");
  EXPECT_EQ(machine(small, EM_X86_64), "x32");
  EXPECT_EQ(machine(large, EM_AARCH64), "aarch64");
  EXPECT_EQ(machine(small, EM_386), "i386");
  EXPECT_EQ(machine(small, EM_ARM), "arm");
  EXPECT_EQ(machine(large, EM_PPC64), "ppc64");
  EXPECT_EQ(machine(large, EM_S390), "s390");
  EXPECT_EQ(machine(large, EM_RISCV), "riscv");
  EXPECT_EQ(machine(large, 258), "machine 258");
}

TEST(ElfFiles, NameTheirType) {
  auto elf = telling_sample<Class64>();
  elf.flags_1 = DF_1_PIE;
  elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
  EXPECT_EQ(facts_of(elf.bytes()).type, "executable");
  EXPECT_EQ(facts_of(elf.bytes()).interpreter, "/lib64/ld-linux-x86-64.so.2");
  elf.flags_1 = 0;
  EXPECT_EQ(facts_of(elf.bytes()).type, "shared");
  elf.type = ET_EXEC;
  EXPECT_EQ(facts_of(elf.bytes()).type, "executable");
  elf.type = ET_REL;
  EXPECT_EQ(facts_of(elf.bytes()).type, "relocatable");
  EXPECT_TRUE(facts_of(elf.bytes()).is_sound());
  EXPECT_THAT(facts_of(elf.bytes()).needed, IsEmpty());
  elf.type = ET_CORE;
  EXPECT_EQ(facts_of(elf.bytes()).type, "core");
  elf.type = 77;
  EXPECT_EQ(facts_of(elf.bytes()).type, "type 77");
}

TEST(ElfFiles, CanDoWithoutWhatTheyNeedWeakly) {
  auto elf = telling_sample<Class64>();
  elf.version_needs = {{"libc.so.6", {{"GLIBC_2.40", VER_FLG_WEAK}, {"GLIBC_2.17"}}},
                       {"libm.so.6", {{"GLIBC_2.41", VER_FLG_WEAK}}}};
  const ElfFacts facts = facts_of(elf.bytes());
  ASSERT_EQ(facts.version_needs.size(), 1U);
  EXPECT_THAT(facts.version_needs[0].versions, ElementsAre("GLIBC_2.17"));
  EXPECT_EQ(facts.glibc, "2.17");
}

TEST(ElfFiles, SearchTheOldPathsOnlyWithoutNewOnes) {
  SampleElf<> elf;
  elf.rpath = "/old";
  EXPECT_THAT(facts_of(elf.bytes()).search_paths, ElementsAre("/old"));
  elf.has_empty_runpath = true;
  EXPECT_THAT(facts_of(elf.bytes()).search_paths, IsEmpty());
}

TEST(ElfFiles, AreTellingInWhateverPlaceTheirTablesLie) {
  // Before the tables more than is kept of a file's beginning, in a segment at the end.
  auto elf = telling_sample<Class64>();
  elf.filler = 30U << 20U;
  elf.own_segment_from = 29U << 20U;
  EXPECT_FALSE(facts_of(elf.bytes()).is_partial);
  expect_all_is_told(facts_of(elf.bytes(), Exports::list));
  elf.filler = 64;
  elf.filler_after = 30U << 20U;
  expect_all_is_told(facts_of(elf.bytes(), Exports::list));
}

TEST(ElfFiles, SayThatTheyArePartialWhereATableWasNotKept) {
  const TemporaryFolder folder;
  auto elf = telling_sample<Class64>();
  elf.filler = 20U << 20U;
  elf.filler_after = 20U << 20U;
  elf.own_segment_from = 30U << 20U;
  const std::string bytes = elf.bytes();
  const ElfFacts facts = collected(bytes, 1U << 20U);
  EXPECT_TRUE(facts.is_sound()) << facts.problem;
  EXPECT_TRUE(facts.is_partial);
  EXPECT_EQ(facts.machine, "x86-64");
  expect_all_is_told(read_elf(folder.write("lib.so", bytes), Exports::list));
}

TEST(ElfFiles, WithoutAHashTableDoNotSayWhatTheyExport) {
  auto elf = telling_sample<Class64>();
  elf.has_no_hash = true;
  EXPECT_TRUE(facts_of(elf.bytes()).is_partial);
  EXPECT_TRUE(facts_of(elf.bytes()).is_sound());
}

TEST(ElfFiles, OfTheCLibraryExportAndDefineWhatEverybodyUses) {
  const ElfFacts facts = read_elf(libc(), Exports::list);
  EXPECT_TRUE(facts.is_sound()) << facts.problem;
  EXPECT_FALSE(facts.is_partial);
  EXPECT_EQ(facts.soname, "libc.so.6");
  EXPECT_THAT(facts.exported, Contains("printf"));
  EXPECT_GT(facts.exported.size(), 1000U);
  EXPECT_THAT(facts.defined_versions, Contains("GLIBC_2.17"));
  EXPECT_EQ(facts.machine, "x86-64");
}

TEST(ElfFiles, DoNotExportWhatTheyOnlyImport) {
  const ElfFacts facts = read_elf("/proc/self/exe", Exports::list);
  EXPECT_TRUE(facts.is_sound()) << facts.problem;
  EXPECT_THAT(facts.exported, Not(Contains("fork")));
  EXPECT_EQ(facts.type, "executable");
  EXPECT_THAT(facts.needed, Contains("libc.so.6"));
}

TEST(ElfFiles, WithNamesThatAreNoTextAreMadePrintable) {
  SampleElf<> elf;
  elf.soname = "lib\x1b[31m\xff.so";
  EXPECT_EQ(facts_of(elf.bytes()).soname, "lib?[31m?.so");
}

TEST(ElfVersions, AreComparedAsNumbers) {
  EXPECT_TRUE(is_later_version("2.31", "2.9"));
  EXPECT_TRUE(is_later_version("2.2.5", "2.2"));
  EXPECT_TRUE(is_later_version("10", "9.99"));
  EXPECT_TRUE(is_later_version("0", ""));
  EXPECT_FALSE(is_later_version("2.9", "2.31"));
  EXPECT_FALSE(is_later_version("2.031", "2.31"));
  EXPECT_FALSE(is_later_version("", "1"));
  EXPECT_TRUE(is_later_version("1.100000000000000000000000", "1.99999999999999999999999"));
}

TEST(StandIns, AreNamed) {
  const auto problem = [&](const std::string& bytes) {
    const ElfFacts facts = facts_of(bytes, Exports::list);
    EXPECT_FALSE(facts.is_sound());
    EXPECT_THAT(facts.exported, IsEmpty());
    return facts.problem;
  };
  EXPECT_EQ(problem(""), "not an ELF file");
  EXPECT_EQ(problem("placeholder\n"), "not an ELF file");
  EXPECT_EQ(problem(std::string("\x7f"
                                "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                                16)),
            "a truncated ELF header");
  EXPECT_EQ(problem("\x7f"
                    "ELF"),
            "a truncated ELF header");
  std::string header = TemporaryFolder::read_bytes(libc()).substr(0, sizeof(Elf64_Ehdr));
  EXPECT_EQ(problem(header), "an ELF file that is truncated");
  header[EI_CLASS] = 3;
  EXPECT_EQ(problem(header), "an ELF file of unknown class");
  header[EI_CLASS] = ELFCLASS64;
  header[EI_DATA] = 0;
  EXPECT_EQ(problem(header), "an ELF file of unknown byte order");
  Elf64_Ehdr bare{};
  std::memcpy(&bare, header.data(), sizeof bare);
  bare.e_ident[EI_DATA] = ELFDATA2LSB;
  bare.e_phnum = 0;
  bare.e_shoff = 0;
  header.assign(reinterpret_cast<const char*>(&bare), sizeof bare);
  EXPECT_EQ(problem(header), "an ELF file without loadable segments");
}

TEST(StandIns, ThatAreNoRegularFilesAreAProblemAndNeverWaitedFor) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_elf(folder / "none", Exports::list).problem, HasSubstr("No such file"));
  EXPECT_THAT(read_elf(folder.path(), Exports::list).problem, HasSubstr("Is a directory"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_elf(folder / "pipe", Exports::list).problem, "not a regular file");
}

TEST(StandIns, CutShortAreNeverReadBeyondTheirEnd) {
  const std::string whole = TemporaryFolder::read_bytes(libc());
  for (std::size_t part = 0; part < 12; ++part) {
    EXPECT_FALSE(facts_of(whole.substr(0, whole.size() * part / 12)).is_sound()) << part;
  }
  ElfCollector collector(whole.size());
  collector.take(std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_EQ(collector.facts().problem, "an ELF file that is truncated");
}

TEST(StandIns, CutShortAreNamedWithoutSectionHeadersToo) {
  const std::string whole = telling_sample<Class64>().bytes();
  for (std::size_t size = sizeof(Elf64_Ehdr); size < whole.size(); size += 41) {
    EXPECT_EQ(facts_of(whole.substr(0, size)).problem, "an ELF file that is truncated") << size;
  }
}

TEST(SmallLibraries, AreReadAndSurviveEveryChangedByte) {
  const TemporaryFolder folder;
  EXPECT_THAT(facts_of(small_library(), Exports::list).exported, ElementsAre("ecclGetVersion"));
  const std::string whole = telling_sample<Class64>().bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = value;
      const ElfFacts facts = collected(bytes, bytes.size());
      if (at % 8 != 0) continue;
      const fs::path file = folder.write("lib.so", bytes);
      EXPECT_EQ(read_elf(file, Exports::skip), facts) << at;
      read_elf(file, Exports::list);
    }
  }
}

TEST(HostileLibraries, EndEvenIfTheirChainsDoNot) {
  auto elf = telling_sample<Class64>();
  elf.needed.assign(4100, "liba.so");
  const ElfFacts many = facts_of(elf.bytes());
  EXPECT_EQ(many.needed.size(), 4096U);
  EXPECT_TRUE(many.is_partial);
  elf.needed.clear();
  elf.version_needs = {{"libc.so.6", std::vector<SampleVersion>(65540, {"G"})}};
  const ElfFacts versions = facts_of(elf.bytes());
  EXPECT_EQ(versions.version_needs[0].versions.size(), 65536U);
  EXPECT_TRUE(versions.is_partial);
  elf.version_needs.clear();
  elf.soname = std::string(5000, 'a');
  EXPECT_EQ(facts_of(elf.bytes()).problem, "an ELF file with an unterminated name");
}

TEST(HostileLibraries, CannotMakeOneNameIntoMany) {
  auto elf = telling_sample<Class64>();
  elf.soname = std::string(4000, 'a');
  elf.needed.assign(500, elf.soname);
  const ElfFacts facts = facts_of(elf.bytes());
  EXPECT_TRUE(facts.is_partial);
  EXPECT_LT(facts.needed.size(), 300U);
}

}  // namespace
}  // namespace topsctl
