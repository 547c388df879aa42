# The bridge of the torch_gcu test double to libeccl.so: loads it, asks its version, opens a communicator.

import ctypes
import sys

SUCCESS = 0


class _UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


def _load():
    try:
        library = ctypes.CDLL("libeccl.so", mode=ctypes.RTLD_GLOBAL)
        library.ecclGetErrorString.restype = ctypes.c_char_p
        library.ecclCommInitRank.argtypes = [
            ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, _UniqueId, ctypes.c_int]
        library.ecclCommDestroy.argtypes = [ctypes.c_void_p]
    except (OSError, AttributeError) as error:
        text = str(error)
        raise ImportError(text if "libeccl.so" in text else "libeccl.so: " + text)
    return library


def _check(result, call):
    if result != SUCCESS:
        raise RuntimeError("{} failed: {}".format(call, _library.ecclGetErrorString(result).decode()))


_library = _load()


def version():
    code = ctypes.c_int(0)
    _check(_library.ecclGetVersion(ctypes.byref(code)), "ecclGetVersion")
    return code.value


class Communicator(object):
    """One ecclComm; the double carries no data through it."""

    def __init__(self, rank, world_size):
        self._handle = ctypes.c_void_p()
        unique_id = _UniqueId()
        _check(_library.ecclGetUniqueId(ctypes.byref(unique_id)), "ecclGetUniqueId")
        _check(_library.ecclCommInitRank(ctypes.byref(self._handle), world_size, unique_id, rank),
               "ecclCommInitRank")
        print("[test double] rank {}: ecclCommInitRank success!".format(rank), file=sys.stderr, flush=True)

    def destroy(self):
        _check(_library.ecclCommDestroy(self._handle), "ecclCommDestroy")
        self._handle = None


VERSION = version()
