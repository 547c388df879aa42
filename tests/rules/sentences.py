"""What a user can see: the sentences in the sources and in the data, as gettext's msgid would have them."""

import json
import re
from pathlib import Path

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MORE = re.compile(r'(?:\s|//[^\n]*\n)*"((?:[^"\\\n]|\\.)*)"')
CHARACTER = re.compile(r"'(?:[^'\\\n]|\\.)+'")
RAW = re.compile(r'R"([^(\s]*)\(')
WORD = re.compile(r"[A-Za-z]{2,}")
NO_WORDS = re.compile(r"\{\d*\}|`[^`]*`|\\n")
CALLEE = re.compile(r"([A-Za-z_][\w:.<>]*)\s*$")
HEADS = re.compile(r"(?:\brows = |\btable\(\{)\{\s*(?:\{)?([^{}]*)\}")
# Text for other programs: shells, Debian's tools, browsers, monitors, and the logs that diagnoses know.
NOT_FOR_PEOPLE = {
    "src/model/environment_formats.cpp", "src/model/environment.cpp", "src/cli/report_html.cpp", "src/cli/commands/completion.cpp",
    "src/engine/diagnosis/code_pattern.cpp", "src/engine/diagnosis/line_form.cpp", "src/engine/diagnosis/line_label.cpp", "src/engine/diagnosis/log_matcher.cpp",
    "src/engine/diagnosis/log_reader.cpp", "src/engine/diagnosis/redaction.cpp", "src/engine/diagnosis/text_edits.cpp",
    "src/engine/launch/card_watch.cpp", "src/engine/status/next_command.cpp", "src/host/facts/efsmi.cpp", "src/host/debian/tree_deb.cpp",
    "src/host/python/wheel_scripts.cpp", "src/host/system/startup.cpp", "src/base/log.cpp"}
# Marks that scripts look for, commands as they are typed, names, and what is compared or sent.
SAME_IN_ALL_LANGUAGES = {
    "error:", "hint:", "hint: ", "warning:", "topsctl {}\\n", "topsctl install {} --dry-run", "topsctl verify{}", "pip {}",
    "dpkg --install {}", "--accept {}", "{} -m pip install {}", "Name: {}", "Version: {}", "Python {}", "/owners{}: {}",
    "topsctl content 1\\n{} {}\\n", "# topsctl settings: ", " is required", ",\\n  \\\"other_files\\\": ",
    "topsctl: host {} of this training was lost: {}", "topsctl: the ranks of {} stood still and were ended",
    "topsctl: Detected {} oom_kill event in the control group of this training\\n", "failed (exitcode: ", "of another file",
    "a brace that is neither {} nor doubled", "as many values as places", "braces that are no places", "other places than in the English sentence", "-----BEGIN SSH SIGNATURE-----\\n",
    "\\n-----END SSH SIGNATURE-----", "absent Linux x86_64", "offset=`head -", "echo Compression: ", "using Makeself "}
SHELL = re.compile(r"\$\{|\[ \\\"")
DATA_KEYS = {"findings": ("title", "cause", "text"), "rules": ("title", "why", "text"), "stacks": ("title", "hint"),
             "launchers": ("title",), "variables": ("why",)}


def literals(text):
    """(literal, callee, is its first argument) of C++ source; adjacent literals are one, the callee is the name before
    the innermost bracket."""
    i, calls = 0, []
    while i < len(text):
        if text.startswith("//", i) or (text[i] == "#" and text[:i].rstrip(" \t").endswith("\n")):
            i = text.find("\n", i) if "\n" in text[i:] else len(text)
        elif text[i] == "'":
            match = None if i and text[i - 1].isalnum() else CHARACTER.match(text, i)
            i = match.end() if match else i + 1
        elif match := RAW.match(text, i):
            end = ")" + match.group(1) + '"'
            i = text.find(end, match.end()) + len(end)
        elif match := LITERAL.match(text, i):
            begin, whole, i = i, match.group(1), match.end()
            while match := MORE.match(text, i):
                whole, i = whole + match.group(1), match.end()
            yield whole, calls[-1] if calls else "", text[:begin].rstrip().endswith(("(", "{"))
        else:
            if text[i] in "([{":
                name = CALLEE.search(text, max(0, i - 80), i)
                calls.append(name.group(1) if name else "")
            elif text[i] in ")]}" and calls:
                calls.pop()
            i += 1


def is_sentence(literal, callee, is_first):
    words = len(WORD.findall(NO_WORDS.sub("", literal)))
    if callee in ("format", "topsctl::format") and is_first:
        return words > 0
    if re.fullmatch(r"(?:session\.)?style_?(?:for\(\d\))?\.\w+", callee):
        return words > 0
    if callee == "concat" or re.search(r"find$|starts_with$|ends_with$", callee):
        return False  # paths and protocols: glued sentences have a rule of their own
    return words > 1 and " " in literal.strip() and not SHELL.search(literal)


def sentences_of_code(text):
    for literal, callee, is_first in literals(text):
        if callee == "counted":
            yield f"{{}} {literal}s"
        elif is_sentence(literal, callee, is_first):
            yield literal
    for heads in HEADS.findall(text):
        yield from (name for name in LITERAL.findall(heads) if WORD.search(name) and name == name.lower())


def all_of_code(text):
    """Whatever a catalogue may have an entry for."""
    for literal, callee, _ in literals(text):
        yield f"{{}} {literal}s" if callee == "counted" else literal


def texts_under(value, keys, key=""):
    if isinstance(value, dict):
        for name, below in value.items():
            yield from texts_under(below, keys, name)
    elif isinstance(value, list):
        for below in value:
            yield from texts_under(below, keys, key)
    elif isinstance(value, str) and key in keys and WORD.search(value):
        yield value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def sentences(repository):
    """(file, sentence), in the order of the tree."""
    for file in sorted([*(repository / "include").rglob("*.hpp"), *(repository / "src").rglob("*.[ch]pp")]):
        name = file.relative_to(repository).as_posix()
        if name in NOT_FOR_PEOPLE:
            continue
        for sentence in sentences_of_code(file.read_text(encoding="utf-8")):
            if sentence not in SAME_IN_ALL_LANGUAGES:
                yield name, sentence
    for folder, keys in DATA_KEYS.items():
        for file in sorted((repository / "src" / "data" / folder).glob("*.json")):
            for sentence in texts_under(json.loads(file.read_text(encoding="utf-8")), keys):
                yield file.relative_to(repository).as_posix(), sentence


if __name__ == "__main__":  # prints what has no Chinese yet
    top = Path(__file__).resolve().parents[2]
    known = set(re.findall(r'^msgid "(.+)"$', (top / "src/data/languages/zh.po").read_text(encoding="utf-8"), re.M))
    for place, missing in sentences(top):
        if missing not in known:
            print(f"{place}\t{missing}")
