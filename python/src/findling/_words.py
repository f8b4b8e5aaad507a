"""Messages of the program, in the terms of this package."""

from __future__ import annotations

import re
from typing import Match

#: Arguments of this package, by the corresponding options of the program.
_ARGUMENTS = {
    "encoder": "encoder",
    "facet": "facets",
    "filter": "filter",
    "jobs": "threads",
    "limit": "limit",
    "mode": "mode",
    "offset": "offset",
    "order": "order",
    "output": "output",
    "table": "table",
}
#: Arguments that are switches.
_SWITCHES = {
    "also": "also",
    "copies": "copies=True",
    "explain": "explain=True",
    "verbatim": "verbatim=True",
    "yes": "install=True",
}
#: An option and its value, if that is not a placeholder such as FILE.
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?:[= ]([a-z0-9][\w.:/-]*[\w/]))?")
#: Words that follow an option in a sentence but are not its value.
_SENTENCE = {"and", "applies", "are", "cannot", "has", "is", "needs", "or", "says", "to", "with"}


def in_python(message: str) -> str:
    """A message of the program with the arguments of this package in place of options."""
    return _OPTION.sub(_argument, message)


def _argument(option: Match[str]) -> str:
    name, value = option.group(1), option.group(2)
    rest = ""
    if value is not None and (value in _SENTENCE or name not in _ARGUMENTS):
        value, rest = None, option.group(0)[len(name) + 2 :]
    if name in _SWITCHES:
        return _SWITCHES[name] + rest
    if name in _ARGUMENTS:
        argument = _ARGUMENTS[name]
        return (argument if value is None else f'{argument}="{value}"') + rest
    return f'options=["--{name}"]{rest}'
