"""What a text quotes of topsctl: the command lines of pages, and what the output of a command tells its reader to type."""

import re

SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
COMMAND = re.compile(r"(?:^|[\s(])topsctl((?: +(?:'[^']*'|[^\s'|>;)])+)+)")
# In output: what stands in a code span or in parentheses may be wrapped; after `next:` or a colon it goes to the end of the line.
OUTPUT_SPANS = (re.compile(r"`((?:sudo )?topsctl\s[^`]*|eval [^`]*|\. /[^`]*)`"),
                re.compile(r"(?<!\$)[(（]((?:sudo )?topsctl\s+[a-z][^`)）]*)[)）]"))
NEXT = re.compile(r"^ *(?:next|run|下一步|运行)[^:：`]{0,40}[:：] *((?:sudo )?topsctl [^`]*|\. /[^`]*|exec [^`]*|eval [^`]*)$")
OTHERS = (re.compile(r"[:：] *((?:sudo )?topsctl [a-z][^`]*?)(?:(?<!\.)\.|。)?$"),
          re.compile(r"(?:then|run|然后|运行) *((?:sudo )?topsctl [a-z][^`]*)$"),
          re.compile(r"^ {2,}((?:sudo )?topsctl [a-z][^`]*)$"))


def quoted(text):
    """Of a page: the words after `topsctl` of each line of a code block and of each code span, in order; comments do
    not count."""
    pieces = []
    for paragraph in re.split(r"\n\s*\n", text):
        prose = ""
        for line in paragraph.splitlines():
            if line.startswith("    "):
                pieces.append(re.sub(r"\s#.*", "", line))
            else:
                prose += line + " "
        pieces += [span for _, span in SPAN.findall(prose)]
    return [" ".join(words.split()) for piece in pieces for words in COMMAND.findall(piece)]


def to_be_typed(text, names):
    """Of output: the lines that its reader is told to type, each once, in order. `names` are the commands of topsctl."""
    found = [" ".join(span.split()) for kind in OUTPUT_SPANS for span in kind.findall(text)]
    for line in text.splitlines():
        found += [words.strip() for words in NEXT.findall(line) or [each for kind in OTHERS for each in kind.findall(line)]]
    return [line for line in dict.fromkeys(found) if _is_of_topsctl(line, names)]


def _is_of_topsctl(line, names):
    words = re.findall(r"topsctl +(\S+)", line)
    return not words or words[0].startswith("-") or words[0].rstrip(")\"") in names
