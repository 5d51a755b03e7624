"""check() and Guard: a batch in memory."""
from __future__ import annotations

from ctypes import byref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _device, _losses
from ._arrays import Array, device_of, from_interface, is_array, read_array
from ._classes import Classes, ClassSpec, Ids, ids_text
from ._errors import BadSample, LabelError
from ._library import BAD_CALL, BEYOND, FRACTION, ID, INFINITE, NAN, OK, ClassSet, Counter, CVerdict, library

Names = Union[None, Sequence[Any], Callable[[int], Any]]

# Positions of a batch that are looked at one by one, to name the bad samples.
SAMPLES_MAX = 4096
# Ids that a message lists.
IDS_SHOWN = 8


class Guard:
    """Checks batches against classes that are parsed once. It can be pickled, and used in workers and a collate_fn.

    Guard(21, 255)(labels) raises what check(labels, 21, 255) raises. Labels on a GPU are tested there, without waiting for
    it: what is wrong with them is raised by the next call, or by finish(). sync=True waits, and raises at once.
    """

    def __init__(
        self, classes: Classes, ignore: Ids = None, *, loss: Optional[str] = None, weight: Any = None, sync: bool = False
    ) -> None:
        self._init(ClassSpec(classes, ignore), loss, weight, sync)

    def _init(self, spec: ClassSpec, loss: Optional[str], weight: Any, sync: bool) -> None:
        if loss is not None:
            _losses.known(loss)
        self.spec = spec
        self.set = spec.make()
        self._options = (loss, weight, sync)
        # whether labels that are classes or ignored are all that is asked
        self.takes_ids = loss is None and weight is None
        self._handle = self.set.handle
        self._check = library().labelaudit_check
        self._pending: Optional[_device.Pending] = None
        self._step = 0

    def __getstate__(self) -> Any:
        return self.spec, self._options

    def __setstate__(self, state: Any) -> None:
        spec, (loss, weight, sync) = state
        self._init(spec, loss, weight, sync)

    def __repr__(self) -> str:
        return "Guard(%s)" % self.valid_text()

    def valid_text(self) -> str:
        """What is legal, for people."""
        valid = "valid ids are %s" % (ids_text(self.set.classes) or "none")
        return valid + (", ignored %s" % ids_text(self.set.ignored) if self.set.ignored else "")

    def __call__(self, target: Any, names: Names = None, *, logits: Any = None) -> None:
        """Raises LabelError if a label of the target is neither a class nor ignored, or is nothing that the loss takes."""
        self.passed()
        loss, weight, sync = self._options
        self.look(target, names, logits, loss, weight, sync, True)

    def passed(self) -> None:
        """Takes note of a target that was found right elsewhere."""
        self._step += 1
        if self._pending is not None:
            self.finish()

    def look(self, target: Any, names: Names, logits: Any, loss: Optional[str], weight: Any, sync: bool, may_wait: bool = False) -> None:
        """Checks a target. may_wait: one on a GPU is answered for by the next call."""
        if loss is not None or logits is not None or weight is not None:
            loss = loss or "cross_entropy"
            _losses.check(self, target, logits, loss, weight)
            if loss in _losses.NO_IDS:
                return
        interface = getattr(target, "__array_interface__", None)
        if interface is not None:  # the usual case, and the quickest to tell
            self.check_array(from_interface(target, interface), names)
            return
        if isinstance(target, (list, tuple)) and any(map(is_array, target)):
            self._check_list(target, names)
            return
        if device_of(target) is not None:
            if sync:
                target = _device.to_host(target)
            elif may_wait:
                self._pending = _device.start(target, self.set, self._step, names)
                return
        self.check_array(read_array(target), names)

    def finish(self) -> None:
        """Waits for the last target on a GPU, and raises LabelError if it was bad."""
        pending, self._pending = self._pending, None
        if pending is not None and pending.is_bad():
            self._raise_pending(pending)

    def check_array(self, array: Array, names: Names = None) -> None:
        status = self._check(self._handle, byref(array.c), None)
        if status == OK:
            return
        if status == BAD_CALL:
            raise TypeError("an array of %d axes and shape %s cannot be checked" % (len(array.shape), array.shape))
        raise self._error(array, names)

    def _check_list(self, targets: Sequence[Any], names: Names) -> None:
        """A list of arrays, one a sample: boxes of images, masks of different sizes."""
        for position, target in enumerate(targets):
            try:
                self.check_array(read_array(target))
            except LabelError as error:
                index = (position, *(error.index or ()))
                name = name_of(names, position)
                sample = BadSample(position, name, error.ids, index[1:])
                text = "sample %d%s: %s" % (position, "" if name is None else " (%s)" % name, error.args[0])
                raise LabelError(text, id=error.id, index=index, count=error.count, ids=error.ids, samples=[sample]) from None

    # ---- what is wrong ------------------------------------------------------------------------------------------------

    def _verdict(self, array: Array) -> CVerdict:
        verdict = CVerdict()
        self._check(self._handle, byref(array.c), byref(verdict))
        return verdict

    def _bad_ids(self, array: Array) -> Dict[int, int]:
        counter = Counter(self.set)
        counter.add(array.c)
        return {row.id: row.labels for row in counter.take() if row.role == 0}

    def _samples(self, array: Array, first: Tuple[int, ...], names: Names) -> List[BadSample]:
        if not array.shape:
            return []
        positions = range(array.shape[0]) if array.shape[0] <= SAMPLES_MAX else range(first[0], first[0] + 1)
        samples = []
        for position in positions:
            part = array.sample(position)
            if self._check(self._handle, byref(part.c), None) != OK:
                verdict = self._verdict(part)
                ids = {verdict.id: 1} if not part.shape and verdict.kind == ID else self._bad_ids(part)
                samples.append(BadSample(position, name_of(names, position), ids, unravel(verdict.index, part.shape)))
        return samples

    def _error(self, array: Array, names: Names) -> LabelError:
        verdict = self._verdict(array)
        index = unravel(verdict.index, array.shape)
        ids = self._bad_ids(array) if verdict.bad_ids else {}
        samples = self._samples(array, index, names)
        id = verdict.id if verdict.kind == ID else None
        count = verdict.same if id is not None else verdict.bad - verdict.bad_ids
        text = self._text(array, verdict, index, ids)
        named = [sample for sample in samples if sample.name is not None]
        if named:
            more = "" if len(named) < 4 else " and %d more" % (len(named) - 3)
            text += "; bad samples: %s%s" % (", ".join("%d (%s)" % (s.position, s.name) for s in named[:3]), more)
        return LabelError(text, id=id, index=index, count=count, ids=ids, samples=samples)

    def _text(self, array: Array, verdict: CVerdict, index: Tuple[int, ...], ids: Dict[int, int]) -> str:
        place = list(index)
        if verdict.bad_ids:
            shown = sorted(ids)[:IDS_SHOWN]
            numbers = ", ".join(map(str, shown)) + (" and %d more" % (len(ids) - IDS_SHOWN) if len(ids) > IDS_SHOWN else "")
            text = "%s %s %s %s; %s" % (
                _labels(verdict.bad_ids, verdict.labels),
                "has" if verdict.bad_ids == 1 else "have",
                "id" if len(ids) == 1 else "ids",
                numbers,
                self.valid_text(),
            )
            if verdict.kind == ID:
                return "%s; the first is %d at %s" % (text, verdict.id, place)
            return "%s; the first bad label is %s at %s" % (text, _value(array, verdict, index), place)
        what = {
            BEYOND: "larger than any id of 64 bits",
            FRACTION: "no integers",
            INFINITE: "NaN or infinite",
            NAN: "NaN or infinite",
        }[verdict.kind]
        are = "is" if verdict.bad == 1 else "are"
        what = "no integer" if verdict.bad == 1 and verdict.kind == FRACTION else what
        return "%s %s %s; the first is %s at %s; %s" % (
            _labels(verdict.bad, verdict.labels),
            are,
            what,
            _value(array, verdict, index),
            place,
            self.valid_text(),
        )

    def _raise_pending(self, pending: _device.Pending) -> None:
        try:
            self.check_array(read_array(_device.to_host(pending.target)), pending.names)
        except LabelError as error:
            text = "in step %d: %s" % (pending.step, error.args[0])
            raise LabelError(
                text, id=error.id, index=error.index, count=error.count, ids=error.ids, samples=error.samples
            ) from None
        except Exception as error:  # the device may be lost by now, to the assertion that this was to prevent
            raise LabelError(
                "in step %d: labels are neither classes nor ignored; %s; sync=True finds the place" % (pending.step, self.valid_text())
            ) from error


def check(
    target: Any,
    classes: Classes,
    ignore: Ids = None,
    *,
    names: Names = None,
    logits: Any = None,
    loss: Optional[str] = None,
    weight: Any = None,
    sync: bool = False,
) -> None:
    """Raises LabelError if a label is neither a class nor ignored; the error names sample, id, index and count.

    target: an array or tensor with __array_interface__, __dlpack__ or __array__, of any shape, strides and integer type
        (floats that are whole numbers will do), numbers in lists, or a list of arrays; each element is a label
    classes: a number (21: ids 0 to 20), ids, a range, names, a mapping of ids and names, a ClassLabel, or a file
    ignore: ids that are legal and never trained on
    names: of the samples along the first axis, a sequence or a function of the position, for the error
    logits: what the model returned, or its shape; loss: "cross_entropy", "nll", "bce", "dice" or "soft_cross_entropy"; weight: of the
        classes: then shapes and types are checked, too, as that loss wants them
    sync: labels on a GPU are copied to the CPU, which waits for it; a Guard need not wait

    Raises TypeError for what holds no numbers, AuditError if a file of classes cannot be read.
    """
    _guard_of(classes, ignore).look(target, names, logits, loss, weight, sync)


_guards: Dict[Any, Tuple[Any, Guard]] = {}


def _guard_of(classes: Classes, ignore: Ids) -> Guard:
    """Returns a guard, the one of an earlier call with the same words."""
    try:
        key = (type(classes), classes, type(ignore), ignore)
        state, guard = _guards[key]
    except TypeError:
        return Guard(classes, ignore)  # a list cannot be looked up
    except KeyError:
        guard = Guard(classes, ignore)
        if len(_guards) >= 64:
            _guards.clear()
        _guards[key] = guard.spec.file_state(), guard
        return guard
    if guard.spec.text is not None and guard.spec.file_state() != state:
        del _guards[key]
        return _guard_of(classes, ignore)
    return guard


def name_of(names: Names, position: int) -> Optional[str]:
    if names is None:
        return None
    try:
        return str(names(position) if callable(names) else names[position])
    except (IndexError, KeyError):
        return None


def unravel(offset: int, shape: Sequence[int]) -> Tuple[int, ...]:
    index = []
    for size in reversed(shape):
        offset, place = divmod(offset, size)
        index.append(place)
    return tuple(reversed(index))


def _labels(count: int, of: int) -> str:
    percent = 100.0 * count / of
    share = "%.1f" % percent if percent >= 0.1 else "%.1g" % percent
    return "%d label%s (%s %%)" % (count, "" if count == 1 else "s", share)


def _value(array: Array, verdict: CVerdict, index: Tuple[int, ...]) -> str:
    if verdict.kind == BEYOND:
        return "%d" % array.element(index)
    return "%g" % verdict.value


__all__ = ["Guard", "check", "ClassSet"]
