"""Finds the program `findling` and calls it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Sequence


class FindlingError(Exception):
    """The program refused a request or failed. The message is what it printed."""


def program() -> str:
    """The path of the program. The variable FINDLING_BINARY_PATH names another one."""
    given = os.environ.get("FINDLING_BINARY_PATH")
    if given:
        return given
    name = f"findling{sysconfig.get_config_var('EXE') or ''}"
    # `pip install --user` and `--target` put scripts elsewhere than the environment does.
    directories = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", scheme=_user_scheme())),
        Path(__file__).parent.parent / "bin",
    ]
    for directory in directories:
        path = directory / name
        if path.is_file():
            return str(path)
    raise FindlingError(
        f"expected the program {name} in one of "
        f"{', '.join(str(directory) for directory in directories)}, found none: install the "
        "package findling again, or name the program with the variable FINDLING_BINARY_PATH"
    )


def _user_scheme() -> str:
    if os.name == "nt":
        return "nt_user"
    if sys.platform == "darwin" and sysconfig.get_config_var("PYTHONFRAMEWORK"):
        return "osx_framework_user"
    return "posix_user"


def call(arguments: Sequence[str]) -> str:
    """Runs the program and returns its standard output.

    Raises FindlingError if the program fails.
    """
    done = subprocess.run(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    # 3: done, but some pages could not be read.
    if done.returncode not in (0, 3):
        raise FindlingError(done.stderr.strip().removeprefix("error: "))
    return done.stdout
