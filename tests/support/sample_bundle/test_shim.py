# The shim of topsctl: programs written for CUDA and NCCL, unmodified, on doubles of torch_gcu that refuse what a card refuses.

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SHIM
from .probe_torch_gcu import free_port

PROGRAMS = Path(__file__).resolve().parent / "shim_programs"
GENERATIONS, FORMS = ("t2x", "s60"), ("own", "torch")
# The fourth only with --all: a later release whose torch.distributed does not know eccl.
STACKS = [pytest.param(generation, form, marks=[pytest.mark.whole] if (generation, form) == ("s60", "own") else [])
          for generation in GENERATIONS for form in FORMS]
TRAININGS = ("gpt", "classifier", "imagenet", "runner")
OPTIONS = {"gpt": ["--out", "{}/gpt.pt"], "classifier": ["--output", "{}/classifier.pt"], "imagenet": ["--folder", "{}"]}


def started(words, environment, number=2):
    """(codes, outputs) of so many ranks, which an environment of plain variables makes."""
    port = free_port()
    ranks = [subprocess.Popen([sys.executable, "-B", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(environment, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(number), MASTER_PORT=port))
             for rank in range(number)]
    try:
        outputs = [rank.communicate(timeout=150)[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    return [rank.returncode for rank in ranks], outputs


def results_of(text):
    """What programs found. Two that share a pipe may have their texts in one line: an unbuffered print writes its newline apart."""
    return [json.JSONDecoder().raw_decode(found)[0] for found in text.split("RESULT ")[1:]]


def trained(folder, names, environment):
    """By program: what its two ranks found. All run in one pair of processes, each in children of its own."""
    folder.mkdir()
    words = [",".join([free_port(), str(PROGRAMS / (name + ".py")), *(word.format(folder) for word in OPTIONS.get(name, []))])
             for name in names]
    codes, outputs = started([PROGRAMS / "ranks.py", folder, *words], environment)
    texts = {name: [(folder / f"{name}.{rank}").read_text(encoding="utf-8") for rank in range(2)] for name in names}
    assert codes == [0, 0], "\n".join(text[-3000:] for pair in texts.values() for text in pair if "Traceback" in text) or outputs
    return {name: [results_of(text)[0] for text in pair] for name, pair in texts.items()}, outputs


@pytest.fixture(scope="module")
def by_shim(stack, tmp_path_factory):
    """by_shim(generation, form): (by program what its ranks found, what they wrote before), unmodified and with the shim."""
    made = {}

    def results(*which):
        if which not in made:
            made[which] = trained(tmp_path_factory.mktemp("shim") / "of", [*TRAININGS, "cases"], stack(*which))
        return made[which]
    return results


@pytest.fixture(scope="module")
def by_hand(stack, tmp_path_factory):
    """The same of the programs that are written for the card, without the shim."""
    made = {}

    def results(*which):
        if which not in made:
            made[which] = trained(tmp_path_factory.mktemp("hand") / "of", [name + "_on_cards" for name in TRAININGS],
                                  stack(*which, shim=False))[0]
        return made[which]
    return results


@pytest.mark.parametrize("generation, form", STACKS)
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_for_cuda_is_that_for_the_card_to_the_last_digit(by_shim, by_hand, generation, form, name):
    found = by_shim(generation, form)[0][name]
    assert found == by_hand(generation, form)[name + "_on_cards"]
    assert [rank["card"] for rank in found] == ["xla:0", "xla:1"]
    assert len(set(found[0]["losses"])) == len(found[0]["losses"]) > 4 and found[0]["losses"] != found[1]["losses"]


@pytest.mark.parametrize("generation, form", STACKS)
def test_one_line_says_what_is_mapped(by_shim, generation, form):
    _, (first, second) = by_shim(generation, form)
    device = "gcu_device(N)" if generation == "t2x" else "gcu:N"
    group = "torch.distributed" if (generation, form) == ("s60", "torch") else "torch_gcu.distributed"
    lines = [line for line in first.splitlines() if line.startswith("topsctl shim ")]
    assert len(lines) == 1 and "topsctl shim" not in second
    assert f"torch_gcu 1.10.0+2.5.136 ({generation}): cuda -> {device}, nccl -> eccl of {group}; not mapped: GradScaler" in lines[0]


# What expected.md of the cases asks for: groups of both kinds, options kept, the class asked for, devices that open no card early.
@pytest.mark.parametrize("generation, form", STACKS)
def test_what_cuda_projects_do_beside_their_training(by_shim, generation, form):
    for rank, found in enumerate(by_shim(generation, form)[0]["cases"]):
        assert found.pop("name") in ("Enflame GCU", "Enflame test double")
        assert found == {
            "on_cpu": [2.0, "gloo", False], "rank": rank, "dtype": "float16", "device": "cuda", "of_loader": "cuda",
            "card": f"xla:{rank}", "broadcast_buffers": False, "unused": True, "keys": ["bias", "weight"],
            "derived": ["own", True, False], "in_other_names": [True, False], "is_cuda": [True, False], "count": 8,
            "collectives": [[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0], [{"rank": 0}, {"rank": 1}], [0, "told"],
                            [["of", 0], ["of", 1]] if rank == 0 else None, [{"to": rank}], [10.0, 12.0, 14.0, 16.0], 3.0, "gloo", 2.0],
            "backend": "nccl", "output": True}


SPAWNED = [pytest.param(*stack.values, marks=() if stack.values == ("t2x", "own") else pytest.mark.whole) for stack in STACKS]


@pytest.mark.parametrize("generation, form", SPAWNED)
def test_spawned_processes_have_a_card_each(stack, by_hand, tmp_path, generation, form):
    done = subprocess.run([sys.executable, PROGRAMS / "imagenet.py", "--multiprocessing-distributed", "--cards", "2", "--dist-url",
                           f"tcp://127.0.0.1:{free_port()}", "--folder", tmp_path], env=stack(generation, form), capture_output=True,
                          text=True, timeout=150, check=False)
    found = sorted(results_of(done.stdout), key=lambda each: each["rank"])
    assert found == by_hand(generation, form)["imagenet_on_cards"], done.stdout + done.stderr
    assert done.stderr.count("topsctl shim ") == 1


def test_torchrun_starts_it_as_it_is(stack, by_hand, tmp_path):
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2", "--redirects=1", "--tee=1",
                           f"--log_dir={tmp_path}", f"--master_port={free_port()}", PROGRAMS / "gpt.py"], env=stack("t2x", "torch"),
                          capture_output=True, text=True, timeout=150, check=False)
    found = sorted(results_of(done.stdout), key=lambda each: each["rank"])
    assert found == by_hand("t2x", "torch")["gpt_on_cards"], done.stdout + done.stderr
    assert done.stderr.count("topsctl shim ") == 1


def test_without_the_shim_the_program_fails(stack):
    codes, outputs = started([PROGRAMS / "gpt.py"], stack("t2x", "torch", shim=False), 1)
    assert codes == [1] and "NCCL" in outputs[0]


# Each is a program's first call that no shim can answer.
BEYOND = [
    ("from torch.utils.cpp_extension import CUDAExtension; CUDAExtension('a', ['a.cu'])", "torch.utils.cpp_extension.CUDAExtension"),
    ("from torch.utils import cpp_extension; cpp_extension.load(name='a', sources=['a.cpp', 'a.cu'])", "torch.utils.cpp_extension.load"),
    ("from torch.utils.cpp_extension import load_inline; load_inline('a', [''], cuda_sources=['x'])", "cpp_extension.load_inline"),
    ("torch.cuda.CUDAGraph()", "torch.cuda.CUDAGraph"),
    ("torch.cuda.make_graphed_callables(torch.nn.Linear(1, 1), None)", "torch.cuda.make_graphed_callables"),
    ("with torch.cuda.graphs.graph(None): pass", "torch.cuda.graph"),
    ("torch.cuda.ExternalStream(1)", "torch.cuda.ExternalStream"),
    ("torch.cuda.Stream().cuda_stream", "torch.cuda.Stream.cuda_stream"),
    ("torch.cuda.Event(interprocess=True)", "torch.cuda.Event(interprocess=True)"),
    ("torch.ones(1).cuda().bfloat16()", "to(torch.bfloat16)"),
    ("torch.nn.Linear(1, 1).cuda().to(torch.bfloat16)", "to(torch.bfloat16)"),
    ("torch.nn.Linear(1, 1).to('cuda', torch.bfloat16)", "to(torch.bfloat16)"),
    ("torch.zeros(1, dtype=torch.bfloat16, device='cuda')", "torch.zeros(dtype=torch.bfloat16)"),
    ("torch.autocast('cuda', dtype=torch.bfloat16)", "autocast(dtype=torch.bfloat16)"),
    ("torch.cuda.amp.autocast(dtype=torch.bfloat16)", "autocast(dtype=torch.bfloat16)"),
    ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", "torch.set_default_tensor_type"),
    ("torch.nn.DataParallel(torch.nn.Linear(1, 1), device_ids=[0, 1])", "torch.nn.DataParallel"),
    ("torch.cuda.nccl.version()", "torch.cuda.nccl.version"),
    ("torch.cuda.cudart()", "torch.cuda.cudart"),
    ("torch.cuda.caching_allocator_alloc(8)", "torch.cuda.caching_allocator_alloc"),
]
EACH_IN_TURN = """
import sys, torch
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
        print("nothing")
    except RuntimeError as error:
        print(str(error).replace(chr(10), " "))
"""


def ran(code, environment, **options):
    return subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True,
                          timeout=100, check=False, **options)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_what_a_shim_cannot_do_ends_in_the_first_call_by_name(stack, generation):
    done = ran(EACH_IN_TURN, stack(generation, "own"), input="\n".join(line for line, _ in BEYOND))
    said = [line for line in done.stdout.splitlines() if "[test double]" not in line]
    assert len(said) == len(BEYOND), done.stdout + done.stderr
    for (line, name), message in zip(BEYOND, said):
        assert message.startswith("topsctl shim: ") and name in message and message.endswith("[cuda-beyond-the-shim]"), (line, message)


DEVICES = """
import copy, torch, torch.nn as nn, torch.utils.checkpoint
assert torch.device("cuda:1").type == "cuda" and isinstance(torch.device("cuda"), torch.device)
def on(tensor, number):
    assert str(tensor.device) == "xla:%d" % number and tensor.is_cuda, tensor.device
x = torch.ones(2, 3).cuda()
for made in (torch.zeros(2, device="cuda"), torch.tensor([1.0], device=torch.device("cuda")), torch.as_tensor([1], device="cuda:0"),
             x.new_zeros(2), torch.zeros_like(torch.ones(1), device="cuda"), torch.zeros(1, device=0), torch.cuda.FloatTensor([1.0]),
             torch.ones(1).type(torch.cuda.HalfTensor), torch.ones(1).to(x), torch.ones(1).to(0), torch.ones(1).to(device="cuda"),
             nn.Linear(2, 2, device="cuda").weight, nn.LSTM(3, 2).cuda()(x)[0], copy.deepcopy(nn.Linear(3, 2).cuda())(x),
             torch.randn(2, generator=torch.Generator("cuda").manual_seed(1), device="cuda"), x.to("cuda", non_blocking=True),
             torch.jit.trace(nn.Linear(3, 2).cuda(), x)(x), torch.ones(1).pin_memory().cuda(non_blocking=True)):
    on(made, 0)
on(torch.ones(1).cuda(1), 1)
on(x.new_tensor([1.0], device="cuda:1"), 1)
with torch.cuda.device(2):
    on(torch.ones(1).cuda(), 2)
    assert torch.cuda.current_device() == 2
on(torch.ones(1).cuda(), 0)
torch.cuda.set_device("cuda:3")
on(torch.empty(1, device="cuda"), 3)
torch.cuda.set_device(0)
assert x.type() == "torch.cuda.FloatTensor" and isinstance(x, torch.cuda.FloatTensor) and not isinstance(x, torch.cuda.HalfTensor)
assert not torch.ones(1).is_cuda and torch.ones(1).bfloat16().dtype is torch.bfloat16 and x.half().dtype is torch.float16
assert x.get_device() == 0 and x.cpu().numpy().sum() == 6
torch.manual_seed(5)
drawn = torch.rand(3, device="cuda").tolist()
torch.cuda.manual_seed_all(5)
assert torch.cuda.get_device_properties(0).total_memory > 0 and torch.cuda.mem_get_info()[1] > 0
assert torch.cuda.max_memory_allocated() == 0 and torch.cuda.memory_stats() == {} and torch.cuda.memory_summary() == ""
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    on(x + 1, 0)
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record(); end.record(); torch.cuda.synchronize()
assert begin.elapsed_time(end) >= 0
scaler = torch.cuda.amp.GradScaler(init_scale=2.0)
assert scaler.scale(x.sum()).item() == 6 and isinstance(scaler, torch.cuda.amp.GradScaler)
with torch.autocast("cuda", torch.float16), torch.cuda.amp.autocast(enabled=False), torch.autocast(device_type=x.device.type):
    on(x @ x.t(), 0)
with torch.autocast("cpu", dtype=torch.bfloat16):
    assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.bfloat16
y = x.clone().requires_grad_()
torch.utils.checkpoint.checkpoint(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).cuda(), y).sum().backward()
on(y.grad, 0)
on(nn.DataParallel(nn.Linear(3, 2)).cuda()(torch.ones(2, 3).cuda()), 0)
loader = torch.utils.data.DataLoader(torch.arange(4), 2, pin_memory=True, num_workers=1)
assert [each.tolist() for each in loader] == [[0, 1], [2, 3]]
torch.save({"of": x, "on_host": torch.ones(1), "deep": [(x, torch.ones(1).cuda())]}, "here.pt")
for place, number in ((None, 0), ("cuda", 0), ("cuda:1", 1), (torch.device("cuda", 2), 2), ({"cuda:0": "cuda:3"}, 3)):
    loaded = torch.load("here.pt", map_location=place)
    on(loaded["of"], number)
    on(loaded["deep"][0][1], number)
for place in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, place: storage):
    assert torch.load("here.pt", map_location=place)["of"].device.type == "cpu"
# As CUDA writes it: each storage names its device.
import torch.storage
kept = torch.serialization.location_tag
torch.serialization.location_tag = lambda storage: "cuda:0"
torch.save({"w": torch.ones(2), "m": nn.Linear(2, 2).state_dict(), "t": (torch.ones(1), [torch.zeros(1)])}, "of_cuda.pt")
torch.serialization.location_tag = kept
for place, number in ((None, 0), ("cuda:1", 1), ({"cuda:0": "cuda:2"}, 2)):
    loaded = torch.load("of_cuda.pt", map_location=place)
    for made in (loaded["w"], loaded["m"]["weight"], loaded["t"][0], loaded["t"][1][0]):
        on(made, number)
assert torch.load("of_cuda.pt", map_location="cpu")["w"].device.type == "cpu"
print("all of it")
"""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_devices_tensors_and_files_are_the_cards(stack, tmp_path, generation):
    done = ran(DEVICES, stack(generation, "torch"), cwd=tmp_path)
    assert "all of it" in done.stdout, done.stdout + done.stderr


def test_the_card_is_that_of_the_local_rank(stack):
    program = "import torch; print(torch.ones(1).cuda().device, torch.zeros(1, device='cuda').device)"
    of_eight = ran(program, stack("t2x", "own", LOCAL_RANK="3"))
    assert of_eight.stdout.split()[-2:] == ["xla:3"] * 2, of_eight.stderr
    # A launcher may show each rank its own card alone.
    of_one = ran(program, stack("t2x", "own", LOCAL_RANK="3", TORCH_GCU_DOUBLE_DEVICES="1"))
    assert of_one.stdout.split()[-2:] == ["xla:0"] * 2, of_one.stderr


def test_no_program_goes_on_without_a_card_or_without_torch_gcu(stack, tmp_path):
    program = "import torch; device = 'cuda' if torch.cuda.is_available() else 'cpu'; print('computes on', device)"
    no_card = ran(program, stack("t2x", "own", TORCH_GCU_DOUBLE_DEVICES="0"))
    assert no_card.returncode == 1 and "torch.cuda.is_available cannot be done" in no_card.stderr and "finds no card" in no_card.stderr
    missing = ran(program, dict(stack("t2x", "own"), PYTHONPATH=str(SHIM)))
    assert missing.returncode == 1 and "torch_gcu cannot be imported" in missing.stderr and "computes" not in missing.stdout


def test_the_vendors_own_transfer_goes_before_the_shims(stack, sites, tmp_path):
    shutil.copytree(Path(sites("s60")["PYTHONPATH"]) / "torch_gcu", tmp_path / "torch_gcu")
    (tmp_path / "torch_gcu/transfer_to_gcu.py").write_text("import torch\ntorch.cuda.is_available = lambda: 'by the vendor'\n")
    environment = stack("s60", "torch")
    environment["PYTHONPATH"] = f"{SHIM}:{tmp_path}"
    done = ran("import torch; print(torch.cuda.is_available())", environment | {"RANK": "0"})
    assert "by the vendor" in done.stdout and "(s60): its own transfer_to_gcu" in done.stderr, done.stderr


def test_the_shim_is_off_without_its_variable_and_hides_no_other_sitecustomize(stack, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os\nos.environ['OF_THE_SITE'] = 'ran'\n")
    environment = stack("t2x", "own")
    environment["PYTHONPATH"] += f":{tmp_path}"
    code = "import os, sys, torch; print(os.environ.get('OF_THE_SITE'), 'topsctl_shim' in sys.modules)"
    assert ran(code, environment).stdout.split()[-2:] == ["ran", "True"]
    environment.pop("TOPSCTL_SHIM")
    assert ran(code, environment).stdout.split()[-2:] == ["ran", "False"]


LAZY = """
import torch, torch_gcu
def optimizer_step(optimizer):
    calls.append(optimizer)
    optimizer.step()
calls, torch_gcu.optimizer_step = [], optimizer_step
import topsctl_shim_training
topsctl_shim_training._install_steps(type("Cards", (), {"api": torch_gcu}))
weight = torch.nn.Parameter(torch.ones(1).cuda())
optimizer = torch.optim.SGD([weight], lr=0.5)
(weight * 2).sum().backward()
optimizer.step()
print(len(calls), weight.item())
"""


def test_a_step_is_that_of_torch_gcu_where_it_has_one(stack):
    done = ran(LAZY, stack("t2x", "own"))
    assert done.stdout.split()[-2:] == ["1", "0.0"], done.stderr


def test_launch_runs_a_program_for_cuda_as_it_is(stack, by_hand, tmp_path, topsctl_release):
    environment = stack("t2x", "torch", shim=False, HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"))
    outcomes = {}
    for when in ("auto", "never"):
        argv = [topsctl_release, "launch", *([] if when == "auto" else ["--shim", when]), "--stack", "topsrider-t2x", "--python", sys.executable, "--nproc", "2",
                "--preflight", "none", "--accept", "cuda-device", "--log-dir", tmp_path / when, "--", PROGRAMS / "gpt.py", "--out",
                tmp_path / "gpt.pt"]
        done = subprocess.run(argv, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
        logs = [(tmp_path / when / f"attempt_0/rank_{rank}.log") for rank in range(2)]
        outcomes[when] = done, [results_of(log.read_text()) for log in logs if log.exists()]
    done, found = outcomes["auto"]
    assert done.returncode == 0, done
    assert [each[0] for each in found] == by_hand("t2x", "torch")["gpt_on_cards"]
    for rank in range(2):
        assert f"Rank {rank}/2, backend eccl" in (tmp_path / f"auto/attempt_0/rank_{rank}.log").read_text()
    shim = tmp_path / "auto/shim"
    assert {file.name for file in shim.iterdir()} == {file.name for file in SHIM.iterdir() if file.suffix == ".py"}
    assert "@VERSION@" not in (shim / "topsctl_shim.py").read_text()
    assert outcomes["never"][0].returncode != 0 and not (tmp_path / "never/shim").exists()


def test_a_stack_for_cuda_has_no_shim(tmp_path, topsctl_release):
    (tmp_path / "train.py").touch()
    done = subprocess.run([topsctl_release, "launch", "--shim", "always", "--stack", "vccl-2.26.6", "--nproc", "1", "--", "train.py"],
                          cwd=tmp_path, env=dict(os.environ, HOME=str(tmp_path)), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "no runtime shim" in done.stderr, done
