"""python -m labelaudit: becomes the program, so that its exit status, streams and signals are the program's own."""
import importlib.metadata
import os
import sys
import sysconfig


def find_program():
    """Where this installation put the program: as it was recorded, else beside the interpreter or the package."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = []
    try:
        for file in importlib.metadata.files("labelaudit") or []:
            if file.name == "labelaudit" and file.parent.name == "bin":
                places.append(str(file.locate()))
    except importlib.metadata.PackageNotFoundError:
        pass
    places.append(os.path.join(os.path.dirname(here), "bin", "labelaudit"))  # pip install --target
    places.append(os.path.join(sysconfig.get_path("scripts"), "labelaudit"))
    for place in places:
        if os.access(place, os.X_OK):
            return os.path.normpath(place)
    sys.stderr.write("labelaudit: error: the program was not found: %s\n" % ", ".join(places))
    sys.exit(2)


def main():
    program = find_program()
    try:
        os.execv(program, ["labelaudit", *sys.argv[1:]])
    except OSError as error:
        sys.stderr.write("labelaudit: error: %s: %s\n" % (program, error.strerror))
        sys.exit(2)


if __name__ == "__main__":
    main()
