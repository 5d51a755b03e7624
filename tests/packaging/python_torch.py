#!/usr/bin/env python3
"""PyTorch, on the CPU: tensors of every type and layout, losses against PyTorch's own, loaders with workers, data sets, and the callbacks
of docs/python.md. Needs the package importable, the program on PATH, and torch.

usage: python_torch.py [-v]
"""
import itertools
import os
import pickle
import re
import tempfile
import unittest
import warnings

import torch
from torch.utils.data import DataLoader, Dataset

import labelaudit
from labelaudit import _device

from python_batches import run_tests

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/python.md")
GUARD = labelaudit.Guard(21, 255)


class Masks(Dataset):
    """Ten samples; the seventh has a stray id."""

    masks = ["masks/%d.png" % i for i in range(10)]

    def __len__(self):
        return 10

    def __getitem__(self, i):
        mask = torch.full((4, 4), i, dtype=torch.int64)
        if i == 7:
            mask[2, 3] = 21
        return torch.rand(3, 4, 4), mask


def collate(samples):
    images, labels = (torch.stack(parts) for parts in zip(*samples))
    GUARD(labels)
    return images, labels


class Tensors(unittest.TestCase):
    def test_types_and_layouts(self):
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64):
            tensor = torch.zeros((3, 4, 5), dtype=dtype)
            tensor[1, 2, 3] = 30
            for view, index in ((tensor, (1, 2, 3)), (tensor.permute(1, 2, 0), (2, 3, 1)), (tensor[:, ::2, 1:], (1, 1, 2)), (tensor[1, 2, 3], ())):
                with self.assertRaises(labelaudit.LabelError) as caught:
                    labelaudit.check(view, 21, 255)
                self.assertEqual((caught.exception.id, caught.exception.index), (30, index))
        labelaudit.check(torch.tensor([True, False]), 2)
        labelaudit.check(torch.zeros(3, requires_grad=True), 2)
        labelaudit.check(torch.zeros((0, 3), dtype=torch.int64), 2)
        labelaudit.check(torch.zeros(1, dtype=torch.int64).expand(1000, 1000), 2)
        for odd in (torch.zeros(2, dtype=torch.bfloat16), torch.zeros(2, dtype=torch.complex64), torch.eye(2).to_sparse()):
            with self.assertRaises(TypeError):
                labelaudit.check(odd, 2)
        with self.assertRaisesRegex(TypeError, "the labels are on meta"):
            labelaudit.check(torch.zeros(2, device="meta"), 2)

    def test_operations_of_a_device(self):
        classes = labelaudit.Guard("0-5,9", "255,-1").set
        for dtype in (torch.uint8, torch.int64, torch.float32):
            for values in itertools.product([0, 5, 6, 9, 255], repeat=2):
                tensor = torch.tensor(values, dtype=dtype)
                bad = any(value == 6 for value in values)
                self.assertEqual(_device.start(tensor, classes, 1, None).is_bad(), bad, values)
        for value in (0.5, float("nan"), float("inf")):
            self.assertTrue(_device.start(torch.tensor([value]), classes, 1, None).is_bad())


class Losses(unittest.TestCase):
    """What check() takes PyTorch takes, and gives no NaN; what it refuses for shape or type, PyTorch refuses or makes NaN of."""

    def test_cross_entropy_is_of_one_mind_with_pytorch(self):
        loss = torch.nn.CrossEntropyLoss(ignore_index=255)
        agreed = 0
        for logits_shape, target_shape, dtype in itertools.product(
            [(2, 4), (2, 4, 3), (2, 4, 3, 5), (2, 3, 4)],
            [(2,), (2, 3), (2, 3, 5), (2, 1, 3, 5), (2, 4, 3, 5), (2, 3, 5, 4), (2, 1)],
            [torch.int64, torch.int32, torch.float32],
        ):
            target = torch.ones(target_shape, dtype=dtype)
            logits = torch.zeros(logits_shape)
            try:
                labelaudit.check(target, 4, 255, logits=logits, loss="cross_entropy")
                mine = True
            except labelaudit.LabelError:
                mine = False
            try:
                theirs = bool(torch.isfinite(loss(logits, target)))
            except (RuntimeError, IndexError, ValueError):
                theirs = False
            # shares as floats, and logits with another number of channels, PyTorch takes in silence
            silent = target.is_floating_point() and target.shape == logits.shape or logits_shape == (2, 3, 4)
            self.assertTrue(mine == theirs or silent and not mine, (logits_shape, target_shape, dtype, mine, theirs))
            agreed += mine and theirs
        self.assertGreater(agreed, 2)
        ignored = torch.full((2,), 255)
        self.assertTrue(torch.isnan(loss(torch.zeros(2, 4), ignored)))
        with self.assertRaisesRegex(labelaudit.LabelError, "is NaN"):
            labelaudit.check(ignored, 4, 255, logits=torch.zeros(2, 4), loss="cross_entropy")
        with self.assertRaisesRegex(labelaudit.LabelError, "one weight a class"):
            labelaudit.check(torch.ones(2).long(), 4, 255, logits=torch.zeros(2, 4), weight=torch.ones(5))

    def test_bce(self):
        labelaudit.check(torch.rand(2, 3), 3, logits=torch.zeros(2, 3), loss="bce")
        with self.assertRaisesRegex(labelaudit.LabelError, "from 0 to 1"):
            labelaudit.check(torch.full((2, 3), 255.0), 3, logits=torch.zeros(2, 3), loss="bce")
        labelaudit.check(torch.softmax(torch.rand(2, 3, 7), 1), 3, logits=torch.zeros(2, 3, 7), loss="soft_cross_entropy")


class Loaders(unittest.TestCase):
    def test_workers(self):
        for context in ("fork", "spawn", "forkserver"):
            loader = DataLoader(Masks(), batch_size=4, num_workers=1, collate_fn=collate, multiprocessing_context=context)
            with self.assertRaises(labelaudit.LabelError) as caught:
                list(loader)
            error = caught.exception
            self.assertEqual((error.id, error.index, error.ids), (21, (3, 2, 3), {21: 1}))
            self.assertEqual(error.samples, (labelaudit.BadSample(3, None, {21: 1}, (2, 3)),))
            self.assertIn("Caught LabelError in DataLoader worker process 0", str(error))
            self.assertNotIn("<labelaudit", str(error))

    def test_guard(self):
        plain = DataLoader(Masks(), batch_size=4)
        loader = labelaudit.guard(plain, 21, 255, names=Masks.masks, on="collect")
        self.assertIsInstance(loader, DataLoader)
        self.assertEqual((len(loader), loader.batch_size, loader.dataset), (3, 4, plain.dataset))
        self.assertEqual([labels.shape[0] for _, labels in loader], [4, 4, 2])
        self.assertEqual(loader.errors[0].samples[0].name, "masks/7.png")
        with self.assertRaises(labelaudit.LabelError) as caught:
            list(labelaudit.guard(plain, 21, 255))
        self.assertEqual(caught.exception.samples[0].name, "masks/7.png")  # the data set's own list
        shuffled = labelaudit.guard(DataLoader(Masks(), batch_size=4, shuffle=True), 21, 255, on="collect")
        self.assertEqual((len(list(shuffled)), shuffled.errors[0].samples[0].name), (3, None))
        report = loader.report()
        self.assertEqual((report.files, report.histogram[21], report.classes[7].files), (10, 1, 1))
        again = pickle.loads(pickle.dumps(labelaudit.guard([1], 21)))
        self.assertEqual(len(again), 1)

    def test_data_set(self):
        report = labelaudit.audit(labelaudit.sources.torch(Masks()), classes=21, ignore=255)
        self.assertEqual([f.path for f in report.findings if f.rule == "out-of-range-id"], ["masks/7.png.npy"])


class Callbacks(unittest.TestCase):
    def test_the_loop_of_the_page(self):
        with open(PAGE, encoding="utf-8") as file:
            block = next(text for text in re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S) if "def training_loop" in text)
        names = {"labelaudit": labelaudit}
        exec(block, names)
        model = torch.nn.Conv2d(3, 21, 1)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.chdir(folder)
            try:
                with self.assertRaisesRegex(labelaudit.LabelError, "bad/batch-000001.npz"):
                    names["training_loop"](
                        model, DataLoader(Masks(), batch_size=4), torch.nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), 0.1)
                    )
            finally:
                os.chdir(before)


if __name__ == "__main__":
    run_tests()
