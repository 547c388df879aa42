# How the torch_gcu test double behaves beyond what its wheel says, from the environment.

import os

# Tensors know that they are on a card, and cards refuse what a real one refuses.
STRICT = os.environ.get("TORCH_GCU_DOUBLE_STRICT") == "1"
# "own": torch_gcu.distributed has a group that torch.distributed does not know; "torch": it hands on torch's.
HAS_OWN_GROUP = os.environ.get("TORCH_GCU_DOUBLE_GROUP", "torch") == "own"
