"""Versions are ordered as dpkg and Python's packaging order them, on pairs that are near misses."""

import os

import packaging.version

from peers.judges import dpkg_disagrees, question
from peers.near_misses import debian_pair, python_pair

DEBIAN_PAIRS = 100_000
DPKG_SAMPLE = 1_000
PYTHON_PAIRS = 50_000
SHOWN = 10
# Odd ones that random pairs seldom hold; each is compared with each by dpkg itself.
ODD_VERSIONS = [b"", b"0", b"00", b"0:0", b"00:0", b"+0:0", b"0-0", b"0~", b"~", b"0+", b"1", b" 1", b"1\t", b"1:0",
                b"+1:0", b"01:0", b"0:1:0", b"a", b"\xc3\xa9", b"0\xff", b"0\x80", b"0z", b"0_", b"0-0-0", b"0.0-0~"]


def accepted_debian_pairs(chance, dpkg_library, wanted):
    """Pairs that dpkg takes for versions, with its answers."""
    found = []
    while len(found) < wanted:
        pairs = [debian_pair(chance) for _ in range(wanted)]
        answers = dpkg_library.answers([question("deb", *pair) for pair in pairs])
        found += [case for case in zip(pairs, answers) if case[1] != "error"]
    return found[:wanted]


def test_debian_versions_are_ordered_as_dpkg_does(chance, probe, dpkg_library):
    cases = accepted_debian_pairs(chance, dpkg_library, DEBIAN_PAIRS)
    for order in ("-1", "0", "1"):
        assert sum(case[1] == order for case in cases) > DEBIAN_PAIRS // 20, f"too few pairs of order {order}"
    answers = probe.answers([question("deb", *pair) for pair, _ in cases])
    differing = [(case, answer) for case, answer in zip(cases, answers) if case[1] != answer]
    assert not differing, f"{len(differing)} of {len(cases)} differ: {differing[:SHOWN]}"
    # The library's answers, which are ours too now, are those of the program; "-0:1" is an option to it.
    for_program = [case for case in cases if not any(version.startswith(b"-") for version in case[0])]
    if os.environ.get("TOPSCTL_TEST_ALL_DPKG") != "1":
        for_program = chance.sample(for_program, DPKG_SAMPLE)
    denied = dpkg_disagrees(for_program)
    assert not denied, f"dpkg denies {len(denied)} of {len(for_program)}: {denied[:SHOWN]}"


def test_odd_debian_versions_are_ordered_as_dpkg_does(probe):
    pairs = [(a, b) for a in ODD_VERSIONS for b in ODD_VERSIONS]
    denied = dpkg_disagrees(list(zip(pairs, probe.answers([question("deb", *pair) for pair in pairs]))))
    assert not denied, f"dpkg denies {len(denied)} of {len(pairs)}: {denied[:SHOWN]}"


def _python_order(a, b):
    try:
        a, b = packaging.version.Version(a), packaging.version.Version(b)
    except packaging.version.InvalidVersion:
        return None
    return str((a > b) - (a < b))


def test_python_versions_are_ordered_as_packaging_does(chance, probe):
    pairs, expected = [], []
    while len(pairs) < PYTHON_PAIRS:
        pair = python_pair(chance)
        order = _python_order(*pair)
        if order is not None:
            pairs.append(pair)
            expected.append(order)
    for order in ("-1", "0", "1"):
        assert expected.count(order) > PYTHON_PAIRS // 20, f"too few pairs of order {order}"
    answers = probe.answers([question("py", *pair) for pair in pairs])
    differing = [case for case in zip(pairs, expected, answers) if case[1] != case[2]]
    assert not differing, f"{len(differing)} of {len(pairs)} differ: {differing[:SHOWN]}"


def _is_pep440(version):
    try:
        packaging.version.Version(version)
    except packaging.version.InvalidVersion:
        return "no"
    return "yes"


def test_what_is_of_pep440_is_so_to_packaging(chance, probe):
    versions = [version for _ in range(PYTHON_PAIRS // 2) for version in python_pair(chance)]
    expected = [_is_pep440(version) for version in versions]
    for kind in ("yes", "no"):
        assert expected.count(kind) > PYTHON_PAIRS // 20, f"too few answers {kind}"
    answers = probe.answers([question("pep440", version) for version in versions])
    differing = [case for case in zip(versions, expected, answers) if case[1] != case[2]]
    assert not differing, f"{len(differing)} of {len(versions)} differ: {differing[:SHOWN]}"


def _assert_is_an_order(probe, kind, versions):
    """Whether versions can be sorted by the answers: each has a rank, and all answers follow the ranks."""
    pairs = [(a, b) for a in versions for b in versions]
    orders = dict(zip(pairs, map(int, probe.answers([question(kind, *pair) for pair in pairs]))))
    rank = {version: sum(orders[version, other] > 0 for other in versions) for version in versions}
    wrong = [(a, b) for a, b in pairs if orders[a, b] != (rank[a] > rank[b]) - (rank[a] < rank[b])]
    assert not wrong, f"{len(wrong)} of {len(pairs)} pairs break the order: {wrong[:SHOWN]}"


def test_all_texts_have_a_place_in_the_order_of_python_versions(chance, probe):
    versions = sorted({version for _ in range(100) for version in python_pair(chance)})
    assert len({_is_pep440(version) for version in versions}) == 2
    _assert_is_an_order(probe, "py", versions)


def test_all_texts_have_a_place_in_the_order_of_debian_versions(chance, probe):
    refused = [b":1", b"0:", b"1-", b"-", b"x:1", b"1 2", b"99999999999:1", b"-1:1", b"\x00"]
    versions = sorted({version for _ in range(90) for version in debian_pair(chance)} | {*ODD_VERSIONS, *refused})
    _assert_is_an_order(probe, "deb", versions)
