// What maintainer scripts do that a write set cannot tell from their text.
#include "topsctl/engine/inspection/script_effects.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

ScriptEffects of(const std::string& lines) {
  return effects_of(concat("#!/bin/sh\nset -e\n", lines, "\n"));
}

TEST(ScriptEffects, TellWhetherMoreIsWrittenThanTheLoadersCache) {
  for (const char* lines :
       {"ldconfig", "if [ \"$1\" = remove ]; then\n  /sbin/ldconfig\nfi\nexit 0",
        "echo \"$1\" >&2; true >/dev/null 2>/dev/null || exit 1", "NAME=$(basename \"$0\")",
        "say() {\n  echo \"$1\"\n}\nsay x", "command -v grep",
        "if command -v grep >/dev/null 2>&1; then :; fi", "sort -u /etc/x | uniq -c",
        "case \"$1\" in configure) ldconfig;; esac", "for each in a b; do\n  echo \"$each\"\ndone",
        "/sbin/ldconfig # python3 -c 'x'", "[ $((1 + 2)) = 3 ]"})
    EXPECT_EQ(of(lines), ScriptEffects{}) << lines;
  for (const char* lines : {"echo x >/etc/x",
                            ": >\"$FILE\"",
                            "mkdir -p /opt/x",
                            "rm -f /etc/d",
                            "rm -rf /var/lib/x",
                            "cp -a /opt/x /srv",
                            "update-alternatives --install /usr/bin/x x /opt/x 5",
                            "dpkg-maintscript-helper dir_to_symlink /x y 2.0 x -- \"$@\"",
                            "db_set x/y z",
                            "make() {\n  touch /etc/x\n}\nmake",
                            "(cd /; touch x)",
                            "sort -o \"$F\" \"$F\"",
                            "sort -uo /etc/x /etc/x",
                            "sort --output=/etc/x /etc/x",
                            "sort --out /etc/x /etc/x",
                            "sort $OPTIONS",
                            "uniq /etc/a \"$F\"",
                            "command -- rm /etc/x",
                            "command -p rm /etc/x",
                            "command rm /etc/x",
                            "chmod -R a+w /opt/x",
                            "touch \"$DIR/x\"",
                            "x=`touch /etc/x`",
                            "echo x >>relative"})
    EXPECT_EQ(of(lines), ScriptEffects{.writes = true}) << lines;
}

TEST(ScriptEffects, AreAllThatMayBeOfAnUnknownProgram) {
  constexpr ScriptEffects all = {true, true, true};
  for (const char* line : {"python3 -c 'x'",
                           "eval \"$X\"",
                           "$TOOL x",
                           "\"$DIR/setup\"",
                           "/opt/x/setup --now",
                           "./setup",
                           "sh -c 'touch /etc/x'",
                           ". /opt/x/lib.sh",
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
                           "command -- perl -e 1",
                           "exec perl",
                           "trap 'perl' EXIT",
                           "adduser --system x",
                           "x=${y:-$(perl)}",
                           "perl -e 1;; configure) ldconfig",
                           "PATH=/opt/x:$PATH",
                           "export PATH=/opt/x",
                           "LD_PRELOAD=/opt/x.so ldconfig",
                           "PATH=/opt/x; sort /etc/x",
                           "PATH+=:/opt/x; ldconfig",
                           "read PATH </opt/x",
                           "unset PATH",
                           "for PATH in /opt/x; do ldconfig; done",
                           "echo $(PATH=/opt/x; ldconfig)",
                           "PYTHONPATH=/opt/x py3compile -p x",
                           "cat <(perl)"})
    EXPECT_EQ(of(line), all) << line;
  EXPECT_EQ(effects_of("#!/usr/bin/perl\nprint 1;\n"), all);
  EXPECT_EQ(effects_of(std::string("\177ELF\0", 5)), all);
  EXPECT_EQ(effects_of(std::string(2U << 20U, ' ')), all);
  EXPECT_EQ(effects_of(""), ScriptEffects{});
}

TEST(ScriptEffects, TellServicesAndKernelModules) {
  EXPECT_EQ(of("systemctl restart docker"), (ScriptEffects{.services = true, .writes = true}));
  EXPECT_EQ(of("invoke-rc.d x start || true"), (ScriptEffects{.services = true, .writes = true}));
  EXPECT_FALSE(of("systemctl is-active --quiet docker && ldconfig").services);
  EXPECT_EQ(of("modprobe gcu"), (ScriptEffects{.kernel_modules = true, .writes = true}));
}

TEST(ScriptEffects, AddUp) {
  ScriptEffects sum = of("systemctl restart x");
  sum.add(of("modprobe gcu"));
  EXPECT_EQ(sum, (ScriptEffects{true, true, true}));
}

}  // namespace
}  // namespace topsctl
