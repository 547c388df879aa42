"""The control file: how it is written, its fields, and relations."""

from .parts import CONTROL, add, control_tar, deb


def of(text):
    return deb(control=control_tar(text))


def with_field(line):
    """Not as the last one: dpkg minds an empty value there for another reason."""
    return of(CONTROL.replace("Maintainer", line + "\nMaintainer"))


def without(field):
    return "".join(line + "\n" for line in CONTROL.splitlines() if not line.startswith(field + ":"))


def changed(field, value):
    return of("".join(f"{field}: {value}\n" if line.startswith(field + ":") else line + "\n"
                      for line in CONTROL.splitlines()))


def syntax():
    rule = "control file, syntax"
    for name, text in {
            "sound": CONTROL, "no-colon": CONTROL + "Homepage\n", "words-without-colon": CONTROL + "a line without one\n",
            "blank-line-in-the-middle": CONTROL.replace("Architecture", "\nArchitecture"),
            "blank-line-at-end": CONTROL + "\n",
            "blank-lines-first": "\n\n" + CONTROL, "many-blank-lines-at-end": CONTROL + "\n\n\n\n",
            "blanks-line-at-end": CONTROL + "  \n",
            "blanks-line-in-the-middle": CONTROL.replace("Architecture", "   \nArchitecture"),
            "second-stanza": CONTROL + "\n" + CONTROL,
            "second-stanza-other": CONTROL + "\nPackage: other\nVersion: 1\nArchitecture: all\n",
            "comment": CONTROL + "# a comment\n",
            "comment-with-colon": CONTROL + "# a comment: this\n", "comment-first": "# a comment\n" + CONTROL,
            "no-final-newline": CONTROL[:-1],
            "only-name-without-newline": CONTROL + "Homepage:", "name-blank-colon": CONTROL + "Homepage : x\n",
            "empty-name": CONTROL + ": value\n", "name-of-blanks": CONTROL + "  : value\n",
            "name-of-one-letter": CONTROL + "X: value\n",
            "name-with-minus-first": CONTROL + "-Home: x\n", "name-with-slash": CONTROL + "Home/page: x\n",
            "name-not-ascii": CONTROL + "Hömepage: x\n",
            "name-with-number": CONTROL + "1: x\n", "first-line-continues": " x\n" + CONTROL,
            "tab-continues": CONTROL + "\tmore\n",
            "dot-line": CONTROL + " .\n more\n", "carriage-returns": CONTROL.replace("\n", "\r\n"),
            "one-carriage-return": CONTROL.replace("amd64\n", "amd64\r\n"),
            "nul-in-value": CONTROL + "Homepage: a\0b\n", "nul-in-name": CONTROL + "Home\0page: x\n",
            "not-utf-8": CONTROL.encode() + b"Homepage: \xff\xfe\n",
            "byte-order-mark": b"\xef\xbb\xbf" + CONTROL.encode(), "end-of-file-mark": CONTROL + "\x1a",
            "end-of-file-mark-in-value": CONTROL + "Homepage: a\x1ab\n",
            "empty": "", "newlines-only": "\n\n\n", "blank-line-in-description": CONTROL + " one\n\n two\n",
            "blanks-line-in-description": CONTROL + " one\n  \n two\n",
            "form-feed": CONTROL + "Homepage: a\fb\n", "vertical-tab-line": CONTROL + "\v\n",
            "pgp-signed": "-----BEGIN PGP SIGNED MESSAGE-----\n\n" + CONTROL,
            "long-value": CONTROL + "Homepage: " + "x" * 200_000 + "\n", "long-name": CONTROL + "X" * 5000 + ": x\n",
            "empty-value-at-end": CONTROL + "Section:\n",
            "one-letter-behind": CONTROL + "x", "blank-colon-first": " : x\n" + CONTROL,
            "mark-ends-stanza": CONTROL + "\x1a\x1ano field\n"}.items():
        add(rule, name, of(text))


def fields():
    rule = "control file, fields"
    for field in ("Package", "Version", "Architecture", "Maintainer", "Description"):
        add(rule, f"without-{field}", of(without(field)))
        add(rule, f"empty-{field}", changed(field, ""))
        add(rule, f"twice-{field}", of(CONTROL + f"{field}: again\n"))
    for line in ("Essential: yes", "Essential: no", "Essential: maybe", "Essential:", "Essential: YES",
                 "Essential: yes no", "Multi-Arch: same", "Multi-Arch: foreign",
                 "Multi-Arch: allowed", "Multi-Arch: no", "Multi-Arch: yes", "Multi-Arch:", "Multi-Arch: SAME",
                 "Protected: yes", "Protected: perhaps",
                 "Priority: optional", "Priority: whatever", "Priority: optional extra", "Priority: extraordinary",
                 "Priority: standards", "Multi-Arch: sames", "Essential: yesterday", "Priority:", "Section: a b c",
                 "Section:", "Installed-Size: x", "Installed-Size: -1",
                 "Installed-Size:", "Origin:", "Bugs:", "Source:", "Source: other (1.0)", "Source: Ab_c",
                 "Status: install ok installed", "Status:",
                 "Config-Version: 1.0", "Conffiles: /a 1", "Conffiles:", "Filename: x", "Filename: x y",
                 "Filename: x y\nSize: 1", "Conffiles:\n /a 1", "Conffiles:\n /a", "Conffiles:\n /a 1 obsolete",
                 "Filename:", "Size: 12", "MD5sum: x", "SHA256: x", "Triggers-Pending: x",
                 "Triggers-Awaited: x", "Triggers-Pending:", "Revision: 1", "Package-Revision: 1", "Class: optional",
                 "Recommended: other", "Optional: other", "Homepage:", "X-Own:", "X-Own: 1",
                 "Tag: a::b", "Built-Using: x", "Build-Ids: zzz", "Homepage: x\nHOMEPAGE: y", "X-Own: 1\nx-own: 2",
                 "Section: x\nSECTION: y", "Depends: a\nDepends: b"):
        add(rule, line.replace(":", "").replace(" ", "_").replace("\n", "+").replace("/", ""), with_field(line))


def names():
    rule = "control file, names and versions"
    for value in ("a", "A", "Tops", "tops_demo", "tops demo", "tops/demo", "-tops", "+tops", ".tops", "tops-", "1tops",
                  "tops.demo+x", "tops:demo", "töps", "tops~", "tops,demo",
                  "_", "t" * 300, "../tops", "tops\tdemo", "tops=1", "tops@x"):
        add(rule, f"Package {value[:20]!a}".replace("/", "%"), changed("Package", value))
    for value in ("1", "0", "a1", "1:1", ":1", "1:", "a:1", "-1:1", "+1:1", "99999999999:1", "2147483647:1",
                  "2147483648:1", "1-", "-1", "1-1-1", "1_1", "1-1_1", "1-1:1", "1:1:1", "1 1", "1~~", "1+b1",
                  "1/2", "1.0-ubuntu~1", "v1.0", "1.0é", "~1", ".1", "1-~", "1,0", "1=2", "1" * 300, "0:", "01:1", "1: 1",
                  "1.0 (x)"):
        add(rule, f"Version {value[:20]!a}".replace("/", "%"), changed("Version", value))
    for value in ("all", "any", "amd64 i386", "linux-any", "-x", "am_d64", "source", "amd64:any"):
        add(rule, f"Architecture {value!a}", changed("Architecture", value))


def relations():
    rule = "control file, relations"
    for value in ("", ",", "a1,", ",a1", "a1,,b1", "a1 | ", "| a1", "a1 || b1", "a1 b1", "a1 (1)", "a1 (= 1)",
                  "a1 (== 1)", "a1 (=> 1)", "a1 (>< 1)", "a1 (<> 1)", "a1 (< 1)", "a1 (> 1)",
                  "a1 (>> 1)", "a1 (>= )", "a1 ()", "a1 (>= 1", "a1 >= 1", "a1 (>= 1))", "a1 (>= 1) (<= 2)",
                  "a1 (>= 1 2)", "a1 (>= 1_2)", "a1 (>= x)", "a1 (>= 1:)", "a1 (>= -1)", "a1 (>= 1-)", "a1 [amd64]",
                  "a1 [!amd64]", "a1 <!nocheck>", "a1:any", "a1:", "a1:amd64", "a1:AMD", "a1:a_b", "a1:any (>= 1)", "A1",
                  "a_1", "-a1", "a1/b", "a", "a1;b1", "${shlibs:Depends}", "a1 (>= ${x})", "a1\n , b1",
                  "a1,\n b1", "a1 (>= 1)\n | b1", "a1 (!= 1)", "a1 (~ 1)", "a1 ( >= 1 )", "a1(>=1)", "a1 (>= (1))",
                  "a1 (>= 99999999999:1)", "a1.", "ä1", "a1\t(>= 1)"):
        name = value.replace("\n", "+").replace("/", "%").replace("\t", "^")
        add(rule, f"Suggests {name!a}", with_field(f"Suggests: {value}"))
    for field in ("Replaces", "Breaks", "Conflicts", "Provides"):
        for value in ("a1 | b1", "a1:any", "a1 (>= 1)", "a1 (= 1)", "a1,", "a1 [amd64]"):
            add(rule, f"{field} {value}", with_field(f"{field}: {value}"))
    for field in ("Depends", "Pre-Depends", "Recommends", "Enhances"):
        add(rule, f"{field} comma at end", with_field(f"{field}: a1,"))
        add(rule, f"{field} bad version", with_field(f"{field}: a1 (>= x)"))


syntax()
fields()
names()
relations()
