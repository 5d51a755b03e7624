"""audit() of samples in memory: they are streamed to the program's standard input as a tar."""
from __future__ import annotations

import io
import os
import subprocess
import threading
from typing import IO, Any, Iterable, Iterator, List, Sequence, Tuple, Union

from ._arrays import c_order, npy_header, read_array

# A sample, or its name and the sample: an array, the bytes of a file, or an image of Pillow.
Sample = Any
Buffer = Union[bytes, memoryview]

# Longer names of members take a record of their own (PAX).
_NAME_MAX = 100
_SIZE_MAX = 8 << 30
_PIPE_SIZE = 1 << 20
_F_SETPIPE_SZ = 1031
_MAGIC = {b"\x89PNG": ".png", b"GIF8": ".gif", b"BM": ".bmp", b"\x93NUM": ".npy"}
# A file of this name in a data set is taken for a photo: here it is what was given as labels.
_PHOTOS = (".jpg", ".jpeg", ".webp", ".tif", ".tiff")


def _header(name: bytes, size: int, kind: bytes) -> bytes:
    """A header of POSIX's ustar."""
    fields = b"".join(
        [
            name.ljust(100, b"\0"),
            b"0000644\0" + b"0000000\0" * 2,
            b"%011o\0" % size,
            b"00000000000\0",
            b" " * 8,
            kind,
            b"\0" * 100,
            b"ustar\x0000",
        ]
    ).ljust(512, b"\0")
    return fields[:148] + b"%06o\0 " % sum(fields) + fields[156:]


def _padding(size: int) -> bytes:
    return b"\0" * (-size % 512)


def member(name: str, parts: Sequence[Buffer]) -> List[Buffer]:
    """Returns a member of a tar, in parts."""
    size = sum(len(part) for part in parts)
    encoded = name.encode("utf-8", "surrogateescape")
    out: List[Buffer] = []
    if len(encoded) > _NAME_MAX or size >= _SIZE_MAX or not name.isascii():
        records = b""
        for key, value in (b"path", encoded), (b"size", b"%d" % size):
            rest = b" %s=%s\n" % (key, value)
            length = len(rest) + len(str(len(rest)))
            length = len(rest) + len(str(length))
            records += b"%d%s" % (length, rest)
        out += [_header(b"PaxHeader", len(records), b"x"), records + _padding(len(records))]
    out.append(_header(encoded[:_NAME_MAX], size if size < _SIZE_MAX else 0, b"0"))
    return [*out, *parts, _padding(size)]


def sample_parts(sample: Sample, name: str) -> Tuple[str, List[Buffer]]:
    """Returns the file that a sample is: its name, with a suffix, and its bytes. Raises TypeError if it is none."""
    if isinstance(sample, (bytes, bytearray, memoryview)):
        data = memoryview(sample).cast("B")
        if not os.path.splitext(name)[1] or name.lower().endswith(_PHOTOS):
            head = bytes(data[:8])
            name += next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), ".png")
        return name, [data]
    if isinstance(sample, os.PathLike):
        with open(sample, "rb") as file:
            return sample_parts(file.read(), name + os.path.splitext(os.fspath(sample))[1] if not os.path.splitext(name)[1] else name)
    try:
        array = read_array(sample)
    except TypeError as error:
        raise TypeError("sample %s is no array, image or bytes of a file: %s" % (name, error)) from None
    return name if name.endswith(".npy") else name + ".npy", [npy_header(array.typestr, array.shape), c_order(array)]


def named(samples: Iterable[Any]) -> Iterator[Tuple[str, Sample]]:
    """Returns names and samples; those without a name are numbered."""
    for number, sample in enumerate(samples):
        if isinstance(sample, tuple) and len(sample) == 2 and isinstance(sample[0], (str, os.PathLike)):
            yield os.fspath(sample[0]), sample[1]
        else:
            yield "%06d" % number, sample


def write_tar(pipe: IO[bytes], samples: Iterable[Any]) -> None:
    """Writes a tar of the samples; waits where the reader is slower. Raises BrokenPipeError if it ends early."""
    fd = pipe.fileno()
    _widen(fd)
    for name, sample in named(samples):
        _write(fd, member(*sample_parts(sample, name.lstrip("/"))))
    _write(fd, [b"\0" * 1024])


def _widen(fd: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(fd, _F_SETPIPE_SZ, _PIPE_SIZE)
    except (ImportError, OSError):
        pass  # then it is slower


def _write(fd: int, parts: List[Buffer]) -> None:
    parts = [part for part in parts if len(part)]
    while parts:
        written = os.writev(fd, parts[:64]) if hasattr(os, "writev") else os.write(fd, parts[0])  # PyPy has none
        while parts and written >= len(parts[0]):
            written -= len(parts.pop(0))
        if written:
            parts[0] = memoryview(parts[0])[written:]


def feed(child: subprocess.Popen[bytes], samples: Iterable[Any]) -> Tuple[bytes, bytes]:
    """Writes the samples to a program's standard input. Returns its output and messages, when it has ended.

    Whatever the iterator raises is raised; the caller then ends the program.
    """
    readers = [_Reader(stream) for stream in (child.stdout, child.stderr) if stream is not None]
    assert child.stdin is not None
    try:
        write_tar(child.stdin, samples)
    except BrokenPipeError:
        pass  # the program has ended, and says why
    finally:
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
    child.wait()
    results = [reader.result() for reader in readers]
    return (results + [b"", b""])[0], (results + [b"", b""])[1]


class _Reader(threading.Thread):
    """Reads a stream to its end, so that the program never waits for a reader."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._text = io.BytesIO()
        self.start()

    def run(self) -> None:
        while True:
            part = self._stream.read(1 << 16)
            if not part:
                return
            self._text.write(part)

    def result(self) -> bytes:
        self.join()
        return self._text.getvalue()


