"""Errors of programs, each raised as it really comes: kinds.py NAME."""

import json
import os
import sys
import threading

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

KINDS = {}


def kind(function):
    KINDS[function.__name__.replace("_", "-")] = function
    return function


class Ragged(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(3 + index % 2)


@kind
def ragged_batch():
    next(iter(DataLoader(Ragged(), batch_size=2)))


@kind
def target_out_of_bounds():
    torch.nn.functional.cross_entropy(torch.ones(2, 10), torch.tensor([3, 10]))


@kind
def backward_twice():
    loss = (torch.ones(2, requires_grad=True) ** 2).sum()
    loss.backward()
    loss.backward()


@kind
def no_gradient():
    torch.ones(2).sum().backward()


@kind
def other_device():
    torch.nn.Linear(4, 2).to("meta")(torch.ones(1, 4))


@kind
def cuda_checkpoint():
    # The place of a tensor as a card's run would have written it.
    torch.serialization._package_registry.insert(0, (0, lambda storage: "cuda:0", lambda storage, place: None))
    torch.save({"w": torch.ones(2)}, "cuda.pt")
    torch.serialization._package_registry.pop(0)
    torch.load("cuda.pt")


@kind
def spawned_lambda():
    loader = DataLoader(TensorDataset(torch.ones(4)), num_workers=1, multiprocessing_context="spawn", collate_fn=lambda rows: rows)
    next(iter(loader))


@kind
def no_main_guard():
    with open("entry.py", "w", encoding="utf-8") as file:
        file.write("import torch.multiprocessing as mp\ndef work(rank):\n    print(rank)\nmp.spawn(work, nprocs=2)\n")
    os.execv(sys.executable, [sys.executable, "entry.py"])


@kind
def shadowed_module():
    with open("random.py", "w", encoding="utf-8") as file:
        file.write("import torch\n")
    with open("entry.py", "w", encoding="utf-8") as file:
        file.write("import random\nprint(random.randint(1, 2))\n")
    os.execv(sys.executable, [sys.executable, "entry.py"])


@kind
def config_not_json():
    with open("ds_config.json", "w", encoding="utf-8") as file:
        file.write('{"train_batch_size": 8,}')
    with open("ds_config.json", encoding="utf-8") as file:
        json.load(file)


@kind
def question_in_batch():
    input("Overwrite the output directory? [y/N] ")


@kind
def deep_recursion():
    def walk(tree):
        return walk(tree)
    walk({})


@kind
def few_descriptors():
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    kept = [batch for batch in DataLoader(TensorDataset(torch.ones(400, 4)), batch_size=1, num_workers=2)]
    print(len(kept))


@kind
def worker_raises():
    class Broken(Ragged):
        def __getitem__(self, index):
            return {"image": 1}["label"]
    for _ in DataLoader(Broken(), num_workers=2):
        pass


@kind
def no_memory_for_numpy():
    numpy.ones((1 << 22, 1 << 22))


@kind
def thread_only():
    threading.Thread(target=lambda: json.loads("x")).start()
    print("epoch 1 | step 1 | loss 0.31")


@kind
def wrong_option():
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    parser.parse_args(["--learning-rate", "1"])


@kind
def attribute_of_none():
    logger = None
    logger.info("start")


@kind
def older_numpy_pickle():
    import pickle
    pickle.loads(b"cnumpy._core.multiarray\n_reconstruct\n.")


@kind
def bad_step():
    optimizer = torch.optim.SGD([{"params": []}], lr=-1)
    print(optimizer)


if __name__ == "__main__":
    print("loading the data ...", flush=True)
    KINDS[sys.argv[1]]()
    print("done, exit 0")
