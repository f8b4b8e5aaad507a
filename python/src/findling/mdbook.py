"""Search for mdBook: `python -m findling.mdbook` is a backend that runs after the one for HTML.

mdBook runs backends in the order of their names, so its table in `book.toml` is
`[output.html-findling]`. The backend puts the search into the pages in the place of mdBook's own,
and builds the bundle.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from . import FindlingError, build
from ._site import BUNDLE, element, script, style

_COLOURS = {
    "accent": "--links",
    "bg": "--bg",
    "text": "--fg",
    "border": "--table-border-color",
    "mono": "--mono-font",
}
# A rem of mdBook is 10 pixels.
_STYLE = style(
    _COLOURS,
    "findling-search{--findling-muted:color-mix(in srgb,var(--fg) 75%,var(--bg));"
    "--findling-size:1.5rem;--findling-width:68rem;margin:auto .5rem}"
    "findling-search::part(trigger){min-inline-size:0;padding-block:.25rem}"
    "@media (max-width:700px){findling-search::part(trigger){font-size:0;gap:0}}",
)
#: mdBook's own button, and its script, which would also open mdBook's search.
_BUTTON = re.compile(r'<button[^>]*id="(?:mdbook-)?search-toggle".*?</button>', re.DOTALL)
_SCRIPT = re.compile(r'\s*<script src="[^"]*\bsearcher(?:-[0-9a-f]+)?\.js"[^>]*></script>')
#: The bar above a page, if mdBook's own search is off.
_BAR = '<div class="left-buttons">'
#: The `path_to_root` of the page.
_ROOT = re.compile(r'path_to_root\s*=\s*"([^"]*)"')


def with_search(html: str) -> str | None:
    """Returns a page with the search in it, and None if it is not a page of the book."""
    root = _ROOT.search(html)
    if root is None or "<findling-search" in html:
        return None
    search = element(root[1], keys="s")
    page = html.replace("</head>", f"{script(root[1])}{_STYLE}</head>", 1)
    page = _SCRIPT.sub("", page, count=1)
    page, buttons = _BUTTON.subn(lambda _: search, page, count=1)
    return page if buttons else page.replace(_BAR, _BAR + search, 1)


def main() -> None:
    context = json.load(sys.stdin)
    html = Path(context["destination"]).parent / "html"
    if not html.is_dir():
        sys.exit(
            f"expected the pages of mdBook in {html}, found none: book.toml needs a table "
            "[output.html], and the table of this backend must be called [output.html-findling], "
            "because mdBook runs backends in the order of their names"
        )
    for file in html.rglob("*.html"):
        if file.relative_to(html).parts[0] == BUNDLE:
            continue
        page = with_search(file.read_text(encoding="utf-8"))
        if page is not None:
            file.write_text(page, encoding="utf-8")
    given = context["config"].get("output", {}).get("html-findling", {})
    excluded = ["--exclude=print.html", "--exclude=toc.html"]
    options = [*excluded, *given.get("build", [])]
    try:
        report = build(html, html / BUNDLE, encoder=given.get("encoder", "static"), options=options)
    except FindlingError as error:
        sys.exit(str(error))
    # mdBook shows what a backend writes to this stream.
    print(f"findling: {report['pages']} pages can be searched", file=sys.stderr)


if __name__ == "__main__":
    main()
