#!/usr/bin/env python3
"""Puts the built program into a Python wheel, and is the build backend of `pip install .`; standard library alone.

usage: wheel.py --manylinux PROGRAM FOLDER

Writes FOLDER/labelaudit-VERSION-py3-none-PLATFORM.whl and prints its name. PLATFORM is what the program needs, read
from its ELF file: manylinux_2_NN_ARCH, with NN from the newest GLIBC symbol version, if the only libraries it names
are glibc's own; otherwise linux_ARCH, which pip installs on this machine only, and which --manylinux refuses.

Licences of libraries that are linked in: FOLDER/licences/*, put there by packaging/licences.
The same program makes the same wheel, byte for byte: times are SOURCE_DATE_EPOCH, or 1980.
"""
import base64
import hashlib
import os
import platform
import re
import shlex
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Of PEP 600: what every glibc system has.
GLIBC = re.compile(r"^(libc\.so\.6|lib(m|pthread|dl|rt)\.so\.[0-9]+|ld-linux.*\.so\.[0-9]+)$")


def version():
    text = open(os.path.join(ROOT, "src/base/version.h"), encoding="utf-8").read()
    return re.search(r'LABELAUDIT_VERSION "([^"]+)"', text).group(1)


def readelf(flag, program):
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(["readelf", flag, "-W", program], check=True, capture_output=True, text=True, env=environment).stdout


def platform_tag(program):
    """The tag, and None or why it is no manylinux one."""
    machine = platform.machine()
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", program))
    foreign = [name for name in libraries if not GLIBC.match(name)]
    minors = [int(minor) for minor in re.findall(r"\bGLIBC_2\.([0-9]+)", readelf("-V", program))]
    if foreign:
        return "linux_" + machine, "it needs " + ", ".join(foreign)
    if not minors:
        return "linux_" + machine, "it does not use glibc"
    # 2.17 is the oldest that a tag of this form is used for.
    return "manylinux_2_%d_%s" % (max(minors + [17]), machine), None


def metadata():
    readme = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
    # The picture is a file of the repository; it cannot be shown elsewhere.
    readme = re.sub(r"^!\[.*?\]\(man/.*?\)\n\n", "", readme, flags=re.M)
    return (
        "Metadata-Version: 2.1\nName: labelaudit\nVersion: %s\n"
        "Summary: Finds label ids that a training loss cannot take, before the training starts\n"
        "License: MIT\nLicense-File: LICENSE\nRequires-Python: >=3.8\n"
        "Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n"
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence\n"
        "Description-Content-Type: text/markdown\n\n%s" % (version(), readme)
    )


def contents(program, licences):
    """Name, bytes and mode of each file of the wheel, but RECORD."""
    name = "labelaudit-" + version()
    yield "labelaudit/__init__.py", read(os.path.join(HERE, "python/__init__.py")), 0o644
    yield "labelaudit/__main__.py", read(os.path.join(HERE, "python/__main__.py")), 0o644
    yield name + ".data/scripts/labelaudit", read(program), 0o755
    for page in ("labelaudit.1", "labelaudit-rules.7"):
        yield "%s.data/data/share/man/man%s/%s" % (name, page[-1], page), read(os.path.join(ROOT, "man", page)), 0o644
    yield name + ".dist-info/LICENSE", read(os.path.join(ROOT, "LICENSE")), 0o644
    for licence in sorted(os.listdir(licences)) if os.path.isdir(licences) else []:
        yield name + ".dist-info/licences/" + licence, read(os.path.join(licences, licence)), 0o644
    yield name + ".dist-info/METADATA", metadata().encode(), 0o644


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_wheel(program, folder, manylinux):
    platform_name, why = platform_tag(program)
    if manylinux and why:
        sys.exit("wheel.py: %s fits no manylinux: %s" % (program, why))
    tag = "py3-none-" + platform_name
    name = "labelaudit-" + version()
    info = name + ".dist-info"
    # Zip files know no time before 1980.
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)
    when = time.gmtime(epoch)[:6]
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

        for member, data, mode in [*contents(program, os.path.join(folder, "licences")), (info + "/WHEEL", wheel.encode(), 0o644)]:
            add(member, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += "%s,sha256=%s,%d\n" % (member, digest, len(data))
        add(info + "/RECORD", (record + info + "/RECORD,,\n").encode(), 0o644)
    os.replace(path + ".tmp", path)
    return os.path.basename(path)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: builds from source, with the libraries of this machine; it installs none, but make says which it misses.

    LABELAUDIT_MAKE in the environment: more words for make, such as CUDA=0.
    """
    del config_settings, metadata_directory
    build = os.path.join(wheel_directory, "build")
    jobs = "-j%d" % (os.cpu_count() or 1)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    more = shlex.split(os.environ.get("LABELAUDIT_MAKE", ""))
    command = ["make", "-C", ROOT, jobs, "DEPS=no", "BUILD=" + build, *more]
    subprocess.run(command, check=True, env=environment, stdout=sys.stderr)
    return write_wheel(os.path.join(build, "labelaudit"), wheel_directory, manylinux=False)


def main():
    if len(sys.argv) != 4 or sys.argv[1] != "--manylinux":
        sys.exit("usage: wheel.py --manylinux PROGRAM FOLDER")
    print(write_wheel(sys.argv[2], sys.argv[3], manylinux=True))


if __name__ == "__main__":
    main()
