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


def host_with_cards(host_factory, topsctl):
    host = host_factory()
    host.install_binary(topsctl)
    for card in range(CARDS):
        os.mknod(host.path(f"/dev/gcu{card}"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    return host


def give_efsmi(host, busy):
    host.path("/srv/efsmi.txt").write_text(efsmi_table(busy))
    efsmi = host.path("/usr/bin/efsmi")
    efsmi.unlink(missing_ok=True)
    efsmi.write_text("#!/bin/sh\ncat /srv/efsmi.txt\n")
    efsmi.chmod(0o755)
