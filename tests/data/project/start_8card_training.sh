#!/bin/bash
# Starts eight ranks; torchrun --nproc-per-node=auto in a comment is nothing.
export WORLD_SIZE=8
export MASTER_ADDR="127.0.0.1"
export MASTER_PORT=29500
torchrun \
    --standalone \
    --nnodes=1 \
    --nproc-per-node=auto \
    --master_addr=127.0.0.1 \
    --master_port=29500 \
    scripts/train_distributed_8card_gcu.py \
    configs/train_dinov3_mmrs1m_t20_gcu_8card.py
python3 scripts/train_with_runner.py configs/train_dinov3_mmrs1m_t20_gcu_8card.py
