#!/usr/bin/env python3
"""check(), Guard and guard() of the Python package: batches of every layout, losses, loaders, devices, processes. Needs the package
importable and the library beside the program on PATH; with NumPy, its arrays are tested, too.

usage: python_batches.py [-v]
"""
import array
import ctypes
import multiprocessing
import os
import pickle
import sys
import tempfile
import unittest
import warnings
import zipfile
from unittest import mock

import labelaudit
from labelaudit import _arrays, _device

try:
    import numpy
except ImportError:
    numpy = None


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


HAS_CAPSULES = unittest.skipUnless(hasattr(ctypes, "pythonapi"), "PyPy: no capsules of DLPack")


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
        error = self.bad(Interface([0, 1, 2, 2**64 - 1], "<u8", (2, 2)), None, (1, 1), 1)
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
        self.assertIn("2 labels (50.0 %) are no integers; the first is 1.5 at [0, 1]; valid ids are 0-20", str(error))
        error = self.bad(Interface([0, float("nan")], "<f8", (1, 2)), None, (0, 1), 1)
        self.assertIn("NaN", str(error))

    def test_shapes_are_not_read_as_classes_or_samples(self):
        one_hot = [0, 1, 0, 0] * 8
        check(Interface(one_hot, "|u1", (8, 4)))
        check(Interface(one_hot, "<f4", (1, 4, 2, 4)))

    @HAS_CAPSULES
    def test_empty(self):
        for shape in ((0,), (0, 4, 4), (4, 0)):
            check(Interface([], "<i8", shape))
        check(Tensor((), (0, 3)))

    @HAS_CAPSULES
    def test_dlpack(self):
        self.bad(Tensor(), 21, (1, 2), 1)
        self.bad(Tensor(shape=(3, 2), strides=(1, 3)), 21, (2, 1), 1)
        check(Tensor(values=(0, 1), shape=(2,)))
        check(Tensor(values=(0x0101000100010001,), shape=(8,), kind=6, bits=8))

    def test_array(self):
        self.bad(Converted(Interface([21], "<i8", (1,))), 21, (0,), 1)
        with self.assertRaisesRegex(TypeError, "returned no array, but list"):
            check(Converted([1]))

    @HAS_CAPSULES
    def test_devices(self):
        check(Tensor((0, 1), (2,), device=(3, 0)))  # pinned memory is the host's
        for kind, name in ((2, "cuda:1"), (8, "metal:1"), (99, "device type 99:1")):
            with self.assertRaisesRegex(TypeError, r"the labels are on %s, .* pass target\.cpu\(\)" % name):
                check(Tensor(device=(kind, 1)))
        numba = mock.Mock(spec=["__cuda_array_interface__"])
        with self.assertRaisesRegex(TypeError, r"on cuda, .* target\.cpu\(\)"):
            check(numba)

    @HAS_CAPSULES
    def test_what_is_no_array(self):
        for value in ("masks/", None, object(), {0, 1}):
            with self.assertRaisesRegex(TypeError, "no array or tensor"):
                check(value)
        for value, why in (
            ([[0, 1], [2]], "different lengths"),
            ([0, "road"], "the list holds str"),
            ([0, None], "the list holds NoneType"),
            ([0, 2**70], "larger ones"),
            ({"labels": [0], "images": 1}, "a dict with 'labels', 'images'"),
        ):
            with self.assertRaisesRegex(TypeError, why):
                check(value)
        for typestr, what in (("<c8", "complex"), ("|O", "Python objects"), ("<U4", "strings"), ("<V2", "records"), ("<M8[s]", "times"), ("<f16", "")):
            batch = Interface([0], "<i8", (1,))
            batch.__array_interface__["typestr"] = typestr
            with self.assertRaisesRegex(TypeError, "labels are integers, and .*Interface holds " + what):
                check(batch)
        for kind, bits, name in ((4, 16, "bfloat16"), (5, 64, "complex64"), (9, 8, "type 9 of DLPack, 8"), (2, 128, "<f16")):
            with self.assertRaisesRegex(TypeError, "labels are integers, and .*Tensor holds .*%s" % name):
                check(Tensor(kind=kind, bits=bits))

    def test_classes(self):
        batch = Interface([0, 1, 5], "|u1", (3,))
        for classes in (6, "0-1,5", [0, 1, 5], range(6), {0, 1, 5}):
            labelaudit.check(batch, classes=classes)
        with self.assertRaises(labelaudit.LabelError):
            labelaudit.check(batch, classes=[0, 1])
        with self.assertRaises(labelaudit.LabelError):
            labelaudit.check(batch, classes=["road", "car"])
        named = type("ClassLabel", (), {"names": list("abcdef"), "num_classes": 6})()
        for classes in (list("abcdef"), {i: "x" for i in range(6)}, {"x%d" % i: i for i in range(6)}, {"5": "a", "0": "b", "1": "c"}, named):
            labelaudit.check(batch, classes=classes)
        for classes in (None, True, 1.5, ["road", 1], {"a": "b"}, object()):
            with self.assertRaises(TypeError, msg=repr(classes)):
                labelaudit.check(batch, classes=classes)
        with self.assertRaisesRegex(labelaudit.AuditError, "no-such-file.txt"):
            labelaudit.check(batch, classes="no-such-file.txt")

    def test_a_file_of_classes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "names.txt")
            for names, good in ("a\nb\nc\nd\ne\nf\n", True), ("a\nb\n", False):  # it is read again when it changes
                with open(path, "w") as file:
                    file.write(names)
                if good:
                    labelaudit.check([0, 5], classes=path)
                    continue
                with self.assertRaisesRegex(labelaudit.LabelError, "valid ids are 0-1$|valid ids are 0-1;"):
                    labelaudit.check([0, 5], classes=path)

    def test_lists(self):
        check([[0, 1], [20, 255]])
        check([])
        check(3)
        self.bad([[0, 1], [2, 21]], 21, (1, 1), 1)
        self.bad([0.5, 1.0], None, (0,), 1)
        error = self.bad([Interface([0], "<i8", (1,)), Interface([1, 2, 30], "|u1", (1, 3))], 30, (1, 0, 2), 1)
        self.assertEqual(error.samples, (labelaudit.BadSample(1, None, {30: 1}, (0, 2)),))

    def test_samples_and_names(self):
        batch = Interface([0, 1, 2, 3, 21, 21, 4, 5, 30], "<i4", (3, 3))
        with self.assertRaises(labelaudit.LabelError) as caught:
            labelaudit.check(batch, 21, names=["a.png", "b.png", "c.png"])
        error = caught.exception
        self.assertEqual(error.samples, (labelaudit.BadSample(1, "b.png", {21: 2}, (1,)), labelaudit.BadSample(2, "c.png", {30: 1}, (2,))))
        self.assertIn("; bad samples: 1 (b.png), 2 (c.png)", str(error))
        with self.assertRaisesRegex(labelaudit.LabelError, r"bad samples: 1 \(file 1\)"):
            labelaudit.check(batch, 21, names=lambda position: "file %d" % position)

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
        self.assertEqual(again.samples, error.samples)
        self.assertIsInstance(type(error)("as PyTorch makes it again, from the text alone"), ValueError)

    def test_error_of_a_worker_of_pytorch_is_whole(self):
        batch = Interface([0, 1, 21, 30], "<i8", (2, 2))
        worker = mock.Mock(get_worker_info=lambda: "a worker")
        with mock.patch.dict(sys.modules, {"torch.utils.data": worker}):
            with self.assertRaises(labelaudit.LabelError) as caught:
                labelaudit.check(batch, 21, names=["a", "b"])
            text = "Caught LabelError in worker 0.\nOriginal Traceback:\n  labelaudit.LabelError: " + str(caught.exception)
        again = type(caught.exception)(text)
        self.assertNotIn("<labelaudit", str(again))
        error = caught.exception
        self.assertEqual((again.id, again.index, again.count, again.ids, again.samples), (21, (1, 0), 1, {21: 1, 30: 1}, error.samples))


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
            self.assertEqual(bytes(_arrays.c_order(_arrays.read_array(a))), a.tobytes())
            with mock.patch.dict(sys.modules, numpy=None):
                self.assertEqual(bytes(_arrays.c_order(_arrays.read_array(a))), a.tobytes())

    def test_broadcast_and_dlpack(self):
        a = numpy.broadcast_to(numpy.arange(3), (4, 3))
        self.assertEqual(bytes(_arrays.c_order(_arrays.read_array(a))), a.tobytes())
        b = numpy.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
        exported = mock.Mock(spec=["__dlpack__", "__dlpack_device__"])
        exported.__dlpack__ = lambda: b.__dlpack__()
        exported.__dlpack_device__ = lambda: b.__dlpack_device__()
        array = _arrays.read_array(exported)
        self.assertEqual((array.shape, array.typestr, bytes(_arrays.c_order(array))), (b.shape, "<i8", b.tobytes()))

    def test_odd_ones(self):
        frozen = numpy.array([0, 20])
        frozen.flags.writeable = False
        check(frozen)
        check(numpy.int64(3))
        labelaudit.check(frozen, classes=numpy.int64(21), ignore=numpy.uint8(255))
        with self.assertRaisesRegex(TypeError, r"masked array: pass array.filled"):
            check(numpy.ma.masked_array([0, 99], [False, True]))
        for odd in (numpy.array([0, None]), numpy.array(["a"]), numpy.array([1j]), numpy.zeros(2, "i4,i4")):
            with self.assertRaisesRegex(TypeError, "labels are integers"):
                check(odd)
        check(numpy.zeros(1001, "u1")[1:].view("i8"))  # not aligned
        check(numpy.zeros((3, 0, 2)))

    def test_half(self):
        check(numpy.array([0, 20], "f2"))
        with self.assertRaises(labelaudit.LabelError):
            check(numpy.array([0.5], "f2"))


class Losses(unittest.TestCase):
    def refused(self, why, target, logits, loss, weight=None, classes=4, ignore=255):
        with self.assertRaises(labelaudit.LabelError) as caught:
            labelaudit.check(target, classes, ignore, logits=logits, loss=loss, weight=weight)
        self.assertIn(why, str(caught.exception))

    def ids(self, shape, typestr="<i8", value=1):
        count = 1
        for n in shape:
            count *= n
        return Interface([value] * count, typestr, shape)

    def test_cross_entropy(self):
        for logits, target in (((2, 4), (2,)), ((2, 4, 3, 5), (2, 3, 5)), ((4,), ())):
            labelaudit.check(self.ids(target), 4, 255, logits=logits, loss="cross_entropy", weight=[1.0] * 4)
        self.refused("it has a channel axis: target.squeeze(1)", self.ids((2, 1, 3, 5)), (2, 4, 3, 5), "cross_entropy")
        self.refused("it has a channel axis: target.squeeze(-1)", self.ids((2, 3, 5, 1)), (2, 4, 3, 5), "nll")
        self.refused("it is one-hot or soft: target.argmax(1)", self.ids((2, 4)), (2, 4), "cross_entropy")
        self.refused("it is one-hot, the classes last: target.argmax(-1)", self.ids((2, 3, 5, 4)), (2, 4, 3, 5), "cross_entropy")
        self.refused("the sizes differ: resize", self.ids((2, 6, 10)), (2, 4, 3, 5), "cross_entropy")
        self.refused("the target is int32; cross_entropy wants ids of int64: target.long()", self.ids((2,), "<i4"), (2, 4), "cross_entropy")
        self.refused("the target is float32", self.ids((2,), "<f4"), (2, 4), "nll")
        self.refused("3 channels; cross_entropy wants one a class: 4", self.ids((2,)), (2, 3), "cross_entropy")
        self.refused("the classes are the last axis: logits.movedim(-1, 1)", self.ids((2, 3, 5)), (2, 3, 5, 4), "cross_entropy")
        self.refused("weight has shape [3]; cross_entropy wants one weight a class: (4,)", self.ids((2,)), (2, 4), "cross_entropy", [1, 1, 1])
        self.refused("every label of the batch is ignored: the mean of cross_entropy is NaN", self.ids((2,), value=255), (2, 4), "cross_entropy")
        self.refused("2 labels (100.0 %) have id 9", self.ids((2,), value=9), (2, 4), "cross_entropy")
        shares = Interface([0.25] * 8, "<f4", (2, 4))
        self.refused("soft_cross_entropy would take it as it is", shares, (2, 4), "cross_entropy")
        self.refused("bce would take it as it is", Interface([0, 1] * 4, "<f4", (2, 4)), (2, 4), "cross_entropy")

    def test_bce(self):
        good = Interface([0, 0.5, 1, 0, 1, 1, 0, 0], "<f4", (2, 4))
        labelaudit.check(good, 4, logits=(2, 4), loss="bce")
        self.refused("the target has 255 at [0, 1]; bce wants values from 0 to 1: (target / 255)", Interface([0, 255], "<f4", (1, 2)), (1, 2), "bce")
        self.refused("the target has nan at [0]", Interface([float("nan")], "<f8", (1,)), None, "bce")
        self.refused("the target is int64; bce wants floats: target.float()", self.ids((2, 4)), (2, 4), "bce")
        self.refused("target.unsqueeze(1).float()", self.ids((2, 3)), (2, 1, 3), "bce")
        self.refused("it holds ids, which cross_entropy takes", self.ids((2, 3)), (2, 4, 3), "bce")

    def test_soft_and_dice(self):
        labelaudit.check(Interface([0.25] * 8, "<f4", (2, 4)), 4, logits=(2, 4), loss="soft_cross_entropy")
        self.refused("the shares at [1] add up to 1.5", Interface([0.25] * 4 + [0.5, 0.5, 0.5, 0], "<f4", (2, 4)), (2, 4), "soft_cross_entropy")
        self.refused("it holds ids", self.ids((2, 3)), (2, 4, 3), "soft_cross_entropy")
        labelaudit.check(self.ids((2, 3), "|u1"), 4, logits=(2, 4, 3), loss="dice")
        self.refused("dice wants ids, integers", self.ids((2, 3), "<f4"), (2, 4, 3), "dice")
        with self.assertRaisesRegex(ValueError, "there is no loss 'hinge'"):
            labelaudit.check([0], 4, loss="hinge")

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_the_same_by_numpy(self):
        for values in ([0.25] * 8, [0.5] * 8, [0, 1] * 4, [0, -1] * 4):
            array = _arrays.read_array(Interface(values, "<f4", (2, 4)))
            from labelaudit import _losses

            fast = _losses._outside(array), _losses._odd_sum(array)
            with mock.patch.dict(sys.modules, numpy=None):
                self.assertEqual((_losses._outside(array), _losses._odd_sum(array)), fast)


GUARD = labelaudit.Guard(21, 255)


def guarded(batch):
    """For processes of multiprocessing."""
    try:
        GUARD(batch)
    except labelaudit.LabelError as error:
        return error
    return None


class Guards(unittest.TestCase):
    def test_guard(self):
        guard = labelaudit.Guard(["road", "car"], ignore=[255], loss="cross_entropy")
        again = pickle.loads(pickle.dumps(guard))
        self.assertEqual(repr(again), "Guard(valid ids are 0-1, ignored 255)")
        for each in (guard, again):
            each([0, 1, 255], logits=(3, 2))
            with self.assertRaisesRegex(labelaudit.LabelError, "target.squeeze"):
                each([[0], [1], [1]], logits=(3, 2))
            with self.assertRaises(labelaudit.LabelError):
                each([2])

    def test_processes(self):
        for method in ("fork", "spawn", "forkserver"):
            with multiprocessing.get_context(method).Pool(1) as pool:
                error = pool.apply(guarded, ([[0, 1], [2, 21]],))
                self.assertEqual((error.id, error.index, error.samples), (21, (1, 1), (labelaudit.BadSample(1, None, {21: 1}, (1,)),)))

    def test_a_batch_on_a_device(self):
        asked = []

        class Lanes:  # a tensor on a device, with the operations that are needed of one
            dtype = "int64"
            device = mock.Mock(type="cuda", __str__=lambda self: "cuda:0")

            def __init__(self, values):
                self.values = values

            def _with(self, other, what):
                others = other.values if isinstance(other, Lanes) else [other] * len(self.values)
                return Lanes([what(a, b) for a, b in zip(self.values, others)])

            def __ge__(self, other):
                return self._with(other, lambda a, b: a >= b)

            def __le__(self, other):
                return self._with(other, lambda a, b: a <= b)

            def __eq__(self, other):
                return self._with(other, lambda a, b: a == b)

            def __ne__(self, other):
                return self._with(other, lambda a, b: a != b)

            def __and__(self, other):
                return self._with(other, lambda a, b: a and b)

            def __or__(self, other):
                return self._with(other, lambda a, b: a or b)

            def __invert__(self):
                return Lanes([not a for a in self.values])

            def any(self):
                return any(self.values)

            def cpu(self):
                asked.append(self)
                return Interface(self.values, "<i8", (len(self.values),))

        guard = labelaudit.Guard(21, 255)
        good, bad = Lanes([0, 20, 255]), Lanes([0, 21, 3])
        guard(good)
        guard(bad)  # nothing waits here
        self.assertEqual(asked, [])
        with self.assertRaises(labelaudit.LabelError) as caught:
            guard(good, names="abc")
        self.assertIn("in step 2: 1 label (33.3 %) has id 21", str(caught.exception))
        self.assertEqual(caught.exception.index, (1,))
        guard(bad, names="abc")
        with self.assertRaisesRegex(labelaudit.LabelError, r"in step 4: .* bad samples: 1 \(b\)"):
            guard.finish()
        guard.finish()
        bad.cpu = mock.Mock(side_effect=RuntimeError("device-side assert"))
        guard(bad)
        with self.assertRaisesRegex(labelaudit.LabelError, "in step 5: labels are neither .* sync=True finds the place"):
            guard.finish()
        with self.assertRaises(labelaudit.LabelError):
            labelaudit.Guard(21, 255, sync=True)(Lanes([0, 30]))
        with self.assertRaisesRegex(TypeError, "sync=True, or use a Guard"):
            labelaudit.check(good, 21)
        copied = []
        pending = _device.start(bad, guard.set, 1, None, lambda flag: copied.append(flag) or (lambda: flag))
        self.assertEqual((copied, pending.is_bad()), ([True], True))

    def batches(self):
        return [
            {"image": None, "labels": Interface([0, 1, 2, 3], "<i8", (2, 2)), "path": ["a", "b"]},
            {"image": [0.5, 1], "labels": Interface([0, 1, 21, 3], "<i8", (2, 2)), "path": ["c", "d"]},
            {"image": None, "labels": Interface([0, 255, 2, 3], "<i8", (2, 2)), "path": ["e", "f"]},
        ]

    def test_loader(self):
        with self.assertRaises(labelaudit.LabelError) as caught:
            list(labelaudit.guard(self.batches(), 21, 255, target="labels", names="path"))
        self.assertEqual(caught.exception.samples[0].name, "d")
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            self.assertEqual(len(list(labelaudit.guard(self.batches(), 21, 255, target="labels", on="warn"))), 3)
        self.assertIn("step 1: 1 label (25.0 %) has id 21", str(warned[0].message))
        loader = labelaudit.guard(self.batches(), 21, 255, target=lambda batch: batch["labels"], names=list("uvwxyz"), on="drop")
        self.assertEqual((len(list(loader)), len(loader), loader.errors[0].samples[0].name), (2, 3, "x"))
        twice = [self.batches()[1], self.batches()[1]]  # the names of the second do not move with the first
        loader = labelaudit.guard(twice, 21, 255, target="labels", names=list("uvwx"), on="collect")
        self.assertEqual((len(list(loader)), [error.samples[0].name for error in loader.errors]), (2, ["v", "x"]))
        for target, why in (("masks", "a dict with 'image', 'labels', 'path'"), (1, "no such part"), (("labels", 5), "target=")):
            with self.assertRaisesRegex(TypeError, why):
                list(labelaudit.guard(self.batches(), 21, target=target))
        with self.assertRaisesRegex(ValueError, "on='stop'"):
            labelaudit.guard([], 21, on="stop")
        own = type("Loader", (), {"batch_size": 7, "__iter__": lambda self: iter([([1], [0])])})()
        guard = labelaudit.guard(own, 21)
        self.assertEqual((guard.batch_size, list(guard)), (7, [([1], [0])]))
        with self.assertRaises(TypeError):
            len(guard)

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = os.path.join(folder, "bad")
            with self.assertRaisesRegex(labelaudit.LabelError, "the batch is in .*batch-000001.npz"):
                list(labelaudit.guard(self.batches(), 21, 255, target="labels", save=bad))
            self.assertEqual(os.listdir(bad), ["batch-000001.npz"])
            with zipfile.ZipFile(os.path.join(bad, "batch-000001.npz")) as archive:
                self.assertEqual(sorted(archive.namelist()), ["batch_image.npy", "batch_labels.npy", "target.npy"])
            if numpy is not None:
                made = numpy.load(os.path.join(bad, "batch-000001.npz"))
                self.assertEqual((made["target"].tolist(), made["batch_image"].tolist()), ([[0, 1], [21, 3]], [0.5, 1.0]))

    def test_report_is_that_of_the_audit(self):
        samples = [[[0, 1], [1, 1]], [[2, 255], [2, 2]], [[0, 0], [0, 3]], [[1, 21], [30, 30]]]
        loader = labelaudit.guard([(None, samples[:2]), (None, samples[2:])], 5, 255, on="collect")
        self.assertEqual(len(list(loader)), 2)
        mine, audited = loader.report(), labelaudit.audit(samples, classes=5, ignore=255)
        for field in ("ok", "files", "labels", "histogram", "ignored"):
            self.assertEqual(getattr(mine, field), getattr(audited, field), field)
        self.assertEqual([(c.id, c.labels, c.files) for c in mine.classes], [(c.id, c.labels, c.files) for c in audited.classes])
        self.assertEqual([(i.id, i.labels, i.files) for i in mine.out_of_range], [(i.id, i.labels, i.files) for i in audited.out_of_range])
        for kind in ("median_frequency", "inverse_frequency", "effective_number"):
            for one, other in zip(getattr(mine.weights, kind), getattr(audited.weights, kind)):
                self.assertTrue(one is other is None or abs(one - other) < 1e-5 * other, (kind, one, other))
        self.assertEqual((mine.errors, mine.findings[0].rule), (1, "out-of-range-id"))
        self.assertEqual(repr(mine), "<labelaudit.Report: fail, 1 errors, 0 warnings in 4 files>")
        self.assertIn("have ids 21, 30", mine.to_html())
        self.assertEqual(sorted(set(audited.to_dict()) - set(mine.to_dict())), [])
        quick = labelaudit.guard([(None, samples[:2]), (None, samples[2:])], 5, 255, on="collect", count=False)
        self.assertEqual(len(list(quick)), 2)
        self.assertEqual((quick.report().files, quick.report().labels, quick.report().histogram, quick.report().ok), (4, 16, {}, False))
        single = labelaudit.guard([(None, [0, 1, 1]), (None, [2, 2])], 5)
        list(single)
        self.assertEqual((single.report().files, single.report().classes[1].files, single.report().ok), (5, 2, True))

    def test_any_number_of_ids_is_counted(self):
        # More different ids than the library's counter holds at once: of one batch, of several, of one sample.
        rows = [[list(range(first, first + 30000))] for first in range(100000, 280000, 30000)]
        batches = [(None, batch) for batch in (rows[:3], rows[3:], [[list(range(-70000, 0))]], [[[1]]])]
        loader = labelaudit.guard(batches, 300000, on="collect")
        self.assertEqual(len(list(loader)), 4)
        report = loader.report()
        self.assertEqual((report.files, report.labels, len(report.histogram), report.errors), (8, 250001, 180001, 1))
        self.assertEqual(set(report.histogram.values()), {1})


def run_tests():
    """Runs the tests of the program that calls it."""
    outcome = unittest.main(exit=False).result
    # A subtest counts as its test.
    bad = len({str(getattr(test, "test_case", test)) for test, _ in outcome.failures + outcome.errors})
    left_out = len(outcome.skipped)
    for _, why in outcome.skipped:
        print("skipped: " + why)
    print("%d passed, %d failed, %d skipped" % (outcome.testsRun - bad - left_out, bad, left_out))
    sys.exit(bool(bad))


if __name__ == "__main__":
    run_tests()
