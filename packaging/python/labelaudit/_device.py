"""Labels on a GPU: tested there, by the tensor's own operations on its stream, so that nothing waits for the GPU.

A tensor needs comparisons, &, | and ~, and .any(). The answer is one bool, which is copied to the host behind them; it is
read one step later, when it has long been there.
"""
from __future__ import annotations

import re
import sys
from typing import Any, Callable, List, Optional, Tuple

from ._library import ClassSet

# Copies a bool on a device to the host without waiting. Returns a function that waits for it and returns it.
CopyFlag = Callable[[Any], Callable[[], bool]]


class Pending:
    """A test under way. target: kept, so that the place can be found; step, names: what the error says of it."""

    def __init__(self, target: Any, is_bad: Callable[[], bool], step: int, names: Any) -> None:
        self.target = target
        self.is_bad = is_bad
        self.step = step
        self.names = names


def start(target: Any, classes: ClassSet, step: int, names: Any, copy: Optional[CopyFlag] = None) -> Pending:
    """Starts the test of a target on its device."""
    bad = ~_inside(target, _clipped(_joined([*classes.classes, *classes.ignored]), str(target.dtype)))
    return Pending(target, (copy or _copy_flag(target))(bad.any()), step, names)


def to_host(target: Any) -> Any:
    """Returns the target in the CPU's memory. Waits for its device."""
    if hasattr(target, "detach"):
        target = target.detach()
    if hasattr(target, "cpu"):
        return target.cpu()
    return target.get() if hasattr(target, "get") else target.__array__()  # CuPy; JAX


def _inside(target: Any, ranges: List[Tuple[int, int]]) -> Any:
    """Returns where the labels are in a range. NaN is in none."""
    inside = target != target  # nowhere
    for first, last in ranges:
        inside = inside | ((target == first) if first == last else (target >= first) & (target <= last))
    if "float" in str(target.dtype):
        inside = inside & (target % 1 == 0)
    return inside


def _joined(ranges: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
    joined: List[Tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _clipped(ranges: List[Tuple[int, int]], dtype: str) -> List[Tuple[int, int]]:
    """The ranges as a type of integers holds them: a tensor of uint8 would take -1 for 255."""
    found = re.search(r"(u?)int([0-9]+)", dtype)
    if found is None:
        return ranges
    bits = int(found.group(2))
    lowest, highest = (0, 2**bits - 1) if found.group(1) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return [(max(first, lowest), min(last, highest)) for first, last in ranges if first <= highest and last >= lowest]


def _copy_flag(target: Any) -> CopyFlag:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(target, torch.Tensor) and target.is_cuda:
        return _copy_from_cuda
    return lambda flag: lambda: bool(flag)


def _copy_from_cuda(flag: Any) -> Callable[[], bool]:
    torch = sys.modules["torch"]
    host = torch.empty((), dtype=torch.bool, pin_memory=True)
    host.copy_(flag, non_blocking=True)
    copied = torch.cuda.Event()
    copied.record()

    def read() -> bool:
        copied.synchronize()
        return bool(host)

    return read
