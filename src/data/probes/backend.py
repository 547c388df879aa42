# Climbs from `import torch` to a process group of the backend, and says each step as a line of JSON on descriptor 3.
import ctypes
import importlib
import json
import os
import socket
import sys
import time
import traceback

# What is asked for: token, steps, module, backend, library, function, device, marker, cards, ranks, accepted (results of the function beside 0), source (of this file). Each line
# of the answer begins with the token, so that nothing else that reaches the descriptor is taken for one.
ASKED = json.loads(sys.argv[1])
RESULTS = "TOPSCTL_PROBE_RESULTS"
TOTAL_OF_RAMP = 4224.0  # of 2 x + 1 for x from 1 to 64


class Missing(Exception):
    """Something that this generation does not offer."""


def what_is(error):
    text = "%s: %s" % (type(error).__name__, error)
    return " ".join(text.split())[:500]


def about(module):
    return {name: str(getattr(module, "__%s__" % name, "") or "") for name in ("version", "file")}


def api_of():
    """t2x: devices by torch_gcu.gcu_device; s60: torch.gcu; cuda and the like: of torch itself; empty: none of them."""
    if ASKED["device"]:
        return ASKED["device"] if hasattr(sys.modules["torch"], ASKED["device"]) else ""
    if hasattr(sys.modules[ASKED["module"]], "gcu_device"):
        return "t2x"
    return "s60" if hasattr(sys.modules["torch"], "gcu") else ""


def devices():
    """The module that counts cards: torch_gcu in one generation, torch.gcu in the other, else torch's own."""
    if ASKED["device"]:
        return getattr(sys.modules["torch"], ASKED["device"])
    module = sys.modules[ASKED["module"]]
    return module if hasattr(module, "device_count") else sys.modules["torch"].gcu


def on_card(tensor, card):
    if ASKED["device"]:
        return tensor.to("%s:%d" % (ASKED["device"], card))
    if api_of() == "t2x":
        return tensor.to(sys.modules[ASKED["module"]].gcu_device(card))
    torch = sys.modules["torch"]
    torch.gcu.set_device(card)
    return tensor.gcu() if hasattr(tensor, "gcu") else tensor.to("gcu:%d" % card)


def loaded_library():
    """The file of the backend's library that this process has loaded; empty: it has loaded none."""
    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p),
                    ("name", ctypes.c_char_p), ("at", ctypes.c_void_p)]

    try:
        library = ctypes.CDLL(ASKED["library"], mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return ""
    info = Info()
    call = getattr(library, ASKED["function"], None)
    dladdr = ctypes.CDLL(None).dladdr
    if call is None or not dladdr(ctypes.cast(call, ctypes.c_void_p), ctypes.byref(info)) or not info.file:
        return ASKED["library"]
    return os.path.realpath(os.fsdecode(info.file))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def own_distributed():
    try:
        found = importlib.import_module(ASKED["module"] + ".distributed")
    except ImportError as error:
        # That it is not there is another thing than that it cannot be loaded.
        if getattr(error, "name", None) == ASKED["module"] + ".distributed":
            raise Missing("there is no module %s.distributed" % ASKED["module"])
        raise
    if not hasattr(found, "init_process_group"):
        raise Missing("%s.distributed has no init_process_group" % ASKED["module"])
    return found


def all_reduced(distributed, card):
    """Joins the group that the environment describes; what the ranks together made of it."""
    stock = importlib.import_module("torch.distributed")
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    distributed.init_process_group(backend=ASKED["backend"], init_method="env://")
    try:
        get_backend = getattr(distributed, "get_backend", stock.get_backend)
        tensor = on_card(sys.modules["torch"].ones(4) * (rank + 1), card)
        getattr(distributed, "all_reduce", stock.all_reduce)(tensor)
        total, expected = [float(value) for value in tensor.cpu().tolist()], size * (size + 1) / 2.0
        return {"backend": str(get_backend()).lower(), "library": loaded_library(), "total": total[0],
                "expected": expected, "right": total == [expected] * 4}
    finally:
        getattr(distributed, "destroy_process_group", stock.destroy_process_group)()


def alone():
    os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port())


def step_torch():
    return about(importlib.import_module("torch"))


def step_module():
    return about(importlib.import_module(ASKED["module"]))


def step_loaded():
    """The library that torch itself has brought into this process."""
    import mmap

    found = loaded_library()
    if not found:
        raise Missing("torch has loaded no %s" % ASKED["library"])
    code = ctypes.c_int(0)
    getattr(ctypes.CDLL(ASKED["library"], mode=os.RTLD_NOLOAD | os.RTLD_LAZY), ASKED["function"])(ctypes.byref(code))
    with open(found, "rb") as library, mmap.mmap(library.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return {"code": code.value, "library": found, "right": text.find(ASKED["marker"].encode()) >= 0}


def step_devices():
    found = devices()
    return {"api": api_of(), "count": int(found.device_count()), "available": bool(found.is_available())}


def step_card(card):
    torch = sys.modules["torch"]
    ramp = on_card(torch.arange(1, 65, dtype=torch.float32), card)
    total = float((ramp * 2 + 1).sum().cpu().item())
    return {"card": card, "right": total == TOTAL_OF_RAMP, "total": total, "expected": TOTAL_OF_RAMP}


def step_own():
    distributed = own_distributed()
    alone()
    return all_reduced(distributed, 0)


def step_stock():
    distributed = importlib.import_module("torch.distributed")
    name = ASKED["backend"]
    known = hasattr(distributed.Backend, name.upper()) or name in getattr(distributed.Backend, "backend_list", [])
    if not known:
        raise Missing("torch.distributed does not know the backend '%s'" % name)
    alone()
    return all_reduced(distributed, 0)


def step_library():
    """What the library itself says; nothing of Python's packages is needed for it."""
    library = ctypes.CDLL(ASKED["library"])
    code = ctypes.c_int(0)
    result = getattr(library, ASKED["function"])(ctypes.byref(code))
    if result != 0 and result not in ASKED["accepted"]:
        raise RuntimeError("%s returned %d" % (ASKED["function"], result))
    return {"code": code.value, "library": loaded_library()}


def rank():
    """One of the processes that torchrun starts: leaves its answer in the folder of the results."""
    started = time.time()
    answer = {"rank": int(os.environ["RANK"])}
    try:
        importlib.import_module("torch")
        importlib.import_module(ASKED["module"])
        try:
            distributed = own_distributed()
        except Missing:
            distributed = importlib.import_module("torch.distributed")
        answer.update(all_reduced(distributed, int(os.environ["LOCAL_RANK"])), ok=True)
    except BaseException as error:
        traceback.print_exc()
        answer.update(ok=False, error=what_is(error))
    answer["ms"] = int((time.time() - started) * 1000)
    place = os.path.join(os.environ[RESULTS], "%d.json" % answer["rank"])
    with open(place + ".part", "w") as out:
        json.dump(answer, out)
    os.rename(place + ".part", place)
    sys.exit(0 if answer["ok"] else 1)


def torchrun(version, folder, script):
    """The words for torchrun of this interpreter, with what its release needs."""
    # A fixed address: what --standalone takes is the name of the machine, which not every machine can look up.
    words = ["-m", "torch.distributed.run", "--nnodes=1", "--nproc_per_node=%d" % ASKED["ranks"],
             "--monitor_interval=0.1", "--master_addr=127.0.0.1", "--master_port=" + free_port()]
    # Releases before 2.0 cannot read their own default of these two under Python 3.11.
    if version < (2, 0) and sys.version_info >= (3, 11):
        words += ["--redirects=1", "--tee=1", "--log_dir=" + os.path.join(folder, "log")]
    return words + [script]


def end_all(children):
    for child in children:
        if child.poll() is None:
            child.terminate()
    until = time.time() + 3
    for child in children:
        while child.poll() is None and time.time() < until:
            time.sleep(0.02)
        if child.poll() is None:
            child.kill()
            child.wait()


def first_failure(children):
    """The exit status of the first that fails; 0 once all have ended well."""
    while True:
        states = [child.poll() for child in children]
        failed = [state for state in states if state]
        if failed or None not in states:
            return failed[0] if failed else 0
        time.sleep(0.02)


def torch_version():
    """As numbers, without the second that an import takes: from the file that says it."""
    for place in sys.path:
        try:
            with open(os.path.join(place, "torch", "version.py")) as text:
                found = [line for line in text if line.startswith("__version__")]
            return tuple(int(part) for part in found[0].split("=")[1].strip(" '\"\n").split(".")[:2])
        except (OSError, IndexError, ValueError):
            continue
    return tuple(int(part) for part in importlib.import_module("torch").__version__.split(".")[:2])


def step_ranks():
    # Only here: an install asks the library alone, and needs none of them.
    import shutil
    import signal
    import subprocess
    import tempfile

    folder = tempfile.mkdtemp(prefix="topsctl-ranks-")
    children = []

    def end(_number, _frame):
        end_all(children)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    def start(words, **variables):
        children.append(subprocess.Popen([sys.executable, "-s", "-B"] + words, env=dict(environment, **variables)))

    signal.signal(signal.SIGTERM, end)
    try:
        script, results = os.path.join(folder, "rank.py"), os.path.join(folder, "results")
        os.mkdir(results)
        with open(script, "w") as out:
            out.write(ASKED["source"])
        asked = json.dumps(dict(ASKED, steps=["rank"], source=""))
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONNOUSERSITE="1", TMPDIR=folder)
        environment[RESULTS] = results
        version = torch_version()
        if version >= (1, 9):
            start(torchrun(version, folder, script) + [asked])
        else:
            # There is no torchrun yet, and its forerunner waits for ever when one rank dies and another waits for it.
            environment.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port(), WORLD_SIZE=str(ASKED["ranks"]))
            for number in range(ASKED["ranks"]):
                start([script, asked], RANK=str(number), LOCAL_RANK=str(number))
        status = first_failure(children)
        answers = []
        for name in os.listdir(results):
            if name.endswith(".json"):
                with open(os.path.join(results, name)) as text:
                    answers.append(json.load(text))
        return {"status": status, "answers": sorted(answers, key=lambda answer: answer["rank"])}
    finally:
        end_all(children)
        shutil.rmtree(folder, ignore_errors=True)


def enough(answer):
    """Whether there are the cards that the next steps are to try."""
    return answer.get("count", ASKED["cards"]) >= ASKED["cards"]


def say(out, **line):
    out.write(ASKED["token"] + " " + json.dumps(line) + "\n")
    out.flush()


def take(out, name, step, *arguments):
    """Whether to go on. The step is announced before, so that the one that ended the process is known."""
    say(out, step=name, state="begin", arguments=arguments)
    started = time.time()
    try:
        answer, state = step(*arguments), "done"
    except Missing as missing:
        answer, state = {"error": str(missing)}, "missing"
    except BaseException as error:
        traceback.print_exc()
        answer, state = {"error": what_is(error)}, "failed"
    say(out, step=name, state=state, ms=int((time.time() - started) * 1000), **answer)
    return state != "failed" and enough(answer)


def climb(out):
    for name in ASKED["steps"]:
        if name == "cards":
            if not all([take(out, "card", step_card, card) for card in range(ASKED["cards"])]):
                return
        elif not take(out, name, globals()["step_" + name]):
            return


if ASKED["steps"] == ["rank"]:
    rank()
with os.fdopen(3, "w") as descriptor:
    climb(descriptor)
# A runtime whose threads hang or crash at exit has nothing more to say.
os._exit(0)
