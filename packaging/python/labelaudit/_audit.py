"""audit(): a data set, on disk or as samples that Python reads."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from ._classes import Classes, ClassSpec, Ids, Path
from ._program import run_report
from ._report import Report
from ._stream import named

Option = Union[None, bool, int, float, Path, Iterable[Union[int, Path]]]

# Options that leave no report, or none that this package reads, and those of what is printed.
_REFUSED = {"color", "format", "help", "list", "progress", "quiet", "show_settings", "verbose", "version"}


def audit(
    *paths: Union[Path, Iterable[Any]],
    classes: Optional[Classes] = None,
    ignore: Ids = None,
    preset: Optional[str] = None,
    **options: Option,
) -> Report:
    """Audits label files, folders and archives, or samples. Findings do not raise: look at the report's `ok` and `findings`.

    paths: of files and folders; or one iterable of samples: arrays, the bytes of PNG files, images of Pillow, paths, or pairs of a
        name and one of these; labelaudit.sources has iterables for Parquet, Arrow, HDF5, Zarr and others
    classes, ignore: as check() takes them
    preset: classes and ignored ids of a known data set, such as "cityscapes"
    options: any option of the program, with _ for -: select="range", images="photos/", output=["page.html"], strict=True

    Samples are streamed: however many there are, one is in memory. Their names are the paths of the findings.

    Raises AuditError if the audit could not be done; its message is the program's. What an iterable raises ends the audit, and is
    raised.
    """
    words: List[str] = []
    file = None
    if classes is not None:
        spec = ClassSpec(classes, ignore)
        words, file = spec.options()
    elif ignore is not None:
        words = ClassSpec(1, ignore).options()[0][1:]
    for name, value in [("preset", preset), *options.items()]:
        if name in _REFUSED:
            raise TypeError("audit() has no option %s: it prints nothing and returns the report; output= also writes it to a file" % name)
        words += _option_words("--" + name.replace("_", "-"), value)
    inherited = [] if file is None else [file.fileno()]
    try:
        if len(paths) == 1 and not isinstance(paths[0], (str, os.PathLike)):
            root = [""]
            report = run_report([*words, "--", "-"], samples=_relative(paths[0], root), inherited=inherited)
            return Report.from_dict(_as_paths(report, root[0]))
        return Report.from_dict(run_report([*words, "--", *(os.fspath(path) for path in paths)], inherited=inherited))  # type: ignore[arg-type]
    finally:
        if file is not None:
            file.close()


def _relative(samples: Iterable[Any], root: List[str]) -> Iterator[Any]:
    """Takes the first / from names, since members of a tar may not have it; root[0] becomes "/" if the first name has one."""
    for number, (name, sample) in enumerate(named(samples)):
        if number == 0 and name.startswith("/"):
            root[0] = "/"
        yield name.lstrip("/") or "%06d" % number, sample


def _as_paths(report: Dict[str, Any], root: str) -> Dict[str, Any]:
    """Names samples by their names alone: the tar that they came in is of no interest."""
    for finding in report["findings"]:
        if finding["path"] is None:
            finding["message"] = finding["message"].replace("-#", root)
        if finding["path"] == "-" and finding["member"] is not None:
            for key in ("path", "member"):
                finding.pop(key + "_b64", None)
            finding["path"], finding["member"] = root + finding["member"], None
    for row in report["out_of_range"]:
        if (row.get("example") or "").startswith("-#"):
            row["example"] = root + row["example"][2:]
    return report


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
