"""`python -m findling`: the program `findling`."""

from __future__ import annotations

import os
import subprocess
import sys

from ._program import FindlingError, program


def main() -> int:
    """Runs the program with this process's arguments. Returns its exit status."""
    try:
        path = program()
    except FindlingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if os.name == "posix":
        os.execv(path, [path, *sys.argv[1:]])
    return subprocess.run([path, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
