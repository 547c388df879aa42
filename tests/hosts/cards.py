"""A host with eight dummy cards, and the double of efsmi that tells of them."""

import os
import stat

CARDS = 8


def efsmi_table(busy):
    """What EFSMI V1.20.0 prints of eight T20 of which some are busy."""
    border = "*" + "-" * 73 + "*\n"
    text = f"*EFSMI    V1.20.0          Driver Ver: 2.4.20230829                       *\n{border}"
    for card in range(CARDS):
        state, use = ("Active", "85.0%") if card in busy else ("Sleep", "0.0%")
        text += (f"* {card}      T20                 | 10.19.3         | 00:3{card}:0.0  Enable        *\n"
                 f"* 30C    {state}   48.0W  300W | 32G      Disable|   {use}     W2800121050{card}  *\n{border}")
    return text


def monitor_lines(busy):
    """What its `--dmon -c 1` prints of them."""
    text = "  GCU  Logic   Pwr  DTemp  DUsed    Dpm  M1Temp  M2Temp  MUsed   Dclk   Mclk\n"
    for card in range(CARDS):
        state, use, memory = ("Active", 85.0, 25.0) if card in busy else ("Sleep", 0.0, 0.0)
        text += f"    {card}      {card}  48.0   30.0   {use}  {state}    31.0    32.0   {memory}   1000   1600\n"
    return text


def host_with_cards(host_factory, topsctl):
    host = host_factory()
    host.install_binary(topsctl)
    for card in range(CARDS):
        os.mknod(host.path(f"/dev/gcu{card}"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    return host


def give_efsmi(host, busy):
    host.path("/srv/efsmi.txt").write_text(efsmi_table(busy))
    host.path("/srv/monitor.txt").write_text(monitor_lines(busy))
    efsmi = host.path("/usr/bin/efsmi")
    efsmi.unlink(missing_ok=True)
    efsmi.write_text("#!/bin/sh\n[ \"$1\" = --dmon ] && exec cat /srv/monitor.txt\nexec cat /srv/efsmi.txt\n")
    efsmi.chmod(0o755)
