# The same training as the Runner's, written by hand for the card.

import json
import os

import torch
import torch.nn as nn
from cards_api import BACKEND, DistributedDataParallel, card, dist

local_rank = int(os.environ["LOCAL_RANK"])
device = card(local_rank)
dist.init_process_group(BACKEND)
total = torch.full((1,), float(dist.get_rank() + 1)).to(device)
dist.all_reduce(total)
torch.manual_seed(11)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)).to(device)
torch.manual_seed(1234)
model = DistributedDataParallel(model, device_ids=[local_rank], broadcast_buffers=False, find_unused_parameters=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
losses = []
for step in range(5):
    loss = model((torch.randn(6, 4) + dist.get_rank()).to(device)).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print("RESULT " + json.dumps({"losses": losses, "rank": dist.get_rank(), "card": str(next(model.parameters()).device),
                              "sum": int(total.item())}), flush=True)
dist.destroy_process_group()
