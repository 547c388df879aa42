#!/bin/bash
# Trains as a job of Slurm.
#SBATCH --job-name=seg_r50
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:8  #= change
#SBATCH --gpus-per-node=8  #= change
#SBATCH --time=48:00:00
#SBATCH --output=logs/%x-%j.out
# the cuda module must match the one torch was built with

module purge
module load python/3.10
module load cuda/12.1  #= change
module load nccl/2.18  #= change
source "$HOME/venv/bin/activate"
export NCCL_IB_HCA=mlx5_0,mlx5_1  #= change
export NCCL_P2P_LEVEL=NVL  #= change
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:${LD_LIBRARY_PATH:-}  #= change
export TORCH_CUDA_ARCH_LIST="8.0"  #= change
export HYDRA_FULL_ERROR=1
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_ADDR
export MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
CONFIG=configs/seg_r50.py
WORK=work_dirs/${SLURM_JOB_NAME}
echo "nodes: $SLURM_JOB_NODELIST, cuda from module"
if [ ! -f "$CONFIG" ]; then
  echo "no config $CONFIG" >&2
  exit 2
fi
srun nvidia-smi --query-gpu=memory.used --format=csv -l 60 > logs/mem.csv &  #= change
srun --gres=gpu:8 python tools/train_mm.py "$CONFIG" --launcher slurm --work-dir "$WORK" --amp  #= change
srun --ntasks=1 python tools/collect.py "$WORK" --plot-backend matplotlib
python hydra_train.py trainer.strategy=ddp trainer.devices=4  #= shim
python hydra_train.py trainer.accelerator=gpu  #= change
python hydra_train.py trainer.accelerator=cpu
pip install --no-build-isolation flash-attn==2.5.6  #= cannot
pip install tensorboard pandas
