"""Judges power cuts: each clone is mounted and repaired, and its whole root must be the old or the new one."""

import multiprocessing
import signal

from faults.cuts import BASELINE
from faults.images import NoImages
from hosts import kernel
from hosts.operations import LOCKS, NOT_COMPARED

# Said in favour of the baseline: neither times nor the older copies of dpkg's lists count, nor what ldconfig notes.
BASELINE_IGNORES = ("mtime_ns", "nlink")
NOT_ASKED_OF_BASELINE = ("-old: ", "-old (", " /var/cache/ldconfig/aux-cache")
_work = None  # of the processes that judge: forked, for a digest is worth nothing to another program


def judged(images, run, jobs=1):
    """The cuts of a run with their states. The clones are removed."""
    with multiprocessing.get_context("fork").Pool(jobs, _begin, ((images, run),)) as pool:
        judged_cuts = pool.map(_judge, range(len(run.cuts)), chunksize=1)
        # In peace: a judge that is ended while it waits for the lock of the queue may leave the others waiting for ever.
        pool.close()
        pool.join()
        return judged_cuts


def _begin(work):
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    kernel.die_with_parent()


def _judge(index):
    images, run = _work
    cut, image = run.cuts[index]
    try:
        with images.host(image) as host:
            if cut.scenario == BASELINE:
                _judge_baseline(images, run, cut, host)
            else:
                _judge_topsctl(images, run, cut, host)
    except NoImages as error:
        cut.state, cut.differing = "neither", [str(error)]
    image.unlink()
    return cut


def _judge_topsctl(images, run, cut, host):
    recovered = images.operator_after_start(host).topsctl("recover", "--json")
    cut.exit = recovered.code
    now = host.digest(NOT_COMPARED)
    old, new = (_differing(digest, now) for digest in (images.before[cut.scenario], run.after))
    cut.state = "neither" if recovered.code != 0 else "old" if not old else "new" if not new else "neither"
    if cut.state == "neither":
        cut.differing = min(old, new, key=len)[:20] or [str(recovered)]
    elif cut.call == "end" and run.code == 0 and cut.state != "new":
        cut.state, cut.differing = "neither", ["topsctl had said that it is done, and all of it is lost"]


def _judge_baseline(images, run, cut, host):
    cut.state, cut.differing = _baseline_state(images, run, cut, host)
    done = host.run(["dpkg", "--configure", "-a", "--force-confdef", "--force-confold"],
                    env={"DEBIAN_FRONTEND": "noninteractive"}, timeout=600)
    cut.repair_exit = done.returncode
    cut.repaired, _ = _baseline_state(images, run, cut, host)


def _baseline_state(images, run, cut, host):
    now = host.digest(NOT_COMPARED)
    old, new = ([line for line in _differing(digest, now, BASELINE_IGNORES)
                 if not any(part in line for part in NOT_ASKED_OF_BASELINE)]
                for digest in (images.before[cut.scenario], run.after))
    if cut.call == "end" and run.code == 0:
        old = ["it had said that it is done"]
    state = "old" if not old else "new" if not new else "neither"
    return state, [] if state != "neither" else min(old, new, key=len)[:20]


def _differing(digest, now, ignore=()):
    return [line for line in digest.diff(now, ignore) if not line.startswith(LOCKS)]
