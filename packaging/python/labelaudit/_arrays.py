"""Describes arrays and tensors of other libraries, without these libraries: where their memory is and how it is laid out."""
from __future__ import annotations

import array
import ctypes
import functools
import struct
import sys
from ctypes import POINTER, c_int64, c_void_p
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from ._library import DTYPES, CArray

NATIVE = "<" if sys.byteorder == "little" else ">"

# DLPack: where memory is that this process can read, and names of where it is not.
DL_HOST = {1, 3, 11}  # memory of the CPU; pinned for CUDA; pinned for ROCm
DL_NAMES = {2: "cuda", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda (managed)", 14: "oneapi"}
# Kinds of numbers, as letters of a typestr.
DL_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
DL_OTHERS = {4: "bfloat", 5: "complex"}
TORCH_TYPES = {
    "torch.bool": "|b1",
    "torch.uint8": "|u1",
    "torch.int8": "|i1",
    "torch.int16": NATIVE + "i2",
    "torch.int32": NATIVE + "i4",
    "torch.int64": NATIVE + "i8",
    "torch.uint16": NATIVE + "u2",
    "torch.uint32": NATIVE + "u4",
    "torch.uint64": NATIVE + "u8",
    "torch.float16": NATIVE + "f2",
    "torch.float32": NATIVE + "f4",
    "torch.float64": NATIVE + "f8",
}


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Array:
    """Numbers in memory.

    c: what the library takes; typestr: as NumPy has it; strides: in bytes; owner: as long as it is there, the memory is
    """

    __slots__ = ("c", "shape", "strides", "typestr", "owner")

    def __init__(self, address: int, typestr: str, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]], owner: object) -> None:
        self.typestr, self.strides, dtype, c_shape, c_strides, swapped = _layout(typestr, shape, strides)
        self.c = CArray(address, dtype, len(shape), c_shape, c_strides, swapped, 0)
        self.shape = shape
        self.owner = owner

    def sample(self, position: int) -> Array:
        """The part at one index of the first axis."""
        address = (self.c.data or 0) + position * self.strides[0]
        return Array(address, self.typestr, self.shape[1:], self.strides[1:], self.owner)

    def samples(self) -> Iterator[Array]:
        return (self.sample(position) for position in range(self.shape[0]))

    def element(self, index: Sequence[int]) -> Any:
        """One number of it."""
        address = (self.c.data or 0) + sum(i * stride for i, stride in zip(index, self.strides))
        letter = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}.get(
            self.typestr[1:], {"f2": "e", "f4": "f", "f8": "d"}.get(self.typestr[1:], "")
        )
        order = self.typestr[0] if self.typestr[0] in "<>" else "="
        return struct.unpack(order + letter, ctypes.string_at(address, int(self.typestr[2:])))[0]

    def __len__(self) -> int:
        return functools.reduce(lambda product, size: product * size, self.shape, 1)


@functools.lru_cache(maxsize=256)
def _layout(typestr: str, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]]) -> Tuple[str, Tuple[int, ...], int, Any, Any, int]:
    """What arrays of the same type and layout have in common. Raises TypeError if the type is none of labels."""
    order, rest = typestr[:1], typestr[1:]
    if order not in ("<", ">", "|", "=") or rest not in DTYPES:
        kinds = {"O": "Python objects", "U": "strings", "S": "bytes", "c": "complex numbers", "V": "records", "M": "times", "m": "times"}
        raise TypeError("%s (%s)" % (kinds.get(rest[:1], "numbers of another type"), typestr))
    if order == "=":
        typestr = NATIVE + rest
    if strides is None:
        strides = _c_strides(shape, int(rest[1:]))
    kind = c_int64 * len(shape)
    c_shape, c_strides = (ctypes.cast(kind(*numbers), POINTER(c_int64)) for numbers in (shape, strides))
    return typestr, strides, DTYPES[rest], c_shape, c_strides, int(order in "<>" and order != NATIVE)


@functools.lru_cache(maxsize=256)
def _c_strides(shape: Tuple[int, ...], size: int) -> Tuple[int, ...]:
    strides: List[int] = []
    for n in reversed(shape):
        strides.insert(0, size)
        size *= n
    return tuple(strides)


def type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % (kind.__module__, kind.__name__)


def device_of(target: Any) -> Optional[str]:
    """Returns the device that a tensor is on, such as "cuda:0", or None if this process can read its memory."""
    device = getattr(target, "device", None)
    kind = getattr(device, "type", None)
    if isinstance(kind, str):  # a tensor of PyTorch
        return None if kind == "cpu" else str(device)
    if hasattr(target, "__array_interface__"):
        return None
    if hasattr(target, "__dlpack_device__"):
        number, index = (int(part) for part in target.__dlpack_device__())
        return None if number in DL_HOST else "%s:%d" % (DL_NAMES.get(number, "device type %d" % number), index)
    return "cuda" if hasattr(target, "__cuda_array_interface__") else None


def is_array(value: object) -> bool:
    return hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__") or hasattr(value, "__array__")


def read_array(target: Any) -> Array:
    """Describes a target. Raises TypeError if it holds no numbers, or if they are not in the CPU's memory.

    Takes what has __array_interface__, __dlpack__ or __array__, and numbers in lists of any depth.
    """
    if isinstance(target, (list, tuple, int, float)):
        return _from_lists(target)
    interface = getattr(target, "__array_interface__", None)
    if interface is not None:
        return from_interface(target, interface)
    device = device_of(target)
    if device is not None:
        raise TypeError(
            "the labels are on %s, and are checked on the CPU: pass target.cpu(), or sync=True, or use a Guard, which tests "
            "them there and answers one step later" % device
        )
    if hasattr(target, "data_ptr") and str(getattr(target, "dtype", "")).startswith("torch."):
        return _from_torch(target)
    if hasattr(target, "__dlpack__") and hasattr(ctypes, "pythonapi"):  # PyPy has none
        return _from_dlpack(target)
    if hasattr(target, "__array__"):
        converted = target.__array__()
        if getattr(converted, "__array_interface__", None) is None:
            raise TypeError("%s.__array__() returned no array, but %s" % (type_name(target), type_name(converted)))
        return from_interface(converted, converted.__array_interface__)
    if isinstance(target, dict):
        raise TypeError("the target is a dict with %s: pass the labels in it" % _listed(map(repr, target)))
    raise TypeError("the target is no array or tensor, but %s: numpy.asarray() makes one of it" % type_name(target))


def _listed(words: Any) -> str:
    words = list(words)
    return ", ".join(words[:8]) + (" and %d more" % (len(words) - 8) if len(words) > 8 else "") if words else "nothing in it"


def _described(address: int, typestr: str, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]], owner: object, of: object) -> Array:
    try:
        return Array(address, typestr, shape, strides, owner)
    except TypeError as error:
        raise TypeError("labels are integers, and %s holds %s" % (type_name(of), error)) from None


def from_interface(target: Any, interface: Any) -> Array:
    """Describes what has __array_interface__."""
    data = interface.get("data")
    if interface.get("mask") is not None or hasattr(target, "filled"):
        raise TypeError("a masked array: pass array.filled(255), with the id that is ignored")
    if isinstance(data, tuple):
        return _described(data[0], interface["typestr"], interface["shape"], interface.get("strides"), (target, interface), target)
    view = memoryview(target if data is None else data)
    copy = (ctypes.c_ubyte * view.nbytes).from_buffer_copy(view)
    address = ctypes.addressof(copy) + int(interface.get("offset", 0))
    return _described(address, interface["typestr"], tuple(interface["shape"]), interface.get("strides"), copy, target)


def _from_torch(target: Any) -> Array:
    typestr = TORCH_TYPES.get(str(target.dtype))
    if typestr is None:
        raise TypeError("labels are integers, and %s holds %s" % (type_name(target), target.dtype))
    if str(getattr(target, "layout", "torch.strided")) != "torch.strided":
        raise TypeError("the labels are in a sparse tensor: pass target.to_dense()")
    size = int(typestr[2:])
    return Array(target.data_ptr(), typestr, tuple(target.shape), tuple([size * n for n in target.stride()]), target)


def _from_dlpack(target: Any) -> Array:
    # While the capsule is there and was not taken over, the memory is; its end gives it back.
    capsule = target.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(pointer(capsule, b"dltensor"))
    if tensor.code not in DL_KINDS or tensor.lanes != 1:
        name = DL_OTHERS.get(tensor.code, "type %d of DLPack, " % tensor.code)
        raise TypeError("labels are integers, and %s holds %s%d" % (type_name(target), name, tensor.bits))
    typestr = "%s%s%d" % (NATIVE, DL_KINDS[tensor.code], tensor.bits // 8)
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.bits // 8 * n for n in tensor.strides[: tensor.ndim]) if tensor.strides else None
    return _described((tensor.data or 0) + tensor.byte_offset, typestr, shape, strides, capsule, target)


def _from_lists(target: Any) -> Array:
    shape: List[int] = []
    numbers = [target]
    while numbers and isinstance(numbers[0], (list, tuple)):
        shape.append(len(numbers[0]))
        if any(not isinstance(part, (list, tuple)) or len(part) != shape[-1] for part in numbers):
            raise TypeError("a list whose rows have different lengths: pad them, or pass one after the other")
        numbers = [number for part in numbers for number in part]
    kinds = {type(number) for number in numbers}
    if not kinds <= {int, bool, float}:
        odd = next(number for number in numbers if type(number) not in (int, bool, float))
        raise TypeError("labels are integers, and the list holds %s" % type_name(odd))
    try:
        flat = array.array("d" if float in kinds else "q", numbers)
    except OverflowError:
        raise TypeError("labels are integers of 64 bits, and the list holds larger ones") from None
    typestr = NATIVE + ("f8" if float in kinds else "i8")
    return Array(flat.buffer_info()[0], typestr, tuple(shape), None, flat)


def npy_header(typestr: str, shape: Sequence[int]) -> bytes:
    """Returns what stands before the elements of a .npy file, in C order."""
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (typestr, "".join("%d," % size for size in shape))
    # With its 10 bytes before and the line feed, the header fills 64 bytes or a multiple.
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def c_order(array: Array) -> memoryview:
    """Returns the elements in C order: their own memory where they lie so, else a copy."""
    size = int(array.typestr[2:])
    count = len(array)
    if not count:
        return memoryview(b"")
    address = array.c.data or 0
    if all(stride == packed or n == 1 for stride, packed, n in zip(array.strides, _c_strides(array.shape, size), array.shape)):
        buffer = (ctypes.c_ubyte * (count * size)).from_address(address)
        buffer.owner = array  # type: ignore[attr-defined]
        return memoryview(buffer).cast("B")
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        holder = {"version": 3, "typestr": array.typestr, "shape": array.shape, "strides": array.strides, "data": (address, True)}
        view = type("View", (), {"__array_interface__": holder, "owner": array})()
        copied = numpy.ascontiguousarray(numpy.asarray(view))
        return memoryview(copied.reshape(-1).view("u1"))
    if len(array.shape) > 1:
        parts = [c_order(part) for part in array.samples()]
        return memoryview(b"".join(parts))
    # One axis with gaps: its bytes one after the other, through slices.
    stride, n = array.strides[0], array.shape[0]
    if stride == 0:
        return memoryview(ctypes.string_at(address, size) * n)
    low = min(0, stride * (n - 1))
    memory = memoryview((ctypes.c_ubyte * (abs(stride) * (n - 1) + size)).from_address(address + low)).cast("B")
    out = bytearray(n * size)
    for byte in range(size):
        first = byte - low
        last = first + stride * n
        out[byte::size] = memory[first : last if last >= 0 else None : stride]
    return memoryview(out)
