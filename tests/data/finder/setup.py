"""Build of the point ops. Needs nvcc and CUDAExtension from torch."""
import glob
import os

import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension  #= cannot

os.environ['TORCH_CUDA_ARCH_LIST'] = '7.0;8.0;9.0'  #= change
here = os.path.dirname(os.path.abspath(__file__))
version = '0.3.1'
description = 'point ops with CUDA kernels'


def get_extensions():
    root = os.path.join(here, 'ops', 'csrc')
    main_file = glob.glob(os.path.join(root, '*.cpp'))
    source_cpu = glob.glob(os.path.join(root, 'cpu', '*.cpp'))
    source_gpu = glob.glob(os.path.join(root, 'cuda', '*.cu'))  #= cannot
    sources = main_file + source_cpu
    extension = CppExtension
    extra = {'cxx': ['-O3', '-std=c++17']}
    macros = []
    if torch.cuda.is_available() and CUDA_HOME is not None:  #= cannot
        extension = CUDAExtension  #= cannot
        sources += source_gpu
        macros += [('WITH_CUDA', None)]  #= cannot
        extra['nvcc'] = ['-O3', '--use_fast_math']  #= change
    else:
        print('CUDA was not found, only the CPU ops are built')
    ext = extension('ops._C', sources, include_dirs=[root], define_macros=macros, extra_compile_args=extra)
    return [ext]


def extra_extensions():
    return [
        CUDAExtension(  #= cannot
            name='ops.knn._ext',
            sources=[
                'ops/knn/src/knn.cpp',
                'ops/knn/src/knn_cuda.cu',  #= cannot
                'ops/knn/src/topk_kernel.cu',  #= cannot
            ],
            extra_compile_args={
                'cxx': ['-g'],
                'nvcc': ['-O2'],  #= change
            },
        ),
    ]


setup(
    name='pointops',
    version=version,
    description=description,
    packages=find_packages(exclude=('tests',)),
    ext_modules=get_extensions() + extra_extensions(),
    cmdclass={'build_ext': BuildExtension},
    install_requires=[
        'torch>=1.10',
        'numpy',
        'cupy-cuda12x',  #= cannot
        'flash-attn>=2.3',  #= cannot
        'tensorboard',
    ],
)
