"""What the losses of PyTorch and their relatives want of targets, logits and weights. Shapes and types alone are looked at, but for
targets that are shares, and for batches that are ignored everywhere."""
from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from ._arrays import TORCH_TYPES, Array, device_of, read_array
from ._errors import LabelError
from ._library import OK, ClassSet, library

if TYPE_CHECKING:
    from ._check import Guard

LOSSES = ("cross_entropy", "nll", "bce", "dice", "soft_cross_entropy")
# Losses whose targets are no ids.
NO_IDS = ("bce", "soft_cross_entropy")
# Rounding that a sum of shares in float32 may have.
SUM_TOLERANCE = 1e-3


def known(loss: str) -> None:
    if loss not in LOSSES:
        raise ValueError("there is no loss %r; it is one of %s" % (loss, ", ".join(LOSSES)))


def check(guard: Guard, target: Any, logits: Any, loss: str, weight: Any) -> None:
    """Raises LabelError if the target is not what the loss wants of it."""
    known(loss)
    array = _described(target)
    classes = _class_count(guard.set)
    shape = None if logits is None else _shape_of(logits)
    if weight is not None:
        _check_weight(weight, classes, loss)
    if shape is not None and loss != "bce":
        _check_logits(shape, classes, loss)
    if loss == "bce":
        _check_bce(array, shape)
    elif loss == "soft_cross_entropy":
        _check_soft(array, shape, classes)
    else:
        _check_ids(guard, array, shape, classes, loss)


def _described(target: Any) -> Array:
    """The target; of one on a GPU shape and type, without an address."""
    if device_of(target) is not None and str(target.dtype) in TORCH_TYPES:
        return Array(0, TORCH_TYPES[str(target.dtype)], tuple(target.shape), None, target)
    return read_array(target)


def _class_count(classes: ClassSet) -> int:
    """Channels that a model has for these classes: ids are indices, so gaps count."""
    return max((last for _, last in classes.classes), default=-1) + 1


def _shape_of(logits: Any) -> Tuple[int, ...]:
    shape = getattr(logits, "shape", logits)
    return tuple(int(n) for n in shape)


def _fail(text: str) -> LabelError:
    return LabelError(text)


def _is_float(array: Array) -> bool:
    return array.typestr[1] == "f"


def _type_text(array: Array) -> str:
    kinds = {"b1": "bool", "f2": "float16", "f4": "float32", "f8": "float64"}
    code = array.typestr[1:]
    return kinds.get(code, ("uint%d" if code[0] == "u" else "int%d") % (8 * int(code[1])))


def _check_weight(weight: Any, classes: int, loss: str) -> None:
    shape = _shape_of(weight) if hasattr(weight, "shape") else (len(weight),)
    if loss != "bce" and shape != (classes,):
        raise _fail("weight has shape %s; %s wants one weight a class: (%d,)" % (list(shape), loss, classes))


def _check_logits(shape: Tuple[int, ...], classes: int, loss: str) -> None:
    channels = shape[0] if len(shape) == 1 else shape[1] if shape else 0
    if channels == classes:
        return
    text = "the logits have shape %s, %d channels; %s wants one a class: %d" % (list(shape), channels, loss, classes)
    if len(shape) > 2 and shape[-1] == classes:
        text += "; the classes are the last axis: logits.movedim(-1, 1)"
    raise _fail(text)


def _wanted(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """The shape of ids for logits of a shape: [N, C, d...] without C."""
    return () if len(shape) == 1 else (shape[0], *shape[2:])


def _check_ids(guard: Guard, array: Array, shape: Optional[Tuple[int, ...]], classes: int, loss: str) -> None:
    if shape is not None:
        _check_ids_shape(array, shape, classes, loss)
    if loss in ("cross_entropy", "nll") and array.typestr[1:] != "i8" and array.typestr[1:] != "u1":
        cure = "target.long()" if not _is_float(array) else "target.long(), if these are ids"
        raise _fail("the target is %s; %s wants ids of int64: %s%s" % (_type_text(array), loss, cure, _others(array, shape)))
    if loss == "dice" and _is_float(array):
        raise _fail("the target is %s; dice wants ids, integers: target.long()" % _type_text(array))
    if loss != "dice" and array.c.data and len(array) and guard.set.ignored:
        _check_not_all_ignored(guard, array, loss)


def _check_ids_shape(array: Array, shape: Tuple[int, ...], classes: int, loss: str) -> None:
    wanted = _wanted(shape)
    if array.shape == wanted:
        return
    text = "the target has shape %s; %s wants ids of shape %s for logits of %s" % (list(array.shape), loss, list(wanted), list(shape))
    if array.shape == shape:
        text += "; it is one-hot or soft: target.argmax(1)"
    elif len(array.shape) == len(wanted) + 1 and array.shape[-1:] == (classes,) and array.shape[:-1] == wanted:
        text += "; it is one-hot, the classes last: target.argmax(-1)"
    elif len(array.shape) == len(wanted) + 1 and len(wanted) and array.shape[1:2] == (1,):
        text += "; it has a channel axis: target.squeeze(1)"
    elif len(array.shape) == len(wanted) + 1 and array.shape[-1:] == (1,):
        text += "; it has a channel axis: target.squeeze(-1)"
    elif array.shape[:1] == wanted[:1] and len(array.shape) == len(wanted):
        text += "; the sizes differ: resize the logits, or the target with nearest neighbour"
    raise _fail(text + _others(array, shape))


def _others(array: Array, shape: Optional[Tuple[int, ...]]) -> str:
    """Names the loss that would take the target as it is."""
    if shape is None or array.shape != shape:
        return ""
    if _is_float(array) and _sums(array):
        return "; soft_cross_entropy would take it as it is"
    if _is_float(array) and _between(array):
        return "; bce would take it as it is"
    return ""


def _check_not_all_ignored(guard: Guard, array: Array, loss: str) -> None:
    made = getattr(guard, "_ignored_alone", None)
    if made is None:
        made = guard._ignored_alone = ClassSet.from_ranges(guard.set.ignored, [])  # type: ignore[attr-defined]
    if library().labelaudit_check(made.handle, byref(array.c), None) == OK:
        raise _fail("every label of the batch is ignored: the mean of %s is NaN; leave the batch out, or add 0 * logits.sum()" % loss)


def _check_bce(array: Array, shape: Optional[Tuple[int, ...]]) -> None:
    if shape is not None and array.shape != shape:
        text = "the target has shape %s; bce wants that of the logits, %s" % (list(array.shape), list(shape))
        if array.shape == _wanted(shape):
            one = len(shape) > 1 and shape[1] == 1
            text += ": target.unsqueeze(1).float()" if one else "; it holds ids, which cross_entropy takes as they are"
        raise _fail(text)
    if not _is_float(array):
        raise _fail("the target is %s; bce wants floats: target.float()" % _type_text(array))
    found = _outside(array)
    if found is not None:
        raise LabelError(
            "the target has %g at %s; bce wants values from 0 to 1: (target / 255).float(), or target.clamp(0, 1)"
            % (found[1], list(found[0])),
            index=found[0],
        )


def _check_soft(array: Array, shape: Optional[Tuple[int, ...]], classes: int) -> None:
    if shape is not None and array.shape != shape:
        text = "the target has shape %s; soft_cross_entropy wants that of the logits, %s" % (list(array.shape), list(shape))
        if array.shape == _wanted(shape):
            text += "; it holds ids, which cross_entropy takes as they are"
        raise _fail(text)
    if not _is_float(array):
        raise _fail("the target is %s; soft_cross_entropy wants shares, floats: target.float()" % _type_text(array))
    if shape is None and (len(array.shape) < 2 or array.shape[1] != classes):
        raise _fail("the target has shape %s; soft_cross_entropy wants the %d classes in axis 1" % (list(array.shape), classes))
    found = _outside(array)
    if found is not None:
        raise LabelError("the target has %g at %s; shares are 0 to 1" % (found[1], list(found[0])), index=found[0])
    odd = _odd_sum(array)
    if odd is not None:
        raise LabelError(
            "the shares at %s add up to %g, not to 1: target / target.sum(1, keepdim=True)" % (list(odd[0]), odd[1]), index=odd[0]
        )


# ---- values, by Python's own loops or NumPy's, if that is here ---------------------------------------------------------------


def _numpy(array: Array) -> Any:
    """The array for NumPy, or None without it."""
    import sys

    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    holder: Dict[str, Any] = {
        "version": 3,
        "typestr": array.typestr,
        "shape": array.shape,
        "strides": array.strides,
        "data": (array.c.data or 0, True),
    }
    view = type("View", (), {"__array_interface__": holder, "owner": array})()
    return numpy.asarray(view)


def _indices(shape: Tuple[int, ...]) -> Any:
    import itertools

    return itertools.product(*map(range, shape))


def _outside(array: Array) -> Optional[Tuple[Tuple[int, ...], float]]:
    """Returns the first value that is not from 0 to 1, and its index."""
    if not array.c.data:
        return None  # it has no elements, or they are on a GPU
    values = _numpy(array)
    if values is not None:
        bad = ~((values >= 0) & (values <= 1))
        if not bad.any():
            return None
        index = tuple(int(axis[0]) for axis in bad.nonzero()) if values.ndim else ()
        return index, float(values[index])
    for index in _indices(array.shape):
        value = array.element(index)
        if not 0 <= value <= 1:
            return index, value
    return None


def _between(array: Array) -> bool:
    return _outside(array) is None


def _odd_sum(array: Array) -> Optional[Tuple[Tuple[int, ...], float]]:
    """Returns the first place where the values along axis 1 (of one axis: along that) do not add up to 1, and their sum."""
    axis = 1 if len(array.shape) > 1 else 0
    if not array.c.data:
        return None
    values = _numpy(array)
    if values is not None:
        sums = values.sum(axis, dtype="f8")
        bad = abs(sums - 1) > SUM_TOLERANCE
        if not bad.any():
            return None
        index = tuple(int(part[0]) for part in bad.nonzero()) if sums.ndim else ()
        return index, float(sums[index])
    outer = array.shape[:axis] + array.shape[axis + 1 :]
    for index in _indices(outer):
        row: List[float] = [array.element((*index[:axis], k, *index[axis:])) for k in range(array.shape[axis])]
        if abs(sum(row) - 1) > SUM_TOLERANCE:
            return index, sum(row)
    return None


def _sums(array: Array) -> bool:
    return _between(array) and _odd_sum(array) is None
