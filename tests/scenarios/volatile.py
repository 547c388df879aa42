"""Replaces what differs from run to run by placeholders, in text and in JSON, so that goldens can be compared."""

import json
import re

TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)?")
SHA256 = re.compile(r"\b[0-9a-f]{64}\b")
DURATION = re.compile(r"(?<![\w.])\d+(?:\.\d+)? ?(?:ms|s|min)\b")
OWN_VERSION = re.compile(r"\btopsctl \d+\.\d+\.\d+\S*")
SIZE = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:B|bytes|KiB|MiB|GiB|kB|MB|GB)\b")


def normalised_text(text, places, volatile=()):
    """`places` maps a path to its placeholder, '<tree>'; `volatile` may hold 'size' and regular expressions."""
    text = _without_places(text, places)
    text = TIME.sub("<time>", text)
    text = SHA256.sub("<sha256>", text)
    text = OWN_VERSION.sub("topsctl <version>", text)
    text = DURATION.sub("<duration>", text)
    for what in volatile:
        if what == "size":
            text = SIZE.sub("<size>", text)
        elif not what.isidentifier():
            text = re.sub(what, "<volatile>", text)
    return text


def normalised_json(document, places, volatile=()):
    """The same for parsed JSON; `volatile` holds names of fields whose values are replaced wherever they stand."""
    if isinstance(document, dict):
        return {key: _value(key, value, places, volatile) for key, value in document.items()}
    if isinstance(document, list):
        return [normalised_json(value, places, volatile) for value in document]
    if isinstance(document, str):
        return normalised_text(document, places, [what for what in volatile if not what.isidentifier()])
    return document


def golden_json(document, places, volatile=()):
    """What is written into a golden file."""
    return json.dumps(normalised_json(document, places, volatile), indent=2, ensure_ascii=False) + "\n"


def _value(key, value, places, volatile):
    if value is None:
        return None
    if key == "topsctl_version":
        return "<version>"
    if key.endswith("_ms") and isinstance(value, (int, float)):
        return "<duration>"
    if key in volatile:
        return f"<{key}>"
    return normalised_json(value, places, volatile)


def _without_places(text, places):
    for path in sorted(places, key=len, reverse=True):
        text = text.replace(path, places[path])
    return text
