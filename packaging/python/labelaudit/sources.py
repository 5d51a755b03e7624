"""Samples of data sets that Python libraries read, for labelaudit.audit().

    report = labelaudit.audit(labelaudit.sources.parquet("data/*.parquet", "mask"), classes=21, ignore=255)

Each function is a generator of names and samples. The library that it needs is imported when it is called; an ImportError says
which one is missing. Names are those of the file and the row, so that a finding leads there.
"""
from __future__ import annotations

import glob
import importlib
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._classes import Path

Samples = Iterator[Tuple[str, Any]]
Paths = Union[Path, Sequence[Path]]


def _need(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError("reading this needs %s: pip install %s" % (package, package)) from error


def _files(paths: Paths) -> List[str]:
    """The files of a pattern, a folder's of none, or the paths given. Raises FileNotFoundError if there are none."""
    if not isinstance(paths, (str, os.PathLike)):
        return [os.fspath(path) for path in paths]
    path = os.fspath(paths)
    found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileNotFoundError("%s: there is no such file" % path)
    return found


def _of_row(value: Any, name: str) -> Tuple[str, Any]:
    """A cell of a table: what datasets calls an Image is {"bytes": ..., "path": ...}."""
    if isinstance(value, Mapping) and "bytes" in value:
        path = value.get("path")
        name = "%s/%s" % (name, os.path.basename(path)) if path else name
        if value["bytes"] is not None:
            return name, value["bytes"]
        if path is None:
            raise ValueError("%s: it is empty: neither bytes nor a path" % name)
        with open(path, "rb") as file:
            return name, file.read()
    if value is None:
        raise ValueError("%s: it is empty" % name)
    return name, value


def _of_table(batches: Iterable[Any], column: str, name: str) -> Samples:
    """The cells of a column, of batches of records; numbers, one a row, become one array a batch."""
    row = 0
    for batch in batches:
        at = batch.schema.get_field_index(column)
        if at < 0:
            raise ValueError("%s: there is no column %r; it has %s" % (name, column, ", ".join(batch.schema.names)))
        cells = batch.column(at)
        kind = str(cells.type)
        if "int" in kind and "<" not in kind or kind in ("bool", "float", "double", "halffloat"):
            if cells.null_count:
                raise ValueError("%s: %d of the rows from %d on are empty" % (name, cells.null_count, row))
            yield "%s/%08d" % (name, row), cells.to_numpy(zero_copy_only=False)
            row += len(cells)
            continue
        for cell in cells:
            yield _of_row(cell.as_py(), "%s/%08d" % (name, row))
            row += 1


def parquet(paths: Paths, column: str, batch_rows: int = 64) -> Samples:
    """The masks in a column of Parquet files (pyarrow): bytes of images, {"bytes", "path"} as datasets writes them, or lists of
    numbers; or labels, one a row."""
    module = _need("pyarrow.parquet", "pyarrow")
    for path in _files(paths):
        file = module.ParquetFile(path)
        if column not in file.schema_arrow.names:
            raise ValueError("%s: there is no column %r; it has %s" % (path, column, ", ".join(file.schema_arrow.names)))
        yield from _of_table(file.iter_batches(batch_rows, columns=[column]), column, path)


def arrow(source: Any, column: str) -> Samples:
    """The masks in a column of Arrow: paths of IPC files or streams, or a table, a reader or batches of records (pyarrow)."""
    module = _need("pyarrow", "pyarrow")
    if hasattr(source, "to_batches"):
        yield from _of_table(source.to_batches(), column, "arrow")
    elif not isinstance(source, (str, os.PathLike)):
        yield from _of_table(source, column, "arrow")
    else:
        for path in _files(source):
            with module.memory_map(path) as file:
                try:
                    reader = module.ipc.open_file(file)
                    batches: Iterable[Any] = (reader.get_batch(i) for i in range(reader.num_record_batches))
                except module.ArrowInvalid:
                    file.seek(0)
                    batches = module.ipc.open_stream(file)
                yield from _of_table(batches, column, path)


def huggingface(dataset: Any, column: str) -> Samples:
    """The masks or labels in a column of a datasets.Dataset. Its ClassLabel gives classes and names: classes=ds.features[column].

    Images are not decoded: the file's own bytes are audited.
    """
    if isinstance(dataset, (str, os.PathLike)):
        dataset = _need("datasets", "datasets").load_from_disk(os.fspath(dataset))
    if column not in dataset.features:
        raise ValueError("there is no column %r; the data set has %s" % (column, ", ".join(dataset.features)))
    feature = dataset.features[column]
    if type(feature).__name__ == "Image" and hasattr(dataset, "cast_column"):
        dataset = dataset.cast_column(column, type(feature)(decode=False))
    if hasattr(dataset, "select_columns"):
        dataset = dataset.select_columns([column])
    labels: List[int] = []
    for row, example in enumerate(dataset):
        value = example[column]
        if isinstance(value, int):
            labels.append(value)
        else:
            yield _of_row(value, "%08d" % row)
    if labels:
        yield column, labels


def torch(dataset: Any, target: Union[int, str] = 1, names: Optional[Sequence[str]] = None) -> Samples:
    """The targets of a data set with len() and [], or of any iterable of samples; target: their index or key in a sample.

    names: of the samples; without, the data set's own list of files, if it has one (samples, imgs, masks, targets).
    """
    names = names if names is not None else own_names(dataset)
    samples = (dataset[i] for i in range(len(dataset))) if hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__") else dataset
    labels: List[int] = []
    for number, sample in enumerate(samples):
        try:
            value = sample[target]
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError("sample %d has no target %r" % (number, target)) from error
        if hasattr(value, "__index__") and not getattr(value, "shape", ()):
            labels.append(int(value))
        else:
            yield (str(names[number]) if names is not None and number < len(names) else "%08d" % number), value
    if labels:
        yield "targets", labels


def own_names(dataset: Any) -> Optional[List[str]]:
    """Returns a data set's list of files, a name a sample, under one of the attributes that torchvision has; None if it has none."""
    for attribute in ("masks", "targets", "samples", "imgs"):
        found = getattr(dataset, attribute, None)
        if isinstance(found, (list, tuple)) and found and len(found) == len(dataset):
            first = found[0][0] if isinstance(found[0], tuple) else found[0]
            if isinstance(first, (str, os.PathLike)):
                return [os.fspath(item[0] if isinstance(item, tuple) else item) for item in found]
    return None


def hdf5(paths: Paths, name: Optional[str] = None) -> Samples:
    """The masks of HDF5 files (h5py): along the first axis of the data set `name`, or all data sets without a name."""
    h5py = _need("h5py", "h5py")
    for path in _files(paths):
        with h5py.File(path, "r") as file:
            found: Dict[str, Any] = {}
            if name is None:
                file.visititems(lambda key, item: found.update({key: item}) if isinstance(item, h5py.Dataset) else None)
            elif name not in file or not isinstance(file[name], h5py.Dataset):
                raise ValueError("%s: there is no data set %r; it has %s" % (path, name, ", ".join(file)))
            else:
                found[name] = file[name]
            for key, item in found.items():
                yield from _along(item, "%s/%s" % (path, key))


def zarr(paths: Paths, name: Optional[str] = None) -> Samples:
    """The masks of Zarr arrays (zarr): along the first axis of an array, or of the array `name` of a group."""
    module = _need("zarr", "zarr")
    for path in _files(paths):
        item = module.open(path, mode="r")
        if not hasattr(item, "shape"):
            if name is None or name not in item:
                raise ValueError("%s is a group; name one of its arrays: %s" % (path, ", ".join(sorted(item.array_keys()))))
            item, path = item[name], "%s/%s" % (path, name)
        yield from _along(item, path)


def _along(item: Any, name: str) -> Samples:
    """The masks along the first axis, one at a time; of an array of one or two axes the whole."""
    if len(item.shape) < 3:
        yield name, item[...]
        return
    for number in range(item.shape[0]):
        yield "%s/%06d" % (name, number), item[number]


def tiff(paths: Paths) -> Samples:
    """The masks of TIFF files (tifffile), one a page."""
    module = _need("tifffile", "tifffile")
    for path in _files(paths):
        with module.TiffFile(path) as file:
            for number, page in enumerate(file.pages):
                yield (path if len(file.pages) == 1 else "%s/%06d" % (path, number)), page.asarray()


def nifti(paths: Paths) -> Samples:
    """The label maps of NIfTI files (nibabel), with their own type: slopes and intercepts are applied only if they change a value."""
    nibabel = _need("nibabel", "nibabel")
    numpy = _need("numpy", "numpy")
    for path in _files(paths):
        image = nibabel.load(path)
        slope, inter = image.dataobj.slope, image.dataobj.inter
        if (slope, inter) == (1, 0):
            yield path, numpy.asarray(image.dataobj.get_unscaled())
        else:
            yield path, numpy.asarray(image.dataobj)


def open_source(text: str, column: Optional[str]) -> Samples:
    """The source that "KIND:WHERE" names, for the command line. Raises ValueError if there is no such source."""
    kind, colon, where = text.partition(":")
    if not colon or not where:
        raise ValueError("--source %s: expected KIND:WHERE, such as parquet:data/*.parquet" % text)
    if kind in ("parquet", "arrow", "huggingface") and column is None:
        raise ValueError("--source %s: --column says which column holds the labels" % text)
    if kind == "parquet":
        return parquet(where, column or "")
    if kind == "arrow":
        return arrow(where, column or "")
    if kind == "huggingface":
        return huggingface(where, column or "")
    if kind == "hdf5":
        return hdf5(where, column)
    if kind == "zarr":
        return zarr(where, column)
    if kind == "tiff":
        return tiff(where)
    if kind == "nifti":
        return nifti(where)
    if kind == "torch":
        module, _, name = where.rpartition(".")
        made = getattr(importlib.import_module(module), name)
        dataset = made if hasattr(made, "__getitem__") and not isinstance(made, type) else made()
        target: Union[int, str] = int(column) if column and column.lstrip("-").isdigit() else column or 1
        return torch(dataset, target)
    raise ValueError("--source %s: there is no source %r; it is parquet, arrow, huggingface, hdf5, zarr, tiff, nifti or torch" % (text, kind))


__all__ = ["arrow", "hdf5", "huggingface", "nifti", "parquet", "tiff", "torch", "zarr"]
