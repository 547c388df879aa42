"""torch.cuda: what cards have, by torch_gcu; what they have not, refused by name at the first call."""

import contextlib
import sys
import time

import torch

from topsctl_shim import CannotMap, refuse, when_loaded

MEMORY = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached")
MEMORY_OF_A_CARD = 32 << 30  # bytes, of a T20; where torch_gcu does not tell it
STREAMS = "streams of other libraries do not reach it"


class _Properties(object):
    """Of a card, under the names that CUDA has for it."""

    def __init__(self, name, total_memory):
        self.name, self.total_memory = name, total_memory
        # Below the first release of CUDA with bfloat16 and with TF32: neither is there.
        self.major, self.minor, self.multi_processor_count = 7, 0, 1
        self.is_integrated, self.is_multi_gpu_board = False, False

    def __repr__(self):
        return "_Properties(name='{}', total_memory={}MB)".format(self.name, self.total_memory >> 20)


class _Event(object):
    """Times by the clock of the host, after the card has done what it was told."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise CannotMap("torch.cuda.Event(interprocess=True)", "it shares no events between processes")
        self._at = None

    def record(self, stream=None):
        torch.cuda.synchronize()
        self._at = time.perf_counter()

    def query(self):
        return True

    def synchronize(self):
        torch.cuda.synchronize()

    def wait(self, stream=None):
        """What was recorded has been given to the card before."""

    def elapsed_time(self, other):
        return (other._at - self._at) * 1000.0


class _Stream(object):
    """The one order in which the card works: whatever a stream would have to wait for has been given to the card before."""

    device_index = 0

    def __init__(self, device=None, priority=0, **options):
        self.device, self.priority = device, priority

    @property
    def cuda_stream(self):
        raise CannotMap("torch.cuda.Stream.cuda_stream", "there is no stream of CUDA behind it")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def synchronize(self):
        torch.cuda.synchronize()

    def query(self):
        return True

    def wait_event(self, event):
        event.synchronize()

    def wait_stream(self, stream):
        """Whatever was told before is done before."""

    def record_event(self, event=None):
        event = event or _Event()
        event.record()
        return event


def _contexts(cards):
    class Device(object):
        """torch.cuda.device: another card for a while."""

        def __init__(self, device):
            self._wanted, self._before = cards.index(device), None

        def __enter__(self):
            self._before = cards.current
            if self._wanted != self._before:
                cards.current = self._wanted
            return self

        def __exit__(self, *error):
            if self._wanted != self._before:
                cards.current = self._before

    class DeviceOf(Device):
        def __init__(self, tensor):
            super(DeviceOf, self).__init__(tensor.device.index if cards.is_on_card(tensor) else None)
    return Device, DeviceOf


def _random(cards):
    """Seeds of the card: torch.manual_seed sets the host's."""
    def seed(name):
        return lambda *arguments: cards.call(name, *arguments)[1]

    def state(*device):
        had, found = cards.call("get_rng_state", *device)
        return found if had else torch.zeros(0, dtype=torch.uint8)

    def set_state(new, *device):
        if new.numel() > 0:
            cards.call("set_rng_state", new, *device)
    return {"manual_seed": seed("manual_seed"), "manual_seed_all": seed("manual_seed_all"), "seed": seed("seed"),
            "seed_all": seed("seed_all"), "initial_seed": torch.initial_seed, "get_rng_state": state, "set_rng_state": set_state,
            "get_rng_state_all": lambda: [state() for _ in range(cards.count())],
            "set_rng_state_all": lambda states: [set_state(each) for each in states]}


def _figures(cards):
    def figure(name):
        def asked(device=None):
            had, found = cards.call(name, cards.index(device))
            return int(found) if had else 0
        return asked
    figures = {name: figure(name) for name in MEMORY}
    for name in ("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
                 "reset_accumulated_memory_stats", "empty_cache", "ipc_collect"):
        figures[name] = lambda device=None, name=name: cards.call(name)[1]
    figures.update(memory_stats=lambda device=None: cards.call("memory_stats")[1] or {},
                   memory_summary=lambda device=None, abbreviated=False: cards.call("memory_summary")[1] or "",
                   memory_snapshot=lambda: cards.call("memory_snapshot")[1] or [],
                   set_per_process_memory_fraction=lambda fraction, device=None: None)

    def mem_get_info(device=None):
        had, found = cards.call("mem_get_info", cards.index(device))
        return found if had else (MEMORY_OF_A_CARD, MEMORY_OF_A_CARD)
    figures["mem_get_info"] = mem_get_info
    return figures


def _devices(cards):
    def name_of(device=None):
        return str(cards.call("get_device_name", cards.index(device))[1] or "Enflame GCU")

    def properties(device=None):
        had, found = cards.call("get_device_properties", cards.index(device))
        return found if had else _Properties(name_of(device), MEMORY_OF_A_CARD)

    def set_device(device):
        index = cards.index(device)
        if index >= 0:
            cards.current = index
    device, device_of = _contexts(cards)
    return {"is_available": cards.is_available,
            "device_count": lambda: cards.required_count("torch.cuda.device_count"), "current_device": lambda: cards.current,
            "set_device": set_device, "device": device, "device_of": device_of, "get_device_name": name_of,
            "get_device_properties": properties, "get_device_capability": lambda device=None: (7, 0),
            "synchronize": lambda device=None: cards.call("synchronize")[1], "init": lambda: None,
            "is_initialized": lambda: True, "is_bf16_supported": lambda *arguments, **options: cards.has_bfloat16(),
            "get_arch_list": lambda: [], "can_device_access_peer": lambda device, peer: False,
            "utilization": lambda device=None: 0, "is_current_stream_capturing": lambda: False}


def _streams():
    one = _Stream()

    @contextlib.contextmanager
    def stream(wanted):
        yield
    return {"Event": _Event, "current_stream": lambda device=None: one, "default_stream": lambda device=None: one,
            "set_stream": lambda wanted: None, "stream": stream, "StreamContext": stream, "Stream": _Stream,
            "ExternalStream": refuse("torch.cuda.ExternalStream", STREAMS)}


def _refused():
    graphs = "it has no graphs that CUDA could replay"
    names = {name: refuse("torch.cuda." + name, graphs) for name in ("CUDAGraph", "graph", "make_graphed_callables",
                                                                     "graph_pool_handle")}
    for name in ("caching_allocator_alloc", "caching_allocator_delete", "list_gpu_processes"):
        names[name] = refuse("torch.cuda." + name, "torch_gcu has nothing like it")
    names["cudart"] = refuse("torch.cuda.cudart", "there is no runtime of CUDA")
    return names


def _lazy_init():
    """What nobody mapped would call into CUDA here."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_name.startswith("_") or "topsctl_shim" in frame.f_code.co_filename):
        frame = frame.f_back
    raise CannotMap("torch.cuda." + frame.f_code.co_name, "torch_gcu has nothing like it")


def install(cards):
    cuda = torch.cuda
    for functions in (_devices(cards), _random(cards), _figures(cards), _streams(), _refused()):
        for name, function in functions.items():
            setattr(cuda, name, function)
    for module in ("random", "memory", "graphs", "streams"):
        found = getattr(cuda, module, None)
        for name in vars(found) if found is not None else ():
            if name in vars(cuda) and not name.startswith("_") and callable(getattr(found, name)):
                setattr(found, name, getattr(cuda, name))
    cuda._lazy_init, cuda._initialized = _lazy_init, True
    when_loaded("torch.utils.cpp_extension", _refuse_extensions)
    for name in ("all_gather", "all_reduce", "broadcast", "init_rank", "reduce", "reduce_scatter", "unique_id", "version"):
        setattr(cuda.nccl, name, refuse("torch.cuda.nccl." + name, "there is no NCCL; torch.distributed reaches the cards"))
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, lambda *arguments, **options: 0)


def _refuse_extensions(extension):
    """Code for NVIDIA's cards, which would be compiled here."""
    why = "it is compiled for NVIDIA's cards"
    extension.CUDAExtension = refuse("torch.utils.cpp_extension.CUDAExtension", why)
    extension.load = _load(extension.load, "load", why)
    extension.load_inline = _load(extension.load_inline, "load_inline", why)


def _load(original, name, why):
    def load(*arguments, **options):
        sources = options.get("sources", arguments[1] if len(arguments) > 1 else ())
        sources = [sources] if isinstance(sources, str) else sources
        if options.get("with_cuda") or options.get("cuda_sources") or any(str(each).endswith((".cu", ".cuh")) for each in sources):
            raise CannotMap("torch.utils.cpp_extension." + name, why)
        return original(*arguments, **options)
    return load
