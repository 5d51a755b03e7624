"""What `classes` and `ignore` may be, for the library and for the program."""
from __future__ import annotations

import json
import operator
import os
import re
import tempfile
from typing import IO, Any, Dict, Iterable, List, Mapping, Optional, Protocol, Sequence, SupportsIndex, Tuple, Union

from ._errors import AuditError
from ._library import ClassSet, Range

Path = Union[str, "os.PathLike[str]"]


class ClassLabel(Protocol):
    """A feature of the library datasets."""

    names: Any


# 21 (that is 0 to 20), "0-18,33", [0, 1, 5], range(21), names, {0: "road"}, a ClassLabel, or a file that lists the classes.
Classes = Union[SupportsIndex, str, "os.PathLike[str]", Iterable[SupportsIndex], Iterable[str], Mapping[Any, Any], "ClassLabel"]
# 255, -1, "250-255,-1", or [250, 255].
Ids = Union[None, SupportsIndex, str, Iterable[SupportsIndex]]

_NUMBERS = re.compile(r"[ 0-9,-]*")


class ClassSpec:
    """Classes and ignored ids, understood. Picklable.

    text: as --classes takes it, if they were given so; else ranges and names
    """

    def __init__(self, classes: Classes, ignore: Ids = None) -> None:
        self.text: Optional[str] = None
        self.ranges: List[Range] = []
        self.names: Dict[int, str] = {}
        self.ignored: List[Range] = []
        self.ignored_text: Optional[str] = None
        self._read(classes)
        if isinstance(ignore, str):
            self.ignored_text = ignore
        elif ignore is not None:
            numbers = [ignore] if hasattr(ignore, "__index__") else ignore
            self.ignored = _ranges("ignore", numbers)

    def _read(self, classes: Any) -> None:
        if isinstance(classes, (str, os.PathLike)):
            self.text = os.fspath(classes)
        elif isinstance(classes, bool) or classes is None:
            raise TypeError("classes: expected a number, ids, names or a file, not %r" % (classes,))
        elif hasattr(classes, "__index__"):
            self._count(operator.index(classes))
        elif isinstance(getattr(classes, "names", None), (list, tuple)):  # datasets.ClassLabel
            self._name(enumerate(classes.names))
        elif isinstance(classes, Mapping):
            self._map(classes)
        else:
            items = list(classes)
            if items and all(isinstance(item, str) for item in items):
                self._name(enumerate(items))
            else:
                self.ranges = _ranges("classes", items)

    def _count(self, count: int) -> None:
        if not 0 <= count <= 2**31:
            raise ValueError("classes: %d classes; expected 0 to 2147483648" % count)
        self.ranges = [(0, count - 1)] if count else []

    def _name(self, pairs: Iterable[Tuple[Any, str]]) -> None:
        self.names = {operator.index(id): name for id, name in pairs}
        self.ranges = _ranges("classes", self.names)

    def _map(self, classes: Mapping[Any, Any]) -> None:
        """{0: "road"}, also with ids in quotes as JSON has them, or {"road": 0}."""
        pairs = list(classes.items())
        if all(isinstance(name, str) and hasattr(id, "__index__") for id, name in pairs):
            self._name(pairs)
        elif all(isinstance(id, str) and hasattr(name, "__index__") for id, name in pairs):
            self._name((id, name) for name, id in pairs)
        elif all(isinstance(id, str) and isinstance(name, str) and id.isdigit() for id, name in pairs):
            self._name((int(id), name) for id, name in pairs)
        else:
            raise TypeError("classes: a mapping is {id: name} or {name: id}")

    def make(self) -> ClassSet:
        if self.text is None and self.ignored_text is None:
            return ClassSet.from_ranges(self.ranges, self.ignored)
        ignore = self.ignored_text or ",".join("%d-%d" % pair for pair in self.ignored) or None
        return ClassSet.from_text(self.text if self.text is not None else _listed(self.ranges), ignore)

    def name(self, made: ClassSet, id: int) -> Optional[str]:
        return self.names.get(id) or made.name(id)

    def file_state(self) -> Any:
        """What changes when the file of classes does; None: it is no file."""
        if self.text is None or _NUMBERS.fullmatch(self.text):
            return None
        try:
            state = os.stat(self.text)
        except OSError:
            return None
        return state.st_ino, state.st_size, state.st_mtime_ns

    def options(self) -> Tuple[List[str], Optional[IO[bytes]]]:
        """Returns the program's options, and the file that they name, to be kept open; its descriptor is to be inherited."""
        words, file = [], None
        if self.names:
            file = memory_file()
            file.write(json.dumps({"id2label": {str(id): name for id, name in self.names.items()}}).encode())
            file.flush()
            file.seek(0)
            words.append("--classes=/dev/fd/%d" % file.fileno())
        else:
            words.append("--classes=" + (self.text if self.text is not None else _listed(self.ranges)))
        if self.ignored_text is not None:
            words.append("--ignore=" + self.ignored_text)
        elif self.ignored:
            words.append("--ignore=" + ids_text(self.ignored))
        return words, file


def _ranges(what: str, numbers: Any) -> List[Range]:
    if isinstance(numbers, range) and numbers.step == 1:
        return [(numbers.start, numbers.stop - 1)] if numbers else []
    ranges: List[Range] = []
    try:
        ids = sorted({operator.index(number) for number in numbers})
    except TypeError:
        raise TypeError("%s: ids are integers, and class names are all strings, not %s" % (what, _shown(numbers))) from None
    for id in ids:
        if ranges and ranges[-1][1] == id - 1:
            ranges[-1] = (ranges[-1][0], id)
        else:
            ranges.append((id, id))
    return ranges


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _listed(ranges: Sequence[Range]) -> str:
    """Ranges as --classes takes them: those from 0 as a count, a lone id as a range, which is no count."""
    if len(ranges) == 1 and ranges[0][0] == 0:
        return "%d" % (ranges[0][1] + 1)
    return ",".join("%d-%d" % pair for pair in ranges) or "0"


def ids_text(ranges: Sequence[Range]) -> str:
    """Ranges for people: "0-18,33"."""
    return ",".join("%d" % first if first == last else "%d-%d" % (first, last) for first, last in ranges)


def memory_file() -> IO[bytes]:
    """Returns a file without a name: in memory where there is such a thing."""
    if hasattr(os, "memfd_create"):
        try:
            return open(os.memfd_create("labelaudit"), "w+b")
        except OSError:
            pass  # a sandbox may forbid it
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise AuditError("there is no place to write the names of the classes to: %s" % error) from error
