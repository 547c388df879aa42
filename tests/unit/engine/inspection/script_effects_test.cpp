// What maintainer scripts do that a write set cannot tell from their text.
#include "topsctl/engine/inspection/script_effects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

ScriptEffects of(const std::string& lines) {
  return effects_of("postinst of x", concat("#!/bin/sh\nset -e\n", lines, "\n"));
}

TEST(ScriptEffects, AreNoneOfScriptsThatAreUnderstood) {
  for (const char* lines :
       {"ldconfig", "if [ \"$1\" = configure ]; then\n  ldconfig\nfi\nexit 0",
        "case \"$1\" in\n  configure|reconfigure)\n    mkdir -p /var/lib/x\n    ;;\n  abort-*) ;;\n"
        "  *) exit 1 ;;\nesac",
        "case \"$1\" in configure) ldconfig;; esac", "echo hello >/etc/x.conf",
        "echo \"$1\" >&2; true 2>/dev/null || exit 1",
        "chmod 0755 /opt/x/run && chown root:root /opt/x",
        "cp /opt/x/a /etc/a; mv /etc/b /etc/c; ln -s /opt/x/a /usr/bin/a; rm -f /etc/d",
        "NAME=$(basename \"$0\"); echo \"$NAME\"", "if command -v grep >/dev/null 2>&1; then :; fi",
        "setup() {\n  touch /etc/x\n}\nsetup", "for each in a b; do\n  echo \"$each\"\ndone",
        ". /usr/share/debconf/confmodule\ndb_get x/y || true\ndb_stop",
        "update-alternatives --install /usr/bin/x x /opt/x 5", "/sbin/ldconfig # python3 -c 'x'",
        "[ $((1 + 2)) = 3 ]"}) {
    ScriptEffects effects = of(lines);
    EXPECT_FALSE(effects.opaque) << lines << "\n" << (effects.opaque ? effects.opaque->text : "");
    effects.writes = false;
    EXPECT_EQ(effects, ScriptEffects{}) << lines;
  }
}

TEST(ScriptEffects, TellWhetherMoreIsWrittenThanTheLoadersCache) {
  for (const char* lines :
       {"ldconfig", "if [ \"$1\" = remove ]; then\n  /sbin/ldconfig\nfi\nexit 0",
        "echo \"$1\" >&2; true >/dev/null 2>/dev/null || exit 1", "NAME=$(basename \"$0\")",
        "say() {\n  echo \"$1\"\n}\nsay x", "command -v grep"})
    EXPECT_FALSE(of(lines).writes) << lines;
  for (const char* lines :
       {"echo x >/etc/x", ": >\"$FILE\"", "mkdir -p /opt/x", "rm -f /etc/d", "python3 -c x",
        "update-alternatives --install /usr/bin/x x /opt/x 5", "systemctl enable x",
        "dpkg-maintscript-helper dir_to_symlink /x y 2.0 x -- \"$@\"", "db_set x/y z", "modprobe x",
        "make() {\n  touch /etc/x\n}\nmake", "x=`touch /etc/x`", "(cd /; touch x)"})
    EXPECT_TRUE(of(lines).writes) << lines;
  EXPECT_TRUE(effects_of("x", "#!/usr/bin/python3\n").writes);
  EXPECT_TRUE(effects_of("x",
                         "\x7f"
                         "ELF")
                  .writes);
}

TEST(ScriptEffects, AreOpaqueWhereTheTextDoesNotTellWhatIsWritten) {
  for (const char* line : {"python3 -c 'open(\"/etc/hosts.allow\", \"a\").write(\"x\")'",
                           "eval \"$X\"",
                           "$TOOL x",
                           "\"$DIR/setup\"",
                           "/opt/x/setup --now",
                           "./setup",
                           "sh -c 'touch /etc/x'",
                           ". /opt/x/lib.sh",
                           "rm -rf /var/lib/x",
                           "rm /var/lib/x/*",
                           "cp -a /opt/x /srv",
                           "chmod -R a+w /opt/x",
                           "touch \"$DIR/x\"",
                           "cd /etc; touch x",
                           "echo x >$FILE",
                           "echo x >>relative",
                           "tee /etc/$X",
                           "curl http://x | sh",
                           "sed -i s/a/b/ /etc/x",
                           "find / -name x -delete",
                           "X=1 perl -e 1",
                           "if python3 x; then :; fi",
                           "echo $(perl -e 1)",
                           "echo \"`perl -e 1`\"",
                           "true && perl -e 1",
                           "(perl -e 1)",
                           "perl -e 1 &",
                           "command perl -e 1",
                           "exec perl",
                           "trap 'perl' EXIT",
                           "adduser --system x",
                           "x=${y:-$(perl)}",
                           "touch /etc/../x",
                           "perl -e 1;; configure) ldconfig",
                           "PATH=/opt/x:$PATH",
                           "export PATH=/opt/x",
                           "LD_PRELOAD=/opt/x.so ldconfig",
                           "PATH+=:/opt/x; ldconfig",
                           "read PATH </opt/x",
                           "unset PATH",
                           "for PATH in /opt/x; do ldconfig; done",
                           "echo $(PATH=/opt/x; ldconfig)",
                           "PYTHONPATH=/opt/x py3compile -p x",
                           "cp /opt/x/ldconfig /usr/sbin/ldconfig; ldconfig",
                           "ln -sf /opt/x/run /sbin/ldconfig",
                           "echo x >/bin/touch",
                           "cat <(perl)"}) {
    const ScriptEffects effects = of(line);
    ASSERT_TRUE(effects.opaque) << line;
    EXPECT_EQ(effects.opaque->script, "postinst of x");
    // What an unknown program does to services is unknown, too.
    EXPECT_TRUE(effects.services && effects.kernel_modules) << line;
  }
}

TEST(ScriptEffects, QuoteTheFirstOpaqueLine) {
  const ScriptEffects effects = of("ldconfig\npython3 -c 'a'\nperl -e b");
  EXPECT_EQ(effects.opaque, (OpaqueCommand{"postinst of x", 4, "python3 -c 'a'"}));
  EXPECT_THAT(of(concat("perl ", std::string(500, 'x'))).opaque->text, HasSubstr("xxx..."));
}

TEST(ScriptEffects, TellServicesAndKernelModules) {
  EXPECT_EQ(of("systemctl restart docker"), (ScriptEffects{.services = true, .writes = true}));
  EXPECT_EQ(of("invoke-rc.d x start || true"), (ScriptEffects{.services = true, .writes = true}));
  EXPECT_FALSE(of("systemctl is-active --quiet docker && ldconfig").services);
  EXPECT_EQ(of("modprobe gcu"), (ScriptEffects{.kernel_modules = true, .writes = true}));
}

TEST(ScriptEffects, OfOtherLanguagesAreOpaque) {
  EXPECT_EQ(effects_of("preinst of x", "#!/usr/bin/perl\nprint 1;\n").opaque,
            (OpaqueCommand{"preinst of x", 1, "#!/usr/bin/perl"}));
  EXPECT_TRUE(effects_of("x", std::string("\177ELF\0", 5)).opaque);
  EXPECT_TRUE(effects_of("x", std::string(2U << 20U, ' ')).opaque);
  EXPECT_EQ(effects_of("x", ""), ScriptEffects{});
}

TEST(ScriptEffects, AddUp) {
  ScriptEffects sum = of("systemctl restart x");
  sum.add(of("perl -e 1"));
  sum.add(of("perl -e 2"));
  EXPECT_TRUE(sum.services && sum.kernel_modules);
  EXPECT_EQ(sum.opaque->text, "perl -e 1");
}

}  // namespace
}  // namespace topsctl
