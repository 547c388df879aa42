"""Waiting for what a test expects to come, however busy the machine is."""

import time


def wait_for(condition, seconds=400):
    """What `condition` gives, as soon as it is anything; TimeoutError if it does not come to that."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"it did not come to that within {seconds} s")
        time.sleep(0.01)
    return found
