"""Translations: whole, once, and with the places of their sentences."""

import re
import subprocess

PLACE = re.compile(r"\{\d*\}")


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


def test_chinese_sentences_have_the_places_of_the_english_ones(repository):
    text = (repository / "docs" / "zh" / "messages.po").read_text(encoding="utf-8")
    assert len(entries(text)) > 2000 and list(faults(text)) == []
    subprocess.run(["msgfmt", "--check-format", "--output-file=/dev/null", repository / "docs" / "zh" / "messages.po"],
                   check=True, capture_output=True)


def test_wrong_translations_are_found():
    broken = 'msgid "a {} b {}"\nmsgstr "{0}"\n\nmsgid "c"\nmsgstr " "\n\nmsgid "c"\nmsgstr "x"\n'
    assert [fault.split(":")[0] for fault in faults(broken)] == ["other places", "numbers that are not those of the places",
                                                                  "empty", "twice"]
