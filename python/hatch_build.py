"""Puts the program `findling` into the wheel. `cargo xtask pack` sets the variables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BINARY = "FINDLING_WHEEL_BINARY"
PLATFORM = "FINDLING_WHEEL_PLATFORM"
NOTICES = "FINDLING_WHEEL_NOTICES"


class Hook(BuildHookInterface):
    """Adds the program as a script of the environment, as `pip` installs other programs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        binary, platform = os.environ.get(BINARY), os.environ.get(PLATFORM)
        if not binary or not platform:
            raise RuntimeError(
                f"expected the program in {BINARY} and its platform in {PLATFORM}, found "
                f"{binary!r} and {platform!r}: build wheels by `cargo xtask pack`"
            )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"] = {binary: f"findling{Path(binary).suffix}"}
        if notices := os.environ.get(NOTICES):
            build_data["force_include"][notices] = "findling/THIRD-PARTY-NOTICES.txt"
