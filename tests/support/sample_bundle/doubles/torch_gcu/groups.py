# The process group of the torch_gcu test double in its strict mode and in its form with a group of its own: gloo carries the data.

import datetime

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _create_work_from_future
from torch.distributed.rendezvous import rendezvous

from . import _eccl, mode

if mode.STRICT:
    from .cards import inner_of, is_on_card
else:
    def inner_of(tensor):
        return tensor

ReduceOp = dist.ReduceOp


def _done(result):
    future = torch.futures.Future()
    future.set_result(result)
    return _create_work_from_future(future)


class CardGroup(dist.ProcessGroup):
    """Takes tensors of cards, in strict mode no others."""

    def __init__(self, store, rank, size, timeout):
        super(CardGroup, self).__init__(rank, size)
        self._carrier = dist.ProcessGroupGloo(store, rank, size, timeout=timeout)
        self.communicator = _eccl.Communicator(rank, size)

    def _inner(self, tensors):
        for tensor in tensors:
            if mode.STRICT and not is_on_card(tensor):
                raise RuntimeError("Input tensor is not a Dtu node: {} (torch_gcu test double)".format(tensor.type()))
        return [inner_of(tensor) for tensor in tensors]

    def allreduce(self, tensors, opts=None):
        self._carrier.allreduce(self._inner(tensors), opts or dist.AllreduceOptions()).wait()
        return _done(tensors)

    def broadcast(self, tensors, opts=None):
        self._carrier.broadcast(self._inner(tensors), opts or dist.BroadcastOptions()).wait()
        return _done(tensors)

    def allgather(self, outputs, tensors, opts=None):
        self._carrier.allgather([self._inner(each) for each in outputs], self._inner(tensors)).wait()
        return _done(outputs)

    def send(self, tensors, destination, tag=0):
        self._carrier.send(self._inner(tensors), destination, tag).wait()
        return _done(tensors)

    def recv(self, tensors, source, tag=0):
        self._carrier.recv(self._inner(tensors), source, tag).wait()
        return _done(tensors)

    def barrier(self, opts=None):
        self._carrier.barrier().wait()
        return _done([])

    def getBackendName(self):
        return "eccl"

    def size(self):
        return self._carrier.size()

    def rank(self):
        return self._carrier.rank()


def create(store, rank, world_size, timeout):
    """For torch.distributed.Backend.register_backend."""
    group = CardGroup(store, rank, world_size, timeout)
    made.append(group)  # the Python half of a group lives as long as Python holds it
    return group


made = []
_state = {"group": None, "store": None, "ranks": {}}


def init_process_group(backend="eccl", init_method=None, timeout=datetime.timedelta(minutes=30), world_size=-1, rank=-1, store=None):
    if backend != "eccl":
        raise ValueError("Invalid backend: '{}'".format(backend))
    if store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=timeout))
    _state.update(store=store, group=CardGroup(dist.PrefixStore("cards", store), rank, world_size, timeout))


def _group(group):
    group = group or _state["group"]
    if group is None:
        raise RuntimeError("Default process group has not been initialized, please make sure to call init_process_group.")
    return group


def is_initialized():
    return _state["group"] is not None


def is_available():
    return True


def get_backend(group=None):
    return _group(group) and "eccl"


def get_rank(group=None):
    return _group(group).rank()


def get_world_size(group=None):
    return _group(group).size()


def new_group(ranks=None, timeout=datetime.timedelta(minutes=30), backend=None):
    ranks = list(range(get_world_size())) if ranks is None else list(ranks)
    name = "cards-{}".format(len(_state["ranks"]))
    rank = get_rank()
    if rank not in ranks:
        _state["ranks"][name] = ranks
        return None
    group = CardGroup(dist.PrefixStore(name, _state["store"]), ranks.index(rank), len(ranks), timeout)
    _state["ranks"][name] = _state["ranks"][group] = ranks
    return group


def _local(rank, group):
    return rank if group is None else _state["ranks"][group].index(rank)


def _ended(work, async_op):
    return work if async_op else work.wait() and None


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    options = dist.AllreduceOptions()
    options.reduceOp = op
    return _ended(_group(group).allreduce([tensor], options), async_op)


def broadcast(tensor, src, group=None, async_op=False):
    options = dist.BroadcastOptions()
    options.rootRank = _local(src, group)
    return _ended(_group(group).broadcast([tensor], options), async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    return _ended(_group(group).allgather([tensor_list], [tensor]), async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, async_op=False):
    kept = tensor.clone()
    all_reduce(kept, op, group)
    if get_rank() == dst:
        tensor.copy_(kept)
    return _done([tensor]) if async_op else None


def barrier(group=None, async_op=False):
    return _ended(_group(group).barrier(), async_op)


def send(tensor, dst, group=None, tag=0):
    _group(group).send([tensor], _local(dst, group), tag).wait()


def recv(tensor, src, group=None, tag=0):
    _group(group).recv([tensor], _local(src, group), tag).wait()
    return src


def destroy_process_group(group=None):
    if group is None:
        _group(None).communicator.destroy()
        _state.update(group=None, store=None, ranks={})
