"""Autograd functions over the compiled ops (CUDA tensors only)."""
import torch
from torch.autograd import Function
from torch.cuda.amp import custom_bwd, custom_fwd  #= shim
from torch.utils.cpp_extension import load

import tensorrt as trt  #= cannot
import pycuda.driver as drv  #= cannot
import pycuda.autoinit  #= cannot
from apex.normalization import FusedLayerNorm  #= cannot
from apex.optimizers import FusedAdam  #= cannot
from xformers.ops import memory_efficient_attention  #= cannot

_ext = load(
    name='knn_ext',
    sources=['ops/knn/src/knn.cpp', 'ops/knn/src/knn_cuda.cu'],  #= cannot
    extra_cuda_cflags=['-O3'],  #= cannot
    verbose=False,
)


class KNN(Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)  #= shim
    def forward(ctx, k, xyz, center):
        assert xyz.is_contiguous()
        assert xyz.is_cuda, 'knn is for CUDA tensors'  #= shim
        b, npoint, _ = center.shape
        idx = torch.cuda.IntTensor(b, npoint, k).zero_()  #= shim
        dist2 = xyz.new_zeros((b, npoint, k))
        _ext.knn(b, xyz.shape[1], npoint, k, xyz, center, idx, dist2)
        ctx.mark_non_differentiable(idx)
        return idx

    @staticmethod
    @custom_bwd  #= shim
    def backward(ctx, grad=None):
        return None, None, None


def make_engine(path):
    log = trt.Logger(trt.Logger.WARNING)
    with open(path, 'rb') as f, trt.Runtime(log) as rt:
        return rt.deserialize_cuda_engine(f.read())  #= cannot


def norm_layer(dim, fused=True):
    return FusedLayerNorm(dim) if fused else torch.nn.LayerNorm(dim)  #= cannot


def graphed(model, sample):
    model = torch.cuda.make_graphed_callables(model, (sample,))  #= cannot
    return model


def reference_knn(k, xyz, center):
    d = torch.cdist(center, xyz)
    return d.topk(k, dim=-1, largest=False).indices


def check(device='cuda:0'):  #= shim
    xyz = torch.rand(2, 128, 3).to(device)
    ref = reference_knn(4, xyz, xyz)
    half = torch.zeros(4, dtype=torch.bfloat16, device=device)  #= cannot
    with torch.autocast('cuda'):  #= shim
        out = KNN.apply(4, xyz, xyz)
    with torch.cuda.device(xyz.device):  #= shim
        same = bool((out == ref).all())
    return same, half.shape
