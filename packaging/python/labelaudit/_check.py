"""check(): a batch in memory."""
from __future__ import annotations

import re
from typing import Any, Dict, Optional, Sequence, Tuple

from ._arrays import npy, read_array
from ._program import Ids, LabelError, ids_option, run_report

# What a loss cannot take. The reasons behind it (ids one off, multiples) take a data set to be seen: audit() finds them.
_RULES = "out-of-range-id,non-integer-labels,nan-labels,file"


def check(batch: object, classes: Ids, ignore: Optional[Ids] = None) -> None:
    """Raises LabelError if a label of the batch is neither a class nor ignored; the error names id, index and count.

    batch: any array or tensor on the CPU with __array_interface__, __dlpack__ or __array__; each element is a label
    classes, ignore: as audit() takes them

    Raises TypeError for what holds no numbers, and for a tensor on a GPU: copying it is left to you. Raises AuditError if the
    check could not be done.
    """
    array = read_array(batch)
    if 0 in array.shape:
        return
    words = ["--no-config", "--kind=array", "--device=cpu", "--jobs=1", "--select=" + _RULES, ids_option("classes", classes)]
    if ignore is not None:
        words.append(ids_option("ignore", ignore))
    report = run_report([*words, "-"], npy(array))
    for finding in report["findings"]:
        if finding["level"] == "error":
            raise _label_error(finding, array.shape)


def _label_error(finding: Dict[str, Any], shape: Sequence[int]) -> LabelError:
    """The error of a finding about the batch as one row: its index becomes that of the batch."""
    details = finding["details"]
    ids = {number: count for number, count in details.get("ids", [])}
    place = re.search(r"at \[([0-9]+)\]", finding["message"])
    index = _unravel(int(place.group(1)), shape) if place else None
    message: str = finding["message"]
    if place and index is not None:
        message = message[: place.start()] + "at " + str(list(index)) + message[place.end() :]
    if "first" not in details:
        return LabelError(message, index=index, count=details.get("pixels", 0), ids=ids)
    first: int = details["first"]["id"]
    index = _unravel(details["first"]["index"][0], shape)
    # One label says no more with its place named twice.
    message += "; the first is %d at %s" % (first, list(index))
    return LabelError(message, id=first, index=index, count=ids.get(first, 0), ids=ids)


def _unravel(offset: int, shape: Sequence[int]) -> Tuple[int, ...]:
    index = []
    for size in reversed(shape):
        offset, place = divmod(offset, size)
        index.append(place)
    return tuple(reversed(index))
