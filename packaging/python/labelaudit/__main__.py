"""python -m labelaudit: becomes the program, so that its exit status, streams and signals are the program's own."""
import os
import sys

from ._errors import ProgramNotFoundError
from ._program import find_program


def main() -> None:
    try:
        program = find_program()
        os.execv(program, ["labelaudit", *sys.argv[1:]])
    except ProgramNotFoundError as error:
        message = str(error)
    except OSError as error:
        message = "%s: %s" % (program, error.strerror)
    sys.stderr.write("labelaudit: error: %s\n" % message)
    sys.exit(2)


if __name__ == "__main__":
    main()
