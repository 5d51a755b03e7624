"""The fixture `labelaudit` of pytest."""
from __future__ import annotations

from typing import Optional

import pytest

from ._audit import Option, audit
from ._check import check
from ._classes import Classes, Ids, Path
from ._errors import LabelError
from ._report import Report

# Findings that a failing test prints.
SHOWN = 20


class LabelAudit:
    """labelaudit("masks/", classes=21) fails the test if there are findings that fail an audit; check() if a batch is bad."""

    def __call__(
        self, *paths: Path, classes: Optional[Classes] = None, ignore: Ids = None, preset: Optional[str] = None, **options: Option
    ) -> Report:
        __tracebackhide__ = True
        report = audit(*paths, classes=classes, ignore=ignore, preset=preset, **options)
        if not report.ok:
            lines = [str(finding) for finding in report.findings[:SHOWN]]
            if report.findings_total > SHOWN:
                lines.append("and %d more findings" % (report.findings_total - SHOWN))
            pytest.fail("\n".join([*lines, repr(report)]), pytrace=False)
        return report

    def check(self, batch: object, classes: Classes, ignore: Ids = None) -> None:
        __tracebackhide__ = True
        try:
            check(batch, classes, ignore)
        except LabelError as error:
            pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def labelaudit() -> LabelAudit:
    """Audits data sets and batches, and fails the test that uses it if they are bad."""
    return LabelAudit()
