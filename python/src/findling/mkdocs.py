"""Search for MkDocs: `plugins: [findling]` in `mkdocs.yml`.

The plugin puts the search in the place of the theme's own search, and builds the bundle after the
pages, also in `mkdocs serve`. It supports the themes `material`, `mkdocs` and `readthedocs`. In
other themes, a template must contain `<findling-search>`.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any, Callable, Optional
from urllib.parse import urlsplit

from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from . import FindlingError
from ._site import NARROW, build_site, element, script, style

log = logging.getLogger("mkdocs.plugins.findling")

_MATERIAL = {
    "accent": "--md-typeset-a-color",
    "bg": "--md-default-bg-color",
    "text": "--md-default-fg-color",
    "muted": "--md-default-fg-color--light",
    "border": "--md-default-fg-color--lightest",
    "font": "--md-text-font-family",
    "mono": "--md-code-font-family",
}
_BOOTSTRAP = {
    "accent": "--bs-link-color",
    "bg": "--bs-body-bg",
    "text": "--bs-body-color",
    "muted": "--bs-secondary-color",
    "border": "--bs-border-color",
    "font": "--bs-body-font-family",
    "mono": "--bs-font-monospace",
}
#: The theme's script looks for these and fails without them.
_MODAL = (
    '<div class="modal" id="mkdocs_search_modal"><input id="mkdocs-search-query">'
    '<div id="mkdocs-search-results"></div></div>'
)


def _material(html: str, search: str) -> str:
    """Into the header, before the link to the repository."""
    header = html.find('<nav class="md-header__inner')
    end = html.find("</nav>", header)
    source = html.find('<div class="md-header__source">', header, end)
    at = end if source < 0 else source
    return html if min(header, at) < 0 else html[:at] + search + html[at:]


def _mkdocs(html: str, search: str) -> str:
    """Into the navigation bar, before the links to the next and the previous page."""
    bar = r'(<ul class="nav navbar-nav ms-md-auto">)'
    html = re.sub(bar, lambda m: f'{m[1]}<li class="nav-item">{search}</li>', html, count=1)
    return html.replace('<div class="modal" id="mkdocs_keyboard_modal"', _MODAL + (
        '<div class="modal" id="mkdocs_keyboard_modal"'
    ), 1)


def _readthedocs(html: str, search: str) -> str:
    """Into the side bar, below the site's name."""
    bar = r'(<div class="wy-side-nav-search">.*?</a>)'
    return re.sub(bar, lambda m: m[1] + search, html, count=1, flags=re.DOTALL)


_SIZE = "--findling-size:.8rem;--findling-width:36rem"

#: For each theme: where the search goes, its keys, its style sheet.
_THEMES: dict[str, tuple[Callable[[str, str], str], str, str]] = {
    # A rem of Material is 20 pixels.
    "material": (_material, "s,f", style(_MATERIAL, NARROW + f"findling-search{{{_SIZE}}}")),
    "mkdocs": (_mkdocs, "s", style(_BOOTSTRAP)),
    "readthedocs": (_readthedocs, "s", style({}, "findling-search{display:block}")),
}


class FindlingConfig(base.Config):
    """The options of the plugin in `mkdocs.yml`."""

    #: Encoder of the documents, as in `findling build --encoder`.
    encoder = option.Type(str, default="static")
    #: Directories of languages that are not at the root of the site. Each has an index of its own.
    languages = option.ListOfItems(option.Type(str), default=[])
    #: Text of the empty box.
    placeholder = option.Optional(option.Type(str))
    #: More arguments of `findling build`.
    build = option.ListOfItems(option.Type(str), default=[])


class FindlingPlugin(BasePlugin[FindlingConfig]):
    """Puts `<findling-search>` on every page and builds the index."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        if "search" in config.plugins or "material/search" in config.plugins:
            log.warning("the plugin `search` is on as well: leave it out of `plugins`")
        if config.theme.name not in _THEMES:
            log.info(
                f"the theme {config.theme.name} is not known: put <findling-search> in a template"
            )
        return config

    def on_post_page(self, output: str, /, *, page: Page, config: MkDocsConfig) -> str:
        language = next((name for name in self._languages() if page.url.startswith(name)), "")
        return self._insert(output, get_relative_url(language or ".", page.url), config)

    def on_post_template(
        self, output_content: str, /, *, template_name: str, config: MkDocsConfig
    ) -> Optional[str]:
        if template_name != "404.html":
            return output_content
        # The host shows this page at any address.
        return self._insert(output_content, urlsplit(config.site_url or "/").path or "/", config)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        try:
            pages = build_site(
                Path(config.site_dir),
                [name.rstrip("/") for name in self._languages()],
                encoder=self.config.encoder,
                options=self.config.build,
            )
        except FindlingError as error:
            raise PluginError(f"findling: {error}") from error
        log.info(f"{pages} pages can be searched")

    def _languages(self) -> list[str]:
        return [f"{name.strip('/')}/" for name in self.config.languages]

    def _insert(self, html: str, root: str, config: MkDocsConfig) -> str:
        root = root.rstrip("/") + "/"
        head = script(root)
        known: Any = _THEMES.get(config.theme.name or "")
        if known and "<findling-search" not in html:
            place, keys, sheet = known
            html = place(html, element(root, keys=keys, placeholder=self.config.placeholder))
            head += sheet
        return html.replace("</head>", f"{head}</head>", 1)
