"""Finds the program, runs it, and turns its exit statuses into exceptions."""
from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from typing import IO, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

# Seconds that the program has, once it was told to end, to write the partial reports that were asked for.
GRACE = 10.0

Path = Union[str, "os.PathLike[str]"]
# 21 (that is 0 to 20), "0-18,33", [0, 1, 5], or a file that lists the classes.
Ids = Union[int, Path, Iterable[int]]


class AuditError(RuntimeError):
    """The audit could not be done or finished.

    status: the program's exit status; negative: the signal that ended it, as subprocess has it
    report: what labelaudit.Report.from_dict takes, if the program wrote a report all the same; it is not complete
    """

    def __init__(self, message: str, *, status: int = 2, report: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.status = status
        self.report = report


class ProgramNotFoundError(AuditError):
    """There is no program to run."""


class LabelError(ValueError):
    """A batch holds labels that a loss cannot take.

    id: the first illegal id, None if the labels are no integers
    index: where it stands in the batch; None if that is not known
    count: how many labels have this id, or are no integers
    ids: all illegal ids and how many labels have each
    """

    # The message alone must do: PyTorch makes the exceptions of its workers again from that.
    def __init__(
        self,
        message: str,
        *,
        id: Optional[int] = None,
        index: Optional[Tuple[int, ...]] = None,
        count: int = 0,
        ids: Optional[Dict[int, int]] = None,
    ) -> None:
        super().__init__(message)
        self.id = id
        self.index = index
        self.count = count
        self.ids = ids or {}


@functools.lru_cache(maxsize=None)
def find_program() -> str:
    """Returns where this installation put the program: as was recorded, else beside the package, else on PATH."""
    import importlib.metadata

    places: List[str] = []
    try:
        for file in importlib.metadata.files("labelaudit") or []:
            if file.name == "labelaudit" and file.parent.name == "bin":
                places.append(str(file.locate()))
    except importlib.metadata.PackageNotFoundError:
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    places.append(os.path.join(os.path.dirname(here), "bin", "labelaudit"))  # pip install --target
    places.append(os.path.join(sysconfig.get_path("scripts"), "labelaudit"))
    for place in places:
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return os.path.normpath(place)
    found = shutil.which("labelaudit")
    if found is None:
        raise ProgramNotFoundError("the program was not found: neither %s, nor on PATH" % ", ".join(places))
    return found


def ids_option(name: str, ids: Ids) -> str:
    """Returns the option --name for ids; raises TypeError if they are none."""
    if isinstance(ids, (int, str)):
        value = str(int(ids)) if isinstance(ids, int) else ids
    elif isinstance(ids, os.PathLike):
        value = os.fspath(ids)
    else:
        numbers = list(ids)
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError("%s: ids are integers; class names come from a file, whose path is given here" % name)
        value = ",".join(str(number) for number in numbers)
    return "--%s=%s" % (name, value)


def run(arguments: Sequence[str], standard_input: Sequence[Union[bytes, memoryview]] = ()) -> Tuple[int, bytes, str]:
    """Runs the program. Returns its exit status, its output, and its messages without the program's name.

    standard_input: what it reads, in parts; none: nothing
    Whatever ends this function early (KeyboardInterrupt, a timeout of the caller) ends the program, too.
    """
    program = find_program()
    with _memory_file() as source:
        # Not a pipe: that would take a call for every 4 KiB.
        for part in standard_input:
            source.write(part)
        source.seek(0)
        try:
            child = subprocess.Popen([program, *arguments], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise ProgramNotFoundError("%s: %s" % (program, error.strerror)) from error
    with child:
        try:
            output, messages = child.communicate()
        except BaseException:
            child.terminate()
            try:
                child.communicate(timeout=GRACE)
            except BaseException:
                child.kill()
                child.wait()  # after KeyboardInterrupt the with statement does not
            raise
    lines = messages.decode("utf-8", "replace").splitlines()
    return child.returncode, output, "\n".join(_without_name(line) for line in lines)


def _memory_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("labelaudit"), "w+b")
    return tempfile.TemporaryFile()


def _without_name(line: str) -> str:
    name = "labelaudit: error: "
    return line[len(name) :] if line.startswith(name) else line


def run_report(arguments: Sequence[str], standard_input: Sequence[Union[bytes, memoryview]] = ()) -> Dict[str, Any]:
    """Runs an audit. Returns its JSON report, with or without findings; raises AuditError if it was not done."""
    words = ["--format=json", "--quiet", "--progress=none", *arguments]
    status, output, message = run(words, standard_input)
    report: Optional[Dict[str, Any]] = None
    if output:
        try:
            report = json.loads(output)
        except ValueError:
            message = message or "the program's output is no report"
    if status in (0, 1) and report is not None:
        return report
    if status < 0:
        message = "the program was ended by signal %d (%s)" % (-status, signal.strsignal(-status))
    raise AuditError(message or "the audit was not finished (exit status %d)" % status, status=status, report=report)
