"""Finds the program, runs it, and turns its exit statuses into exceptions."""
from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sysconfig
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ._errors import AuditError, ProgramNotFoundError
from ._stream import feed

# Seconds that the program has, once it was told to end, to write the partial reports that were asked for.
GRACE = 10.0

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


def run(
    arguments: Sequence[str],
    standard_input: bytes = b"",
    samples: Optional[Iterable[Any]] = None,
    inherited: Sequence[int] = (),
) -> Tuple[int, bytes, str]:
    """Runs the program. Returns its exit status, its output, and its messages without the program's name.

    standard_input: what it reads; samples: what is streamed to it instead, as a tar; inherited: descriptors that it has, too
    Whatever ends this function early (KeyboardInterrupt, an error of the samples) ends the program, too.
    """
    program = find_program()
    try:
        child = subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=inherited
        )
    except OSError as error:
        raise ProgramNotFoundError("%s: %s" % (program, error.strerror)) from error
    with child:
        try:
            output, messages = child.communicate(standard_input) if samples is None else feed(child, samples)
        except BaseException:
            child.terminate()
            try:
                child.wait(timeout=GRACE)
            except BaseException:
                child.kill()
                child.wait()  # after KeyboardInterrupt the with statement does not
            raise
    lines = messages.decode("utf-8", "replace").splitlines()
    return child.returncode, output, "\n".join(_without_name(line) for line in lines)


def _without_name(line: str) -> str:
    name = "labelaudit: error: "
    return line[len(name) :] if line.startswith(name) else line


def run_report(arguments: Sequence[str], samples: Optional[Iterable[Any]] = None, inherited: Sequence[int] = ()) -> Dict[str, Any]:
    """Runs an audit. Returns its JSON report, with or without findings; raises AuditError if it was not done."""
    words = ["--format=json", "--quiet", "--progress=none", *arguments]
    status, output, message = run(words, samples=samples, inherited=inherited)
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
