"""Search by words and by meaning for static sites.

    import findling

    findling.build("public", "public/findling")
    index = findling.open("public/findling")
    for page in index.search("how do I share data between threads")["results"]:
        print(page["title"], page["url"])

The package contains the program `findling` and calls it: one process for each call, and one for
each `Encoder` and `Splitter`. Readers' browsers run the same engine.
"""

from __future__ import annotations

from ._api import Index, build, open, search
from ._engines import (
    Embeddings,
    Encoder,
    FindlingWarning,
    Splitter,
    sections_arrow,
    split_sections,
)
from ._program import FindlingError, program
from ._types import (
    Correction,
    Facet,
    Legs,
    Notice,
    Page,
    Problem,
    Report,
    Response,
    Section,
    SectionRow,
    Snippet,
    Total,
)

__all__ = [
    "Correction",
    "Embeddings",
    "Encoder",
    "Facet",
    "FindlingError",
    "FindlingWarning",
    "Index",
    "Legs",
    "Notice",
    "Page",
    "Problem",
    "Report",
    "Response",
    "Section",
    "SectionRow",
    "Snippet",
    "Splitter",
    "Total",
    "build",
    "open",
    "program",
    "search",
    "sections_arrow",
    "split_sections",
]
