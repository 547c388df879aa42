"""What topsctl finds when it starts: closed descriptors, limits on files and their sizes; and what its programs get."""

import os
import resource
import signal
import subprocess
import time

import pytest


@pytest.fixture
def binary(topsctl_dev):
    return str(topsctl_dev)


def run_with(before, argv, **options):
    """Runs argv after before() in the child."""
    return subprocess.run(argv, preexec_fn=before, env={"PATH": "/usr/bin:/bin"}, timeout=60, check=False, **options)


def close_all():
    for stream in range(3):
        os.close(stream)


def facts_of_program(binary, folder, before):
    """Descriptors, soft limit and ignored signals of a program that topsctl starts."""
    told = folder / "told"
    # A shell may redirect its own output for a program that it starts.
    script = ("all=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; ulimit -n; grep SigIgn /proc/$$/status)\n"
              f"echo \"$all\" >{told}")
    done = run_with(before, [binary, "env", "exec", "--", "/bin/sh", "-c", script])
    assert done.returncode == 0
    *streams, limit, ignored = told.read_text().splitlines()
    return streams, int(limit), int(ignored.split()[1], 16)


def test_what_is_said_goes_into_no_file_that_topsctl_opens(binary, tmp_path):
    for name, before in (("open", lambda: None), ("closed", close_all)):
        done = run_with(before, [binary, "inspect", "/nowhere", "--log-file", tmp_path / name],
                        **({} if name == "closed" else {"capture_output": True}))
        assert done.returncode == 3
    assert (tmp_path / "closed").read_text() == (tmp_path / "open").read_text()


def test_standard_output_that_is_closed_is_an_error(binary):
    done = run_with(lambda: os.close(1), [binary, "version"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot write to standard output" in done.stderr


@pytest.mark.parametrize("words", [["version"], ["--help"], ["--version"], ["install", "-h"], ["help", "install"], ["inspect", "--json", "/usr/bin"]])
def test_output_that_finds_no_room_is_an_error(binary, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([binary, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "cannot write to standard output" in done.stderr, done


def test_a_dumb_terminal_gets_no_control_sequences(binary, tmp_path):
    for term, wanted in (("dumb", False), ("", False), ("xterm", True)):
        (tmp_path / "bundle").mkdir(exist_ok=True)
        (tmp_path / "bundle/a.deb").write_bytes(b"!<arch>\n")
        master, slave = os.openpty()
        done = subprocess.run([binary, "install", tmp_path / "bundle", "--dry-run"], env={"PATH": "/usr/bin:/bin", "TERM": term}, stdout=slave,
                              stderr=slave, stdin=subprocess.DEVNULL, timeout=60, check=False)
        os.close(slave)
        said = os.read(master, 65536)
        os.close(master)
        assert done.returncode != 0 and (b"\033" in said) == wanted, (term, said)


def test_programs_have_streams_and_the_limits_of_the_caller(binary, tmp_path):
    def before():
        close_all()
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
    streams, limit, ignored = facts_of_program(binary, tmp_path, before)
    assert streams == ["/dev/null"] * 3
    assert limit == 256 and not ignored & 1 << signal.SIGXFSZ - 1


def test_a_pipe_in_the_place_of_the_null_device_holds_nobody_up(binary, tmp_path):
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "a.deb").write_bytes(b"!<arch>\n")
    os.mkfifo(tmp_path / "pipe")
    for words in (["version"], ["inspect", bundle], ["status"]):
        for streams in ("", "<&-", "<&- >&- 2>&-"):
            code = subprocess.run(["/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                                   f'mount --bind {tmp_path / "pipe"} /dev/null && exec "$@" {streams}', "sh", binary, *words],
                                  stdin=subprocess.PIPE, capture_output=True, timeout=30, check=False).returncode
            assert code >= 0 and code != 126, (words, streams)


def test_topsctl_itself_may_open_more(binary):
    process = subprocess.Popen([binary, "receive"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096)))
    try:
        until = time.monotonic() + 20
        while resource.prlimit(process.pid, resource.RLIMIT_NOFILE)[0] == 256 and time.monotonic() < until:
            time.sleep(0.05)
        assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (4096, 4096)
    finally:
        process.kill()
        process.wait()


def test_a_file_that_may_not_grow_is_an_error(binary, tmp_path):
    with open(tmp_path / "report", "wb") as report:
        done = run_with(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)), [binary, "version", "--json"],
                        stdout=report, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot write to standard output" in done.stderr
