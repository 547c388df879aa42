"""A snapshot of a real host says the very same as dpkg-query, dpkg -S, ldconfig and Python say in it."""

import json
import os

import pytest

DISTRIBUTIONS = """
import importlib.metadata, json, sys
seen = []
for site in sys.argv[1:]:
    for each in importlib.metadata.distributions(path=[site]):
        seen.append([each.metadata["Name"], each.version])
print(json.dumps(sorted(seen)))
"""


@pytest.fixture
def taken(host, topsctl_release, run_topsctl, tmp_path, schema):
    """taken(*arguments) -> the parsed file of a snapshot of the host, valid by its schema."""
    def take(*arguments):
        file = tmp_path / "snapshot.json"
        outcome = run_topsctl(["snapshot", "--root", host.root, "--output", file, *arguments], binary=topsctl_release)
        assert outcome.code == 0, outcome
        document = json.loads(file.read_text(encoding="utf-8"))
        schema(document, "target-snapshot")
        return document

    return take


def owners_of(document):
    """path -> names of packages."""
    owners = {}
    for folder, package, *names in document["owners"]:
        for name in names:
            owners.setdefault(os.path.join(folder, name), set()).add(package)
    return owners


def listed_by_dpkg(host, paths):
    """path -> names of packages, as `dpkg -S` prints them."""
    owners = {}
    for start in range(0, len(paths), 1000):
        patterns = ["".join("\\" + c if c in "*?[\\" else c for c in path) for path in paths[start:start + 1000]]
        done = host.run(["dpkg", "-S", *patterns], check=True)
        for line in done.stdout.splitlines():
            packages, path = line.split(": ", 1)
            if not packages.startswith("diversion by "):
                owners[path] = {name.split(":")[0] for name in packages.split(", ")}
    return owners


def test_packages_are_those_of_dpkg_query(host, taken):
    host.path("/var/lib/dpkg/status").open("a").write(
        "\nPackage: left-over\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1:2-3\n")
    fields = ("Package", "Version", "Architecture", "Status", "Provides", "Breaks", "Conflicts", "Replaces")
    shown = host.run(["dpkg-query", "-W", "-f", "\\t".join(f"${{{field}}}" for field in fields) + "\\n"], check=True)
    wanted = sorted(line.split("\t") for line in shown.stdout.splitlines())
    keys = [field.lower().replace("package", "name") for field in fields]
    assert sorted([package.get(key, "") for key in keys] for package in taken()["packages"]) == wanted


def test_dependencies_are_those_of_dpkg_query(host, taken):
    shown = host.run(["dpkg-query", "-W", "-f", "${Package} ${Architecture}\\t${Pre-Depends}\\t${Depends}\\n"], check=True)
    wanted = {}
    for line in shown.stdout.splitlines():
        package, *fields = line.split("\t")
        wanted[package] = ", ".join(field for field in fields if field)
    seen = {f"{package['name']} {package['architecture']}": package.get("depends", "")
            for package in taken()["packages"]}
    assert seen == wanted


def test_owners_are_those_of_dpkg(host, taken):
    seen = owners_of(taken())
    assert len(seen) > 3000
    assert listed_by_dpkg(host, sorted(seen)) == seen


def test_every_file_in_dpkgs_lists_has_its_owner(host, taken):
    seen = owners_of(taken())
    listed = set()
    for file in host.path("/var/lib/dpkg/info").glob("*.list"):
        listed.update(line for line in file.read_text(errors="surrogateescape").splitlines() if line != "/.")

    def is_folder(path):
        place = host.path(path)
        return place.is_dir() and not place.is_symlink()

    assert [path for path in listed if not is_folder(path) and path not in seen
            and not any(other.startswith(path + "/") for other in listed)] == []
    # Only a folder that nothing lies in, of one package, is taken for a file.
    for path in seen:
        assert path in listed
        if is_folder(path):
            assert len(seen[path]) == 1
            assert not any(other.startswith(path + "/") for other in listed)


def test_libraries_are_those_of_ldconfig(host, taken):
    shown = host.run(["ldconfig", "-p"], check=True).stdout
    wanted = [(line.split(" (")[0].strip(), line.split(" => ")[1]) for line in shown.splitlines()
              if " => " in line and "x86-64" in line]
    assert len(wanted) > 20
    assert [(library["soname"], library["path"]) for library in taken()["libraries"]] == wanted


@pytest.mark.parametrize("form", ["old", "new", "compat"])
def test_each_form_of_the_loaders_cache_is_read(host, taken, form):
    assert host.run(["ldconfig", "-c", form]).returncode == 0
    test_libraries_are_those_of_ldconfig(host, taken) if form != "old" else taken()


def test_without_a_cache_the_loaders_own_folders_count(host, taken):
    host.path("/etc/ld.so.cache").unlink()
    libraries = {library["soname"]: library["path"] for library in taken()["libraries"]}
    assert libraries["libc.so.6"].endswith("/libc.so.6")


def test_diversions_are_those_of_dpkg_divert(host, taken):
    host.run(["dpkg-divert", "--local", "--rename", "--add", "/usr/bin/yes"], check=True)
    shown = host.run(["dpkg-divert", "--list"], check=True).stdout.splitlines()
    seen = taken()["diversions"]
    assert len(seen) == len(shown)
    assert {"from": "/usr/bin/yes", "to": "/usr/bin/yes.distrib", "package": ":"} in seen


def test_interpreters_tell_what_is_installed_for_them(host, taken):
    document = taken()
    assert [python["executable"] for python in document["pythons"]] == ["/usr/bin/python3"]
    python = document["pythons"][0]
    assert python["minor"] == host.python_minor()
    pip = host.run(["python3", "-c", "import pip; print(pip.__version__)"])
    assert python.get("pip_version", "") == pip.stdout.strip()
    wanted = json.loads(host.run(["python3", "-c", DISTRIBUTIONS, *python["site_directories"]], check=True).stdout)
    assert sorted([wheel["name"], wheel["version"]] for wheel in python["wheels"]) == wanted


def test_an_interpreter_that_cannot_be_run_does_not_end_the_search(host, taken):
    for name, text in (("python3.0", "#!/nowhere/interpreter\n"), ("python3.1", "#!/etc/passwd\n"),
                       ("python3.2", "#!/bin/sh\nexit 3\n"), ("python3.3", "#!/bin/sh\necho '{}' >&3\n")):
        broken = host.path("/usr/bin") / name
        broken.write_text(text)
        broken.chmod(0o755)
    assert [python["executable"] for python in taken()["pythons"]] == ["/usr/bin/python3"]


def test_versions_are_those_of_the_host(host, taken):
    document = taken()
    assert document["architecture"] == host.run(["dpkg", "--print-architecture"], check=True).stdout.strip()
    assert document["glibc"] == host.run(["getconf", "GNU_LIBC_VERSION"], check=True).stdout.split()[1]
    assert document["dpkg_version"] in host.run(["dpkg", "--version"], check=True).stdout
    assert "kernel" not in document
    assert document["mounts"][0]["path"] == "/"


def test_inside_the_host_anybody_may_take_one(topsctl_host, schema, run_topsctl, topsctl_release, tmp_path):
    folder = topsctl_host.path("/srv/out")
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    done = topsctl_host.run(["topsctl", "snapshot", "--json"], user=65534, cwd="/srv/out",
                            env={"SECRET_TOKEN": "hunter2secret"})
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    schema(report, "snapshot")
    name = topsctl_host.run(["uname", "-n"], check=True).stdout.strip()
    assert report["file"] == f"/srv/out/topsctl-snapshot-{name}.json"
    text = topsctl_host.path(report["file"]).read_text()
    assert "hunter2secret" not in text
    document = json.loads(text)
    schema(document, "target-snapshot")
    assert document["kernel"] == os.uname().release
    assert document["pythons"]
    assert report["target"]["packages"] == len(document["packages"])
    assert report["target"]["paths"] == len(owners_of(document))


def test_a_link_in_the_place_of_the_file_is_not_followed(host, topsctl_release, run_topsctl, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("kept")
    link = tmp_path / "out.json"
    link.symlink_to(victim)
    outcome = run_topsctl(["snapshot", "--root", host.root, "--output", link], binary=topsctl_release)
    assert outcome.code == 0, outcome
    assert victim.read_text() == "kept"
    assert not link.is_symlink() and json.loads(link.read_text())["kind"] == "target-snapshot"
    folder = tmp_path / "folder"
    folder.mkdir()
    to_folder = tmp_path / "to-folder"
    to_folder.symlink_to(folder)
    outcome = run_topsctl(["snapshot", "--root", host.root, "--output", to_folder], binary=topsctl_release)
    assert outcome.code == 2, outcome
    assert to_folder.is_symlink() and list(folder.iterdir()) == []


def test_nothing_on_the_host_changes(host, taken):
    before = host.digest()
    taken()
    assert before.diff(host.digest()) == []
