"""guard(): checks what a loader yields, and reports on all of it."""
from __future__ import annotations

import math
import os
import time
import warnings
import zipfile
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union

from ._arrays import Array, c_order, device_of, is_array, npy_header, read_array
from ._check import Guard, name_of
from ._classes import Classes, Ids, Path, ids_text
from ._errors import LabelError
from ._library import BAD_DATA, BAD_LABELS, OK, Counter, library
from ._report import Report
from .sources import own_names

Batch = TypeVar("Batch")
# Where the labels of a batch are: an index or key, several in a row, or a function.
Target = Union[int, str, Sequence[Union[int, str]], Callable[[Any], Any]]
Names = Union[None, str, int, Sequence[Any], Callable[[Any], Any]]

ACTIONS = ("raise", "warn", "drop", "collect")


def guard(
    loader: Iterable[Batch],
    classes: Classes,
    ignore: Ids = None,
    *,
    target: Target = 1,
    names: Names = None,
    on: str = "raise",
    save: Optional[Path] = None,
    count: bool = True,
    loss: Optional[str] = None,
    sync: bool = False,
) -> GuardedLoader[Batch]:
    """Wraps a loader, or any iterable of batches, so that each batch is checked before it is used.

    classes, ignore, loss, sync: as check() and Guard take them
    target: where the labels are in a batch: an index, a key, several in a row such as ("boxes", "labels"), or a function
    names: of a batch's samples: an index or key of the batch, a function of the batch, or a list of all names in the loader's
        order, which must not be shuffled; without, the data set's own list of files, if it has one and is not shuffled
    on: "raise" LabelError; "warn" and go on; "drop" the batch; "collect" the errors in .errors
    save: a folder, which gets each bad batch as a .npz
    count: whether ids are counted, for report(), in the pass that tests them

    The result has the loader's length and attributes; report() says what was seen.
    """
    if on not in ACTIONS:
        raise ValueError("on=%r: expected one of %s" % (on, ", ".join(ACTIONS)))
    return GuardedLoader(loader, Guard(classes, ignore, loss=loss, sync=sync), target, names, on, save, count)


class GuardedLoader(Generic[Batch]):
    """What guard() returns. errors: of the batches that were not right, unless they were raised."""

    def __init__(
        self, loader: Iterable[Batch], guard: Guard, target: Target, names: Names, on: str, save: Optional[Path], count: bool = True
    ) -> None:
        self.loader = loader
        self.errors: List[LabelError] = []
        self._guard = guard
        self._target = target
        self._names = names if names is not None else _names_in_order(loader)
        self._on = on
        self._save = save
        self._seen = _Seen(guard, count)

    if not TYPE_CHECKING:

        @property
        def __class__(self):
            # What asks for the loader's type, isinstance() say, finds it.
            return type(self.loader) if "loader" in self.__dict__ else GuardedLoader

    def __reduce__(self) -> Any:
        return GuardedLoader, (self.loader, self._guard, self._target, self._names, self._on, self._save, self._seen.counts)

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name == "loader":  # while it is unpickled
            raise AttributeError(name)
        return getattr(self.loader, name)

    def __iter__(self) -> Iterator[Batch]:
        at = 0
        for step, batch in enumerate(self.loader):
            target = self._labels(batch)
            names = self._names_of(batch, at)
            # Counting tests the labels on its way, in one pass. Where it finds fault, or does not count, the guard looks.
            samples, right = self._seen.add(target)
            at += samples
            try:
                if right:
                    self._guard.passed()
                else:
                    self._guard(target, names)
            except LabelError as error:
                self._seen.bad += 1
                if not self._is_kept(error, batch, target, step):
                    continue
            yield batch
        try:
            self._guard.finish()
        except LabelError as error:
            self._is_kept(error, None, None, -1)

    def _is_kept(self, error: LabelError, batch: Any, target: Any, step: int) -> bool:
        """Deals with a bad batch. Returns whether the loader yields it."""
        if self._save is not None and batch is not None:
            path = os.path.join(os.fspath(self._save), "batch-%06d.npz" % step)
            save_batch(path, batch, target)
            error.args = ("%s; the batch is in %s" % (error.args[0], path),)
        if self._on == "raise":
            raise error
        self.errors.append(error)
        if self._on == "warn":
            warnings.warn("step %d: %s" % (step, error.args[0]), stacklevel=3)
        return self._on != "drop"

    def _labels(self, batch: Any) -> Any:
        target = self._target
        if callable(target):
            return target(batch)
        for key in [target] if isinstance(target, (int, str)) else target:
            try:
                batch = batch[key]
            except (KeyError, IndexError, TypeError) as error:
                has = "a dict with " + ", ".join(map(repr, batch)) if isinstance(batch, dict) else type(batch).__name__
                raise TypeError("target=%r: there is no such part of a batch, which is %s" % (target, has)) from error
        return batch

    def _names_of(self, batch: Any, at: int) -> Any:
        names = self._names
        if names is None:
            return None
        if callable(names):
            return names(batch)
        if isinstance(names, (int, str)):
            return batch[names]
        return lambda position: name_of(names, at + position)

    def report(self) -> Report:
        """What was seen so far, as audit() reports it: every sample is a file. Labels on a GPU are not counted."""
        return self._seen.report([*self.errors])


def _names_in_order(loader: Any) -> Optional[List[str]]:
    """The files of a data set of PyTorch's form, if the loader yields its samples in their order."""
    if type(getattr(loader, "sampler", None)).__name__ != "SequentialSampler":
        return None
    return own_names(getattr(loader, "dataset", None))


class _Seen:
    """Counts of all that was seen."""

    def __init__(self, guard: Guard, counts: bool) -> None:
        self.guard = guard
        self.counts = counts
        self.counter = Counter(guard.set)
        self.labels: Dict[int, int] = {}
        self.files: Dict[int, int] = {}
        self.started = time.time()
        self.samples = 0
        self.bad = 0
        self.elements = 0  # of the CPU's memory; those that are no ids, or were not counted, too

    def add(self, target: Any) -> Tuple[int, bool]:
        """Adds a batch. Returns how many samples it has, and whether all of it was counted and is right."""
        if device_of(target) is not None:
            count = int(target.shape[0]) if len(target.shape) else 1
            self.samples += count
            return count, False
        try:
            if isinstance(target, (list, tuple)) and any(map(is_array, target)):
                rights = [self._add_one(read_array(part)) for part in target]
                return len(target), all(rights) and self.guard.takes_ids
            array = read_array(target)
        except TypeError:
            return 0, False  # no numbers, which the guard will say
        if not array.shape:
            return 1, self._add_one(array) and self.guard.takes_ids
        return array.shape[0], self._add_each(array) and self.guard.takes_ids

    def _add_one(self, array: Array) -> bool:
        self.samples += 1
        self.elements += len(array)
        if not self.counts:
            return False
        status = self.counter.add(array.c)
        if status == BAD_DATA:  # too many different ids: room is made
            self._take()
            status = self.counter.add(array.c)
        return status == OK

    def _add_each(self, array: Array) -> bool:
        samples = added = array.shape[0]
        status = BAD_LABELS
        if self.counts:
            status, added = self.counter.add_each(array.c)
        self.samples += added
        self.elements += len(array) // max(1, samples) * added
        for position in range(added, samples):  # after one with too many different ids
            self._add_one(array.sample(position))
        return status == OK

    def _take(self) -> None:
        for row in self.counter.take():
            self.labels[row.id] = self.labels.get(row.id, 0) + row.labels
            self.files[row.id] = self.files.get(row.id, 0) + row.arrays

    def report(self, errors: Sequence[LabelError]) -> Report:
        self._take()
        spec, made = self.guard.spec, self.guard.set
        ids = [id for first, last in made.classes for id in range(first, min(last, first + 65535) + 1)]
        legal = set(ids) | {id for id in self.labels for first, last in made.classes if first <= id <= last}
        ignored = {id for id in self.labels for first, last in made.ignored if first <= id <= last}
        classes = [id for id in ids if id not in ignored]
        of_classes = sum(self.labels.get(id, 0) for id in classes)
        odd = sorted(id for id in self.labels if id not in legal and id not in ignored)
        bad = self.bad or len(errors)
        findings = [_finding(error) for error in errors]
        rules: Dict[str, int] = {}
        for finding in findings:
            rules[finding["rule"]] = rules.get(finding["rule"], 0) + 1
        return Report.from_dict(
            {
                "schema_version": "1.2",
                "tool": {"name": "labelaudit", "version": library().labelaudit_version().decode()},
                "complete": True,
                "settings": {
                    "classes": ids_text(made.classes),
                    "ignore": [id for first, last in made.ignored for id in range(first, min(last, first + 65535) + 1)],
                    "view": "pil",
                    "reduce_zero_label": False,
                    "strict": False,
                    "fail_on": "error",
                    "shard": None,
                    "digest": "0" * 16,
                    "options": {},
                    "narrowed": [],
                },
                "summary": {
                    "status": "fail" if bad else "pass",
                    "files": self.samples,
                    "files_read": self.samples,
                    "files_failed": 0,
                    "files_skipped": 0,
                    "labels": self.elements,
                    "bytes": 0,
                    "errors": bad,
                    "warnings": 0,
                    "infos": 0,
                    "baselined": 0,
                    "rules": [{"rule": rule, "level": "error", "findings": count} for rule, count in sorted(rules.items())],
                },
                "diagnosis": [],
                "findings": findings,
                "findings_total": len(findings),
                "findings_listed": len(findings),
                "coverage": {"audited": self.samples, "failed": 0, "left_out": [], "unread": [], "paths": []},
                "layout": [],
                "formats": [],
                "sizes": [],
                "run": {
                    "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
                    "seconds": round(time.time() - self.started, 3),
                    "device": "guard of Python",
                    "jobs": 1,
                    "files_per_second": 0.0,
                    "notes": [],
                },
                "classes": [
                    {
                        "id": id,
                        "name": spec.name(made, id),
                        "labels": self.labels.get(id, 0),
                        "files": self.files.get(id, 0),
                        "fraction": self.labels.get(id, 0) / of_classes if of_classes else 0.0,
                    }
                    for id in classes
                ],
                "ignored": [{"id": id, "labels": self.labels[id], "files": self.files[id]} for id in sorted(ignored)],
                "out_of_range": [{"id": id, "labels": self.labels[id], "files": self.files[id], "example": None} for id in odd],
                "histogram": [[id, self.labels[id]] for id in sorted(self.labels)],
                "class_weights": _weights([self.labels.get(id, 0) for id in classes]),
            }
        )


def _finding(error: LabelError) -> Dict[str, Any]:
    name = error.samples[0].name if error.samples else None
    return {
        "rule": "out-of-range-id" if error.ids else "nan-labels" if "NaN" in error.args[0] else "non-integer-labels",
        "level": "error",
        "path": name,
        "member": None,
        "message": error.args[0],
        "advice": None,
        "details": {"ids": [list(pair) for pair in error.ids.items()], "index": error.index and list(error.index)},
    }


def _weights(labels: Sequence[int]) -> Dict[str, List[Optional[float]]]:
    """The weights of the JSON report: median over frequency, inverse frequency, and effective number of samples (Cui et al., 2019)."""
    present = sorted(n for n in labels if n)
    total, count = sum(present), len(present)
    if not count:
        none: List[Optional[float]] = [None] * len(labels)
        return {"median_frequency": none, "inverse_frequency": none, "effective_number": none}
    median = (present[(count - 1) // 2] + present[count // 2]) / 2

    def effective(n: int) -> float:
        return -math.expm1(n * math.log1p(-1 / total)) if total > 1 else 1.0

    scale = count / sum(1 / effective(n) for n in present)
    return {
        "median_frequency": [median / n if n else None for n in labels],
        "inverse_frequency": [total / (count * n) if n else None for n in labels],
        "effective_number": [scale / effective(n) if n else None for n in labels],
    }


# ---- bad batches ------------------------------------------------------------------------------------------------------


def save_batch(path: str, batch: Any, target: Any) -> None:
    """Writes the arrays of a batch as numpy.savez does: `target`, and each other part under its key or number."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = "%s.%d.tmp" % (path, os.getpid())
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, part in [("target", target), *_parts(batch)]:
            try:
                array = read_array(part)
            except (TypeError, ValueError):
                continue  # what is no array of numbers is left out
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(npy_header(array.typestr, array.shape))
                member.write(c_order(array))
    os.replace(temporary, path)


def _parts(batch: Any) -> Iterator[Tuple[str, Any]]:
    if isinstance(batch, dict):
        for key, part in batch.items():
            yield "batch_%s" % str(key).replace("/", "_"), part
    elif isinstance(batch, (list, tuple)):
        for number, part in enumerate(batch):
            yield "batch_%d" % number, part
    else:
        yield "batch", batch
