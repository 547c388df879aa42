// Launchers and scripts: what pip would write, and who asks for an interpreter.
#include "topsctl/host/python/wheel_scripts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

TEST(Launchers, AreThoseOfPip) {
  EXPECT_EQ(launcher_text({"a", "m.n", "C.run"}, "/usr/bin/python3.8"),
            "#!/usr/bin/python3.8\n# -*- coding: utf-8 -*-\nimport re\nimport sys\n"
            "from m.n import C\nif __name__ == '__main__':\n"
            "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n"
            "    sys.exit(C.run())\n");
}

TEST(Launchers, OfAnInterpreterThatTheKernelWouldNotFindGoThroughTheShell) {
  EXPECT_EQ(shebang("/a b/python"), "#!/bin/sh\n'''exec' \"/a b/python\" \"$0\" \"$@\"\n' '''\n");
  const std::string fits(124, 'p');
  EXPECT_EQ(shebang(fits), "#!" + fits + "\n");
  EXPECT_THAT(shebang(fits + "p"), HasSubstr("'''exec' " + fits + "p \"$0\""));
}

TEST(Scripts, GetTheInterpreterTheyAskFor) {
  EXPECT_EQ(with_interpreter("#!python -u\nx\n", "/p"), "#!/p\nx\n");
  EXPECT_EQ(with_interpreter("#!pythonw", "/p"), "#!/p\n");
  EXPECT_EQ(with_interpreter("#!/usr/bin/python\nx\n", "/p"), std::nullopt);
  EXPECT_EQ(with_interpreter("", "/p"), std::nullopt);
}

TEST(Scripts, AreKnownAfterAnOldPipPutTheInterpreterIn) {
  Sha256 digest;
  digest.update("#!python\nx\n");
  const std::string sha256 = digest.base64url();
  EXPECT_TRUE(had_digest_before_rewriting("#!/usr/bin/python3.8\nx\n", sha256));
  EXPECT_FALSE(had_digest_before_rewriting("#!/usr/bin/python3.8\ny\n", sha256));
  EXPECT_FALSE(had_digest_before_rewriting("x\n", sha256));
  EXPECT_FALSE(had_digest_before_rewriting("#!", sha256));
}

TEST(Scripts, OfEntryPointsAreKnown) {
  const std::vector<EntryPoint> some = {{"a", "m", "f"}};
  EXPECT_TRUE(is_launcher_of("a", some));
  EXPECT_TRUE(is_launcher_of("a.exe", some));
  EXPECT_TRUE(is_launcher_of("a-script.py", some));
  EXPECT_FALSE(is_launcher_of("b", some));
}

}  // namespace
}  // namespace topsctl
