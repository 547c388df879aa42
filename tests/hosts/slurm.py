"""A real Slurm on nodes of their own: a controller on n0, and a slurmd on each."""

import os

from hosts.nodes import Nodes

CARDS = 8  # of each node, as Slurm counts them; no device is behind them
CONF = """
ClusterName=test
SlurmctldHost=n0({controller})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=2
KillWait=2
GresTypes=gcu
{nodes}
PartitionName=gcu Nodes=ALL Default=YES State=UP OverSubscribe=NO
"""


class Slurm(Nodes):
    def __init__(self, folder, number=2):
        super().__init__(folder, number)
        munge = folder / "munge"
        munge.mkdir(mode=0o700)
        (folder / "state").mkdir()
        (munge / "key").write_bytes(os.urandom(128))
        (munge / "key").chmod(0o400)
        (folder / "gres.conf").write_text(f"Name=gcu Count={CARDS}\n")
        (folder / "slurm.conf").write_text(CONF.format(folder=folder, controller=self.addresses[0], nodes="\n".join(
            f"NodeName={name} NodeAddr={address} CPUs=2 Gres=gcu:{CARDS} State=UNKNOWN"
            for name, address in zip(self.names, self.addresses))))
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")
        try:
            self.start(0, "munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                       f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
            self.start(0, "slurmctld", "-D")
            for node in range(number):
                self.start(node, "slurmd", "-D")
            self.wait_for(lambda: self.run("sinfo", "--noheader", "--states=idle", "--format=%D").stdout.strip() == str(number))
        except BaseException:
            self.remove()
            raise

    def state_of(self, job):
        return self.run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T").stdout.strip()
