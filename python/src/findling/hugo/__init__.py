"""The partial for sites of Hugo: `python -m findling.hugo` copies it into a site."""

from __future__ import annotations

import shutil
from pathlib import Path

#: Where the repository has the partial, below its root.
_SOURCE = "www/integrations/hugo/layouts/partials/findling.html"


def partial() -> Path:
    """The file of the partial: that of the wheel, or that of the repository."""
    own = Path(__file__).parent / "findling.html"
    roots = Path(__file__).parents
    return next(path for path in (own, *(root / _SOURCE for root in roots)) if path.is_file())


def copy(site: Path) -> Path:
    """Copies the partial into a site, and returns where it is."""
    to = site / "layouts/partials/findling.html"
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(partial(), to)
    return to
