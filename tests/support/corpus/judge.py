"""Compares what topsctl inspect reported of a case with what is expected of it."""

import json
from fnmatch import fnmatchcase

LOUD = ("warning", "error", "critical")


def faults(expected, code, document):
    """Every difference in words; empty when the verdict is the expected one. `document` is the parsed report."""
    findings = document["findings"]
    loud = sorted({finding["id"] for finding in findings if finding["severity"] in LOUD})
    all_ids = {finding["id"] for finding in findings}
    found = []
    for wanted in expected["ids"]:
        if not any(_matches(wanted, one) for one in loud):
            found.append(f"no finding {wanted}")
    for one in loud:
        if not any(_matches(pattern, one) for pattern in [*expected["ids"], *expected["may"]]):
            found.append(f"unexpected finding {one}")
    for wanted in expected["info"]:
        if wanted not in all_ids:
            found.append(f"no finding {wanted}")
    for unwanted in expected["absent"]:
        found += [f"unwanted finding {one}" for one in sorted(all_ids) if fnmatchcase(one, unwanted)]
    if code not in expected["exit"]:
        found.append(f"exit {code} instead of {' or '.join(map(str, expected['exit']))}")
    found += _evidence_faults(expected, findings)
    found += _package_faults(expected, document["packages"])
    return found


def _matches(pattern, finding_id):
    return any(fnmatchcase(finding_id, one) for one in pattern.split("|"))


def _evidence_faults(expected, findings):
    told = [finding for finding in findings if finding["severity"] in LOUD]
    text = json.dumps([[one["subject"], one["evidence"]] for one in told], ensure_ascii=False)
    for wanted in expected["evidence"]:
        if json.dumps(wanted, ensure_ascii=False)[1:-1] not in text:
            yield f"no evidence '{wanted}' in {text}"
    if expected["problem_contains"] and expected["problem_contains"] not in text:
        yield f"no problem tells of '{expected['problem_contains']}': {text}"


def _package_faults(expected, packages):
    if expected["packages"] is None:
        return
    wanted = sorted(tuple(one) for one in expected["packages"])
    shown = sorted((one["name"] or "", one["version"] or "") for one in packages)
    if wanted != shown:
        yield f"packages {shown} instead of {wanted}"
