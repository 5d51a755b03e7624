#!/usr/bin/env python3
"""Runs the examples of docs/python.md, in the order of the page: ```python is run, ```pycon is run and compared. Tests among them
are left to pytest, whose file they are written to. Then the cells of docs/python.ipynb, which assert what they show.

usage: python_docs.py TESTS      in testdata/; the package importable, the program on PATH
"""
import contextlib
import doctest
import io
import json
import os
import re
import sys
import tempfile
from unittest import mock

import labelaudit
from python_batches import Interface

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/python.md")


def batch(first):
    """Labels of 2 x 32 x 32; three of them are 21, the first at [1, 7, 4]."""
    labels = [0] * 2048
    for place in (first, first + 1, first + 40):
        labels[place] = 21
    return Interface(labels, "<i8", (2, 32, 32))


def train(names, loader):
    """Runs the plain loop in a folder of its own: it keeps the bad batch there."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            names["training_loop"](mock.Mock(), loader, mock.Mock(), mock.Mock())
        finally:
            os.chdir(before)
            assert os.listdir(os.path.join(folder, "bad"))


# Each callback of the page, fed the batches of the loader as its framework would.
CALLBACKS = {
    "training_loop": lambda names, loader: train(names, loader),
    "LabelAudit": lambda names, loader: [names["LabelAudit"](21, 255).on_train_batch_start(None, None, batch, 0) for batch in loader],
    "audited": lambda names, loader: list(names["audited"](loader, 21, 255)),
    "AuditingCollator": lambda names, loader: [names["AuditingCollator"](lambda x: {"labels": x[1]}, 21, 255)(batch) for batch in loader],
}


def main():
    # What the page takes for given.
    loader = [(None, Interface([0, 20, 255], "<i8", (1, 3))), (None, batch(1024 + 7 * 32 + 4))]
    names = {"labelaudit": labelaudit, "loader": loader, "train_step": lambda images, labels: None, "stack": lambda samples: samples}
    names["data_set"] = [(None, [[0, 1], [1, 0]]), (None, [[2, 255], [2, 2]])]
    passed = failed = 0
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"^```(python|pycon)\n(.*?)^```$", file.read(), re.M | re.S)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.REPORT_UDIFF)
    for number, (kind, text) in enumerate(blocks):
        if kind == "pycon":
            test = doctest.DocTestParser().get_doctest(text, {}, "python.md, block %d" % number, PAGE, 0)
            test.globs = names
            bad = runner.run(test, clear_globs=False).failed
        elif "def test_" in text:
            with open(sys.argv[1], "w", encoding="utf-8") as file:
                file.write("import pytest\nfrom python_batches import Interface\n\n\n@pytest.fixture\ndef first_batch():\n")
                file.write('    return Interface([0, 20, 255], "<i8", (1, 3))\n\n\n' + text)
            continue
        else:
            bad = 0
            exec(compile(text, "python.md, block %d" % number, "exec"), names)
        passed, failed = passed + (not bad), failed + bool(bad)
    names["collate"](loader[0])  # samples that are a batch already: with `stack` above
    for what, use in CALLBACKS.items():
        caught = 0
        try:
            use(names, loader)
        except labelaudit.LabelError as error:
            caught = error.id == 21
        if not caught:
            print("%s lets the bad batch pass" % what)
        passed, failed = passed + bool(caught), failed + (not caught)
    with open(os.path.join(os.path.dirname(PAGE), "python.ipynb"), encoding="utf-8") as file:
        cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names = {}
    for number, text in enumerate(cells):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "python.ipynb, cell %d" % number, "exec"), names)
        passed += 1
    print("%d passed, %d failed, 0 skipped" % (passed + 1, failed))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
