"""LightningModule and Trainer; accelerator='gpu', strategy='ddp'."""
import os

import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from pytorch_lightning.callbacks import LearningRateMonitor, ModelCheckpoint
from pytorch_lightning.strategies import DDPStrategy  #= shim
from torch import nn
from torch.utils.data import DataLoader

import bitsandbytes as bnb  #= cannot
import xformers.ops as xops  #= cannot
from flash_attn import flash_attn_func  #= cannot

os.environ['NCCL_P2P_DISABLE'] = '1'  #= change
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:128'  #= change
os.environ['MPLBACKEND'] = 'agg'
os.environ['TOKENIZERS_PARALLELISM'] = 'false'


class Attention(nn.Module):
    def __init__(self, dim, heads=8, kind='sdpa'):
        super().__init__()
        self.heads = heads
        self.kind = kind
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).unbind(2)
        if self.kind == 'flash':
            y = flash_attn_func(q, k, v, causal=True)  #= cannot
        elif self.kind == 'xf':
            bias = xops.LowerTriangularMask()
            y = xops.memory_efficient_attention(q, k, v, attn_bias=bias)
        else:
            y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
            y = y.transpose(1, 2)
        return self.out(y.reshape(b, n, c))


class LitModel(pl.LightningModule):
    def __init__(self, dim=512, lr=3e-4, optim='adamw'):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(Attention(dim), nn.LayerNorm(dim), nn.Linear(dim, 10))

    def training_step(self, batch, batch_idx):
        x, y = batch
        x = x.to(self.device)
        loss = F.cross_entropy(self.net(x).mean(1), y)
        self.log('train/loss', loss, sync_dist=True)
        if batch_idx % 100 == 0:
            self.log('cuda_mem', torch.cuda.memory_allocated() / 2 ** 20)  #= shim
        return loss

    def on_train_epoch_start(self):
        torch.cuda.nvtx.range_push('epoch')  #= shim

    def on_train_epoch_end(self):
        torch.cuda.nvtx.range_pop()  #= shim

    def configure_optimizers(self):
        if self.hparams.optim == 'adam8bit':
            return bnb.optim.AdamW8bit(self.parameters(), lr=self.hparams.lr)
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def build_debug_trainer():
    # no CUDA here, for the laptop
    return pl.Trainer(
        accelerator='cpu',
        devices=1,
        fast_dev_run=True,
    )


def build_trainer(out, epochs, bf16=False):
    pl.seed_everything(7)
    callbacks = [ModelCheckpoint(out, monitor='val/loss'), LearningRateMonitor()]
    if bf16:
        return pl.Trainer(
            accelerator='gpu',  #= change
            devices=8,
            precision='bf16-mixed',  #= cannot
            strategy='ddp_find_unused_parameters_true',  #= shim
            max_epochs=epochs,
        )
    return pl.Trainer(
        default_root_dir=out,
        accelerator='gpu',  #= change
        devices=-1,
        num_nodes=1,
        strategy=DDPStrategy(  #= shim
            find_unused_parameters=False,
            process_group_backend='nccl',  #= shim
        ),
        precision='16-mixed',  #= shim
        sync_batchnorm=True,  #= shim
        max_epochs=epochs,
        gradient_clip_val=1.0,
        callbacks=callbacks,
    )


def build_eval_trainer():
    return pl.Trainer(accelerator="gpu", devices=1, logger=False)  #= change


if __name__ == '__main__':
    from data import train_set, val_set
    torch.set_float32_matmul_precision('high')
    model = LitModel()
    trainer = build_trainer('runs', 20)
    trainer.fit(model, DataLoader(train_set, 32, num_workers=4), DataLoader(val_set, 32))
    sample = torch.randn(1, 16, 512, device='cuda')  #= shim
    model = model.to('cuda').eval()  #= shim
    half = model.to(dtype=torch.bfloat16)  #= cannot
    print(half.net(sample.bfloat16()).shape)  #= cannot
