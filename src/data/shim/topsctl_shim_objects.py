"""Collectives that torch_gcu's group may lack, made of those that every group has: broadcast, all_reduce and all_gather."""

import pickle

import torch
import torch.distributed as dist


def _option(options, name, position, arguments, default=None):
    return options[name] if name in options else arguments[position] if len(arguments) > position else default


class Done(object):
    """The handle of a collective that has already ended."""

    def __init__(self, result=None):
        self._result = result

    def wait(self, timeout=None):
        return True

    def is_completed(self):
        return True

    def is_success(self):
        return True

    def result(self):
        return self._result

    def get_future(self):
        future = torch.futures.Future()
        future.set_result(self._result)
        return future


# Objects travel as numbers on the card: its collectives take nothing else.
def _packed(device, value):
    data = torch.tensor(list(pickle.dumps(value)), dtype=torch.int32)
    return data.to(device)


def _unpacked(tensor, size):
    return pickle.loads(bytes(tensor.cpu()[:size].to(torch.uint8).tolist()))


def _gathered(device, value, group):
    """The values of all ranks of the group, in their order."""
    mine = _packed(device, value)
    sizes = [torch.zeros(1, dtype=torch.int32).to(device) for _ in range(dist.get_world_size(group))]
    dist.all_gather(sizes, torch.tensor([mine.numel()], dtype=torch.int32).to(device), group=group)
    sizes = [int(size.item()) for size in sizes]
    room = torch.zeros(max(sizes), dtype=torch.int32).to(device)
    room[:mine.numel()] = mine
    rooms = [torch.zeros_like(room) for _ in sizes]
    dist.all_gather(rooms, room, group=group)
    return [_unpacked(each, size) for each, size in zip(rooms, sizes)]


def _from(device, value, src, group):
    """The value of one rank; the others give None."""
    is_source = dist.get_rank() == src
    mine = _packed(device, value) if is_source else None
    size = torch.tensor([mine.numel() if is_source else 0], dtype=torch.int32).to(device)
    dist.broadcast(size, src, group=group)
    if not is_source:
        mine = torch.zeros(int(size.item()), dtype=torch.int32).to(device)
    dist.broadcast(mine, src, group=group)
    return _unpacked(mine, mine.numel())


def all_gather_object(cards, object_list, obj, group=None):
    object_list[:] = _gathered(cards.device(), obj, group)


def gather_object(cards, obj, object_gather_list=None, dst=0, group=None):
    values = _gathered(cards.device(), obj, group)
    if dist.get_rank() == dst:
        object_gather_list[:] = values


def broadcast_object_list(cards, object_list, src=0, group=None, device=None):
    object_list[:] = _from(cards.device(), list(object_list), src, group)


def scatter_object_list(cards, scatter_object_output_list, scatter_object_input_list=None, src=0, group=None):
    values = _from(cards.device(), scatter_object_input_list, src, group)
    scatter_object_output_list[0] = values[dist.get_rank(group)]


def monitored_barrier(cards, group=None, timeout=None, wait_all_ranks=False):
    dist.barrier(group=group)


def _parts(tensor, group):
    return [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]


def gather(cards, tensor, gather_list=None, dst=0, group=None, async_op=False):
    parts = _parts(tensor, group)
    dist.all_gather(parts, tensor, group=group)
    if dist.get_rank() == dst:
        for place, part in zip(gather_list, parts):
            place.copy_(part)
    return Done() if async_op else None


def scatter(cards, tensor, scatter_list=None, src=0, group=None, async_op=False):
    count = dist.get_world_size(group)
    all_parts = torch.stack(list(scatter_list)) if dist.get_rank() == src else torch.empty(
        (count,) + tuple(tensor.shape), dtype=tensor.dtype).to(tensor.device)
    dist.broadcast(all_parts, src, group=group)
    tensor.copy_(all_parts[dist.get_rank(group)])
    return Done() if async_op else None


def reduce_scatter(cards, output, input_list, op=dist.ReduceOp.SUM, group=None, async_op=False):
    total = torch.stack(list(input_list))
    dist.all_reduce(total, op=op, group=group)
    output.copy_(total[dist.get_rank(group)])
    return Done(output) if async_op else None


def all_gather_into_tensor(cards, output_tensor, input_tensor, group=None, async_op=False):
    parts = _parts(input_tensor, group)
    dist.all_gather(parts, input_tensor, group=group)
    output_tensor.copy_(torch.cat([part.reshape(-1) for part in parts]).view(output_tensor.shape))
    return Done(output_tensor) if async_op else None


def reduce_scatter_tensor(cards, output, input, op=dist.ReduceOp.SUM, group=None, async_op=False):  # noqa: A002 (torch's name)
    total = input.clone()
    dist.all_reduce(total, op=op, group=group)
    output.copy_(total.view(dist.get_world_size(group), -1)[dist.get_rank(group)].view(output.shape))
    return Done(output) if async_op else None


def all_to_all(cards, output_tensor_list, input_tensor_list, group=None, async_op=False):
    mine = torch.cat([each.reshape(-1) for each in input_tensor_list])
    sizes = _gathered(cards.device(), [each.numel() for each in input_tensor_list], group)
    room = torch.zeros(max(map(sum, sizes)), dtype=mine.dtype).to(mine.device)
    room[:mine.numel()] = mine
    parts = _parts(room, group)
    dist.all_gather(parts, room, group=group)
    rank = dist.get_rank(group)
    for place, part, each in zip(output_tensor_list, parts, sizes):
        begin = sum(each[:rank])
        place.copy_(part[begin:begin + each[rank]].view(place.shape))
    return Done(output_tensor_list) if async_op else None


def all_to_all_single(cards, output, input, output_split_sizes=None, input_split_sizes=None, group=None,  # noqa: A002
                      async_op=False):
    count = dist.get_world_size(group)
    outputs = list(output.split(output_split_sizes or output.size(0) // count))
    all_to_all(cards, outputs, list(input.split(input_split_sizes or input.size(0) // count)), group)
    return Done(output) if async_op else None


def all_reduce_coalesced(cards, tensors, op=dist.ReduceOp.SUM, group=None, async_op=False):
    for tensor in tensors:
        dist.all_reduce(tensor, op=op, group=group)
    return Done(tensors) if async_op else None


def batch_isend_irecv(cards, p2p_op_list):
    return [each.op(each.tensor, each.peer, each.group, each.tag) for each in p2p_op_list]


OBJECTS = {function.__name__: function for function in (all_gather_object, gather_object, broadcast_object_list, scatter_object_list)}
TENSORS = {function.__name__: function for function in (
    monitored_barrier, gather, scatter, reduce_scatter, all_gather_into_tensor, reduce_scatter_tensor, all_to_all,
    all_to_all_single, all_reduce_coalesced, batch_isend_irecv)}
TENSORS.update(_all_gather_base=all_gather_into_tensor, _reduce_scatter_base=reduce_scatter_tensor)


def staged(function, is_on_card, arguments, options):
    """Calls a collective of the host for tensors of cards: over copies, whose contents then come back."""
    copies = []

    def of_host(value):
        if isinstance(value, torch.Tensor) and is_on_card(value):
            copies.append((value, value.detach().cpu()))
            return copies[-1][1]
        if isinstance(value, (list, tuple)) and any(isinstance(each, (torch.Tensor, list)) for each in value):
            return [of_host(each) for each in value]
        return value
    arguments = [of_host(value) for value in arguments]
    options = {name: of_host(value) for name, value in options.items()}
    is_async = bool(copies) and bool(options.get("async_op"))
    made = function(*arguments, **options)
    if is_async or copies and hasattr(made, "wait"):
        made.wait()
    with torch.no_grad():
        for tensor, copy in copies:
            tensor.detach().copy_(copy)
    return Done() if copies and hasattr(made, "wait") else made
