"""audit(): a data set on disk."""
from __future__ import annotations

import os
from typing import Iterable, List, Optional, Union

from ._program import Ids, Path, ids_option, run_report
from ._report import Report

Option = Union[None, bool, int, float, Path, Iterable[Union[int, Path]]]

# Options that leave no report, or none that this package reads, and those of what is printed.
_REFUSED = {"color", "format", "help", "list", "progress", "quiet", "show_settings", "verbose", "version"}


def audit(
    *paths: Path, classes: Optional[Ids] = None, ignore: Optional[Ids] = None, preset: Optional[str] = None, **options: Option
) -> Report:
    """Audits label files, folders and archives. Findings do not raise: look at the report's `ok` and `findings`.

    classes: what is legal: 21 (the ids 0 to 20), "0-18,33", a list of ids, or the path of a file that lists the classes
    ignore: ids that are legal and never trained on
    preset: classes and ignored ids of a known data set, such as "cityscapes"
    options: any option of the program, with _ for -: select="range", images="photos/", output=["page.html"], strict=True

    Raises AuditError if the audit could not be done; its message is the program's.
    """
    words: List[str] = []
    if classes is not None:
        words.append(ids_option("classes", classes))
    if ignore is not None:
        words.append(ids_option("ignore", ignore))
    for name, value in [("preset", preset), *options.items()]:
        if name in _REFUSED:
            raise TypeError("audit() has no option %s: it prints nothing and returns the report; output= also writes it to a file" % name)
        words += _option_words("--" + name.replace("_", "-"), value)
    return Report.from_dict(run_report([*words, "--", *(os.fspath(path) for path in paths)]))


def _option_words(option: str, value: Option) -> List[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (int, float, str)):
        return ["%s=%s" % (option, value)]
    if isinstance(value, os.PathLike):
        return ["%s=%s" % (option, os.fspath(value))]
    return [word for item in value for word in _option_words(option, item)]
