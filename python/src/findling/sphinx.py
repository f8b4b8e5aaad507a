"""Search for Sphinx: `extensions = ["findling.sphinx"]` in `conf.py`.

The extension replaces the search of the themes furo, sphinx_rtd_theme, pydata_sphinx_theme and
alabaster, and of themes that use the same templates. The bundle is built after the pages of the
builders `html` and `dirhtml`. Sphinx's own search page stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util import logging

from . import FindlingError
from ._site import NARROW, build_site, element, script, style

if TYPE_CHECKING:
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

_BUILDERS = ("html", "dirhtml")
#: The theme takes Ctrl+K for its own dialog before any other listener, even without the dialog.
_SHORTCUT = """<script>
addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
  const shown = [...document.querySelectorAll("findling-search")]
    .find((element) => element.show && element.getClientRects().length > 0);
  if (!shown) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  shown.show();
}, true);
</script>"""

#: For each theme, further contents of the head of its pages.
_HEADS = {
    "furo": style(
        {
            "accent": "--color-brand-content",
            "bg": "--color-background-primary",
            "text": "--color-foreground-primary",
            "muted": "--color-foreground-secondary",
            "border": "--color-background-border",
            "font": "--font-stack",
            "mono": "--font-stack--monospace",
        },
        "findling-search{display:block;margin:.5rem 1rem}",
    ),
    "pydata_sphinx_theme": style(
        {
            "accent": "--pst-color-link",
            "bg": "--pst-color-background",
            "text": "--pst-color-text-base",
            "muted": "--pst-color-text-muted",
            "border": "--pst-color-border",
            "font": "--pst-font-family-base",
            "mono": "--pst-font-family-monospace",
        },
        NARROW,
    )
    + _SHORTCUT,
    "sphinx_rtd_theme": "<style>findling-search{display:block}</style>",
}


def _configure(app: Sphinx, config: Config) -> None:
    # After the site's own templates and before those of the theme.
    config.templates_path.append(str(Path(__file__).parent / "sphinx_templates"))
    if config.html_theme == "pydata_sphinx_theme":
        # The theme leaves out its dialog, and by default its button, which is replaced.
        config.html_theme_options.setdefault("disable_search", True)
        config.html_theme_options.setdefault("navbar_persistent", ["search-button-field"])


def _add(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    if app.builder.name not in _BUILDERS:
        return
    # `pathto` leads from this page to a file.
    root = context["pathto"]("findling/", resource=True).removesuffix("findling/")
    placeholder = app.config.findling_placeholder
    context["findling"] = element(root, placeholder=placeholder)
    head = _HEADS.get(app.config.html_theme, "")
    context["metatags"] = context.get("metatags", "") + script(root) + head


def _build(app: Sphinx, exception: Optional[Exception]) -> None:
    if exception is not None or app.builder.name not in _BUILDERS:
        return
    options = ["--exclude=_static", "--exclude=_sources", *app.config.findling_build]
    try:
        pages = build_site(
            Path(app.outdir), [], encoder=app.config.findling_encoder, options=options
        )
    except FindlingError as error:
        raise ExtensionError(f"findling: {error}") from error
    logger.info("findling: %d pages can be searched", pages)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.add_config_value("findling_encoder", "static", "", str)
    app.add_config_value("findling_build", [], "", list)
    app.add_config_value("findling_placeholder", None, "html", [str, type(None)])
    app.connect("config-inited", _configure)
    app.connect("html-page-context", _add)
    app.connect("build-finished", _build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
