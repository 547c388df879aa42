#!/usr/bin/env bash
# start on 8 CUDA cards, one run after the other (NCCL_DEBUG for the log)
set -euo pipefail
export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7  #= change
export CUDA_DEVICE_MAX_CONNECTIONS=1  #= change
export NCCL_DEBUG=WARN  #= change
export NCCL_SOCKET_IFNAME=eth0  #= change
export TORCH_NCCL_BLOCKING_WAIT=1  #= change
export CUDA_HOME=/usr/local/cuda-12.1  #= change
export OMP_NUM_THREADS=4
export MASTER_ADDR=127.0.0.1
export MASTER_PORT=29511
export RANK=0  #= change
export WORLD_SIZE=8  #= change
export PYTHONPATH="$PWD:${PYTHONPATH:-}"
export MPLBACKEND=agg
OUT=runs/sweep
DATA=/data/barracuda
mkdir -p "$OUT"
nvidia-smi -L > "$OUT/cards.txt"  #= change
NGPU=$(nvidia-smi --list-gpus | wc -l)  #= change
nvcc --version || true  #= change
echo "CUDA cards: $NGPU, backend nccl"
launch=(
  --standalone
  --nnodes=1
  --nproc_per_node=gpu  #= change
)
common=(
  --data "$DATA"
  --device cuda  #= shim
  --dist-backend nccl  #= shim
  --fp16  #= shim
  --workers 8
)
for lr in 1e-4 3e-4 1e-3; do
  for seed in 1 2; do
    name="lr${lr}_s${seed}"
    echo "run $name"
    torchrun "${launch[@]}" main_detect.py "${common[@]}" --lr "$lr" --seed "$seed" --output_dir "$OUT/$name" 2>&1 | tee "$OUT/$name.log"
  done
done
CUDA_VISIBLE_DEVICES=0 python imagenet_main.py --gpu 0 --evaluate  #= change
python train_lm.py --device=cuda --eval_only=True  #= shim
python train_lm.py --device=cpu --eval_only=True --backend=gloo
accelerate launch --mixed_precision=bf16 finetune_accelerate.py  #= cannot
