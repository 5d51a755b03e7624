#!/usr/bin/env python3
"""The Python package, as a training uses it: reports, batches of every layout, errors, signals. Needs the package importable and the
program on PATH; with NumPy, its arrays are tested, too.

usage: python_api.py [-v]
"""
import array
import ctypes
import dataclasses
import json
import os
import pickle
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
from labelaudit import _arrays, _program

try:
    import numpy
except ImportError:
    numpy = None

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata")


class Interface:
    """An array of this test's own: memory, and what __array_interface__ says of it."""

    def __init__(self, values, typestr, shape, strides=None, first=0):
        code = {"i1": "b", "u1": "B", "b1": "B", "i2": "h", "i4": "i", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}[typestr[1:]]
        self.memory = array.array(code, values)
        if typestr[0] == ">":
            self.memory.byteswap()
        address = self.memory.buffer_info()[0] + first * self.memory.itemsize
        self.__array_interface__ = {"version": 3, "typestr": typestr, "shape": shape, "strides": strides, "data": (address, True)}


class Managed(ctypes.Structure):
    _fields_ = [("tensor", _arrays.DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Tensor:
    """As a tensor of PyTorch without NumPy: __dlpack__ alone."""

    def __init__(self, values=(0, 1, 2, 3, 4, 21), shape=(2, 3), strides=None, kind=0, bits=64, device=(1, 0)):
        self.memory = (ctypes.c_int64 * len(values))(*values)
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = strides and (ctypes.c_int64 * len(shape))(*strides)
        self.device = device
        self.managed = Managed()
        tensor = self.managed.tensor
        tensor.data, tensor.ndim, tensor.lanes = ctypes.addressof(self.memory), len(shape), 1
        tensor.device_type, tensor.device_id = device
        tensor.code, tensor.bits = kind, bits
        tensor.shape = self.shape
        if strides:
            tensor.strides = self.strides

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


class Converted:
    """As a tensor of TensorFlow: __array__ alone."""

    def __init__(self, made):
        self.made = made

    def __array__(self):
        return self.made


def check(batch):
    labelaudit.check(batch, classes=21, ignore=255)


class Checks(unittest.TestCase):
    def bad(self, batch, id, index, count):
        with self.assertRaises(labelaudit.LabelError) as caught:
            check(batch)
        error = caught.exception
        self.assertEqual((error.id, error.index, error.count), (id, index, count), str(error))
        return error

    def test_good(self):
        for typestr in ("|u1", "<i4", ">i4", "<i8", ">i8", "<f4", ">f8"):
            with self.subTest(typestr):
                check(Interface([0, 1, 20, 20], typestr, (2, 2)))
        check(Interface([0, 255], "|u1", (2,)))

    def test_names_id_index_count(self):
        error = self.bad(Interface([0, 1, 2, 21, 21, 30], "<i8", (1, 2, 3)), 21, (0, 1, 0), 2)
        self.assertEqual(error.ids, {21: 2, 30: 1})
        self.assertIn("have ids 21, 30; valid ids are 0-20, ignored 255; the first is 21 at [0, 1, 0]", str(error))

    def test_every_type(self):
        for typestr in ("|u1", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "<u8", ">u8", "<f4", ">f4", "<f8", ">f8"):
            with self.subTest(typestr):
                self.bad(Interface([0, 1, 2, 21], typestr, (2, 2)), 21, (1, 1), 1)

    def test_negative(self):
        for typestr in ("|i1", "<i2", "<i4", ">i8", "<f4"):
            with self.subTest(typestr):
                self.bad(Interface([0, -1, -1, 2], typestr, (4,)), -1, (1,), 2)
        labelaudit.check(Interface([0, -100, 2], "<i8", (3,)), classes=3, ignore=-100)

    def test_larger_than_any_id(self):
        error = self.bad(Interface([0, 1, 2, 2**64 - 1], "<u8", (2, 2)), None, (1, 1), 0)
        self.assertIn(str(2**64 - 1), str(error))

    def test_layouts(self):
        values = list(range(20)) + [21] + [0, 0, 0]  # 21 at [1, 2, 0] of (2, 3, 4)
        self.bad(Interface(values, "<i4", (2, 3, 4)), 21, (1, 2, 0), 1)
        self.bad(Interface(values, "<i4", (4, 3, 2), (4, 16, 48)), 21, (0, 2, 1), 1)  # transposed
        self.bad(Interface(values, "<i4", (2, 3, 4), (-48, 16, -4), 15), 21, (0, 2, 3), 1)  # reversed
        self.bad(Interface(values, "<i4", (2, 3, 2), (48, 16, 8)), 21, (1, 2, 0), 1)  # every second
        self.bad(Interface([3, 21], "<i4", (2, 5), (4, 0)), 21, (1, 0), 5)  # broadcast
        self.bad(Interface([21] * 5, "|u1", ()), 21, (), 1)  # a scalar
        wide = [0] * 600 + [21] + [0] * 423
        self.bad(Interface(wide, "<i8", (64, 16), (8, 512)), 21, (24, 9), 1)

    def test_bool(self):
        check(Interface([0, 1, 255, 0], "|b1", (2, 2)))  # Pillow's bits are 0 and 255
        with self.assertRaises(labelaudit.LabelError):
            labelaudit.check(Interface([0, 1], "|b1", (2,)), classes=1)

    def test_fractions(self):
        error = self.bad(Interface([0, 1.5, 0.5, 2], "<f4", (2, 2)), None, (0, 1), 2)
        self.assertIn("the first at [0, 1], the smallest 0.5", str(error))
        error = self.bad(Interface([0, float("nan")], "<f8", (1, 2)), None, (0, 1), 1)
        self.assertIn("NaN", str(error))

    def test_shapes_are_not_read_as_classes_or_samples(self):
        one_hot = [0, 1, 0, 0] * 8
        check(Interface(one_hot, "|u1", (8, 4)))
        check(Interface(one_hot, "<f4", (1, 4, 2, 4)))

    def test_empty(self):
        for shape in ((0,), (0, 4, 4), (4, 0)):
            check(Interface([], "<i8", shape))
        check(Tensor((), (0, 3)))

    def test_dlpack(self):
        self.bad(Tensor(), 21, (1, 2), 1)
        self.bad(Tensor(shape=(3, 2), strides=(1, 3)), 21, (2, 1), 1)
        check(Tensor(values=(0, 1), shape=(2,)))
        check(Tensor(values=(0x0101000100010001,), shape=(8,), kind=6, bits=8))

    def test_array(self):
        self.bad(Converted(Interface([21], "<i8", (1,))), 21, (0,), 1)
        with self.assertRaisesRegex(TypeError, "returned no array, but list"):
            check(Converted([1]))

    def test_devices(self):
        check(Tensor((0, 1), (2,), device=(3, 0)))  # pinned memory is the host's
        for kind, name in ((2, "cuda:1"), (8, "metal:1"), (99, "device type 99:1")):
            with self.assertRaisesRegex(TypeError, r"the labels are on %s, .* pass batch\.cpu\(\)" % name):
                check(Tensor(device=(kind, 1)))
        numba = mock.Mock(spec=["__cuda_array_interface__"])
        with self.assertRaisesRegex(TypeError, r"on cuda, .* batch\.cpu\(\)"):
            check(numba)

    def test_what_is_no_array(self):
        for value in ([[0, 1]], "masks/", None, 3):
            with self.assertRaisesRegex(TypeError, "no array or tensor"):
                check(value)
        for typestr in ("<c8", "|O", "<U4", "<V2", "<M8[s]", "<f16"):
            batch = Interface([0], "<i8", (1,))
            batch.__array_interface__["typestr"] = typestr
            with self.assertRaisesRegex(TypeError, "labels are integers"):
                check(batch)
        for kind, bits, name in ((4, 16, "bfloat16"), (5, 64, "complex64"), (9, 8, "type 9 of DLPack, 8"), (2, 128, "<f16")):
            with self.assertRaisesRegex(TypeError, "labels are integers, and .*Tensor holds %s$" % name):
                check(Tensor(kind=kind, bits=bits))

    def test_classes(self):
        batch = Interface([0, 1, 5], "|u1", (3,))
        for classes in (6, "0-1,5", [0, 1, 5], range(6), {0, 1, 5}):
            labelaudit.check(batch, classes=classes)
        with self.assertRaises(labelaudit.LabelError):
            labelaudit.check(batch, classes=[0, 1])
        with self.assertRaisesRegex(TypeError, "ids are integers"):
            labelaudit.check(batch, classes=["road", "car"])
        with self.assertRaises(labelaudit.AuditError):
            labelaudit.check(batch, classes="no-such-file.txt")

    def test_settings_of_a_folder_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "labelaudit.yaml"), "w") as file:
                file.write("skip: [all]\n")
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.bad(Interface([21], "<i8", (1,)), 21, (0,), 1)
            finally:
                os.chdir(before)

    def test_error_crosses_processes(self):
        error = self.bad(Interface([0, 21], "<i8", (1, 2)), 21, (0, 1), 1)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.id, again.index, again.ids), (str(error), 21, (0, 1), {21: 1}))
        self.assertIsInstance(type(error)("as PyTorch makes it again, from the text alone"), ValueError)


@unittest.skipIf(numpy is None, "no NumPy")
class NumPy(unittest.TestCase):
    def test_layouts(self):
        generator = numpy.random.default_rng(1)
        for _ in range(150):
            shape = tuple(generator.integers(1, 6, generator.integers(1, 5)))
            kind = generator.choice(["u1", "i2", "i4", "i8", "f4", "f8", ">i2", ">i4", ">i8", ">f8"])
            a = generator.integers(0, 21, shape).astype(kind)
            a = a.transpose(generator.permutation(a.ndim))
            a = a[tuple(slice(None, None, step) for step in generator.choice([1, 2, -1, -2], a.ndim))]
            place = tuple(generator.integers(0, a.shape))
            a[place] = 77
            first = tuple(int(i) for i in numpy.argwhere(a == 77)[0])
            for batch in (a, Converted(a)):
                with self.assertRaises(labelaudit.LabelError) as caught:
                    check(batch)
                self.assertEqual((caught.exception.id, caught.exception.index, caught.exception.count), (77, first, 1))
            self.assertEqual(bytes(_arrays.read_array(a).data), a.tobytes())

    def test_broadcast_and_dlpack(self):
        a = numpy.broadcast_to(numpy.arange(3), (4, 3))
        self.assertEqual(bytes(_arrays.read_array(a).data), a.tobytes())
        b = numpy.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
        exported = mock.Mock(spec=["__dlpack__", "__dlpack_device__"])
        exported.__dlpack__ = lambda: b.__dlpack__()
        exported.__dlpack_device__ = lambda: b.__dlpack_device__()
        array = _arrays.read_array(exported)
        self.assertEqual((array.shape, array.typestr, bytes(array.data)), (b.shape, "<i8", b.tobytes()))

    def test_half(self):
        check(numpy.array([0, 20], "f2"))
        with self.assertRaises(labelaudit.LabelError):
            check(numpy.array([0.5], "f2"))


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
            check(Interface([0] * 1000000, "|u1", (1000, 1000)))


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    # A subtest counts as its test.
    bad = len({str(getattr(test, "test_case", test)) for test, _ in outcome.failures + outcome.errors})
    left_out = len(outcome.skipped)
    for _, why in outcome.skipped:
        print("skipped: " + why)
    print("%d passed, %d failed, %d skipped" % (outcome.testsRun - bad - left_out, bad, left_out))
    sys.exit(bool(bad))
