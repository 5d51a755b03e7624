"""python -m labelaudit.audit --source KIND:WHERE [--column NAME] OPTION...: audits what labelaudit.sources reads.

KIND:WHERE   parquet:data/*.parquet, arrow:set.arrow, hdf5:set.h5, zarr:set.zarr, tiff:masks/*.tif, nifti:labels/*.nii.gz,
             huggingface:PATH (of datasets.load_from_disk), torch:MODULE.NAME (a data set, or a function that makes it)
--column     the column, the data set's name within the file, or the index of the target
OPTION       every option of the program, which prints the report and gives the exit status
"""
from __future__ import annotations

import os
import subprocess
import sys
import types
from typing import Any, List, Optional

from . import sources
from ._audit import audit as _audit
from ._errors import ProgramNotFoundError
from ._program import GRACE, find_program
from ._stream import write_tar


class _Module(types.ModuleType):
    """`import labelaudit.audit` must not hide the function of this name."""

    def __call__(self, *paths: Any, **options: Any) -> Any:
        return _audit(*paths, **options)


sys.modules[__name__].__class__ = _Module


def _take(words: List[str], option: str) -> Optional[str]:
    """Removes an option from the words, and returns its value."""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            del words[at]
            return words.pop(at)
        if word.startswith(option + "="):
            del words[at]
            return word[len(option) + 1 :]
    return None


def main(words: List[str]) -> int:
    words = list(words)
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    source, column = _take(words, "--source"), _take(words, "--column")
    if source is None:
        sys.stderr.write("labelaudit: error: --source is missing; labels in files are for the program itself: labelaudit OPTION... PATH\n")
        return 2
    try:
        samples = sources.open_source(source, column)
        program = find_program()
        child = subprocess.Popen([program, *words, "-"], stdin=subprocess.PIPE)
    except (ValueError, ImportError, ProgramNotFoundError, OSError) as error:
        sys.stderr.write("labelaudit: error: %s\n" % error)
        return 2
    assert child.stdin is not None
    try:
        write_tar(child.stdin, samples)
        child.stdin.close()
    except BrokenPipeError:
        pass  # the program has ended, and said why
    except BaseException as error:
        child.terminate()
        try:
            child.wait(GRACE)
        except BaseException:
            child.kill()
            child.wait()
        if isinstance(error, KeyboardInterrupt):
            return 130
        sys.stderr.write("labelaudit: error: %s: %s\n" % (source, error))
        return 2
    try:
        status = child.wait()
    except KeyboardInterrupt:
        child.terminate()
        status = child.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)
