"""Finds liblabelaudit and declares its functions (labelaudit(3)) for ctypes, which lets other threads run during a call."""
from __future__ import annotations

import ctypes
import functools
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, List, Optional, Sequence, Tuple

from ._errors import AuditError, ProgramNotFoundError

NAME = "liblabelaudit.so.0"
OK, BAD_LABELS, BAD_DATA, BAD_CALL, NO_MEMORY = range(5)
ID, BEYOND, FRACTION, INFINITE, NAN = range(1, 6)
DTYPES = {"b1": 1, "u1": 2, "i1": 3, "u2": 4, "i2": 5, "u4": 6, "i4": 7, "u8": 8, "i8": 9, "f2": 10, "f4": 11, "f8": 12}


class CError(ctypes.Structure):
    _fields_ = [("text", c_char * 1024)]


class CRange(ctypes.Structure):
    _fields_ = [("first", c_int64), ("last", c_int64)]


class CArray(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("dtype", c_uint32),
        ("rank", c_uint32),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("swapped", c_uint32),
        ("reserved", c_uint32),
    ]


class CVerdict(ctypes.Structure):
    _fields_ = [
        ("labels", c_uint64),
        ("bad", c_uint64),
        ("bad_ids", c_uint64),
        ("fractions", c_uint64),
        ("not_numbers", c_uint64),
        ("index", c_uint64),
        ("id", c_int64),
        ("value", c_double),
        ("same", c_uint64),
        ("kind", c_uint32),
        ("reserved", c_uint32 * 7),
    ]


class CCount(ctypes.Structure):
    _fields_ = [("id", c_int64), ("labels", c_uint64), ("first", c_uint64), ("role", c_uint32), ("reserved", c_uint32), ("arrays", c_uint64)]


def _places() -> List[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    # in a wheel; in a source tree that was built
    places = [os.path.join(here, NAME), os.path.join(here, "../../../build", NAME)]
    from ._program import find_program

    try:
        beside = os.path.dirname(os.path.realpath(find_program()))
    except ProgramNotFoundError:
        return places
    return [*places, os.path.join(beside, NAME), os.path.join(os.path.dirname(beside), "lib", NAME)]


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Returns the library: the one in this package, or beside the program, or the system's. Raises AuditError without."""
    found = next((place for place in _places() if os.path.exists(place)), NAME)
    try:
        lib = ctypes.CDLL(found)
    except OSError as error:
        raise AuditError("the library %s cannot be loaded: %s" % (NAME, error)) from error
    error_p, handle_p = POINTER(CError), POINTER(c_void_p)
    ranges_p = POINTER(CRange)
    for name, result, arguments in (
        ("version", c_char_p, []),
        ("classes_new", c_int, [handle_p, c_char_p, c_char_p, error_p]),
        ("classes_from_ranges", c_int, [handle_p, ranges_p, c_size_t, ranges_p, c_size_t, error_p]),
        ("classes_free", None, [c_void_p]),
        ("classes_ranges", c_size_t, [c_void_p, c_int, ranges_p, c_size_t]),
        ("classes_name", c_char_p, [c_void_p, c_int64]),
        ("check", c_int, [c_void_p, c_void_p, c_void_p]),
        ("counter_new", c_int, [handle_p, c_void_p, error_p]),
        ("counter_free", None, [c_void_p]),
        ("counter_add", c_int, [c_void_p, c_void_p]),
        ("counter_add_each", c_int, [c_void_p, c_void_p, POINTER(c_uint64)]),
        ("counter_take", c_size_t, [c_void_p, POINTER(CCount), c_size_t]),
    ):
        function = getattr(lib, "labelaudit_" + name)
        function.restype = result
        function.argtypes = arguments
    return lib


Range = Tuple[int, int]


def _c_ranges(ranges: Sequence[Range]) -> Any:
    return (CRange * len(ranges))(*(CRange(first, last) for first, last in ranges))


class ClassSet:
    """A set of classes and ignored ids. Read-only, so threads may share it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._free = library().labelaudit_classes_free
        self.classes = self._ranges(0)
        self.ignored = self._ranges(1)

    @classmethod
    def from_text(cls, classes: str, ignore: Optional[str]) -> ClassSet:
        """As --classes and --ignore. Raises AuditError, with the program's words."""
        handle, error = c_void_p(), CError()
        words = None if ignore is None else os.fsencode(ignore)
        if library().labelaudit_classes_new(byref(handle), os.fsencode(classes), words, byref(error)) != OK:
            raise AuditError(error.text.decode("utf-8", "replace"))
        return cls(handle.value or 0)

    @classmethod
    def from_ranges(cls, classes: Sequence[Range], ignored: Sequence[Range]) -> ClassSet:
        handle, error = c_void_p(), CError()
        one, two = (_c_ranges(ranges) for ranges in (classes, ignored))
        if library().labelaudit_classes_from_ranges(byref(handle), one, len(one), two, len(two), byref(error)) != OK:
            raise AuditError(error.text.decode("utf-8", "replace"))
        return cls(handle.value or 0)

    def __del__(self) -> None:
        if getattr(self, "_free", None) is not None:
            self._free(self.handle)

    def _ranges(self, ignored: int) -> List[Range]:
        count = library().labelaudit_classes_ranges(self.handle, ignored, None, 0)
        ranges = (CRange * count)()
        library().labelaudit_classes_ranges(self.handle, ignored, ranges, count)
        return [(r.first, r.last) for r in ranges]

    def name(self, id: int) -> Optional[str]:
        found = library().labelaudit_classes_name(self.handle, id)
        return None if found is None else found.decode("utf-8", "replace")


class Counter:
    """Counts ids over arrays."""

    def __init__(self, classes: ClassSet) -> None:
        handle, error = c_void_p(), CError()
        if library().labelaudit_counter_new(byref(handle), classes.handle, byref(error)) != OK:
            raise MemoryError(error.text.decode())
        self._classes = classes  # which must live as long
        self._handle = handle
        self._free = library().labelaudit_counter_free
        self._rows = (CCount * 256)()
        self._added = c_uint64()

    def __del__(self) -> None:
        if getattr(self, "_free", None) is not None:
            self._free(self._handle)

    def add(self, array: CArray) -> int:
        """Returns OK, BAD_LABELS if some are neither a class nor ignored, or BAD_DATA if there are too many different ids."""
        return self._known(library().labelaudit_counter_add(self._handle, byref(array)))

    def add_each(self, array: CArray) -> Tuple[int, int]:
        """The same with each part along the first axis. Returns how many were added, too: after BAD_DATA those before the one."""
        status = library().labelaudit_counter_add_each(self._handle, byref(array), byref(self._added))
        return self._known(status), self._added.value

    def _known(self, status: int) -> int:
        if status == NO_MEMORY:
            raise MemoryError("the counts of labels")
        return status

    def take(self) -> List[CCount]:
        """Returns the counts of all ids since the last call, in rising order; the next call overwrites them."""
        take = library().labelaudit_counter_take
        count = take(self._handle, self._rows, len(self._rows))
        if count > len(self._rows):
            self._rows = (CCount * count)()
            count = take(self._handle, self._rows, count)
        return self._rows[:count]
