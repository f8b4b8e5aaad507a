"""`python -m findling.hugo [SITE]`: copies the partial into a site, by default the one here."""

from __future__ import annotations

import sys
from pathlib import Path

from . import copy

site = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
if not site.is_dir():
    sys.exit(f"expected the directory of a site, found nothing at {site}")
print(f'{copy(site)}: add {{{{ partial "findling.html" . }}}} to the header of the theme')
