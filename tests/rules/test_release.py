"""What makes a release hard to attack and the same from every folder stands in the build; tests/release/reproducible builds it twice."""

import json
import re

MAPPED = ("CMAKE_SOURCE_DIR", "CMAKE_BINARY_DIR")
LINKED = ("-static-pie", "-Wl,-z,relro,-z,now")


def test_the_release_is_static_hardened_and_has_no_older_library(repository):
    presets = json.loads((repository / "CMakePresets.json").read_text())["configurePresets"]
    release, = (preset["cacheVariables"] for preset in presets if preset["name"] == "release")
    assert release["TOPSCTL_STATIC"] == release["TOPSCTL_HARDENED"] == "ON"
    assert release["TOPSCTL_LIBRARY_UPDATES"] == "refuse"
    text = (repository / "CMakeLists.txt").read_text()
    assert all(flag in text for flag in LINKED)


def test_paths_of_the_build_are_mapped(repository):
    text = (repository / "CMakeLists.txt").read_text()
    assert all(f"-ffile-prefix-map=${{{name}}}=" in text for name in MAPPED)


def test_no_source_holds_the_time_of_its_build(repository):
    sources = [path for folder in ("src", "include") for path in (repository / folder).rglob("*.[ch]*")]
    times = [str(path) for path in sources if re.search(r"__(DATE|TIME|TIMESTAMP)__|string\(TIMESTAMP",
                                                        path.read_text(encoding="utf-8", errors="replace"))]
    assert len(sources) > 100 and times == []


def test_the_package_has_the_version_of_the_program(repository):
    version, = re.findall(r"^project\(topsctl VERSION (\S+)", (repository / "CMakeLists.txt").read_text(), re.MULTILINE)
    entry = (repository / "packaging/debian/changelog").read_text().splitlines()[0]
    assert entry.startswith(f"topsctl ({version}) ")


def test_the_scripts_of_the_package_never_remove_a_store_with_transactions(repository):
    for name in ("postinst", "prerm", "postrm"):
        lines = (repository / "packaging/debian" / name).read_text().splitlines()
        assert [line for line in lines if re.search(r"\brm\b.* -\w*r", line) and "echo" not in line] == [], name
