"""The exceptions of this package."""
from __future__ import annotations

import json
import re
import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple


class AuditError(RuntimeError):
    """The audit could not be done or finished.

    status: the program's exit status; negative: the signal that ended it, as subprocess has it
    report: what labelaudit.Report.from_dict takes, if the program wrote a report all the same; it is not complete
    """

    def __init__(self, message: str, *, status: int = 2, report: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.status = status
        self.report = report

    def __reduce__(self) -> Any:
        return _again, (type(self), str(self), {"status": self.status, "report": self.report})


class ProgramNotFoundError(AuditError):
    """There is no program to run."""


class BadSample(NamedTuple):
    """A sample of a batch that holds labels that a loss cannot take.

    position: its index along the first axis, or in the list that the batch is
    name: what `names` says of it, its file say; None without names
    ids: its illegal ids and how many labels have each; empty if they are no integers
    first: index of the first such label within the sample
    """

    position: int
    name: Optional[str]
    ids: Dict[int, int]
    first: Tuple[int, ...]


# What carries the fields of an error through PyTorch, which makes the errors of its workers again from their text alone.
_CARRIED = re.compile(r"\n?<labelaudit (\{.*\})>")


class LabelError(ValueError):
    """A batch holds labels that a loss cannot take, or has a shape or type that it does not take.

    id: the first illegal id; None if the label is no integer, or if the labels are not what is wrong
    index: where the first illegal label stands in the batch, a tuple of ints; None if that is not known
    count: how many labels have this id, or are no integers
    ids: all illegal ids and how many labels have each
    samples: the bad samples, at most 4,096
    """

    def __init__(
        self,
        message: str = "",
        *,
        id: Optional[int] = None,
        index: Optional[Tuple[int, ...]] = None,
        count: int = 0,
        ids: Optional[Dict[int, int]] = None,
        samples: Sequence[BadSample] = (),
    ) -> None:
        carried = _CARRIED.search(message)
        if carried is not None:
            message = message[: carried.start()] + message[carried.end() :]
            fields = json.loads(carried.group(1))
            id, count = fields["id"], fields["count"]
            index = None if fields["index"] is None else tuple(fields["index"])
            ids = {int(number): times for number, times in fields["ids"]}
            samples = [BadSample(at, name, {number: times for number, times in own}, tuple(first)) for at, name, own, first in fields["samples"]]
        super().__init__(message)
        self.id = id
        self.index = index
        self.count = count
        self.ids = ids or {}
        self.samples = tuple(samples)

    def __str__(self) -> str:
        text = super().__str__()
        if not _in_torch_worker():
            return text
        samples = [[s.position, s.name, list(s.ids.items()), s.first] for s in self.samples]
        fields = {"id": self.id, "index": self.index, "count": self.count, "ids": list(self.ids.items()), "samples": samples}
        return "%s\n<labelaudit %s>" % (text, json.dumps(fields))

    def __reduce__(self) -> Any:
        fields = {"id": self.id, "index": self.index, "count": self.count, "ids": self.ids, "samples": self.samples}
        return _again, (type(self), self.args[0], fields)


def _again(kind: Any, message: str, fields: Dict[str, Any]) -> Any:
    return kind(message, **fields)


def _in_torch_worker() -> bool:
    data = sys.modules.get("torch.utils.data")
    return data is not None and data.get_worker_info() is not None
