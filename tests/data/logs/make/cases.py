"""The cases of make_logs.py: what is run, by a shell, and in which environment."""

PLAIN = "{python} train.py --fault "
TWO = "{torchrun} --standalone --nproc_per_node=2 train.py --fault "
LABELLED = "{torchrun} --standalone --nproc_per_node=2 -r 3 -t 3 --log_dir logs train.py --fault "
FOLDER = "{torchrun} --standalone --nproc_per_node=2 -r 3 --log_dir logs train.py --fault "
SMALL_SHM = "mount -t tmpfs -o size=1m tmpfs /dev/shm; "
HOLD_PORT = "{python} -m http.server --bind :: {port} >/dev/null 2>&1 & sleep 2; "
SMALL_DISK = "mount -t tmpfs -o size=1m tmpfs small; "


def plain(*names, **env):
    return {"shell": PLAIN + " ".join(names), "env": env}


def two(*names, **env):
    return {"shell": TWO + " ".join(names), "env": env}


def labelled(*names, **env):
    return {"shell": LABELLED + " ".join(names), "env": env}


def folder(*names, **env):
    return {"shell": FOLDER + " ".join(names), "env": env, "folder": "logs"}


SECOND_AGENT = ("{torchrun} --nnodes=2 --node_rank=0 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:{port} "
                "--rdzv_id=7 train.py & {torchrun} --nnodes=2 --node_rank=1 --nproc_per_node=1 --rdzv_backend=c10d "
                "--rdzv_endpoint=127.0.0.1:{port} --rdzv_id=7 train.py; wait")

CASES = {
    # sound jobs
    "healthy-one-process": plain("none"),
    "healthy-two-ranks": two("none"),
    "healthy-labelled": labelled("none"),
    "healthy-folder": folder("none"),
    "healthy-second-agent": {"shell": SECOND_AGENT},
    "healthy-mmengine-style": two("none", "--style=mmengine"),
    "healthy-colours": plain("none", "--style=colour"),
    "healthy-progress-bar": plain("none", "--style=bar"),
    "healthy-restart": {"shell": TWO.replace("--standalone", "--standalone --max_restarts=1") + "first-attempt-only"},
    "healthy-restart-told": {"shell": TWO.replace("--standalone", "--standalone --max_restarts=1") + "first-attempt-only",
                             "env": {"LOGLEVEL": "INFO"}},
    "healthy-restart-killed": {"shell": LABELLED.replace("--standalone", "--standalone --max_restarts=1") + "first-attempt-killed"},
    "healthy-restart-folder": {"shell": FOLDER.replace("--standalone", "--standalone --max_restarts=1") + "first-attempt-only",
                               "folder": "logs"},
    "healthy-started-again": {"shell": TWO + "killed; " + TWO + "none"},
    "healthy-caught-import": plain("caught-import"),
    "healthy-caught-no-space": labelled("caught-no-space"),
    "healthy-caught-out-of-memory": two("caught-out-of-memory"),
    "healthy-exception-ignored": two("exception-ignored"),
    "healthy-logging-error": plain("logging-error"),
    "healthy-thread-dies": plain("thread-dies"),
    "healthy-names-with-error": plain("names-with-error"),
    "healthy-at-exit": plain("at-exit"),
    "healthy-nproc-auto": {"shell": "{torchrun} --standalone --nproc_per_node=auto train.py", "env": {"LOGLEVEL": "INFO"}},
    "healthy-traced-start": {"shell": "set -x; {torchrun} --standalone --nproc_per_node=2 --master_addr=127.0.0.1 "
                                      "--master_port={port} train.py"},
    # the framework
    "mmengine-two": two("mmengine"),
    "mmengine-labelled": labelled("mmengine"),
    "mmengine-folder": folder("mmengine"),
    "mmcv-modulo": two("mmcv"),
    "modulo-zero": plain("modulo-zero"),
    "registry": plain("registry"),
    "cuda": plain("cuda"),
    "to-cuda-labelled": labelled("to-cuda"),
    "set-device": two("set-device"),
    "nccl": two("nccl"),
    "eccl": two("eccl"),
    "eccl-labelled": labelled("eccl"),
    "probe-members": plain("probe-members"),
    "probe-function": plain("probe-function"),
    "probe-backends": plain("probe-backends"),
    "device-gcu": two("device-gcu"),
    "torch-gcu-api": plain("torch-gcu-api"),
    "tensor-gcu": plain("tensor-gcu"),
    "to-object": plain("to-object"),
    "ddp": two("ddp"),
    "sync-bn": plain("sync-bn"),
    "local-collate": plain("local-collate"),
    "nccl-labelled": labelled("nccl"),
    "cuda-folder": folder("cuda"),
    "device-gcu-labelled": labelled("device-gcu"),
    "ddp-folder": folder("ddp"),
    # packages
    "no-module-labelled": labelled("no-module"),
    "no-torch-gcu": two("no-torch-gcu"),
    "no-module": plain("no-module"),
    "other-interpreter": {"shell": "{python} -S -m torch.distributed.run --nproc_per_node=2 train.py"},
    "torchrun-not-found": {"shell": "echo 'torchrun --nproc_per_node=8 train.py' > start.sh; PATH=/opt/tops/bin /bin/bash start.sh"},
    "numpy-alias": plain("numpy-alias"),
    "eccl-library": plain("eccl-library"),
    "runtime-library": plain("runtime-library"),
    "terminal-library": plain("terminal-library"),
    "other-torch": {"shell": PLAIN + "other-torch",
                    "source": "extern void _ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE(void);\n"
                              "void (*used)(void) = _ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE;\n"},
    "metadata": plain("metadata"),
    "invalid-version": plain("invalid-version"),
    # the start
    "no-launcher": plain("local-rank"),
    "no-launcher-env": plain("env-init"),
    "no-master": {"shell": "{python} train.py --fault none", "env": {"RANK": "0", "WORLD_SIZE": "2"}},
    "nproc-gpu": {"shell": "{torchrun} --standalone --nproc_per_node=gpu train.py"},
    "dashes": {"shell": "{python} -m torch.distributed.run --nproc-per-node=2 train.py"},
    "local-rank-option": {"shell": "sed -i 's/run import main/launch import main/' torchrun.py; {python} torchrun.py "
                                   "--nproc_per_node=2 train.py"},
    "newer-python": {"shell": "{python} -m torch.distributed.run --standalone --nproc_per_node=2 train.py"},
    "port-of-launcher": {"shell": HOLD_PORT + "{torchrun} --nproc_per_node=2 --master_port={port} train.py"},
    "port-of-script": {"shell": HOLD_PORT + PLAIN + "fixed-port"},
    "nobody-there": plain("nobody-there"),
    "nobody-at-rendezvous": {"shell": "{torchrun} --nnodes=2 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_id=7 "
                                      "--rdzv_endpoint=127.0.0.1:{port} --rdzv_conf=is_host=0,read_timeout=3 train.py"},
    "wrong-interface": two("none", GLOO_SOCKET_IFNAME="eth7"),
    # the machine
    "killed": two("killed"),
    "killed-labelled": labelled("killed"),
    "killed-folder": folder("killed"),
    "illegal": two("illegal"),
    "large-array": plain("large-array"),
    "large-tensor": plain("large-tensor"),
    "large-list": plain("large-list"),
    "small-shm": {"shell": SMALL_SHM + PLAIN + "small-shared-memory"},
    "small-shm-labelled": {"shell": SMALL_SHM + LABELLED + "small-shared-memory"},
    "many-files": plain("many-files"),
    "worker-killed": plain("worker-killed"),
    "disk-full": {"shell": SMALL_DISK + PLAIN + "disk-full"},
    "disk-full-array": {"shell": SMALL_DISK + PLAIN + "disk-full-array"},
    "disk-full-text": {"shell": SMALL_DISK + TWO + "disk-full-text"},
    "disk-full-folder": {"shell": SMALL_DISK + FOLDER + "disk-full", "folder": "logs"},
    "truncated-checkpoint": plain("truncated-checkpoint"),
    "pointer-checkpoint": plain("pointer-checkpoint"),
    "empty-checkpoint": plain("empty-checkpoint"),
    "no-nodes": plain("no-nodes"),
    "stalled": two("stalled"),
    "stalled-reduce": labelled("stalled-reduce"),
    "interrupted": plain("interrupted"),
    "interrupted-launcher": {"shell": TWO + "interrupted-launcher", "env": {"CASE_SIGNAL": "SIGINT"}},
    "terminal-lost": {"shell": TWO + "interrupted-launcher", "env": {"CASE_SIGNAL": "SIGHUP"}},
    # what no entry knows
    "unknown-value": two("bad-sample"),
    "unknown-value-labelled": labelled("bad-sample"),
    "unknown-value-folder": folder("bad-sample"),
    "unknown-key": two("missing-key"),
    "unknown-key-labelled": labelled("missing-key"),
    "unknown-chained-folder": folder("chained"),
    "other-model": plain("size-mismatch"),
    "unknown-shapes": plain("shapes"),
    "unknown-assertion": plain("assertion"),
    "unknown-exit": two("quiet-exit"),
    "unknown-encoding": plain("encoding"),
    "unknown-chained": plain("chained"),
    "unknown-segfault": two("segfault"),
    "unknown-aborted": labelled("aborted"),
}
