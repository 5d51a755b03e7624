#!/usr/bin/env python3
"""The build backend of `pip install .`, and what `make wheel` and `make sdist` call; standard library alone.

usage: backend.py wheel PROGRAM LIBRARY FOLDER    writes FOLDER/labelaudit-VERSION-py3-none-PLATFORM.whl and prints its name
       backend.py sdist FOLDER                    writes FOLDER/labelaudit-VERSION.tar.gz, which builds all of this, and prints its name

PLATFORM is what the program and the library need, read from their ELF files: manylinux_2_NN_ARCH, with NN from the newest GLIBC symbol version,
but 28 at least, if the only libraries it names are glibc's own; musllinux_1_2_ARCH, if they name musl alone; otherwise linux_ARCH, which pip installs on this machine only, and which `wheel`
refuses.

What a package says of itself is in pyproject.toml, its version in src/base/version.h, and its address in HOMEPAGE in the
environment: there is none without. Licences of libraries that are linked in: FOLDER/licences/*, put there by packaging/licences.
The same files make the same package, byte for byte: times are SOURCE_DATE_EPOCH, or 1980.
"""
import base64
import gzip
import hashlib
import io
import os
import platform
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PACKAGE = os.path.join(HERE, "python", "labelaudit")
# PEP 600: what every glibc system has.
GLIBC = re.compile(r"^(libc\.so\.6|lib(m|pthread|dl|rt)\.so\.[0-9]+|ld-linux.*\.so\.[0-9]+)$")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def version():
    return subprocess.run([os.path.join(HERE, "version")], check=True, stdout=subprocess.PIPE).stdout.decode().strip()


def epoch():
    # Zip files know no time before 1980.
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


# ---- metadata -------------------------------------------------------------------------------------------------------


def project():
    """The table [project] of pyproject.toml."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib
        except ImportError:
            from pip._vendor import tomli as tomllib
    return tomllib.loads(read(os.path.join(ROOT, "pyproject.toml")).decode())["project"]


def homepage():
    """The project's address, or None: of the environment, else what the source distribution was made with."""
    address = os.environ.get("HOMEPAGE")
    information = os.path.join(ROOT, "PKG-INFO")
    if not address and os.path.exists(information):
        found = re.search(rb"^Project-URL: Source, (.*)$", read(information), re.M)
        address = found.group(1).decode() if found else None
    return address.rstrip("/") if address else None


def readme():
    text = read(os.path.join(ROOT, "README.md")).decode()
    # Pictures are files of the repository, and cannot be shown elsewhere; nor can its links lead anywhere from there.
    text = re.sub(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", "", text, flags=re.M)
    return re.sub(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


def metadata():
    about = project()
    lines = ["Metadata-Version: 2.4", "Name: " + about["name"], "Version: " + version(), "Summary: " + about["description"]]
    lines += ["Author: " + author["name"] for author in about["authors"]]
    lines += ["License-Expression: " + about["license"]]
    lines += ["License-File: " + file for file in about["license-files"]]
    lines += ["Keywords: " + ",".join(about["keywords"])]
    lines += ["Classifier: " + classifier for classifier in about["classifiers"]]
    if homepage():
        lines += ["Project-URL: Source, " + homepage(), "Project-URL: Issues, " + homepage() + "/issues"]
    lines += ["Requires-Python: " + about["requires-python"]]
    for extra, needs in about.get("optional-dependencies", {}).items():
        lines += ["Provides-Extra: " + extra]
        lines += ["Requires-Dist: %s; extra == '%s'" % (need, extra) for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", readme()]
    return "\n".join(lines).encode()


def entry_points():
    groups = project()["entry-points"].items()
    return "".join("[%s]\n%s" % (group, "".join("%s = %s\n" % item for item in names.items())) for group, names in groups).encode()


# ---- wheels ---------------------------------------------------------------------------------------------------------


def readelf(flag, program):
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(["readelf", flag, "-W", program], check=True, capture_output=True, text=True, env=environment).stdout


def platform_tag(*files):
    """The tag, and None or why it is no manylinux one."""
    found = re.search(r"Machine: +(?:Advanced Micro Devices )?(\S+)", readelf("-h", files[0])).group(1)
    machine = {"X86-64": "x86_64", "AArch64": "aarch64"}.get(found, platform.machine())
    libraries = [name for file in files for name in re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", file))]
    if not [name for name in libraries if name != "libc.so"]:  # musl's name of itself; a static program has none
        return "musllinux_1_2_" + machine, None
    foreign = [name for name in libraries if not GLIBC.match(name)]
    minors = [int(minor) for file in files for minor in re.findall(r"\bGLIBC_2\.([0-9]+)", readelf("-V", file))]
    if foreign:
        return "linux_" + machine, "it needs " + ", ".join(foreign)
    if not minors:
        return "linux_" + machine, "it does not use glibc"
    # 2.28, of 2018, is promised: the wheels of a release have one name, whatever symbols the program happens to need.
    return "manylinux_2_%d_%s" % (max(minors + [28]), machine), None


def package_files(library):
    """Name, bytes and mode of the Python package's files, and of the library that it loads."""
    yield "labelaudit/liblabelaudit.so.0", read(library), 0o755
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".typed")):
            yield "labelaudit/" + name, read(os.path.join(PACKAGE, name)), 0o644


def shared_files(program, licences):
    """Name, bytes and mode of what every wheel has: the program's bytes, and the folder of licences, or None."""
    name = "labelaudit-" + version()
    yield name + ".data/scripts/labelaudit", program, 0o755
    for page in ("labelaudit.1", "labelaudit-rules.7"):
        yield "%s.data/data/share/man/man%s/%s" % (name, page[-1], page), read(os.path.join(ROOT, "man", page)), 0o644
    for file in project()["license-files"]:
        yield "%s.dist-info/licenses/%s" % (name, file), read(os.path.join(ROOT, file)), 0o644
    for licence in sorted(os.listdir(licences)) if licences else []:
        yield name + ".dist-info/licences/" + licence, read(os.path.join(licences, licence)), 0o644
    yield name + ".dist-info/METADATA", metadata(), 0o644
    yield name + ".dist-info/entry_points.txt", entry_points(), 0o644


def write_wheel(folder, platform_name, files):
    tag = "py3-none-" + platform_name
    name = "labelaudit-" + version()
    info = name + ".dist-info"
    when = time.gmtime(epoch())[:6]
    wheel = "Wheel-Version: 1.0\nGenerator: labelaudit\nRoot-Is-Purelib: false\nTag: %s\n" % tag
    record = ""
    path = os.path.join(folder, "%s-%s.whl" % (name, tag))
    with zipfile.ZipFile(path + ".tmp", "w", zipfile.ZIP_DEFLATED) as archive:

        def add(member, data, mode):
            entry = zipfile.ZipInfo(member, when)
            entry.create_system = 3  # Unix, also for what stands in external_attr
            # With the bit of a regular file: without it pip takes the execute bits away.
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)

        for member, data, mode in [*files, (info + "/WHEEL", wheel.encode(), 0o644)]:
            add(member, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += "%s,sha256=%s,%d\n" % (member, digest, len(data))
        add(info + "/RECORD", (record + info + "/RECORD,,\n").encode(), 0o644)
    os.replace(path + ".tmp", path)
    return os.path.basename(path)


def make(*words):
    """Builds with the libraries of this machine; installs none, but make says which it misses."""
    jobs = "-j%d" % (os.cpu_count() or 1)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    more = shlex.split(os.environ.get("LABELAUDIT_MAKE", ""))
    subprocess.run(["make", "-C", ROOT, jobs, "DEPS=no", *words, *more], check=True, env=environment, stdout=sys.stderr)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: builds from source. LABELAUDIT_MAKE in the environment: more words for make, such as CUDA=0."""
    del config_settings, metadata_directory
    with tempfile.TemporaryDirectory() as build:
        make("BUILD=" + build, "all", "library")
        program, library = os.path.join(build, "labelaudit"), os.path.join(build, "liblabelaudit.so.0")
        files = [*package_files(library), *shared_files(read(program), None)]
        return write_wheel(wheel_directory, platform_tag(program, library)[0], files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: the package and the program stay where they are; after `make` the new program is the one that runs."""
    del config_settings, metadata_directory
    make("BUILD=build", "all", "library")  # where the script below looks, whatever the environment says
    script = "#!/bin/sh\nexec %s \"$@\"\n" % shlex.quote(os.path.join(ROOT, "build", "labelaudit"))
    path = ("labelaudit-editable.pth", (os.path.dirname(PACKAGE) + "\n").encode(), 0o644)
    return write_wheel(wheel_directory, "linux_" + platform.machine(), [path, *shared_files(script.encode(), None)])


# ---- source distribution --------------------------------------------------------------------------------------------


def source_files():
    """The files of the repository; where this is no repository, all that came with the source distribution."""
    if os.path.exists(os.path.join(ROOT, ".git")):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
        names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
        return sorted(name for name in names if os.path.lexists(os.path.join(ROOT, name)))
    names = []
    for folder, folders, files in os.walk(ROOT):
        top = folder == ROOT
        folders[:] = [name for name in folders if name != "__pycache__" and not (top and name.startswith("build"))]
        names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files if not (top and name == "PKG-INFO")]
    return sorted(names)


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: a tarball with everything that builds and tests the program."""
    del config_settings
    name = "labelaudit-" + version()
    path = os.path.join(sdist_directory, name + ".tar.gz")
    with open(path + ".tmp", "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:

            def add(entry, data=None):
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mtime = epoch()
                entry.mode = 0o755 if entry.mode & 0o100 else 0o644
                archive.addfile(entry, data)

            for source in source_files():
                entry = archive.gettarinfo(os.path.join(ROOT, source), name + "/" + source)
                add(entry, io.BytesIO(read(os.path.join(ROOT, source))) if entry.isreg() else None)
            information = tarfile.TarInfo(name + "/PKG-INFO")
            information.size = len(metadata())
            add(information, io.BytesIO(metadata()))
    os.replace(path + ".tmp", path)
    return os.path.basename(path)


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "wheel":
        program, library, folder = sys.argv[2:]
        tag, why = platform_tag(program, library)
        if why:
            sys.exit("backend.py: %s fits no manylinux: %s" % (program, why))
        print(write_wheel(folder, tag, [*package_files(library), *shared_files(read(program), os.path.join(folder, "licences"))]))
    elif len(sys.argv) == 3 and sys.argv[1] == "sdist":
        print(build_sdist(sys.argv[2]))
    else:
        sys.exit("usage: backend.py wheel PROGRAM LIBRARY FOLDER | sdist FOLDER")


if __name__ == "__main__":
    main()
