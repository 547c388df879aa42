"""An environment in each format, with values that try to break out, is read as it was meant by the real consumers."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from support.programs import needed

VALUES = {
    "PLAIN": "4", "EMPTY": "", "BLANKS": "  a  b  ", "SINGLE": "it's", "DOUBLE": 'say "x"', "DOLLAR": "$HOME ${HOME} $$",
    "COMMAND": "$(touch pwned)", "TICKS": "`touch pwned`", "EQUALS": "a=b=c", "PERCENT": "100% %n %% %H", "SLASHES": "a\\nb\\\\c\\",
    "HASH": "#a #b", "SEMICOLON": "; touch pwned; #", "STAR": "* ? [a,b] ~", "BRACES": "{a} }{ {", "UMLAUT": "größer ☃ Zähne",
    "BANG": "!x !!", "AMPERSAND": "a & b | c < d > e", "OPTION": "-n --", "TCL": "[exec touch pwned] $x", "TAB": "a\tb", "COLON_PATH": "/a:/b",
}
LINES = {"LINES": "a\nb\n", "FAKE": "x\n# topsctl settings: {\"profile\":\"dev\"}\nexport PWNED=1"}
ASTRAL = {"PENGUIN": "🐧"}
PLAIN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NOBODY = 65534


@pytest.fixture
def machine(tmp_path):
    """A root directory that counts as a Debian system, with one of the folders that are taken if they are there."""
    root = tmp_path / "root"
    for folder in ("var/lib/dpkg/info", "opt/tops/lib", "etc/profile.d"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text("")
    return root


@pytest.fixture
def stack(tmp_path, repository):
    """The stack with search paths that always have folders, strange ones among them."""
    document = json.loads((repository / "src/data/stacks/topsrider-t2x.json").read_text())
    folders = [tmp_path / "a b", tmp_path / "$(touch pwned)", tmp_path / "it's {x} [y] \"z\" %n"]
    for folder in folders:
        folder.mkdir()
    entries = [{"if_present": str(folder)} for folder in folders] + [{"if_present": str(tmp_path / "missing")}]
    document["environment"]["paths"] = [{"name": name, "entries": entries} for name in ("LD_LIBRARY_PATH", "PATH", "SEARCH")]
    file = tmp_path / "stack.json"
    file.write_text(json.dumps(document))
    return file, [str(folder) for folder in folders]


@pytest.fixture
def text_of(run_topsctl, topsctl_dev, stack):
    """text_of(format, values) -> the environment in that format, of this machine's folders."""
    def make(form, values, code=0):
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        done = run_topsctl(["env", "--stack", stack[0], "--format", form, "-q", *settings], binary=topsctl_dev)
        assert done.code == code, done
        return done.out if code == 0 else done.err
    return make


PRINTER = "import json, os; print(json.dumps(dict(os.environ)))"


def environment_after(argv, cwd, environment):
    """What a program that is started at the end of argv finds in its environment."""
    done = subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert not (Path(cwd) / "pwned").exists()
    return json.loads(done.stdout.splitlines()[-1])


def check(seen, values, paths):
    assert {name: seen.get(name) for name in values} == values
    assert "PWNED" not in seen
    for name, wanted in paths.items():
        assert seen.get(name) == wanted, name


def expected_paths(folders, path=PLAIN_PATH):
    ours = ":".join(folders)
    return {"PATH": f"{path}:{ours}", "LD_LIBRARY_PATH": ours, "SEARCH": ours}


@pytest.mark.parametrize("shell", [["dash", "-eu"], ["bash", "-u"], ["bash", "--posix", "-eu"], ["sh"], ["env", "-i", "sh"]])
def test_shells_read_the_file_once_and_twice(tmp_path, text_of, stack, shell):
    needed(shell[0])
    values = {**VALUES, **LINES, **ASTRAL}
    file = tmp_path / "env.sh"
    file.write_text(text_of("sh", values))
    for times in (1, 2):
        script = f". '{file}'\n" * times + "exec /usr/bin/python3 -c \"$1\""
        seen = environment_after([*shell, "-c", script, "x", PRINTER], tmp_path, {"PATH": PLAIN_PATH})
        check(seen, values, expected_paths(stack[1]))


@pytest.mark.parametrize("given", [None, "", "/x:/y"])
def test_fish_reads_it_once_and_twice(tmp_path, text_of, stack, given):
    values = {**VALUES, **LINES, **ASTRAL}
    file = tmp_path / "env.fish"
    file.write_text(text_of("fish", values))
    environment = {"PATH": PLAIN_PATH, "HOME": str(tmp_path), "LANG": "C.UTF-8",
                   **({} if given is None else {"LD_LIBRARY_PATH": given, "SEARCH": given})}
    paths = expected_paths(stack[1])
    if given:
        paths.update({name: f"{given}:{paths[name]}" for name in ("LD_LIBRARY_PATH", "SEARCH")})
    for times in (1, 2):
        script = f"source '{file}'\n" * times + "exec /usr/bin/python3 -c $argv[1]"
        seen = environment_after([needed("fish"), "--no-config", "-c", script, PRINTER], tmp_path, environment)
        check(seen, values, paths)


MODULECMD = "/usr/lib/x86_64-linux-gnu/modulecmd.tcl"


def moduled(folder, text):
    """The variables with which modulecmd finds the text as the module gcu."""
    file = folder / "modules" / "gcu"
    file.parent.mkdir()
    file.write_text(text)
    return {"PATH": PLAIN_PATH, "HOME": str(folder), "LANG": "C.UTF-8", "MODULEPATH": str(file.parent)}


@pytest.mark.parametrize("given", [None, "/x:/y"])
def test_environment_modules_load_and_unload_it(tmp_path, text_of, stack, given):
    needed("tclsh")
    values = {**VALUES, **LINES, **ASTRAL}
    environment = {**moduled(tmp_path, text_of("modulefile", values)),
                   **({} if given is None else {"LD_LIBRARY_PATH": given})}
    load = f"eval \"$({MODULECMD} sh load gcu)\"\n"
    last = "exec /usr/bin/python3 -c \"$1\""
    paths = expected_paths(stack[1])
    if given:
        paths["LD_LIBRARY_PATH"] = f"{given}:{paths['LD_LIBRARY_PATH']}"
    for times in (1, 2):
        seen = environment_after(["sh", "-c", load * times + last, "x", PRINTER], tmp_path, environment)
        check(seen, values, paths)
    unload = f"eval \"$({MODULECMD} sh unload gcu)\"\n"
    seen = environment_after(["sh", "-c", load + unload + last, "x", PRINTER], tmp_path, environment)
    assert not set(values) & set(seen)
    assert (seen["PATH"], seen.get("LD_LIBRARY_PATH")) == (PLAIN_PATH, given)


def test_environment_modules_load_it_into_fish(tmp_path, text_of, stack):
    needed("tclsh")
    values = {**VALUES, **LINES, **ASTRAL}
    environment = moduled(tmp_path, text_of("modulefile", values))
    script = f"{MODULECMD} fish load gcu | source\nexec /usr/bin/python3 -c $argv[1]"
    seen = environment_after([needed("fish"), "--no-config", "-c", script, PRINTER], tmp_path, environment)
    check(seen, values, expected_paths(stack[1]))


def test_environment_modules_hand_lines_to_no_shell_that_would_run_them(tmp_path, text_of):
    needed("tclsh")
    environment = moduled(tmp_path, text_of("modulefile", {"GOOD": "1", "LINES": "a\ntouch pwned"}))
    done = subprocess.run([MODULECMD, "csh", "load", "gcu"], capture_output=True, text=True, check=False, env=environment)
    assert "LINES has a line break, which only sh and fish can be given" in " ".join(done.stderr.split())
    assert "touch" not in done.stdout and "GOOD" not in done.stdout


def systemd_reads(folder, drop_in):
    """The Environment of a service with this drop-in, as systemd itself shows it; it wants no root for that."""
    units, runtime = folder / "units", folder / "run"
    (units / "x.service.d").mkdir(parents=True)
    runtime.mkdir()
    (units / "x.service").write_text("[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/true\n")
    (units / "default.target").write_text("[Unit]\nDefaultDependencies=no\nRequires=x.service\n")
    (units / "x.service.d" / "gcu.conf").write_text(drop_in)
    user = {}
    if os.geteuid() == 0:
        for path in (folder, *folder.parents):
            if path.stat().st_mode & 1 == 0 and path != Path("/"):
                path.chmod(path.stat().st_mode | 0o11)
        runtime.chmod(0o777)
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    done = subprocess.run([systemd(), "--test", "--user", "--unit", "default.target"], capture_output=True, text=True,
                          check=False, timeout=60, **user,
                          env={"SYSTEMD_UNIT_PATH": str(units), "XDG_RUNTIME_DIR": str(runtime), "HOME": str(runtime),
                               "SYSTEMD_LOG_TARGET": "console", "LANG": "C.UTF-8", "PATH": PLAIN_PATH})
    assert done.returncode == 0, done.stderr
    assert "gcu.conf:" not in done.stderr, done.stderr
    service = done.stdout[done.stdout.index("-> Unit x.service:"):]
    seen = {}
    for assignment in re.split(r"\n\t*Environment: ", service)[1:]:
        # The last one goes on to the next line of the listing.
        value = re.split(r"\n\t\t[A-Z]\w+: ", assignment)[0]
        name, text = value.split("=", 1)
        seen[name] = text
    return seen


def systemd():
    path = Path("/usr/lib/systemd/systemd")
    if not path.exists():
        pytest.fail("systemd is missing: run `packaging/install-packages tests/packages`", pytrace=False)
    return path


def test_systemd_reads_the_drop_in(tmp_path, text_of, stack):
    values = {**VALUES, **LINES, **ASTRAL}
    seen = systemd_reads(tmp_path / "systemd", text_of("systemd", values))
    check(seen, values, expected_paths(stack[1]))


def docker_reads(text):
    """Docker's rules of --env-file (cli, opts/file.go), which has no program of its own to ask."""
    seen = {}
    for line in text.splitlines():
        line = line.lstrip(" \t")
        if line and not line.startswith("#"):
            name, value = line.split("=", 1)
            seen[name] = value
    return seen


def test_the_file_for_docker_has_each_value_as_it_is(text_of, stack):
    check(docker_reads(text_of("docker-env-file", {**VALUES, **ASTRAL})), {**VALUES, **ASTRAL}, expected_paths(stack[1]))


def test_json_has_each_value_as_it_is(text_of, stack):
    check(json.loads(text_of("json", {**VALUES, **LINES, **ASTRAL})), {**VALUES, **LINES, **ASTRAL}, expected_paths(stack[1]))


@pytest.mark.parametrize("form", ["docker-env-file", "dockerfile"])
def test_a_line_break_is_refused_where_a_line_is_a_value(text_of, form):
    said = text_of(form, {"A": "b\nc"}, code=2)
    assert f"'A' contains a line break, which format '{form}' cannot represent" in said and "--format sh" in said


def test_a_program_gets_exactly_this_environment(tmp_path, topsctl_dev, stack):
    values = {**VALUES, **LINES, **ASTRAL}
    settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    argv = [topsctl_dev, "-q", "env", "exec", "--stack", stack[0], *settings, "--", "python3", "-c", PRINTER]
    environment = {"PATH": PLAIN_PATH, "OTHER": "stays", "LD_LIBRARY_PATH": f"/x:{stack[1][0]}"}
    seen = environment_after(argv, tmp_path, environment)
    folders = stack[1]
    check(seen, {**values, "OTHER": "stays"},
          {**expected_paths(folders), "LD_LIBRARY_PATH": ":".join(["/x", *folders])})


@pytest.mark.parametrize("code", [0, 1, 2, 5, 99])
def test_the_status_of_exec_is_the_programs(topsctl_dev, code):
    argv = [topsctl_dev, "-q", "env", "exec", "--", "sh", "-c", f"exit {code}"]
    assert subprocess.run(argv, check=False, capture_output=True).returncode == code


def test_settings_come_back_from_the_file_that_was_written(machine, stack, run_topsctl, topsctl_dev):
    values = {**VALUES, **LINES, **ASTRAL}
    settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    common = ["env", "--root", machine, "--stack", stack[0], "-q"]
    first = run_topsctl([*common, "--profile", "prod", "--unset", "ECCL_DEBUG", *settings], binary=topsctl_dev)
    assert first.code == 0, first
    (machine / "etc/profile.d/topsrider.sh").write_text(first.out)
    again = run_topsctl([*common, "--json"], binary=topsctl_dev).json
    assert again["file_state"] == "right" and not [warning for warning in again["warnings"] if not warning.startswith("no value for")]
    assert again["environment"]["settings"] == {"profile": "prod", "set": values, "unset": ["ECCL_DEBUG"]}
    assert again["text"] == first.out
