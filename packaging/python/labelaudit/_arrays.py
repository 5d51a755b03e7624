"""Reads arrays of other libraries, without these libraries: __array_interface__, __dlpack__, __array__."""
from __future__ import annotations

import ctypes
import itertools
import re
import struct
import sys
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

NATIVE = "<" if sys.byteorder == "little" else ">"

# DLPack: where memory is that this process can read, and names of where it is not.
DL_CPU = 1
DL_HOST = {DL_CPU, 3, 11}  # memory of the CPU; pinned for CUDA; pinned for ROCm
DL_NAMES = {2: "cuda", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda (managed)", 14: "oneapi"}
# Kinds of numbers, as letters of a typestr.
DL_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
DL_OTHERS = {4: "bfloat", 5: "complex"}


class Array(NamedTuple):
    """Numbers in C order.

    typestr: byte order, kind and bytes of each, as in a .npy file
    data: a copy, or the batch's own memory, which is there as long as owner
    """

    shape: Tuple[int, ...]
    typestr: str
    data: Union[bytes, memoryview]
    owner: object


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def read_array(batch: Any) -> Array:
    """Returns the batch's numbers. Raises TypeError if it holds no numbers, or if they are not in the CPU's memory."""
    _refuse_other_devices(batch)
    if hasattr(batch, "__array_interface__"):
        array = _from_interface(batch)
    elif hasattr(batch, "__dlpack__"):
        array = _from_dlpack(batch)
    elif hasattr(batch, "__array__"):
        converted = batch.__array__()
        if not hasattr(converted, "__array_interface__"):
            raise TypeError("%s.__array__() returned no array, but %s" % (_name(batch), _name(converted)))
        array = _from_interface(converted)
    else:
        raise TypeError("the batch is no array or tensor, but %s: numpy.asarray() makes one of it" % _name(batch))
    if array.typestr[1] == "b":
        # NumPy's bool has 0 and 1; Pillow's has 0 and 255.
        return Array(array.shape, "|u1", bytes(array.data).translate(b"\0" + b"\1" * 255), None)
    return array


def npy(array: Array) -> Tuple[bytes, Union[bytes, memoryview]]:
    """Returns the two parts of a .npy file with the array as one row: a shape would be read as channels, classes or samples."""
    count = 1
    for size in array.shape:
        count *= size
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (array.typestr, count)
    # With its 10 bytes before and the line feed, the header fills 64 bytes or a multiple.
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode(), array.data


def _name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % (kind.__module__, kind.__name__)


def _refuse_other_devices(batch: Any) -> None:
    device: Optional[str] = None
    if hasattr(batch, "__dlpack_device__"):
        kind, number = (int(part) for part in batch.__dlpack_device__())
        if kind not in DL_HOST:
            device = "%s:%d" % (DL_NAMES.get(kind, "device type %d" % kind), number)
    elif hasattr(batch, "__cuda_array_interface__"):
        device = "cuda"
    if device is not None:
        raise TypeError("the labels are on %s, and are checked on the CPU: pass batch.cpu(), or check before the copy" % device)


def _checked_type(typestr: str, batch: object) -> Tuple[str, int]:
    """Returns the typestr and the bytes of a number. Raises TypeError if it is no kind of label."""
    match = re.fullmatch(r"[<>|=]([biuf])([1248])", typestr)
    if match is None or (match.group(1), match.group(2)) in {("f", "1"), ("b", "2"), ("b", "4"), ("b", "8")}:
        raise TypeError("labels are integers, and %s holds %s" % (_name(batch), typestr))
    if typestr[0] == "=":
        typestr = NATIVE + typestr[1:]
    return typestr, int(match.group(2))


def _from_interface(batch: Any) -> Array:
    interface = batch.__array_interface__
    typestr, size = _checked_type(interface["typestr"], batch)
    shape = tuple(int(n) for n in interface["shape"])
    strides = interface.get("strides") or _c_strides(shape, size)
    data = interface.get("data")
    if 0 in shape:
        return Array(shape, typestr, b"", None)
    if isinstance(data, tuple):
        low, high = _extent(shape, strides, size)
        return Array(shape, typestr, _gather(_memory(data[0] + low, high - low), -low, shape, strides, size), (batch, interface))
    memory = memoryview(batch if data is None else data).cast("B")
    return Array(shape, typestr, _gather(memory, int(interface.get("offset", 0)), shape, strides, size), (batch, interface))


def _from_dlpack(batch: Any) -> Array:
    # While the capsule is there and was not taken over, the memory is; its end gives it back.
    capsule = batch.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(pointer(capsule, b"dltensor"))
    if tensor.code not in DL_KINDS or tensor.lanes != 1:
        name = DL_OTHERS.get(tensor.code, "type %d of DLPack, " % tensor.code)
        raise TypeError("labels are integers, and %s holds %s%d" % (_name(batch), name, tensor.bits))
    typestr, size = _checked_type("%s%s%d" % (NATIVE, DL_KINDS[tensor.code], tensor.bits // 8), batch)
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = [size * n for n in tensor.strides[: tensor.ndim]] if tensor.strides else _c_strides(shape, size)
    if 0 in shape:
        return Array(shape, typestr, b"", None)
    low, high = _extent(shape, strides, size)
    memory = _memory(tensor.data + tensor.byte_offset + low, high - low)
    return Array(shape, typestr, _gather(memory, -low, shape, strides, size), capsule)


def _memory(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


def _c_strides(shape: Sequence[int], size: int) -> List[int]:
    strides: List[int] = []
    for n in reversed(shape):
        strides.insert(0, size)
        size *= n
    return strides


def _extent(shape: Sequence[int], strides: Sequence[int], size: int) -> Tuple[int, int]:
    """Returns where the first byte of an array is and where its last one ends, both from its first element."""
    steps = [stride * (n - 1) for n, stride in zip(shape, strides)]
    return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0) + size


def _gather(memory: memoryview, origin: int, shape: Sequence[int], strides: Sequence[int], size: int) -> Union[bytes, memoryview]:
    """Returns an array in C order: its own memory where it is contiguous; else a copy, by slices of its innermost axes."""
    axes = [(n, stride) for n, stride in zip(shape, strides) if n != 1]
    block = size
    while axes and axes[-1][1] == block:
        block *= axes.pop()[0]
    if not axes:
        return memory[origin : origin + block]
    count, stride = axes.pop()
    parts = []
    for index in itertools.product(*(range(n) for n, _ in axes)):
        start = origin + sum(i * step for i, (_, step) in zip(index, axes))
        if stride == 0:
            parts.append(bytes(memory[start : start + block]) * count)
        elif block > count:
            parts.extend(bytes(memory[start + i * stride : start + i * stride + block]) for i in range(count))
        else:
            part = bytearray(block * count)
            for byte in range(block):
                end = start + byte + count * stride
                part[byte::block] = memory[start + byte : end if end >= 0 else None : stride]
            parts.append(bytes(part))
    return b"".join(parts)
