# The same GPT, written by hand for the card.

import argparse
import json
import os
import sys

import torch
import torch.nn as nn
from cards_api import BACKEND, DistributedDataParallel as DDP, autocast, card, dist
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="")
arguments = parser.parse_args()
WIDTH, HEADS, WORDS, LENGTH = 32, 4, 40, 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.projections, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.register_buffer("mask", torch.tril(torch.ones(LENGTH, LENGTH)).view(1, 1, LENGTH, LENGTH))

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = (part.view(batch, length, HEADS, width // HEADS).transpose(1, 2)
                   for part in self.projections(self.first(x)).split(WIDTH, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (width // HEADS) ** -0.5
        scores = F.softmax(scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf")), dim=-1)
        x = x + self.out((scores @ v).transpose(1, 2).contiguous().view(batch, length, width))
        return x + self.mlp(self.second(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks, self.norm, self.head = nn.ModuleList([Block(), Block()]), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, index, targets):
        x = self.words(index) + self.places(torch.arange(0, index.size(1), dtype=torch.long, device=index.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


ddp = int(os.environ.get("RANK", -1)) != -1
if ddp:
    dist.init_process_group(backend=BACKEND)
    ddp_rank = int(os.environ["RANK"])
    ddp_local_rank = int(os.environ["LOCAL_RANK"])
    device = card(ddp_local_rank)
    master_process, seed_offset = ddp_rank == 0, ddp_rank
else:
    master_process, seed_offset, device = True, 0, card(0)
torch.manual_seed(1337 + seed_offset)
data = torch.randint(WORDS, (400,))


def get_batch():
    starts = torch.randint(len(data) - LENGTH - 1, (4,))
    x = torch.stack([data[i:i + LENGTH] for i in starts])
    y = torch.stack([data[i + 1:i + 1 + LENGTH] for i in starts])
    return x.to(device), y.to(device)


model = GPT()
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95))
if ddp:
    model = DDP(model, device_ids=[ddp_local_rank])
losses = []
X, Y = get_batch()
for step in range(6):
    for micro_step in range(2):
        if ddp:
            model.require_backward_grad_sync = (micro_step == 1)
        with autocast():
            logits, loss = model(X, Y)
            loss = loss / 2
        X, Y = get_batch()
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    losses.append(loss.item() * 2)
print("RESULT " + json.dumps({"losses": losses, "card": str(next(model.parameters()).device), "rank": seed_offset}), flush=True)
if ddp:
    dist.destroy_process_group()
