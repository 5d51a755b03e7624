"""A report as Python sees it. The names are those of the JSON report, whose schema `labelaudit schema` prints."""
from __future__ import annotations

import base64
import copy
import html
import importlib
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from ._errors import AuditError
from ._program import run


@dataclass(frozen=True)
class Finding:
    """What is wrong, and where. path: None: with the whole set; member: of an archive. details: as the JSON report has them."""

    rule: str
    level: str
    path: Optional[str]
    member: Optional[str]
    message: str
    advice: Optional[str]
    details: Mapping[str, Any] = field(repr=False, hash=False)

    def __str__(self) -> str:
        place = "" if self.path is None else self.path
        if self.member is not None:
            place += ":" + self.member
        return "%s%s%s %s: %s" % (place, ": " if place else "", self.level, self.rule, self.message)


@dataclass(frozen=True)
class ClassCount:
    """A declared class. fraction: its share of the labels that are not ignored."""

    id: int
    name: Optional[str]
    labels: int
    files: int
    fraction: float


@dataclass(frozen=True)
class IdCount:
    """An id that is no class. example: a file that has it; None for ignored ids."""

    id: int
    labels: int
    files: int
    example: Optional[str] = None


@dataclass(frozen=True)
class Weights:
    """Weights for the loss, one a class in the order of `classes`; None: the class never occurs."""

    median_frequency: Tuple[Optional[float], ...]
    inverse_frequency: Tuple[Optional[float], ...]
    effective_number: Tuple[Optional[float], ...]


@dataclass(frozen=True, repr=False)
class Report:
    """What an audit found. complete: False: it was interrupted, or something could not be read."""

    ok: bool
    complete: bool
    files: int
    labels: int
    errors: int
    warnings: int
    infos: int
    findings: Tuple[Finding, ...]
    findings_total: int
    classes: Tuple[ClassCount, ...]
    ignored: Tuple[IdCount, ...]
    out_of_range: Tuple[IdCount, ...]
    histogram: Mapping[int, int]
    weights: Weights
    _json: Dict[str, Any] = field(compare=False)

    @classmethod
    def from_dict(cls, report: Dict[str, Any]) -> Report:
        """Returns the report whose JSON was read, by json.load() say. Raises KeyError if it is none."""
        summary, weights = report["summary"], report["class_weights"]
        return cls(
            ok=summary["status"] == "pass",
            complete=report["complete"],
            files=summary["files"],
            labels=summary["labels"],
            errors=summary["errors"],
            warnings=summary["warnings"],
            infos=summary["infos"],
            findings=tuple(_finding(finding) for finding in report["findings"]),
            findings_total=report["findings_total"],
            classes=tuple(
                ClassCount(c["id"], c["name"], c["labels"], c["files"], float(c["fraction"])) for c in report["classes"]
            ),
            ignored=tuple(IdCount(i["id"], i["labels"], i["files"]) for i in report["ignored"]),
            out_of_range=tuple(IdCount(i["id"], i["labels"], i["files"], _path(i, "example")) for i in report["out_of_range"]),
            histogram={number: count for number, count in report["histogram"]},
            weights=Weights(
                median_frequency=tuple(weights["median_frequency"]),
                inverse_frequency=tuple(weights["inverse_frequency"]),
                effective_number=tuple(weights.get("effective_number", ())),
            ),
            _json=report,
        )

    def __repr__(self) -> str:
        verdict = "pass" if self.ok else "fail"
        state = "" if self.complete else ", not complete"
        return "<labelaudit.Report: %s, %d errors, %d warnings in %d files%s>" % (
            verdict,
            self.errors,
            self.warnings,
            self.files,
            state,
        )

    def to_dict(self) -> Dict[str, Any]:
        """Returns the JSON report: a copy, which may be changed and written."""
        return copy.deepcopy(self._json)

    def to_pandas(self, table: str = "findings") -> Any:
        """Returns a pandas.DataFrame of the findings, or of table="classes", a row a class. Raises ImportError without pandas."""
        pandas = importlib.import_module("pandas")
        if table == "findings":
            columns = ["rule", "level", "path", "member", "message", "advice"]
            return pandas.DataFrame([[getattr(f, c) for c in columns] for f in self.findings], columns=columns)
        if table == "classes":
            columns = ["id", "name", "labels", "files", "fraction"]
            return pandas.DataFrame([[getattr(c, name) for name in columns] for c in self.classes], columns=columns)
        raise ValueError("a report has no table %r; it has 'findings' and 'classes'" % table)

    def to_html(self) -> str:
        """Returns the HTML page of this report. Its gallery is empty: audit(..., output="page.html") writes one with pictures."""
        status, page, message = run(["render", "--format=html", "-"], json.dumps(self._json).encode())
        if not page:
            raise AuditError(message, status=status)
        return page.decode()

    def _repr_html_(self) -> str:
        # In a frame, since a notebook has a style of its own.
        return '<iframe sandbox="allow-scripts" style="width:100%%;height:42em;border:0" srcdoc="%s"></iframe>' % html.escape(
            self.to_html()
        )


def _path(of: Mapping[str, Any], key: str) -> Optional[str]:
    """Returns a path that open() takes: its bytes, where it is not UTF-8."""
    encoded = of.get(key + "_b64")
    if encoded is not None:
        return os.fsdecode(base64.b64decode(encoded))
    path: Optional[str] = of[key]
    return path


def _finding(finding: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=finding["rule"],
        level=finding["level"],
        path=_path(finding, "path"),
        member=_path(finding, "member"),
        message=finding["message"],
        advice=finding["advice"],
        details=finding["details"],
    )
