"""labelaudit finds label ids that a training loss cannot take, before the training starts.

    report = labelaudit.audit("masks/", classes=21, ignore=255)     a data set, on disk or any iterable of samples
    labelaudit.check(target, classes=21, ignore=255)                a batch in memory, in microseconds
    loader = labelaudit.guard(loader, classes=21, ignore=255)       every batch of a loader

audit() runs the program that this package carries; the others call its library. The package needs nothing but Python's standard
library.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import sources
from ._audit import audit
from ._check import Guard, check
from ._errors import AuditError, BadSample, LabelError, ProgramNotFoundError
from ._guard import GuardedLoader, guard
from ._report import ClassCount, Finding, IdCount, Report, Weights

for _public in (AuditError, BadSample, Guard, GuardedLoader, LabelError, ProgramNotFoundError):
    _public.__module__ = __name__  # a traceback names them as they are imported

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name):
        # Metadata are read when they are asked for: that takes longer than all other imports of this package.
        if name != "__version__":
            raise AttributeError("module 'labelaudit' has no attribute %r" % name)
        import importlib.metadata

        try:
            return importlib.metadata.version("labelaudit")
        except importlib.metadata.PackageNotFoundError as error:
            raise AttributeError("labelaudit is not installed as a package, so it has no __version__") from error


__all__ = [
    "AuditError",
    "BadSample",
    "ClassCount",
    "Finding",
    "Guard",
    "GuardedLoader",
    "IdCount",
    "LabelError",
    "ProgramNotFoundError",
    "Report",
    "Weights",
    "__version__",
    "audit",
    "check",
    "guard",
    "sources",
]
