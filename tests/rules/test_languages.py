"""Translations: of every sentence, once, and with the places of their sentences."""

import re
import subprocess

import pytest
from rules import sentences

PLACE = re.compile(r"\{\d*\}")


@pytest.fixture(scope="module")
def catalogue(repository):
    return repository / "src" / "data" / "languages" / "zh.po"


def entries(text):
    return re.findall(r'^msgid "(.+)"\nmsgstr "(.*)"$', text, re.M)


def faults(text):
    pairs = entries(text)
    seen = set()
    for sentence, translation in pairs:
        numbered = [place for place in PLACE.findall(translation) if place != "{}"]
        if len(PLACE.findall(sentence)) != len(PLACE.findall(translation)):
            yield f"other places: {sentence}"
        if numbered and sorted(numbered) != [f"{{{i}}}" for i in range(len(PLACE.findall(sentence)))]:
            yield f"numbers that are not those of the places: {sentence}"
        if not translation.strip():
            yield f"empty: {sentence}"
        if sentence in seen:
            yield f"twice: {sentence}"
        seen.add(sentence)


def test_chinese_sentences_have_the_places_of_the_english_ones(catalogue):
    text = catalogue.read_text(encoding="utf-8")
    assert len(entries(text)) > 2000 and list(faults(text)) == []
    # Phrases that no engineer would write.
    assert [words for words in ("写集", "系统的 根", "代码要用 NVIDIA 显卡，但没有") if words in text] == []
    subprocess.run(["msgfmt", "--check-format", "--output-file=/dev/null", catalogue], check=True, capture_output=True)


def test_wrong_translations_are_found():
    broken = 'msgid "a {} b {}"\nmsgstr "{0}"\n\nmsgid "c"\nmsgstr " "\n\nmsgid "c"\nmsgstr "x"\n'
    assert [fault.split(":")[0] for fault in faults(broken)] == ["other places", "numbers that are not those of the places",
                                                                  "empty", "twice"]


def test_every_sentence_has_a_translation(repository, catalogue):
    known = {sentence for sentence, _ in entries(catalogue.read_text(encoding="utf-8"))}
    wanted = list(sentences.sentences(repository))
    assert len(wanted) > 2500 and [f"{place}: {text}" for place, text in wanted if text not in known] == []


def test_no_translation_is_left_over(repository, catalogue):
    known = {sentence for sentence, _ in entries(catalogue.read_text(encoding="utf-8"))}
    said = {text for _, text in sentences.sentences(repository)}
    for file in (repository / "src").rglob("*.[ch]pp"):
        said.update(sentences.all_of_code(file.read_text(encoding="utf-8")))
    assert sorted(known - said - CLI11 - HEADINGS) == []


# Labels of CLI11's help, and headings that reports make of the names of their keys.
CLI11 = {"Positionals", "SUBCOMMAND", "SUBCOMMANDS", "Subcommands", "OPTIONS", "Options", "REQUIRED", "Usage",
         "Excludes"}
HEADINGS = {"not restored", "kept of others", "escaped paths"}


@pytest.mark.parametrize("code, found", [
    ('x = format("cannot read {}: {}", a, "too long");', ["cannot read {}: {}", "too long"]),
    ('x = format("cannot "\n    "read {}", a);  // "no sentence here"', ["cannot read {}"]),
    ('fail("it is damaged"); y = counted(n, "path"); z = \'"\'; w = 30\'000; fail("more of it");',
     ["it is damaged", "{} paths", "more of it"]),
    ('a = style.bold("state:"); b = concat("/etc/", "of it"); c = R"(not this one)"; d = "--flag";', ["state:"]),
    ('std::vector<std::vector<std::string>> rows = {{"check", "result"}};', ["check", "result"]),
])
def test_sentences_are_found_in_code(code, found):
    assert [text for text in sentences.sentences_of_code(code)] == found
