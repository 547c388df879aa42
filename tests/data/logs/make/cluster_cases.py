"""More cases of make_logs.py: hosts that are joined by a network, limits of the machine, Open MPI."""

HOSTS = ". ./hosts.sh; "
PLAIN = "{python} -u pretrain.py --fault "
TWO = "{torchrun} --standalone --nproc_per_node=2 pretrain.py --fault "
MPI = "mpirun --allow-run-as-root --oversubscribe -x MASTER_ADDR=127.0.0.1 -x MASTER_PORT={port} -np 2 {python} -u pretrain.py --fault "
DROP = ("nft add table inet filter; nft add chain inet filter input '{{ type filter hook input priority 0; policy drop; }}'; "
        "nft add rule inet filter input iif lo accept; nft add rule inet filter input ct state established accept; ")


def hosts(fault, before="", after="", timeout=60, **env):
    """On node01 and node02; `before` runs when both are there."""
    return {"shell": f"{HOSTS}{before}both {fault}; {after}true", "files": "logs", "limit": 45,
            "env": {"GLOO_SOCKET_IFNAME": "eth0", "CASE_TIMEOUT": str(timeout), **env}}


def limited(shell, **env):
    return {"shell": shell, "limit": 60, "env": {"CASE_TIMEOUT": "20", **env}}


CASES = {
    # sound
    "r-healthy-hosts": hosts("none"),
    "r-healthy-hosts-two-ranks": hosts("none", PER_NODE="2"),
    "r-healthy-mpi": limited(MPI + "none"),
    "r-healthy-retries": limited(PLAIN + "waits-for-server"),
    "r-healthy-offline": limited(PLAIN + "weights-from-cache"),
    "r-healthy-workers": limited(TWO + "none --workers 2"),
    # between hosts
    "r-firewall-all-but-master": hosts("none", timeout=15, before=DROP + "nft add rule inet filter input tcp dport 29500 accept; "),
    "r-firewall-master-refused": hosts("none", before="nft add table inet f; nft add chain inet f i '{{ type filter hook input priority 0; }}'; "
                                       "nft add rule inet f i iif eth0 tcp dport 29500 reject with tcp reset; "),
    "r-killed-there": hosts("killed-there"),
    "r-raises-there": hosts("raises-there"),
    "r-link-cut": hosts("link-cut", timeout=10),
    "r-two-masters": {"shell": HOSTS + "export -f node; there bash -c 'MASTER=10.0.0.2 node 1 none' & node 0 none & sleep 40; true",
                      "files": "logs", "limit": 60, "env": {"GLOO_SOCKET_IFNAME": "eth0", "CASE_TIMEOUT": "10"}},
    "r-name-unknown": hosts("none", MASTER="node-a1"),
    "r-name-is-loopback": hosts("none", timeout=10, before="printf '127.0.0.1 localhost\\n127.0.1.1 node01 node02\\n' >hosts; ",
                                GLOO_SOCKET_IFNAME=""),
    "r-interface-of-one": hosts("none", timeout=10, before="there ip link set eth0 down; there ip link set eth0 name ens3; "
                                "there ip link set ens3 up; "),
    "r-six-on-one-side": hosts("none", timeout=10, MASTER="fd00::1", before="ip addr add fd00::1/64 dev eth0 nodad; "
                               "there sysctl -qw net.ipv6.conf.all.disable_ipv6=1; "),
    "r-service-name": limited("{torchrun} --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=trainer-0.trainer.default.svc.cluster.local "
                              "--master_port={port} pretrain.py"),
    # torch
    "r-unused-head": limited(TWO + "unused-head"),
    "r-differing-models": limited(TWO + "differing-models"),
    "r-group-twice": limited(TWO + "group-twice"),
    "r-group-missing": limited(PLAIN + "group-missing"),
    "r-half-on-host": limited(PLAIN + "half-on-host"),
    "r-double-input": limited(TWO + "double-input"),
    "r-inplace": limited(PLAIN + "inplace"),
    "r-nan-gradient": limited(PLAIN + "nan-gradient"),
    "r-checkpointed-twice": limited(TWO + "checkpointed-twice"),
    "r-batch-of-one": limited(TWO + "batch-of-one"),
    "r-fewer-steps": limited(TWO + "fewer-steps", CASE_TIMEOUT="8"),
    "r-foreign-checkpoint": limited(PLAIN + "foreign-checkpoint"),
    "r-no-weights": limited(TWO + "no-weights"),
    "r-slow-extension": limited(PLAIN + "slow-extension"),
    # the machine
    "r-many-threads": limited("mkdir /sys/fs/cgroup/pids/case; echo 60 >/sys/fs/cgroup/pids/case/pids.max; "
                              "sh -c 'echo $$ >/sys/fs/cgroup/pids/case/cgroup.procs; exec {python} -u pretrain.py --fault many-threads'; "
                              "sleep 1; rmdir /sys/fs/cgroup/pids/case"),
    "r-memory-of-group": limited("mkdir /sys/fs/cgroup/memory/case; echo 700M >/sys/fs/cgroup/memory/case/memory.limit_in_bytes; "
                                 "sh -c 'echo $$ >/sys/fs/cgroup/memory/case/cgroup.procs; exec {python} -u torchrun.py --standalone "
                                 "--nproc_per_node=2 --monitor_interval=0.2 pretrain.py --fault much-memory'; sleep 1; "
                                 "rmdir /sys/fs/cgroup/memory/case"),
    "r-missing-shard": limited(TWO + "missing-shard"),
    "r-read-only": limited("mkdir runs; mount -t tmpfs -o ro tmpfs runs; " + TWO + "none"),
    "r-no-rights": limited("mkdir runs; chmod 755 . runs; setpriv --reuid=65534 --regid=65534 --clear-groups " + PLAIN + "none"),
    "r-no-inodes": limited("mkdir runs; mount -t tmpfs -o nr_inodes=2 tmpfs runs; " + TWO + "none"),
    "r-disk-becomes-full": limited("mkdir runs; mount -t tmpfs -o size=1m tmpfs runs; " + TWO + "disk-becomes-full"),
    "r-log-disk-full": {"shell": "mount -t tmpfs -o size=4k tmpfs small; (" + PLAIN + "none --epochs 9) >small/log 2>&1; cat small/log",
                        "env": {"CASE_TIMEOUT": "20"}},
    "r-small-shm-workers": limited("mount -t tmpfs -o size=64k tmpfs /dev/shm; " + PLAIN + "none --workers 2"),
    # programs around it
    "r-mpi-as-root": limited("env -u OMPI_ALLOW_RUN_AS_ROOT mpirun -np 2 {python} pretrain.py"),
    "r-mpi-slots": limited("mpirun --allow-run-as-root --host localhost:1 -np 4 {python} pretrain.py"),
    "r-mpi-killed": limited(MPI + "killed-there"),
    "r-mpi-raises": limited(MPI + "raises-there"),
    "r-pip-offline": limited("{python} -m pip install --break-system-packages --retries 0 --timeout 2 deepspeed && {python} pretrain.py"),
    "r-pip-managed": limited("{python} -m pip install deepspeed && {python} pretrain.py"),
    "r-script-crlf": limited("printf '#!/bin/bash\\r\\nset -e\\r\\ncd /workspace\\r\\npython3 pretrain.py\\r\\n' >run.sh; chmod +x run.sh; ./run.sh"),
    "r-other-processor": limited("cp /bin/true ops.so; printf '\\xb7' | dd of=ops.so bs=1 seek=18 conv=notrunc 2>/dev/null; "
                                 "printf 'import ctypes\\nctypes.CDLL(\"./ops.so\")\\n' >load.py; {python} load.py"),
    "r-ssh-refused": limited("ssh -o BatchMode=yes -o StrictHostKeyChecking=no 127.0.0.1 hostname && {python} pretrain.py"),
    # errors of programs, which no diagnosis may take for something else
    **{f"r-kind-{name}": limited("{python} -u kinds.py " + name) for name in (
        "ragged-batch", "target-out-of-bounds", "backward-twice", "no-gradient", "other-device", "cuda-checkpoint", "spawned-lambda",
        "no-main-guard", "shadowed-module", "config-not-json", "question-in-batch", "deep-recursion", "few-descriptors", "worker-raises",
        "no-memory-for-numpy", "thread-only", "wrong-option", "attribute-of-none", "older-numpy-pickle", "bad-step")},
    "r-kind-closed-pipe": limited("{python} -u pretrain.py --epochs 50 2>&1 | head -n 3"),
    "r-kind-time-out": limited("timeout -v 2 {python} -u -c 'import time; print(\"epoch 1 loss 0.5\", flush=True); time.sleep(60)'"),
    "r-kind-killed-by-shell": limited("{python} -u -c 'import os; print(\"epoch 1 loss 0.5\", flush=True); os.kill(os.getpid(), 9)'; true"),
    "r-kind-no-file": limited("{python} trian.py"),
    "r-kind-port-in-use": limited("{python} -m http.server --bind :: {port} >/dev/null 2>&1 & sleep 2; env RANK=0 WORLD_SIZE=2 "
                                  "MASTER_ADDR=127.0.0.1 MASTER_PORT={port} {python} -u pretrain.py"),
    "r-kind-rank-twice": limited("export WORLD_SIZE=2 RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT={port} CASE_TIMEOUT=8; {python} -u pretrain.py & "
                                 "sleep 2; {python} -u pretrain.py; wait"),
    "r-kind-one-rank-missing": limited("export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT={port} CASE_TIMEOUT=8; RANK=0 {python} -u "
                                       "pretrain.py & RANK=1 {python} -u pretrain.py; wait"),
}
