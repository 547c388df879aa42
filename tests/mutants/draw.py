"""Draws mutants of C++ sources: an operator exchanged, a condition turned round, a call dropped; the same ones for a seed."""

import random
import re
from typing import NamedTuple

FOLDERS = ("src/engine/transaction", "src/engine/execution", "src/host/filesystem")
OPERATORS = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "&&": "||", "||": "&&", " < ": " <= ", " > ": " >= "}
OPERATOR = re.compile(r"==|!=|<=(?!>)|>=|&&|\|\|| < | > ")
CONDITION = re.compile(r"\b(if|while) \((?!const |auto )(.+)\)( \{| .+;)?$")
CALL = re.compile(r"^\s+(?!return\b|throw\b|case\b|else\b|using\b|const\b|auto\b|delete\b|co_)(?:::|\w|\.|->|<\w+>)+\(.*\);$")
NOT_CODE = re.compile(r'//.*|R"\(.*|"(?:\\.|[^"\\])*"')


class Mutant(NamedTuple):
    """One line of one file, and what it becomes."""
    file: str
    line: int
    kind: str
    before: str
    after: str

    def __str__(self):
        return f"{self.file}:{self.line} {self.kind}: {self.before.strip()}  ->  {self.after.strip() or '(nothing)'}"


def mutants_of(file, text):
    """All of one source; those of a line that is continued elsewhere are left out where they would need the rest."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        code = NOT_CODE.sub(lambda match: " " * len(match[0]), line)
        if code.lstrip().startswith(("#", "template", "namespace", "static_assert")) or "operator" in code:
            continue
        for match in OPERATOR.finditer(code):
            found.append(Mutant(file, number, "operator", line,
                                line[:match.start()] + OPERATORS[match[0]] + line[match.end():]))
        match = CONDITION.search(code)
        if match and match[2].count("(") == match[2].count(")") and ";" not in match[2]:
            found.append(Mutant(file, number, "condition", line,
                                f"{line[:match.start(2)]}!({line[match.start(2):match.end(2)]}){line[match.end(2):]}"))
        if CALL.match(code) and code.count("(") == code.count(")"):
            found.append(Mutant(file, number, "call", line, ""))
    return found


def drawn(repository, seed, number):
    """So many of all mutants, each kind as often as the others, in an order of their own; more may be asked for if some do not compile."""
    by_kind = {"operator": [], "condition": [], "call": []}
    for folder in FOLDERS:
        for path in sorted((repository / folder).glob("*.cpp")):
            for mutant in mutants_of(str(path.relative_to(repository)), path.read_text(encoding="utf-8")):
                by_kind[mutant.kind].append(mutant)
    chance = random.Random(seed)
    for mutants in by_kind.values():
        chance.shuffle(mutants)
    return [mutants[at] for at in range(number) for mutants in by_kind.values() if at < len(mutants)]
