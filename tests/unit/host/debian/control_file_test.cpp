// Control files as dpkg reads them; tests/peers compares hundreds with dpkg itself.
#include "host/debian/control_file.hpp"

#include <gmock/gmock.h>

#include "support/archives.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    read_control_file(text, "a.deb");
  } catch (const DpkgRefusal& error) {
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  return "";
}

const std::string sound = control_text("tops-demo", "1.0-1");

TEST(ControlFiles, GiveTheirFields) {
  const Stanza stanza = read_control_file(
      "\n\n" + sound + " more\n .\nOPTIONAL: a1,\n b1 | c1\nSection:\nHomepage : x  \n\n", "a.deb");
  EXPECT_EQ(stanza.value("Package"), "tops-demo");
  EXPECT_EQ(stanza.value("Description"), "a sample\nmore\n.");
  EXPECT_EQ(stanza.value("Suggests"), "a1,\nb1 | c1") << "the name that dpkg goes by";
  EXPECT_EQ(stanza.value("Homepage"), "x");
}

TEST(ControlFiles, AreRefusedForLinesThatAreNoFields) {
  EXPECT_THAT(refusal(sound + "a line\n"), HasSubstr("a line without a colon: 'a line'"));
  EXPECT_THAT(refusal(sound + "# a: comment\n"), HasSubstr("a field whose name contains a blank"));
  EXPECT_THAT(refusal(sound + "Homepage: x"), HasSubstr("its last line has no newline"));
  EXPECT_THAT(refusal(sound + " \n"), HasSubstr("a blank line within a field"));
  EXPECT_THAT(refusal(sound + "\n" + sound), HasSubstr("it continues after an empty line"));
  EXPECT_THAT(refusal(sound + "Section:\n"), HasSubstr("an empty field at its end"));
  EXPECT_THAT(refusal(": x\n" + sound), HasSubstr("without a name"));
  EXPECT_THAT(refusal("\n"), HasSubstr("it is empty"));
}

TEST(ControlFiles, AreRefusedForValuesThatDpkgDoesNotTake) {
  for (const char* line :
       {"Package: b", "X: y", "Status: install ok installed", "Essential: maybe", "Multi-Arch: yes",
        "Priority: optional extra", "Filename:", "Conffiles: /a 1", "Depends: a1,",
        "Conflicts: a1 | b1", "Suggests: a1 [amd64]", "Breaks: a1 <!nocheck>",
        "Class: a\nPriority: b"}) {
    EXPECT_NE(refusal(std::string(line) + "\n" + sound), "") << line;
  }
  for (const char* line :
       {"Essential: YES", "Multi-Arch: same", "Priority: whatever",
        "Section:", "X-Own:", "Installed-Size: x", "Conffiles:\n /a 1", "Depends: A_1 (1)"}) {
    EXPECT_EQ(refusal(std::string(line) + "\n" + sound), "") << line;
  }
}

TEST(ControlFiles, AreRefusedForVersionsThatAreNone) {
  for (const char* version : {"v1", "1:", "a:1", "1-", "1_1", "2147483648:1"}) {
    EXPECT_THAT(refusal(control_text("a", version)), HasSubstr("field 'Version'")) << version;
  }
}

}  // namespace
}  // namespace topsctl
