#!/usr/bin/env python3
"""labelaudit.sources with the libraries that they read with, each skipped where it is not installed: what they yield is what was written,
and a missing library is a sentence. Needs the package importable and the program on PATH.

usage: python_sources.py [-v]
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import labelaudit
from labelaudit import sources

from python_batches import run_tests

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata")


def needs(*modules):
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    return unittest.skipIf(missing, "no " + ", ".join(missing))


def png(name):
    with open(os.path.join(TESTDATA, "masks", name), "rb") as file:
        return file.read()


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def stray(self, samples, name, id=21):
        """Audits samples of which one has a stray id; the finding names it."""
        report = labelaudit.audit(samples, classes=21, ignore=255)
        found = [f for f in report.findings if f.rule == "out-of-range-id"]
        self.assertEqual([(f.path, f.details["ids"][0][0]) for f in found], [(name, id)])
        return report

    @needs("pyarrow")
    def test_parquet(self):
        import pyarrow
        import pyarrow.parquet

        path = self.path("a.parquet")
        cells = [{"bytes": png("scene-01.png"), "path": "x/one.png"}, {"bytes": png("stray-id-21.png"), "path": None}]
        table = pyarrow.table({"mask": cells, "label": [3, 30], "row": [[[0, 1]], [[2, 3]]], "raw": [png("scene-01.png"), None]})
        pyarrow.parquet.write_table(table, path)
        self.stray(sources.parquet(path, "mask"), path + "/00000001.png")
        self.stray(sources.parquet(self.path("*.parquet"), "label"), path + "/00000000.npy", 30)
        self.assertEqual(labelaudit.audit(sources.parquet([path], "row"), classes=4).labels, 4)
        with self.assertRaisesRegex(ValueError, "a.parquet/00000001: it is empty"):
            list(sources.parquet(path, "raw"))
        with self.assertRaisesRegex(ValueError, "there is no column 'masks'; it has mask, label, row, raw"):
            list(sources.parquet(path, "masks"))
        with self.assertRaisesRegex(FileNotFoundError, "there is no such file"):
            list(sources.parquet(self.path("b*.parquet"), "mask"))
        command = [sys.executable, "-m", "labelaudit.audit", "--source=parquet:" + self.path("*.parquet"), "--column=mask"]
        ran = subprocess.run([*command, "--classes=21", "--ignore=255", "-fconcise"], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertIn("00000001", ran.stdout)

    @needs("pyarrow", "h5py", "numpy", "zarr")
    def test_lines_of_unread_format(self):
        """What the finding unread-format names for each kind, pasted into a shell."""
        import h5py
        import numpy
        import pyarrow
        import pyarrow.parquet
        import zarr

        os.mkdir(self.path("sub"))
        pyarrow.parquet.write_table(pyarrow.table({"label": [3, 30]}), self.path("sub/a.parquet"))
        with h5py.File(self.path("sub/a.h5"), "w") as file:
            file["label"] = numpy.array([[0, 1], [2, 30]], "u1")
        with pyarrow.ipc.new_file(self.path("sub/a.arrow"), pyarrow.schema({"label": pyarrow.int64()})) as writer:
            writer.write_table(pyarrow.table({"label": [3, 30]}))
        group = zarr.open_group(self.path("sub/a.zarr"), mode="w")
        made = group.create_array if hasattr(group, "create_array") else group.create_dataset
        made("masks", shape=(2, 2), dtype="u1", chunks=(2, 2))[...] = [[0, 1], [2, 30]]
        with open(os.path.join(TESTDATA, "../src/read/unread_kinds.txt")) as file:
            lines = re.findall(r"python3 (-m labelaudit\.audit .*?--classes=)CLASSES;", file.read())
        self.assertEqual(len(lines), 4)
        for line in lines:
            command = sys.executable + " " + line.replace("PATH", self.folder) + "21 -f concise -q"
            ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 1, ran)
            self.assertIn("id 30", ran.stdout)

    @needs("pyarrow")
    def test_arrow(self):
        import pyarrow

        table = pyarrow.table({"mask": [png("scene-01.png"), png("stray-id-21.png")]})
        self.stray(sources.arrow(table, "mask"), "arrow/00000001.png")
        for kind in ("new_file", "new_stream"):
            path = self.path(kind)
            with getattr(pyarrow.ipc, kind)(path, table.schema) as writer:
                writer.write_table(table)
            self.stray(sources.arrow(path, "mask"), path + "/00000001.png")

    def test_huggingface(self):
        class Dataset(list):  # as datasets.Dataset: rows, and features by column
            features = {"mask": object(), "label": type("ClassLabel", (), {"names": ["road", "car"]})()}

        rows = Dataset([{"mask": {"bytes": png("scene-01.png"), "path": None}, "label": 0}, {"mask": {"bytes": png("stray-id-21.png"), "path": "b.png"}, "label": 5}])
        self.stray(sources.huggingface(rows, "mask"), "00000001/b.png")
        report = labelaudit.audit(sources.huggingface(rows, "label"), classes=rows.features["label"])
        self.assertEqual(([c.name for c in report.classes], report.out_of_range[0].id), (["road", "car"], 5))
        with self.assertRaisesRegex(ValueError, "has mask, label"):
            list(sources.huggingface(rows, "masks"))

    def test_torch(self):
        class Dataset:
            masks = ["a/one.png", "a/two.png"]

            def __len__(self):
                return 2

            def __getitem__(self, i):
                return None, [[0, 1], [1, 21 * i]]

        self.stray(sources.torch(Dataset()), "a/two.png.npy")
        self.stray(sources.torch([{"y": 3}, {"y": 40}], "y"), "targets.npy", 40)
        with self.assertRaisesRegex(ValueError, "sample 0 has no target 'z'"):
            list(sources.torch([{"y": 3}], "z"))

    @needs("h5py", "numpy")
    def test_hdf5(self):
        import h5py
        import numpy

        path = self.path("a.h5")
        masks = numpy.zeros((3, 4, 4), "u1")
        masks[2, 1, 1] = 21
        with h5py.File(path, "w") as file:
            file["train/masks"] = masks
        for name in (None, "train/masks"):
            self.stray(sources.hdf5(path, name), path + "/train/masks/000002.npy")
        with self.assertRaisesRegex(ValueError, "there is no data set 'masks'; it has train"):
            list(sources.hdf5(path, "masks"))

    @needs("zarr", "numpy")
    def test_zarr(self):
        import numpy
        import zarr

        masks = numpy.zeros((3, 4, 4), "i4")
        masks[1, 1, 1] = 21
        path = self.path("a.zarr")
        group = zarr.open_group(path, mode="w")
        made = group.create_array if hasattr(group, "create_array") else group.create_dataset
        made("masks", shape=masks.shape, dtype="i4", chunks=(1, 4, 4))[...] = masks
        self.stray(sources.zarr(path, "masks"), path + "/masks/000001.npy")
        with self.assertRaisesRegex(ValueError, "name one of its arrays: masks"):
            list(sources.zarr(path))

    @needs("tifffile", "numpy")
    def test_tiff(self):
        import numpy
        import tifffile

        masks = numpy.zeros((2, 6, 4), "u2")
        masks[1, 1, 1] = 21
        tifffile.imwrite(self.path("a.tif"), masks, photometric="minisblack")
        tifffile.imwrite(self.path("b.tif"), masks[0])
        self.stray(sources.tiff(self.path("*.tif")), self.path("a.tif") + "/000001.npy")

    @needs("nibabel", "numpy")
    def test_nifti(self):
        import nibabel
        import numpy

        labels = numpy.zeros((4, 5, 6), "i2")
        labels[1, 2, 3] = 21
        path = self.path("a.nii.gz")
        nibabel.save(nibabel.Nifti1Image(labels, numpy.eye(4)), path)
        (name, array), = sources.nifti(path)
        self.assertEqual((name, array.dtype.kind, array.shape, int(array[1, 2, 3])), (path, "i", (4, 5, 6), 21))
        self.stray(sources.nifti(path), path + ".npy")

    def test_a_missing_library(self):
        open(self.path("x"), "w").close()
        for module, call in (
            ("pyarrow", lambda: sources.arrow(self.path("x"), "a")),
            ("h5py", lambda: sources.hdf5(self.path("x"))),
            ("zarr", lambda: sources.zarr(self.path("x"))),
            ("tifffile", lambda: sources.tiff(self.path("x"))),
            ("nibabel", lambda: sources.nifti(self.path("x"))),
        ):
            with mock.patch.dict(sys.modules, {module: None}):
                with self.assertRaisesRegex(ImportError, "reading this needs %s: pip install %s" % (module, module)):
                    list(call())


if __name__ == "__main__":
    run_tests()
