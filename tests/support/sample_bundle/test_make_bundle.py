# The generator from outside: command line, layout of the bundle, determinism, sizes and style of the doubles.

import ast
import hashlib
import json
import os
from pathlib import Path

import pytest

from .conftest import MAKE_BUNDLE, make_bundle, run
from .files import DOUBLES

pytestmark = pytest.mark.whole  # of the maker of bundles; every host test installs what it makes

HERE = Path(__file__).resolve().parent

NEEDED = [
    "distributed/tops-eccl_2.5.136-1_amd64.deb",
    "framework/torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl",
    "framework/torch_gcu-1.10.0-2.5.136-py3.6-none-any.whl",
    "sdk/tops-sdk_2.5.136-1_amd64.deb",
    "sdk/topsfactor_2.5.136-1_amd64.deb",
]


def files_of(directory):
    return sorted(path.relative_to(str(directory)).as_posix() for path in directory.rglob("*") if path.is_file())


def fingerprint(directory):
    """Bytes, mode and modification time of everything in a bundle."""
    seen = {}
    for path in directory.rglob("*"):
        status = path.stat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        seen[path.relative_to(str(directory)).as_posix()] = (content, oct(status.st_mode), status.st_mtime)
    return seen


def test_only_needed_has_just_the_debs_and_the_torch_gcu_wheels(bundle):
    assert files_of(bundle("--only-needed")) == NEEDED


def test_a_python_minor_adds_a_wheel_and_never_replaces_one(bundle):
    added = set(files_of(bundle("--only-needed", "--python", "3.6,3.8,3.9,3.11"))) - set(NEEDED)
    assert added == {"framework/torch_gcu-1.10.0+2.5.136-py3.9-none-any.whl",
                     "framework/torch_gcu-1.10.0+2.5.136-py3.11-none-any.whl"}


def test_the_whole_bundle_has_the_folders_and_files_of_a_real_one(bundle):
    directory = bundle()
    assert directory.name == "TopsRider_t2x_2.5.136_deb_amd64"
    assert sorted(os.listdir(str(directory))) == [
        ".installer", ".setup_config.json", ".startup.sh", "EULA.txt", "ai_development_toolkit", "deployment",
        "distributed", "dockerfile", "framework", "models_tool", "notices", "sdk", "topsplatform"]
    present = set(files_of(directory))
    assert present > set(NEEDED)
    assert present > {
        "distributed/horovod-0.19.1.115.gcu-2.5.136-cp36-cp36m-linux_x86_64.whl",
        "framework/archived_versions/torch_gcu-1.10.0+2.4.87-py3.8-none-any.whl",
        "ai_development_toolkit/distributed/ptex-1.3.20-py3-none-any.whl",
        "ai_development_toolkit/distributed/archived_versions/ptex-1.3.20-py3-none-any.whl",
        "deployment/topscloud/container-toolkit_1.3.10/enflame-container-toolkit_1.3.10_amd64.deb",
        "dockerfile/ubuntu_amd64_18.04_dockerfile/Dockerfile",
        "topsplatform/TopsPlatform_0.9.0.20240102-9198a3_deb_amd64.run"}
    assert "tops-eccl" in json.loads((directory / ".setup_config.json").read_text())["components"]
    assert sum(path.stat().st_size for path in directory.rglob("*")) < 6 << 20


def test_the_vendor_scripts_refuse_to_run_and_say_they_are_doubles(bundle):
    for script in (".startup.sh", ".installer", "topsplatform/TopsPlatform_0.9.0.20240102-9198a3_deb_amd64.run"):
        done = run(bundle() / script, check=False)
        assert done.returncode == 1
        assert "test double" in done.stderr


def test_the_same_arguments_give_identical_files(bundle, tmp_path):
    again = Path(make_bundle(tmp_path, env=dict(os.environ, SOURCE_DATE_EPOCH="1", TZ="Asia/Shanghai"))
                 .stdout.splitlines()[-1])
    assert fingerprint(again) == fingerprint(bundle())


def test_an_archived_wheel_is_the_wheel_of_its_own_generation(bundle):
    name = "torch_gcu-1.10.0+2.4.87-py3.8-none-any.whl"
    archived = bundle() / "framework/archived_versions" / name
    own = bundle("--generation", "2.4.87", "--only-needed") / "framework" / name
    assert archived.read_bytes() == own.read_bytes()


def test_sizes_follow_the_scale(bundle):
    directory = bundle("--only-needed", "--scale", "0.02")
    assert (directory / NEEDED[1]).stat().st_size == int(12067160 * 0.02)
    for name, real in ((NEEDED[0], 6022588), (NEEDED[3], 277255530), (NEEDED[4], 56561032)):
        assert abs((directory / name).stat().st_size / (real * 0.02) - 1) < 0.02


def test_an_existing_bundle_is_kept_unless_forced(tmp_path):
    made = Path(make_bundle(tmp_path, "--only-needed").stdout.splitlines()[-1])
    (made / "mine").write_text("kept")
    refused = make_bundle(tmp_path, "--only-needed", check=False)
    assert refused.returncode == 1
    assert "--force" in refused.stderr
    assert (made / "mine").exists()
    make_bundle(tmp_path, "--only-needed", "--force")
    assert not (made / "mine").exists()
    assert os.listdir(str(tmp_path)) == [made.name]


@pytest.mark.parametrize("arguments", [
    ("--python", "2.7"), ("--fault", "no-such"), ("--scale", "0"), ("--scale", "1", "--full"),
    ("--generation", "2.3.61")])
def test_wrong_arguments_are_usage_errors_and_make_nothing(arguments, tmp_path):
    assert make_bundle(tmp_path / "out", *arguments, check=False).returncode == 2
    assert not (tmp_path / "out").exists()


def test_the_help_names_every_fault():
    text = run(MAKE_BUNDLE, "--help").stdout
    for fault in ("postinst-fails", "preinst-fails", "wheel-bad-record", "wheel-not-installable", "import-fails",
                  "stub-libeccl", "truncated-deb", "wheel-no-zip", "missing-eccl"):
        assert "  " + fault + " " in text


def test_the_doubles_use_the_syntax_of_python_3_6_and_the_generator_that_of_3_8():
    for path in sorted((DOUBLES / "torch_gcu").rglob("*.py")):
        ast.parse(path.read_text(), feature_version=(3, 6))
    for path in [MAKE_BUNDLE] + sorted(HERE.glob("*.py")):
        ast.parse(path.read_text(), feature_version=(3, 8))


def test_every_file_is_short_and_opens_by_saying_what_it_is():
    for path in [MAKE_BUNDLE] + sorted(path for path in HERE.rglob("*") if path.is_file()):
        if "__pycache__" in path.parts:
            continue
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#!")]
        assert len(lines) < 400, path
        if DOUBLES in path.parents:
            assert "test double" in lines[0].lower(), path
        assert lines[0].startswith(("# ", "/* ", "Test double")), path
