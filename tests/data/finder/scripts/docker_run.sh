#!/usr/bin/env bash
# Trains in a container.
set -e
# needs the NVIDIA container toolkit
IMAGE=nvcr.io/nvidia/pytorch:24.01-py3  #= change
BASE=nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04  #= change
NAME=trainer-${USER}
WORKDIR=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v nvidia-smi >/dev/null; then  #= change
  echo "nvidia-smi was not found, is CUDA there?"
  exit 1
fi
docker rm -f "$NAME" >/dev/null 2>&1 || true
docker pull "$IMAGE"
opts=(
  --name "$NAME"
  --rm
  --gpus all  #= change
  --runtime=nvidia  #= change
  --ipc=host
  --shm-size=32g
  --ulimit memlock=-1
  --network host
  -e NVIDIA_VISIBLE_DEVICES=all  #= change
  -e NVIDIA_DRIVER_CAPABILITIES=compute,utility  #= change
  -e NCCL_DEBUG=INFO  #= change
  -e OMP_NUM_THREADS=8
  -v "$WORKDIR":/workspace
  -v /data:/data:ro
  -w /workspace
)
docker build --build-arg BASE="$BASE" -t trainer-base docker/
docker run "${opts[@]}" "$IMAGE" python lit_train.py --device cuda  #= shim
docker run --rm "$IMAGE" python -c 'print("CUDA is used")'
docker run --rm --gpus '"device=0"' "$IMAGE" bash -lc 'ls /workspace'  #= change
