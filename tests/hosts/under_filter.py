"""Runs a program under a filter of system calls: under_filter.py listener|errno:NUMBER,... COMMAND...

`listener` adds a listener that allows everything, as container managers do; `errno:N,...` has the calls of these numbers fail
with EPERM, as a container's profile does. Runs inside a host, x86-64 only.
"""

import ctypes
import os
import struct
import sys

LOAD_NUMBER, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050001
SECCOMP, SET_MODE_FILTER, NEW_LISTENER = 317, 1, 8


def instruction(code, k, if_so=0, if_not=0):
    return struct.pack("<HBBI", code, if_so, if_not, k)


def main():
    mode, *command = sys.argv[1:]
    numbers = [int(number) for number in mode.removeprefix("errno:").split(",")] if mode.startswith("errno:") else []
    lines = [instruction(LOAD_NUMBER, 0)]
    for number in numbers:
        lines += [instruction(IF_EQUAL, number, 0, 1), instruction(RETURN, FAIL)]
    text = ctypes.create_string_buffer(b"".join([*lines, instruction(RETURN, ALLOW)]))
    program = struct.pack("<HxxxxxxQ", len(lines) + 1, ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    listener = libc.syscall(SECCOMP, SET_MODE_FILTER, NEW_LISTENER if mode == "listener" else 0, program)
    if listener < 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    if mode == "listener":
        os.set_inheritable(listener, True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
