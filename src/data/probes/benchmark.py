# Measures the collectives of a backend, the copies of each rank and the links between ranks. Runs as each rank of a launch;
# rank 0 prints each result as a line "TOPSCTL_BENCH {json}". Python 3.6 and later.
import functools
import importlib
import json
import os
import socket
import sys
import time

# Asked: module, device, backend (gloo: on the CPU), operations, sizes (bytes; empty: those of the device), duration_ms (of one
# measurement).
ASKED = json.loads(sys.argv[1])
RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
LOCAL_RANK, LOCAL_SIZE = int(os.environ["LOCAL_RANK"]), int(os.environ.get("LOCAL_WORLD_SIZE", SIZE))
MARK = "TOPSCTL_BENCH "
WARM_UPS, FEWEST, MOST, PASSES = 3, 3, 2000, 3
COPY_BYTES, COPY_REPEATS, COPY_SECONDS, SETTLE_SECONDS = 8 << 20, 3, 0.5, 1.0
LINK_BYTES, LINK_REPEATS, LINK_SECONDS, MOST_ROUNDS = 1 << 20, 3, 0.06, 15
MOST_ON_CARD, MOST_ON_CPU = 1 << 30, 64 << 20

torch = importlib.import_module("torch")
stock = importlib.import_module("torch.distributed")


def say(**line):
    if RANK == 0:
        print(MARK + json.dumps(line), flush=True)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Cards:
    """The devices of a vendor's module: torch_gcu.gcu_device in one generation, torch.gcu, or torch's own such as cuda."""
    most = MOST_ON_CARD

    def __init__(self):
        self.module = importlib.import_module(ASKED["module"])
        self.backend, self.kind = ASKED["backend"], ASKED["device"] or "gcu"
        if ASKED["device"]:
            self.api, self.device = getattr(torch, self.kind), torch.device(self.kind, LOCAL_RANK)
        elif hasattr(self.module, "gcu_device"):
            self.api, self.device = self.module, self.module.gcu_device(LOCAL_RANK)
        else:
            self.api, self.device = torch.gcu, torch.device("gcu", LOCAL_RANK)
        if int(self.api.device_count()) < LOCAL_SIZE:
            raise RuntimeError("%s counts %d cards for %d ranks" % (ASKED["module"], self.api.device_count(), LOCAL_SIZE))
        if hasattr(self.api, "set_device"):
            self.api.set_device(LOCAL_RANK)
        try:
            self.distributed = importlib.import_module(ASKED["module"] + ".distributed")
        except ImportError:
            self.distributed = stock

    def call(self, name):
        return getattr(self.distributed, name, None) or getattr(stock, name)

    def finish(self, tensor):
        """Waits until what was asked of the device is done."""
        for api in (self.api, self.module):
            for name in ("synchronize", "sync_lazy", "sync"):
                if callable(getattr(api, name, None)):
                    getattr(api, name)()
                    return
        tensor.view(-1)[:1].cpu()


class Memory:
    """The host's memory, with gloo: the default group, or one beside it."""
    most, backend, kind, device = MOST_ON_CPU, "gloo", "cpu", torch.device("cpu")

    def __init__(self, group=None):
        self.group = group

    def call(self, name):
        whole = getattr(stock, name)
        return whole if self.group is None else functools.partial(whole, group=self.group)

    def finish(self, tensor):
        pass


PLACE = Memory() if ASKED["backend"] == "gloo" else Cards()


def zeros(size, place=PLACE):
    return torch.zeros(max(1, size // 4), dtype=torch.float32).to(place.device)


def gathered(value):
    """The numbers of all ranks."""
    mine = torch.tensor([float(value)], dtype=torch.float32).to(PLACE.device)
    parts = [zeros(4) for _ in range(SIZE)]
    PLACE.call("all_gather")(parts, mine)
    return [float(part.cpu().item()) for part in parts]


def barrier():
    whole = zeros(4)
    PLACE.call("all_reduce")(whole)
    PLACE.finish(whole)


def operation(place, name, size):
    """A function without arguments, and a tensor that is done when the function is. `size` as nccl-tests counts it: of the
    whole for all_gather and reduce_scatter, of one rank's for the others."""
    call = place.call
    if name in ("all_gather", "reduce_scatter"):
        part = zeros(size // SIZE, place)
        parts = [zeros(size // SIZE, place) for _ in range(SIZE)]
        if name == "all_gather":
            return lambda: call("all_gather")(parts, part), parts[0]
        return lambda: call("reduce_scatter")(part, parts), part
    tensor = zeros(size, place)
    if name == "all_reduce":
        return lambda: call("all_reduce")(tensor), tensor
    if name == "broadcast":
        return lambda: call("broadcast")(tensor, 0), tensor
    other, after, before = zeros(size, place), (RANK + 1) % SIZE, (RANK - 1) % SIZE

    def send_and_receive():
        """In a ring: to the next rank, from the previous one."""
        if place.kind == "cpu":
            request = call("isend")(tensor, after)
            call("recv")(other, before)
            request.wait()
        elif RANK % 2 == 0:
            call("send")(tensor, after)
            call("recv")(other, before)
        else:
            call("recv")(other, before)
            call("send")(tensor, after)

    return send_and_receive, other


def bus_share(name):
    """Bus bandwidth over algorithm bandwidth, as in nccl-tests' PERFORMANCE.md."""
    if name == "all_reduce":
        return 2.0 * (SIZE - 1) / SIZE
    return (SIZE - 1.0) / SIZE if name in ("all_gather", "reduce_scatter") else 1.0


def timed(place, act, done, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        act()
        place.finish(done)
        times.append(time.perf_counter() - started)
    return times


def measured(place, name, size):
    """Seconds of each repetition of a pass; every rank has as many."""
    act, done = operation(place, name, size)
    timed(place, act, done, 1)
    guess = max(gathered(median(timed(place, act, done, WARM_UPS))))
    count = int(min(MOST, max(FEWEST, ASKED["duration_ms"] / PASSES / 1e3 / max(guess, 1e-6))))
    barrier()
    return timed(place, act, done, count)


def tell(place, name, size, times):
    of_ranks = gathered(median(times))
    typical = sum(of_ranks) / SIZE
    algorithm = size / typical / 1e9
    say(kind="measurement", backend=place.backend, operation=name, bytes=size, iterations=len(times),
        time_us=typical * 1e6, least_us=min(of_ranks) * 1e6, most_us=max(of_ranks) * 1e6,
        algorithm_gb_s=algorithm, bus_gb_s=algorithm * bus_share(name))


def available():
    with open("/proc/meminfo") as text:
        return [int(line.split()[1]) << 10 for line in text if line.startswith("MemAvailable:")][0]


def sizes(place):
    if ASKED["sizes"]:
        return ASKED["sizes"]
    # What every rank of a host can hold at once: the tensor, its parts and the backend's own buffers.
    most = min(place.most, available() // (4 * LOCAL_SIZE))
    most = int(min(gathered(most // 1024))) * 1024
    return [size for size in (1024 << (2 * step) for step in range(11)) if size <= most]


def measure_operations():
    wanted = [(PLACE, name) for name in ASKED["operations"]]
    if PLACE.kind != "cpu" and stock.is_initialized():
        # On the same hosts, in the same run.
        wanted += [(Memory(stock.new_group(backend="gloo")), name) for name in ASKED["operations"][:1]]
    steps = []
    for place, name in wanted:
        try:
            operation(place, name, 4 * SIZE)[0]()
        except Exception as error:
            say(kind="unsupported", operation=name, reason=" ".join(str(error).split())[:300])
            continue
        steps += [(place, name, size) for size in sizes(place)]
    # In passes over all of them, so that a moment at which the host is busy is a part of each.
    times = [[] for _ in steps]
    for number in range(PASSES * len(steps)):
        times[number % len(steps)] += measured(*steps[number % len(steps)])
        if RANK == 0:
            print("iteration %d/%d" % (number + 1, PASSES * len(steps)), flush=True)
    for step, of_step in zip(steps, times):
        tell(*step, times=of_step)


def rate_of(act, size, seconds):
    """GB/s of as many calls as fit."""
    started, calls = time.perf_counter(), 0
    while True:
        act()
        calls += 1
        passed = time.perf_counter() - started
        if passed >= seconds:
            return calls * size / passed / 1e9


def copies():
    """{kind: function that copies COPY_BYTES}."""
    here, there = torch.zeros(COPY_BYTES // 4), torch.zeros(COPY_BYTES // 4)
    if PLACE.kind == "cpu":
        return {"memory": lambda: there.copy_(here)}
    first, second = zeros(COPY_BYTES), zeros(COPY_BYTES)

    def finished(act):
        def done():
            act()
            PLACE.finish(second)
        return done

    return {"to_card": finished(lambda: first.copy_(here)), "from_card": lambda: there.copy_(first),
            "on_card": finished(lambda: second.copy_(first))}


def at_once():
    """How many ranks the processors of each host serve at the same time."""
    return int(min(gathered(len(os.sched_getaffinity(0)))))


def measure_copies():
    """The ranks of a host in groups that its processors serve at once; each several times, after a moment at full speed."""
    groups = int(max(gathered(-(-LOCAL_SIZE // at_once()))))
    for kind, act in sorted(copies().items()):
        mine = []
        for group in range(groups):
            barrier()
            if LOCAL_RANK % groups == group:
                rate_of(act, COPY_BYTES, SETTLE_SECONDS)
                mine = [rate_of(act, COPY_BYTES, COPY_SECONDS) for _ in range(COPY_REPEATS)]
        barrier()
        repeats = [gathered(rate) for rate in mine]
        for rank in range(SIZE):
            say(kind="copy", what=kind, rank=rank, gb_s=[rates[rank] for rates in repeats])


def rounds():
    """Pairs that talk at the same time: each rank meets every other one (the circle method), or MOST_ROUNDS of them."""
    ranks = list(range(SIZE)) + ([-1] if SIZE % 2 else [])
    found = []
    for _ in range(len(ranks) - 1):
        pairs = [(ranks[at], ranks[-1 - at]) for at in range(len(ranks) // 2)]
        found.append([pair for pair in pairs if -1 not in pair])
        ranks = [ranks[0]] + [ranks[-1]] + ranks[1:-1]
    step = max(1, -(-len(found) // MOST_ROUNDS))
    # No more pairs at once than one host could serve if they were all its own.
    most = max(1, min(at_once(), SIZE) // 2)
    return [pairs[at:at + most] for pairs in found[::step] for at in range(0, len(pairs), most)]


def ping_pong(partner, first, tensor, count):
    for _ in range(count):
        if first:
            PLACE.call("send")(tensor, partner)
            PLACE.call("recv")(tensor, partner)
        else:
            PLACE.call("recv")(tensor, partner)
            PLACE.call("send")(tensor, partner)
        PLACE.finish(tensor)


def one_way(partner, first, size):
    """Seconds of one way, median of a few."""
    tensor = zeros(size)
    ping_pong(partner, first, tensor, 1)
    started = time.perf_counter()
    ping_pong(partner, first, tensor, 2)
    guess = (time.perf_counter() - started) / 2
    # Both ends do the same number.
    count = torch.tensor([max(3.0, min(500.0, LINK_SECONDS / max(guess, 1e-6)))]).to(PLACE.device)
    if first:
        PLACE.call("send")(count, partner)
    else:
        PLACE.call("recv")(count, partner)
    times = []
    for _ in range(int(count.cpu().item())):
        started = time.perf_counter()
        ping_pong(partner, first, tensor, 1)
        times.append((time.perf_counter() - started) / 2)
    return median(times)


def measure_links():
    for pairs in rounds():
        mine = next((pair for pair in pairs if RANK in pair), None)
        answers = []
        for _ in range(LINK_REPEATS):
            barrier()
            latency, transfer = 0.0, 0.0
            if mine:
                partner = mine[1] if mine[0] == RANK else mine[0]
                latency = one_way(partner, mine[0] == RANK, 8)
                transfer = one_way(partner, mine[0] == RANK, LINK_BYTES)
            answers.append((gathered(latency), gathered(transfer)))
        for first, second in pairs:
            say(kind="link", ranks=[first, second],
                latency_us=[latencies[first] * 1e6 for latencies, _ in answers],
                gb_s=[LINK_BYTES / transfers[first] / 1e9 for _, transfers in answers])


def tell_ranks():
    """The host and the card of each rank."""
    name = socket.gethostname().encode()[:64].ljust(64, b"\0")
    mine = torch.tensor([float(byte) for byte in name], dtype=torch.float32).to(PLACE.device)
    parts = [zeros(4 * 64) for _ in range(SIZE)]
    PLACE.call("all_gather")(parts, mine)
    cards = gathered(LOCAL_RANK)
    for rank in range(SIZE):
        text = bytes(int(value) for value in parts[rank].cpu().tolist()).rstrip(b"\0").decode("utf-8", "replace")
        say(kind="rank", rank=rank, host=text, local_rank=int(cards[rank]))


def main():
    torch.set_num_threads(1)
    PLACE.call("init_process_group")(backend=PLACE.backend, init_method="env://")
    try:
        say(kind="group", backend=PLACE.backend, device=PLACE.kind, torch=torch.__version__,
            python="%d.%d.%d" % sys.version_info[:3])
        tell_ranks()
        measure_operations()
        measure_copies()
        if SIZE > 1:
            measure_links()
        say(kind="end")
        barrier()
    finally:
        PLACE.call("destroy_process_group")()


if __name__ == "__main__":
    main()
