"""What a text quotes of topsctl: the command lines of pages, and what the output of a command tells its reader to type."""

import re

SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
COMMAND = re.compile(r"(?:^|[\s(])topsctl((?: +(?:'[^']*'|[^\s'|>;)])+)+)")
# In output: what stands in a code span or in parentheses may be wrapped; after `next:` or a colon it goes to the line's end.
OUTPUT_SPAN = re.compile(r"`((?:sudo )?topsctl\s[^`]*|eval [^`]*|\. /[^`]*)`")
NEXT = re.compile(r"^ *(?:next|run|下一步|运行)[^:：`\n]{0,40}[:：] *((?:sudo )?topsctl [^`\n]*|\. /[^`\n]*|exec [^`\n]*|eval [^`\n]*)$", re.MULTILINE)
WITHOUT_MARKS = (re.compile(r"(?<!\$)[(（]((?:sudo )?topsctl\s+[a-z][^`)）]*)[)）]"),
                 re.compile(r"[:：] *((?:sudo )?topsctl [a-z][^`\n]*?)(?:(?<!\.)\.|。)?$", re.MULTILINE),
                 re.compile(r"(?:then|run|然后|运行) *((?:sudo )?topsctl [a-z][^`\n]*)$", re.MULTILINE),
                 re.compile(r"^ {2,}((?:sudo )?topsctl [a-z][^`\n]*)$", re.MULTILINE))


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
    """Of output: the lines that its reader is told to type, each once. `names` are the commands of topsctl: words without
    marks that begin with none of them are prose."""
    found = OUTPUT_SPAN.findall(text) + NEXT.findall(text)
    rest = NEXT.sub("", text)
    found += [words for kind in WITHOUT_MARKS for words in kind.findall(rest)
              if (word := re.search(r"topsctl\s+(\w+)(?!\S)", words)) and word[1] in names]
    return list(dict.fromkeys(" ".join(words.split()) for words in found))
