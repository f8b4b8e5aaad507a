"""Shared by the plugins of documentation generators: the element, and the bundles of a site."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Sequence

from ._api import build

#: The directory of a bundle, below the directory of the site or of a language.
BUNDLE = "findling"


def script(root: str) -> str:
    """The script of the element, and the style sheet that reserves its place until the script has
    loaded, for the head of a page. `root` leads to the site's root."""
    files = f"{escape(root)}{BUNDLE}/findling"
    return (
        f'<link rel="stylesheet" href="{files}.css">\n'
        f'<script type="module" src="{files}-ui.js"></script>'
    )


def element(root: str, *, keys: str = "", placeholder: str | None = None) -> str:
    """The element. It follows the colours of the page around it."""
    attributes = {"site": root or "./", "theme": "page", "keys": keys, "placeholder": placeholder}
    given = "".join(
        f' {name}="{escape(value)}"' for name, value in attributes.items() if value
    )
    return f"<findling-search{given}></findling-search>"


def style(colours: dict[str, str], more: str = "") -> str:
    """A style sheet that gives the element the variables of a theme."""
    given = "".join(f"--findling-{name}:var({variable});" for name, variable in colours.items())
    return f"<style>findling-search{{{given}}}{more}</style>"


#: On narrow pages the button is its icon alone.
NARROW = (
    "@media (max-width:60em){findling-search::part(trigger)"
    "{font-size:0;gap:0;min-inline-size:0;padding:.5rem}}"
)


def build_site(
    site: Path,
    languages: Sequence[str],
    *,
    encoder: str,
    options: Sequence[str] = (),
) -> int:
    """Builds the bundle of each language of a site. Returns the number of pages.

    Each language has its own, so that readers find pages of the language that they read.
    `languages` are the directories of those that are not at the root.

    Raises FindlingError if nothing could be built.
    """
    others = [f"--exclude={language}" for language in languages]
    pages = 0
    for directory, more in [(site, others), *((site / language, []) for language in languages)]:
        if not directory.is_dir():
            continue
        report = build(directory, directory / BUNDLE, encoder=encoder, options=[*more, *options])
        pages += report["pages"]
    return pages
