#!/usr/bin/env python3
"""The Python package: reports of files and of samples in memory, errors, signals. Needs the package importable and the program on PATH.

usage: python_api.py [-v]
"""
import dataclasses
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

import labelaudit
from labelaudit import _program

from python_batches import Interface, run_tests

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata")


class Audits(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(TESTDATA)

    def test_report(self):
        report = labelaudit.audit("masks/", classes=21, ignore=255)
        self.assertFalse(report.ok)
        self.assertTrue(report.complete)
        self.assertEqual((report.errors, len(report.findings)), (11, report.findings_total))
        plain = json.loads(
            subprocess.run(["labelaudit", "-c21", "-i255", "-fjson", "-q", "masks/"], stdout=subprocess.PIPE, check=False).stdout
        )
        made = report.to_dict()
        plain.pop("run"), made.pop("run")
        self.assertEqual(made, plain)
        self.assertEqual([[i, n] for i, n in report.histogram.items()], plain["histogram"])
        self.assertEqual(len(report.classes), 21)
        self.assertEqual(len(report.weights.median_frequency), 21)
        self.assertEqual(report.weights.inverse_frequency, tuple(plain["class_weights"]["inverse_frequency"]))
        self.assertEqual(report.ignored[0].id, 255)
        self.assertEqual(report.out_of_range[0], labelaudit.IdCount(21, 128, 1, "masks/stray-id-21.png"))
        stray = [f for f in report.findings if f.path == "masks/stray-id-21.png" and f.rule == "out-of-range-id"]
        self.assertEqual(stray[0].details["first"]["id"], 21)
        self.assertEqual(len(set(report.findings)), len(report.findings))
        self.assertTrue(str(stray[0]).startswith("masks/stray-id-21.png: error out-of-range-id: "))
        self.assertEqual(repr(report), "<labelaudit.Report: fail, 11 errors, %d warnings in 20 files>" % report.warnings)

    def test_frozen(self):
        report = labelaudit.audit("clean/", classes=4, ignore=255)
        self.assertTrue(report.ok)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            report.ok = False
        report.to_dict()["summary"]["errors"] = 7
        self.assertEqual(report.to_dict()["summary"]["errors"], 0)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            page, lines = os.path.join(folder, "page.html"), os.path.join(folder, "x.sarif")
            report = labelaudit.audit(
                "masks/", "clean/", classes=21, ignore=[255], select="range", skip=["scaled-ids"], output=[page, lines], strict=True, jobs=1
            )
            self.assertTrue(os.path.getsize(page) and os.path.getsize(lines))
        self.assertEqual({f.rule for f in report.findings} & {"scaled-ids", "color-mask"}, set())
        self.assertTrue(report.to_dict()["settings"]["strict"])
        report = labelaudit.audit("masks/", preset="voc")
        self.assertEqual((report.classes[20].name, report.ignored[0].id), ("tvmonitor", 255))
        for name in ("format", "list", "progress", "version"):
            with self.assertRaisesRegex(TypeError, "has no option"):
                labelaudit.audit("masks/", classes=21, **{name: "text"})

    def test_names_that_are_options(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            shutil.copy(os.path.join(TESTDATA, "masks/stray-id-21.png"), "--exit-zero.png")
            self.assertEqual(labelaudit.audit("--exit-zero.png", classes=21, ignore=255).errors, 1)

    def test_names_that_are_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(TESTDATA, "masks/stray-id-21.png"), os.path.join(os.fsencode(folder), b"a\xff.png"))
            report = labelaudit.audit(folder, classes=21, ignore=255, select="out-of-range-id")
            self.assertTrue(os.path.exists(report.findings[0].path), report.findings[0])

    def test_html(self):
        report = labelaudit.audit("masks/", classes=21, ignore=255)
        page = report.to_html()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn("stray-id-21.png", page)
        frame = report._repr_html_()
        self.assertTrue(frame.startswith("<iframe ") and frame.count("<") == 2, frame[:80])

    def test_pandas(self):
        report = labelaudit.audit("masks/", classes=21, ignore=255)
        try:
            import pandas
        except ImportError:
            with self.assertRaises(ImportError):
                report.to_pandas()
            return
        findings, classes = report.to_pandas(), report.to_pandas("classes")
        self.assertIsInstance(findings, pandas.DataFrame)
        self.assertEqual((len(findings), len(classes)), (len(report.findings), 21))
        self.assertEqual(int(classes["labels"].sum()), sum(c.labels for c in report.classes))
        with self.assertRaises(ValueError):
            report.to_pandas("histogram")


class Failures(unittest.TestCase):
    def test_not_done(self):
        with self.assertRaisesRegex(labelaudit.AuditError, "^nowhere: No such file or directory") as caught:
            labelaudit.audit("nowhere", classes=21)
        self.assertEqual((caught.exception.status, caught.exception.report), (2, None))
        with self.assertRaisesRegex(labelaudit.AuditError, "unknown option --bogus"):
            labelaudit.audit(TESTDATA, classes=21, bogus=1)
        with self.assertRaisesRegex(labelaudit.AuditError, "--classes"):
            labelaudit.audit(os.path.join(TESTDATA, "masks"), no_config=True)

    def program(self, text):
        """Puts a program in the place of the real one."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "labelaudit")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        patch = mock.patch.object(_program, "find_program", lambda: path)
        patch.start()
        self.addCleanup(patch.stop)
        return folder

    def test_partial_report(self):
        self.program("""echo '{"complete": false}'; echo 'labelaudit: error: x.png: Permission denied' >&2; exit 2""")
        with self.assertRaisesRegex(labelaudit.AuditError, "^x.png: Permission denied$") as caught:
            labelaudit.audit("x")
        self.assertEqual(caught.exception.report, {"complete": False})

    def test_interrupted_from_elsewhere(self):
        self.program("exit 130")
        with self.assertRaisesRegex(labelaudit.AuditError, "exit status 130") as caught:
            labelaudit.audit("x")
        self.assertEqual(caught.exception.status, 130)

    def test_killed(self):
        self.program("kill -KILL $$")
        with self.assertRaisesRegex(labelaudit.AuditError, r"ended by signal 9 \(Killed\)") as caught:
            labelaudit.audit("x")
        self.assertEqual(caught.exception.status, -9)

    def test_nonsense(self):
        self.program("echo nonsense")
        with self.assertRaisesRegex(labelaudit.AuditError, "is no report"):
            labelaudit.audit("x")
        self.program("exit 0")
        with self.assertRaises(labelaudit.AuditError):
            labelaudit.audit("x")

    def test_missing(self):
        _program.find_program.cache_clear()
        self.addCleanup(_program.find_program.cache_clear)
        with mock.patch.dict(os.environ, PATH=""), mock.patch("importlib.metadata.files", lambda name: None), mock.patch(
            "sysconfig.get_path", lambda name: "/nowhere"
        ):
            with self.assertRaisesRegex(labelaudit.ProgramNotFoundError, "the program was not found"):
                labelaudit.audit("x")
        self.assertTrue(issubclass(labelaudit.ProgramNotFoundError, labelaudit.AuditError))
        folder = self.program("")
        os.remove(os.path.join(folder, "labelaudit"))
        with self.assertRaisesRegex(labelaudit.ProgramNotFoundError, "No such file"):
            labelaudit.audit("x")

    def test_keyboard_interrupt_ends_the_program(self):
        for trap in ("", "trap '' TERM INT"):  # one that ends, one that must be killed
            folder = self.program(trap + "\nwhile :; do sleep 0.1; done")
            text = textwrap.dedent(
                """
                import signal, subprocess, sys, labelaudit
                from labelaudit import _program
                signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
                class Popen(subprocess.Popen):
                    def communicate(self, *words, **named):
                        print(self.pid, flush=True)
                        return super().communicate(*words, **named)
                subprocess.Popen = Popen
                _program.find_program, _program.GRACE = lambda: sys.argv[1], 0.3
                try:
                    labelaudit.audit("x")
                except KeyboardInterrupt:
                    print("interrupted")
                """
            )
            words = [sys.executable, "-c", text, os.path.join(folder, "labelaudit")]
            with subprocess.Popen(words, stdout=subprocess.PIPE) as caller:
                pid = int(caller.stdout.readline())
                caller.send_signal(signal.SIGINT)
                try:
                    self.assertIn(b"interrupted\n", caller.communicate(timeout=60)[0])
                except subprocess.TimeoutExpired:
                    caller.kill()
                    raise
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)

    def test_early_end_of_a_reader(self):
        self.program("echo 'labelaudit: error: enough' >&2; exit 2")  # reads nothing of a batch larger than a pipe
        with self.assertRaisesRegex(labelaudit.AuditError, "^enough$"):
            labelaudit.audit((bytes(100000) for _ in range(100)), classes=21)


class Samples(unittest.TestCase):
    """audit() of what Python yields."""

    def png(self, name):
        with open(os.path.join(TESTDATA, "masks", name), "rb") as file:
            return file.read()

    def test_same_as_files(self):
        names = ["scene-01.png", "stray-id-21.png", "cut-short.png", "painted-in-colours.png", "photo.png"]
        samples = labelaudit.audit(((name, self.png(name)) for name in names), classes=21, ignore=255)
        files = labelaudit.audit(*(os.path.join(TESTDATA, "masks", name) for name in names), classes=21, ignore=255)
        self.assertEqual(samples.histogram, files.histogram)
        self.assertEqual(
            sorted((f.rule, f.path) for f in samples.findings if f.path and f.level == "error"),
            sorted((f.rule, os.path.basename(f.path)) for f in files.findings if f.path and f.level == "error"),
        )
        self.assertEqual(samples.out_of_range[0].example, "stray-id-21.png")

    def test_every_kind_of_sample(self):
        bad = Interface([0, 1, 2, 21, 20, 0], "<i8", (2, 3))
        turned = Interface([0, 1, 2, 21, 20, 0], "<i8", (3, 2), (8, 24))
        path = Interface([0], "|u1", (1, 1))
        report = labelaudit.audit([bad, ("a/b", turned), ("ü" * 80, path), [[1, 2], [3, 30]], self.png("stray-id-21.png")], classes=21)
        self.assertEqual(report.files, 5)
        self.assertEqual(
            {f.path for f in report.findings if f.rule == "out-of-range-id"}, {"000000.npy", "a/b.npy", "000003.npy", "000004.png"}
        )
        self.assertEqual({i.id for i in report.out_of_range}, {21, 30, 255})

    def test_memory_of_a_sample_that_is_gone(self):
        class Image:  # as Pillow's: the bytes are made when they are asked for
            @property
            def __array_interface__(self):
                return {"version": 3, "typestr": "|u1", "shape": (64, 64), "data": bytes([7]) * 4096}

        report = labelaudit.audit((Image() for _ in range(50)), classes=21)
        self.assertEqual(report.histogram, {7: 50 * 4096})

    def test_classes_with_names(self):
        report = labelaudit.audit([[[0, 1], [1, 2]]], classes={0: "road", 1: "car"}, ignore=2)
        self.assertEqual([c.name for c in report.classes], ["road", "car"])
        self.assertEqual(report.ignored[0].labels, 1)

    def test_an_iterator_that_raises(self):
        def broken():
            yield [[0]]
            raise RuntimeError("mine")

        with self.assertRaisesRegex(RuntimeError, "^mine$"):
            labelaudit.audit(broken(), classes=21)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        with self.assertRaisesRegex(TypeError, "^sample 000001 is no array"):
            labelaudit.audit([[[0]], object()], classes=21)

    def test_a_program_that_ends(self):
        endless = ([[0] * 1000] * 1000 for _ in iter(int, 1))
        with self.assertRaisesRegex(labelaudit.AuditError, "unknown option"):
            labelaudit.audit(endless, classes=21, bogus=1)

    def test_no_place_for_names(self):
        with mock.patch("os.memfd_create", side_effect=OSError("forbidden")), mock.patch(
            "tempfile.TemporaryFile", side_effect=FileNotFoundError("no usable temporary directory")
        ):
            with self.assertRaisesRegex(labelaudit.AuditError, "no place to write the names of the classes to: no usable"):
                labelaudit.audit([[[0]]], classes=["road"])
            self.assertEqual(labelaudit.audit([[[0]]], classes=1).labels, 1)

    def test_keyboard_interrupt(self):
        text = textwrap.dedent(
            """
            import os, signal, labelaudit
            signal.signal(signal.SIGINT, signal.default_int_handler)
            def endless():
                while True:
                    yield [[0]]
                    print(flush=True)
            try:
                labelaudit.audit(endless(), classes=21)
            except KeyboardInterrupt:
                try:
                    os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    print("interrupted", flush=True)
            """
        )
        with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as caller:
            caller.stdout.readline()
            caller.send_signal(signal.SIGINT)
            self.assertTrue(caller.communicate(timeout=60)[0].endswith(b"interrupted\n"))

    def test_the_command(self):
        command = [sys.executable, "-m", "labelaudit.audit"]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "given.py"), "w") as file:
                file.write("data = [(None, [[0, 1], [2, 21]]), (None, [[0, 0], [1, 0]])]\n")
            for words, status, said in (
                (["--source", "torch:given.data", "-c21", "-ftext"], 1, "000000"),
                (["--source=torch:given.data", "--column", "1", "-c22", "-ftext"], 0, "PASS"),
                (["--source", "torch:given.data", "--column=5", "-c22"], 2, "has no target 5"),
                (["--source", "parquet:nowhere.parquet", "-c22"], 2, "--column says which column"),
                (["--source", "cdr:x", "-c22"], 2, "there is no source 'cdr'"),
                (["-c22"], 2, "--source is missing"),
            ):
                ran = subprocess.run(
                    [*command, *words], cwd=folder, env=dict(os.environ, PYTHONPATH=folder + ":" + ":".join(sys.path)), capture_output=True, text=True, check=False
                )
                self.assertEqual(ran.returncode, status, (words, ran))
                self.assertIn(said, ran.stdout + ran.stderr)

    def test_the_function_stays_after_the_import_of_its_command(self):
        import labelaudit.audit as command

        self.assertEqual(labelaudit.audit([[[3]]], classes=21).labels, 1)
        self.assertTrue(callable(command.main))


if __name__ == "__main__":
    run_tests()
