"""torchrun of torch 1.13 for Python 3.11 too, whose flags no longer list their compound values."""

import sys

from torch.distributed.elastic.multiprocessing import Std
from torch.distributed.run import main

if __name__ == "__main__":
    Std.from_str = classmethod(lambda cls, text: cls(int(text)))
    sys.exit(main())
