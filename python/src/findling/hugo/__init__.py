"""The partial for sites of Hugo: `python -m findling.hugo` copies it into a site."""

from __future__ import annotations

import shutil
from pathlib import Path

#: The path of the partial, below the root of the repository.
_SOURCE = "www/integrations/hugo/layouts/partials/findling.html"


def partial() -> Path:
    """The file of the partial, in the wheel or in the repository."""
    own = Path(__file__).parent / "findling.html"
    roots = Path(__file__).parents
    return next(path for path in (own, *(root / _SOURCE for root in roots)) if path.is_file())


def copy(site: Path) -> Path:
    """Copies the partial into a site, and returns where it is."""
    to = site / "layouts/partials/findling.html"
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(partial(), to)
    return to
