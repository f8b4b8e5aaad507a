"""Finds the program `findling` and calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Sequence

from ._words import in_python


class FindlingError(Exception):
    """The program refused a request or failed. The message says what to do."""


def program() -> str:
    """The path of the program. The variable FINDLING_BINARY_PATH names another one."""
    given = os.environ.get("FINDLING_BINARY_PATH")
    if given:
        return given
    name = f"findling{sysconfig.get_config_var('EXE') or ''}"
    # `pip install --user` and `--target` put scripts in other places than the environment.
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


def call(arguments: Sequence[str], good: Sequence[int] = (0, 3)) -> str:
    """Runs the program and returns its standard output.

    `good` are the exit statuses of success. For a build, 3 means that some pages could not be read.
    Raises FindlingError for all others.
    """
    done = subprocess.run(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in good:
        said = _message(done.stdout) or done.stderr.strip().removeprefix("error: ")
        raise FindlingError(in_python(said))
    return done.stdout


def _message(output: str) -> str:
    """The message of an error that was printed as JSON; empty if there is none."""
    try:
        error = json.loads(output)["error"]
        return ": ".join([error["message"], *error.get("causes", [])])
    except (ValueError, KeyError, TypeError):
        return ""
