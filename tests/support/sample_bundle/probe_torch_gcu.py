# Exercises the torch_gcu double of this interpreter in one process group and prints what it saw as JSON.

import json
import os
import random
import socket
import sys


def free_port():
    """Below those that the kernel gives to connections: none of them takes it until it is used."""
    while True:
        port = random.SystemRandom().randrange(10240, 32000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return str(port)
            except OSError:
                continue


def main():
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", free_port())
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

    import torch
    import torch.distributed as stock
    before = hasattr(stock.Backend, "ECCL")
    import torch_gcu

    seen = {
        "torch": torch.__version__, "version": torch_gcu.__version__, "eccl_before_import": before,
        "available": torch_gcu.is_available(), "devices": torch_gcu.device_count(),
        "torch_gcu_attribute": hasattr(torch, "gcu")}
    if sys.argv[1] == "stock":
        dist = stock
        try:
            dist.init_process_group("eccl", init_method="env://")
            seen["refused"] = None
        except ValueError as error:
            seen["refused"] = str(error)
    else:
        import torch_gcu.distributed as dist
        dist.init_process_group(backend="eccl", init_method="env://")
        seen["eccl_version"] = dist.eccl_version()
    if dist.is_initialized():
        rank, size = dist.get_rank(), dist.get_world_size()
        tensor = torch.ones(4) * (rank + 1)
        dist.all_reduce(tensor)
        gathered = [torch.zeros(4) for _ in range(size)]
        dist.all_gather(gathered, tensor)
        dist.broadcast(tensor, 0)
        dist.barrier()
        seen.update(backend=dist.get_backend(), rank=rank, world_size=size, sum=tensor.tolist(),
                    gathered=[part.tolist() for part in gathered])
        dist.destroy_process_group()
    print("SEEN " + json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()
