# What the bundle generator decided about this wheel of the torch_gcu test double (no Enflame software).

VERSION = "@VERSION@"
GENERATION = "@GENERATION@"
PYTHON_MINOR = "@PYTHON_MINOR@"

# "t2x": eccl only through torch_gcu.distributed, no torch.gcu. "s60": torch.distributed knows eccl, torch.gcu exists.
PERSONALITY = "@PERSONALITY@"
