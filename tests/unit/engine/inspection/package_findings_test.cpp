// Findings on single packages: each of its own cause, and none on sound ones.
#include "topsctl/engine/inspection/package_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Subject {
  Package package;
  Contents contents;
};

ElfFile elf_file(const std::string& path, const std::string& machine = "x86-64") {
  ElfFile file;
  file.path = path;
  file.facts.machine = machine;
  file.facts.type = "shared";
  return file;
}

PayloadEntry entry(const std::string& path, unsigned mode = 0644,
                   PayloadEntry::Type type = PayloadEntry::Type::file) {
  PayloadEntry made;
  made.path = path;
  made.mode = mode;
  made.type = type;
  made.owner = "root/root";
  return made;
}

Subject sound_deb() {
  Subject made;
  made.package.path = "sdk/tops-sdk.deb";
  made.package.kind = PackageKind::deb;
  made.package.name = "tops-sdk";
  made.package.version = "2.5.136-1";
  made.package.architecture = "amd64";
  made.package.deb.emplace();
  made.package.files = {entry("/usr", 0755, PayloadEntry::Type::directory),
                        entry("/usr/lib/libtops.so"),
                        entry("/opt/tops", 0755, PayloadEntry::Type::directory),
                        entry("/opt/tops/bin", 0755, PayloadEntry::Type::directory),
                        entry("/opt/tops/bin/x", 0755),
                        entry("/var/tmp/x", 01777, PayloadEntry::Type::directory),
                        entry("/usr/bin/x", 0777, PayloadEntry::Type::symlink)};
  made.contents.list_name = "md5sums";
  made.contents.elf_files = {elf_file("/usr/lib/libtops.so"),
                             elf_file("/lib/firmware/gcu.bin", "machine 243")};
  made.contents.elf_files[0].facts.search_paths = {"$ORIGIN/../lib", "/opt/tops/lib"};
  return made;
}

Subject sound_wheel() {
  Subject made;
  made.package.path = "w/torch_gcu-1.10.0+2.5.136-cp38-cp38-linux_x86_64.whl";
  made.package.kind = PackageKind::wheel;
  made.package.name = "torch-gcu";
  made.package.version = "1.10.0+2.5.136";
  made.package.architecture = "linux_x86_64";
  made.package.python.emplace();
  made.package.python->minor = "3.8";
  made.package.wheel.emplace();
  made.package.wheel->file_version = "1.10.0+2.5.136";
  made.package.wheel->file_tags = {"cp38-cp38-linux_x86_64"};
  made.package.wheel->wheel_tags = {"cp38-cp38-linux_x86_64"};
  made.package.files = {entry("torch_gcu/_C.cpython-38-x86_64-linux-gnu.so", 0755)};
  made.contents.list_name = "RECORD";
  made.contents.elf_files = {elf_file("torch_gcu/_C.cpython-38-x86_64-linux-gnu.so"),
                             elf_file("torch_gcu/_D.abi3.so"), elf_file("torch_gcu/libx.so")};
  return made;
}

// Debs have an entry for each directory; what is missing of them is another test's.
Package with_directories(Package package) {
  if (package.kind != PackageKind::deb || !package.files) return package;
  std::set<std::string> parents;
  for (const PayloadEntry& each : *package.files) {
    for (auto at = each.path.rfind('/'); at != std::string::npos && at > 0;
         at = each.path.rfind('/', at - 1))
      parents.insert(each.path.substr(0, at));
  }
  for (const PayloadEntry& each : *package.files) parents.erase(each.path);
  std::vector<PayloadEntry> all;
  for (const std::string& parent : parents)
    all.push_back(entry(parent, 0755, PayloadEntry::Type::directory));
  all.insert(all.end(), package.files->begin(), package.files->end());
  package.files = std::move(all);
  return package;
}

std::vector<std::string> ids(const Subject& subject) {
  std::vector<std::string> ids;
  for (const Finding& finding :
       package_findings(with_directories(subject.package), &subject.contents)) {
    EXPECT_EQ(finding.subject, subject.package.path);
    EXPECT_FALSE(finding.evidence.empty()) << finding.id;
    ids.push_back(finding.id);
  }
  return ids;
}

TEST(PackageFindings, AreNoneOnSoundPackages) {
  EXPECT_THAT(ids(sound_deb()), IsEmpty());
  EXPECT_THAT(ids(sound_wheel()), IsEmpty());
  EXPECT_THAT(package_findings(sound_deb().package, nullptr), IsEmpty());
  EXPECT_THAT(package_findings(sound_wheel().package, nullptr), IsEmpty());
}

struct Fault {
  const char* id;
  const char* what;
  Subject (*sound)();
  std::function<void(Subject&)> spoil;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.id << " by " << fault.what;
}

class FaultyPackages : public testing::TestWithParam<Fault> {};

TEST_P(FaultyPackages, HaveTheirFindingAndNoOther) {
  Subject subject = GetParam().sound();
  GetParam().spoil(subject);
  EXPECT_THAT(ids(subject), ElementsAre(GetParam().id));
}

Fault with_file(const char* id, const char* what, const PayloadEntry& added) {
  return {id, what, sound_deb, [added](Subject& s) { s.package.files->push_back(added); }};
}

Fault with_mismatch(const char* id, Mismatch::Kind kind, Subject (*sound)()) {
  return {id, "mismatch", sound, [kind](Subject& s) {
            s.contents.mismatches.push_back({kind, "x", "a", "b"});
          }};
}

Fault with_strange(const char* id, StrangeEntry::Kind kind) {
  return {id, "strange_entry", sound_deb, [kind](Subject& s) {
            s.contents.strange.push_back({kind, "../x", "y"});
          }};
}

Fault with_elf(const char* id, const char* what, Subject (*sound)(), const ElfFile& file) {
  return {id, what, sound, [file](Subject& s) { s.contents.elf_files.push_back(file); }};
}

ElfFile with_search_path(const std::string& path) {
  ElfFile file = elf_file("/usr/lib/liby.so");
  file.facts.search_paths = {path};
  return file;
}

ElfFile program(const std::string& path, const std::string& machine) {
  ElfFile file = elf_file(path, machine);
  file.facts.type = "executable";
  return file;
}

// Not under /lib/modules: that it adds one would be another finding.
ElfFile module_for(const std::string& machine) {
  ElfFile file = elf_file("/opt/tops/enflame.ko", machine);
  file.facts.type = "relocatable";
  return file;
}

ElfFile damaged() {
  ElfFile file = elf_file("/usr/lib/liby.so", "");
  file.facts.problem = "cut short";
  return file;
}

const std::vector<Fault>& faults() {
  using Type = PayloadEntry::Type;
  static const std::vector<Fault> table = {
      {"package-unreadable", "problem", sound_deb,
       [](Subject& s) {
         s.package.verdict = Verdict::broken;
         s.package.problem = "it is cut short";
       }},
      with_mismatch("digest-mismatch", Mismatch::Kind::digest, sound_deb),
      with_mismatch("record-size-wrong", Mismatch::Kind::size, sound_wheel),
      with_mismatch("listed-file-missing", Mismatch::Kind::missing, sound_wheel),
      with_mismatch("file-not-listed", Mismatch::Kind::unlisted, sound_wheel),
      with_mismatch("digest-not-given", Mismatch::Kind::no_digest, sound_wheel),
      {"digest-list-missing", "no_md5sums", sound_deb,
       [](Subject& s) { s.contents.list_name.clear(); }},
      with_strange("entry-escapes", StrangeEntry::Kind::escapes),
      with_strange("link-escapes", StrangeEntry::Kind::link_escapes),
      with_strange("hard-link-outside", StrangeEntry::Kind::hard_link_outside),
      with_strange("duplicate-entry", StrangeEntry::Kind::duplicate),
      with_strange("device-file", StrangeEntry::Kind::device),
      with_strange("archive-bomb", StrangeEntry::Kind::too_large),
      with_strange("bad-entry-name", StrangeEntry::Kind::bad_name),
      with_file("setuid-file", "setuid", entry("/usr/bin/y", 04755)),
      with_file("setuid-file", "setgid", entry("/usr/bin/y", 02755)),
      with_file("world-writable-file", "file", entry("/opt/y/z", 0666)),
      with_file("world-writable-file", "folder", entry("/opt/y", 0777, Type::directory)),
      with_file("library-open-to-others", "file", entry("/opt/y/liby.so.1", 0666)),
      with_file("library-open-to-others", "script", entry("/usr/bin/y", 0777)),
      {"library-open-to-others", "owner", sound_deb,
       [](Subject& s) {
         s.package.files->push_back(entry("/opt/y/lib/liby.so", 0644));
         s.package.files->back().owner = "builder/builder";
       }},
      {"library-open-to-others", "group", sound_deb,
       [](Subject& s) {
         s.package.files->push_back(entry("/opt/y/lib", 02775, Type::directory));
         s.package.files->back().owner = "root/users";
         s.package.files->push_back(entry("/opt/y/lib/liby.so", 0644));
       }},
      {"library-open-to-others", "above_and_sticky", sound_deb,
       [](Subject& s) {
         s.package.files->push_back(entry("/opt/y", 01777, Type::directory));
         s.package.files->push_back(entry("/opt/y/lib", 0755, Type::directory));
         s.package.files->push_back(entry("/opt/y/lib/liby.so", 0644));
       }},
      {"library-open-to-others", "hard_link_to_elf", sound_deb,
       [](Subject& s) {
         s.contents.elf_files.push_back(elf_file("/opt/y/x"));
         s.package.files = {entry("/opt/y/x"), entry("/opt/y/b", 0666, Type::hardlink)};
         s.package.files->back().link_target = "/opt/y/x";
       }},
      {"library-open-to-others", "folder", sound_deb,
       [](Subject& s) {
         s.package.files = {entry("/opt/y/l", 0777, Type::directory), entry("/opt/y/l/y.so")};
       }},
      {"library-not-elf", "stub", sound_deb,
       [](Subject& s) { s.contents.not_elf = {"/usr/lib/libeccl.so (16 bytes)"}; }},
      with_elf("elf-damaged", "cut", sound_deb, damaged()),
      with_elf("elf-wrong-machine", "deb", sound_deb, elf_file("/usr/lib/liby.so", "aarch64")),
      with_elf("elf-wrong-machine", "wheel", sound_wheel, elf_file("y/liby.so", "aarch64")),
      with_elf("elf-wrong-machine", "library_for_32_bits", sound_deb,
               elf_file("/usr/lib/x86_64-linux-gnu/liby.so.0.3200", "i386")),
      with_elf("elf-wrong-machine", "wheel_for_32_bits", sound_wheel,
               elf_file("y/lib32/liby.so", "i386")),
      with_elf("elf-wrong-machine", "program", sound_deb, program("/usr/bin/y", "aarch64")),
      with_elf("elf-wrong-machine", "module", sound_deb, module_for("i386")),
      {"elf-in-arch-all", "all", sound_deb, [](Subject& s) { s.package.architecture = "all"; }},
      with_elf("python-abi-differs", "cpython", sound_wheel,
               elf_file("y/_E.cpython-36m-x86_64-linux-gnu.so")),
      with_elf("python-abi-differs", "cp", sound_wheel, elf_file("y/_E.cp310-linux.so")),
      {"native-code-in-pure-wheel", "none_any", sound_wheel,
       [](Subject& s) {
         s.package.architecture = "any";
         s.package.wheel->file_tags = s.package.wheel->wheel_tags = {"py3-none-any"};
       }},
      with_elf("search-path-insecure", "relative", sound_deb, with_search_path("lib")),
      with_elf("search-path-insecure", "empty", sound_deb, with_search_path("")),
      with_elf("search-path-insecure", "tmp", sound_deb, with_search_path("/tmp/build/lib")),
      with_elf("search-path-insecure", "home", sound_deb, with_search_path("/tmp/jenkins/lib")),
      with_file("shadows-system-program", "bin", entry("/usr/local/bin/python3", 0755)),
      with_file("shadows-system-program", "sbin", entry("/usr/local/sbin/dpkg", 0755)),
      with_file("adds-service", "systemd", entry("/lib/systemd/system/y.service")),
      with_file("adds-service", "usr", entry("/usr/lib/systemd/system/y.service")),
      with_file("adds-service", "init", entry("/etc/init.d/y", 0755)),
      with_file("adds-udev-rule", "lib", entry("/lib/udev/rules.d/9.rules")),
      with_file("adds-udev-rule", "etc", entry("/etc/udev/rules.d/9.rules")),
      with_file("adds-kernel-module", "ko", entry("/lib/modules/5/x/enflame.ko")),
      with_file("adds-kernel-module", "ko_xz", entry("/lib/modules/5/x/enflame.ko.xz")),
      with_file("adds-kernel-module", "dkms", entry("/usr/src/enflame-1/dkms.conf")),
      with_file("adds-loader-path", "conf", entry("/etc/ld.so.conf.d/tops.conf")),
      with_file("adds-module-option", "etc", entry("/etc/modprobe.d/tops.conf")),
      with_file("adds-module-option", "lib", entry("/lib/modprobe.d/tops.conf")),
      with_file("adds-module-option", "load", entry("/etc/modules-load.d/tops.conf")),
      {"wheel-tag-trap", "py3_8", sound_wheel,
       [](Subject& s) {
         s.package.wheel->file_tags = s.package.wheel->wheel_tags = {"py3.8-none-linux_x86_64"};
       }},
      {"wheel-version-not-pep440", "gcu", sound_wheel,
       [](Subject& s) { s.package.version = "0.19.1.115.gcu"; }},
      {"wheel-tags-differ", "renamed", sound_wheel,
       [](Subject& s) { s.package.wheel->file_tags = {"py3-none-linux_x86_64"}; }},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Each, FaultyPackages, testing::ValuesIn(faults()), [](const auto& info) {
  std::string name = concat(info.param.id, "_", info.param.what);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return concat(name, "_", info.index);
});

TEST(PackageFindings, OnMachinesPassOverWhatWorksAllTheSame) {
  struct Usable {
    const char* path;
    const char* machine;
    const char* type;
  };
  for (const Usable& usable : {Usable{"/usr/lib/grub/i386-pc/acpi.mod", "i386", "relocatable"},
                               Usable{"/usr/lib/gcc-cross/x/crtbegin.o", "aarch64", "relocatable"},
                               Usable{"/usr/lib/tops/x.go", "machine 0", "shared"},
                               Usable{"/usr/lib/tops/x.o", "machine 247", "relocatable"},
                               Usable{"/usr/lib/tops/kernels.hsaco", "machine 224", "shared"},
                               Usable{"/usr/lib/tops/test.static", "i386", "executable"},
                               Usable{"/usr/lib32/liby.so.1", "i386", "shared"},
                               Usable{"/usr/libx32/liby.so.1", "x32", "shared"},
                               Usable{"/opt/tops/lib/liby-i386.so", "i386", "shared"},
                               Usable{"/usr/libexec/valgrind/y-x86-linux.so", "i386", "shared"}}) {
    Subject subject = sound_deb();
    ElfFile file = elf_file(usable.path, usable.machine);
    file.facts.type = usable.type;
    subject.contents.elf_files.push_back(file);
    EXPECT_THAT(ids(subject), IsEmpty()) << usable.path;
  }
}

TEST(PackageFindings, OnModesNeedModesAndNoClaims) {
  Subject subject = sound_deb();
  subject.package.files_are_claims = true;
  subject.package.files->push_back(entry("/usr/bin/y", 06777));
  subject.package.files->push_back(entry("/lib/systemd/system/y.service", 0));
  EXPECT_THAT(ids(subject), ElementsAre("adds-service"));
}

TEST(PackageFindings, OfClaimedFilesSeeTheConffilesThatClaimsLeaveOut) {
  Subject subject = sound_deb();
  subject.package.files_are_claims = true;
  subject.package.deb->conffiles = {"/etc/modprobe.d/tops.conf", "/etc/tops.conf"};
  EXPECT_THAT(ids(subject), ElementsAre("adds-module-option"));
  subject.package.files->push_back(entry("/etc/modprobe.d/tops.conf"));
  const auto findings = package_findings(subject.package, &subject.contents);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].evidence.size(), 1U);
}

TEST(PackageFindings, OfOneIdAreOneWithBoundedEvidence) {
  Subject subject = sound_deb();
  for (int i = 0; i < 50; ++i) subject.package.files->push_back(entry(concat("/x", i), 0666));
  const auto findings = package_findings(subject.package, &subject.contents);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].evidence.size(), 21U);
  EXPECT_EQ(findings[0].evidence[0], (Evidence{"/x0", 0, "mode 0666"}));
  EXPECT_EQ(findings[0].evidence.back().text, "and 30 more");
}

TEST(PackageFindings, SayWhatPipMakesOfTheTrap) {
  Subject subject = sound_wheel();
  subject.package.wheel->file_tags = subject.package.wheel->wheel_tags = {"py3.8-none-any"};
  const auto findings = package_findings(subject.package, &subject.contents);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence[0].text, HasSubstr("pip reads it as py3 and 8"));
}

TEST(PackageFindings, TakeTagSetsForWhatTheyStandFor) {
  Subject subject = sound_wheel();
  subject.package.wheel->file_tags = {"py2.py3-none-linux_x86_64"};
  subject.package.wheel->wheel_tags = {"py2-none-linux_x86_64", "py3-none-linux_x86_64"};
  EXPECT_THAT(ids(subject), IsEmpty());
}

TEST(PackageFindings, DoNotAskWheelsOfAnyPythonForOneMinor) {
  Subject subject = sound_wheel();
  subject.package.python->minor.reset();
  EXPECT_THAT(ids(subject), Not(Contains("python-abi-differs")));
}

TEST(PackageFindings, TellWhatIsAgainstAWheelAtEveryDepth) {
  Subject subject = sound_wheel();
  subject.package.wheel->faults = {{"wheel-malformed", "WHEEL", "it has no Wheel-Version"},
                                   {"entry-escapes", "entry_points.txt", "elsewhere"},
                                   {"wheel-malformed", "RECORD", "line 2 is blank"}};
  const auto findings = package_findings(subject.package, nullptr);
  ASSERT_EQ(findings.size(), 2U);
  for (const Finding& finding : findings) {
    EXPECT_GE(finding.severity, Severity::error);
    EXPECT_TRUE(is_final_for_wheels(finding.id));
    EXPECT_EQ(finding.evidence.size(), finding.id == "wheel-malformed" ? 2U : 1U);
  }
}

TEST(PackageFindings, ThatNobodyCanAcceptAreErrors) {
  std::size_t count = 0;
  for (const std::string& id : finding_ids()) {
    if (!is_final_for_wheels(id)) continue;
    EXPECT_GE(make_finding(id, "a.whl").severity, Severity::error) << id;
    ++count;
  }
  EXPECT_EQ(count, 11U);
  EXPECT_FALSE(is_final_for_wheels("wheel-runs-at-start"));
}

}  // namespace
}  // namespace topsctl
