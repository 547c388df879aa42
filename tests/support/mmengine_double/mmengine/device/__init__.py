# mmengine.device of the stand-in: the device is CUDA's if there is one, decided when it is loaded.

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def get_device():
    return DEVICE


def get_max_cuda_memory(device=None):
    mega = torch.cuda.max_memory_allocated(device=device) // (1024 * 1024)
    torch.cuda.reset_peak_memory_stats()
    return int(mega)
