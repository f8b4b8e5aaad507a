"""Builds bundles and searches them."""

from __future__ import annotations

import json
import logging
import os
from typing import Any, Mapping, Optional, Sequence, Union, cast

from ._program import call
from ._types import Mode, Order, Report, Response

StrPath = Union[str, "os.PathLike[str]"]
Filter = Union[str, Mapping[str, Any]]


def build(
    inputs: Union[StrPath, Sequence[StrPath]],
    output: StrPath,
    *,
    encoder: Optional[str] = None,
    install: bool = False,
    options: Sequence[str] = (),
) -> Report:
    """Builds a bundle with its web client.

    `inputs` are directories of rendered HTML, Markdown or source code, or files of JSONL records.
    `encoder` embeds the documents: `static`, the table in the program, by default;
    `all-minilm-l6-v2`, a sentence transformer, which ranks better; `hash`; or `none` for search by
    words alone. The transformer is downloaded once (91 MB); `install` agrees to the download.
    `options` are more options of `findling build`.

    If no encoder is named, the first build reports once, to the logger `findling`, what the
    transformer would gain.

    Raises FindlingError if nothing can be read or written.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    arguments = ["--quiet", "build", "--json", f"--output={os.fspath(output)}"]
    if encoder is not None:
        arguments.append(f"--encoder={encoder}")
    if install:
        arguments.append("--yes")
    arguments.extend(options)
    arguments.append("--")
    arguments.extend(os.fspath(path) for path in paths)
    report = cast(Report, json.loads(call(arguments)))
    if any(notice["code"] == "default-encoder" for notice in report.get("notices", [])):
        _tell_default()
    return report


_told = False


def _tell_default() -> None:
    global _told
    if not _told:
        _told = True
        logging.getLogger("findling").warning(
            "The search by meaning uses the table in the package. A sentence transformer ranks "
            'better: build(..., encoder="all-minilm-l6-v2", install=True) downloads it once '
            '(91 MB). encoder="static" keeps the table, and says no more.'
        )


def open(bundle: StrPath) -> Index:
    """The index of a bundle.

    `bundle` is a directory, a `.findling` file, an https address, or the name of a collection.
    Raises FindlingError if it cannot be read.
    """
    call(["inspect", "--json", os.fspath(bundle)])
    return Index(bundle)


def search(bundle: StrPath, query: str, **options: Any) -> Response:
    """Searches a bundle. The options are those of `Index.search`."""
    return Index(bundle).search(query, **options)


class Index:
    """A bundle that can be searched. Made by `open`."""

    def __init__(self, bundle: StrPath) -> None:
        self.bundle = os.fspath(bundle)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        mode: Mode = "hybrid",
        filter: Optional[Filter] = None,
        facets: Sequence[str] = (),
        order: Order = "relevance",
        also: Sequence[str] = (),
        verbatim: bool = False,
        copies: bool = False,
        explain: bool = False,
    ) -> Response:
        """Searches. The options are those of the client's `search`.

        Raises FindlingError if the query, the filter or an option is not valid.
        """
        arguments = [f"--limit={limit}", f"--offset={offset}", f"--mode={mode}", f"--order={order}"]
        if filter is not None:
            text = filter if isinstance(filter, str) else json.dumps(filter)
            arguments.append(f"--filter={text}")
        arguments.extend(f"--facet={attribute}" for attribute in facets)
        arguments.extend(f"--also={phrasing}" for phrasing in also)
        flags = {"--verbatim": verbatim, "--copies": copies, "--explain": explain}
        arguments.extend(flag for flag, wanted in flags.items() if wanted)
        return _answer(["search", "--json", *arguments, "--", self.bundle, query])

    def similar(self, page: str, *, limit: int = 10) -> Response:
        """Lists the pages most like a page, given by its URL, path or id."""
        return _answer(["similar", "--json", f"--limit={limit}", "--", self.bundle, page])

    def __repr__(self) -> str:
        return f"findling.open({self.bundle!r})"


def _answer(arguments: Sequence[str]) -> Response:
    """The response of a search. The exit status is 1 if nothing is found."""
    return cast(Response, json.loads(call(arguments, good=(0, 1))))
