"""Splits and embeds on the workers of a data engine."""

from __future__ import annotations

import base64
import os
import struct
import warnings
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    cast,
)

from ._api import StrPath
from ._pipe import Pipe, options_of
from ._types import Problem, SectionRow

if TYPE_CHECKING:
    import numpy
    import pyarrow

#: Number of texts in a request. It keeps all cores busy and the answer small.
_AT_ONCE = 512
#: Columns that are numbers.
_NUMBERS = ("place", "section", "sections", "level")
#: Columns of a table of sections that are texts.
_TEXTS = (
    "file", "page", "url", "title", "language", "heading", "anchor", "text", "attributes",
    "section_attributes", "options",
)

Side = Literal["document", "query"]
File = Union[str, Mapping[str, Any]]
_Own = TypeVar("_Own", bound="_Child")


class Embeddings:
    """The vectors of texts, in the order of the texts.

    `len(embeddings)` is the number of texts, n. Vectors have length 1 or are zero; their bits are
    those that `findling build` computes.
    """

    def __init__(
        self,
        encoder: str,
        model: str,
        dimensions: int,
        keys: List[bytes],
        data: bytes,
        tokens: List[int],
        truncated: List[bool],
    ) -> None:
        #: Name of the encoder.
        self.encoder = encoder
        #: Fingerprint of the model, in hex digits. Vectors are only compared within a model.
        self.model = model
        #: Numbers in a vector, d.
        self.dimensions = dimensions
        #: The key of each text, n times 16 bytes: a hash, by which a build finds its vector.
        self.keys = keys
        #: All vectors, n * d * 4 bytes: row by row, 32-bit floats, little endian.
        self.data = data
        #: Tokens of each text, with those that the model adds.
        self.tokens = tokens
        #: Whether a text was longer than the model reads; its end does not affect the vector.
        self.truncated = truncated

    def __len__(self) -> int:
        return len(self.keys)

    def lists(self) -> List[List[float]]:
        """The vectors as n lists of d numbers. Each number has 32 bits."""
        row = struct.Struct(f"<{self.dimensions}f")
        return [list(values) for values in row.iter_unpack(self.data)]

    def numpy(self) -> "numpy.ndarray[Any, Any]":
        """The vectors as an array of shape (n, d) and type float32. Needs numpy."""
        import numpy

        shape = (len(self), self.dimensions)
        return numpy.frombuffer(self.data, dtype="<f4").reshape(shape)

    def arrow(self) -> "pyarrow.Table":
        """The rows of a table of vectors, for `findling build`. Needs pyarrow."""
        import pyarrow

        values = pyarrow.Array.from_buffers(
            pyarrow.float32(),
            len(self) * self.dimensions,
            [None, pyarrow.py_buffer(self.data)],
        )
        offsets = pyarrow.array(
            range(0, len(self) * self.dimensions + 1, self.dimensions), pyarrow.int32()
        )
        return pyarrow.table(
            {
                "key": pyarrow.array(self.keys, pyarrow.binary()),
                "encoder": pyarrow.array([self.encoder] * len(self), pyarrow.string()),
                "model": pyarrow.array([self.model] * len(self), pyarrow.string()),
                "vector": pyarrow.ListArray.from_arrays(offsets, values),
                "tokens": pyarrow.array(self.tokens, pyarrow.int32()),
                "truncated": pyarrow.array(self.truncated, pyarrow.bool_()),
            }
        )

    def rows(self) -> List[Dict[str, Any]]:
        """The rows of a table of vectors, for `findling build`, as dictionaries."""
        columns = (self.keys, self.lists(), self.tokens, self.truncated)
        return [
            {
                "key": key,
                "encoder": self.encoder,
                "model": self.model,
                "vector": vector,
                "tokens": tokens,
                "truncated": truncated,
            }
            for key, vector, tokens, truncated in zip(*columns)
        ]


class _Child:
    """A process of the program that answers requests, and ends with this object."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._pipe = Pipe(arguments)

    def close(self) -> None:
        """Ends the process. The next call starts another."""
        self._pipe.close()

    def __enter__(self: _Own) -> _Own:
        self._pipe.greeting()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


class Encoder(_Child):
    """Embeds texts with the model that `findling build` uses.

        with findling.Encoder("all-minilm-l6-v2") as encoder:
            vectors = encoder.encode(["how do I share data"]).numpy()

    `encoder` is `static` (the table in the program, the default), an installed model, or `hash`
    (feature hashing, not semantic); `table` is a file that `findling
    distill` wrote; `threads` is by default one per core; `install` agrees to a download if the
    model is missing.

    An encoder is a child process, which holds the model. It is started by the first call or by
    `with`, and ends with `close`, at the end of `with`, or with this process, even if that is
    killed. Threads may share an encoder: one embeds at a time, on all cores. It can be pickled; the
    copy starts its own process, and so does the encoder in a forked process.

    Raises FindlingError, with what to do, if the model is not installed, a text cannot be embedded,
    or the program ends.
    """

    def __init__(
        self,
        encoder: str = "static",
        *,
        table: Optional[StrPath] = None,
        threads: Optional[int] = None,
        install: bool = False,
    ) -> None:
        self._asked = encoder
        named = [("encoder", encoder), ("table", _path(table)), ("jobs", threads)]
        super().__init__(["embed", *options_of(named), *(["--yes"] if install else [])])

    @property
    def encoder(self) -> str:
        """Name of the encoder."""
        return cast(str, self._pipe.greeting()["encoder"])

    @property
    def model(self) -> str:
        """Fingerprint of the model, in hex digits: equal for equal vectors."""
        return cast(str, self._pipe.greeting()["model"])

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return cast(int, self._pipe.greeting()["dimensions"])

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the model reads, with those that it adds; 2**32 - 1 if it has
        no limit."""
        return cast(int, self._pipe.greeting()["maxTokens"])

    def encode(self, texts: Sequence[str], *, side: Side = "document") -> Embeddings:
        """Embeds texts, such as the `units` of sections. Equal texts have equal vectors.

        Some models embed a query in another way than a document: `side` says which of the two it
        is. A build takes vectors of documents.
        """
        if isinstance(texts, str):
            raise TypeError("expected a sequence of texts, found one text: put it into a list")
        about = self._pipe.greeting()
        keys: List[bytes] = []
        data: List[bytes] = []
        tokens: List[int] = []
        truncated: List[bool] = []
        for start in range(0, len(texts), _AT_ONCE):
            batch = [str(text) for text in texts[start : start + _AT_ONCE]]
            answer = self._pipe.ask({"texts": batch, "side": side})
            keys.extend(map(bytes.fromhex, answer["keys"]))
            data.append(base64.b64decode(answer["vectors"]))
            tokens.extend(answer["tokens"])
            truncated.extend(answer["truncated"])
        return Embeddings(
            about["encoder"], about["model"], about["dimensions"], keys, b"".join(data), tokens,
            truncated,
        )

    def __repr__(self) -> str:
        return f"findling.Encoder({self._asked!r})"


class Splitter(_Child):
    """Splits the files of a site into sections, as `findling build` does.

        with findling.Splitter("public") as splitter:
            for file in splitter.files():
                rows = splitter.split([file])

    `inputs` are those of `findling build`, or nothing if contents are given. `encoder` is the
    encoder that embeds later. A section has as many texts to embed as that encoder needs; with
    `none` it has no texts. `options` are options of `findling sections`, such as
    `--base-url=/docs/`.

    The process behaves like the process of an Encoder. Messages about files become warnings
    (`warnings.warn`) of the category FindlingWarning.

    Raises FindlingError, with what to do.
    """

    def __init__(
        self,
        inputs: Union[StrPath, Sequence[StrPath]] = (),
        *,
        encoder: str = "static",
        table: Optional[StrPath] = None,
        threads: Optional[int] = None,
        install: bool = False,
        options: Sequence[str] = (),
    ) -> None:
        paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
        self._inputs = [os.fspath(path) for path in paths]
        named = [("encoder", encoder), ("table", _path(table)), ("jobs", threads)]
        arguments = ["sections", *options_of(named), *(["--yes"] if install else []), *options]
        # Paths may begin with a hyphen. Further arguments are added after them.
        super().__init__(
            [*arguments, *(f"./{p}" if p[:1] == "-" else p for p in self._inputs)]
        )

    def files(self) -> List[str]:
        """The files of the inputs: paths below the root with `/`, in the order of a build."""
        _warn(self._pipe.greeting()["problems"])
        return cast(List[str], self._pipe.ask({"list": True})["files"])

    def split(self, files: Sequence[File]) -> List[SectionRow]:
        """The sections of files, in their order.

        A file is a path that `files` lists, or a dictionary with its path below the root as `file`
        and its contents as `text` (str) or `bytes`; `format` is one of the values of `findling
        build --format`; by default, the name determines it.

        The title of a page and its language can depend on other pages. For example, the name of the
        site is removed from titles if many titles have it. `title`, `language` and `units` are
        computed as if the site consisted of these files. So split files together, or join the rows
        with `findling sections` before they are embedded. A build is correct in any case, and
        embeds such texts again.
        """
        answer = self._pipe.ask({"files": [_file(file) for file in files]})
        _warn(answer["problems"])
        rows = cast(List[SectionRow], answer["sections"])
        for row in rows:
            encoded = cast(Optional[str], row["as_read"])
            row["as_read"] = None if encoded is None else base64.b64decode(encoded)
        return rows

    def __repr__(self) -> str:
        return f"findling.Splitter({self._inputs!r})"


class FindlingWarning(UserWarning):
    """A file was left out, or may have been read differently from what its author intended."""


def split_sections(
    files: Union[StrPath, Sequence[Mapping[str, Any]]],
    *,
    encoder: str = "static",
    install: bool = False,
    options: Sequence[str] = (),
) -> List[SectionRow]:
    """The sections of a site, or of files that are given with their contents.

        rows = findling.split_sections("public")
        rows = findling.split_sections([{"file": "a.md", "text": "# A"}])

    `Splitter` describes the arguments. For many calls it is better, because each call of this
    function starts a process.
    """
    if isinstance(files, (str, os.PathLike)):
        with Splitter(files, encoder=encoder, install=install, options=options) as splitter:
            return splitter.split(splitter.files())
    with Splitter(encoder=encoder, install=install, options=options) as splitter:
        return splitter.split(files)


def sections_arrow(rows: Sequence[Mapping[str, Any]]) -> "pyarrow.Table":
    """Rows of sections as a table with the types of `docs/tables.md`. Needs pyarrow."""
    import pyarrow

    texts = [(name, pyarrow.string()) for name in _TEXTS]
    numbers = [(name, pyarrow.int32()) for name in _NUMBERS]
    others = [("units", pyarrow.list_(pyarrow.string())), ("as_read", pyarrow.binary())]
    schema = pyarrow.schema([*texts, *numbers, *others])
    return pyarrow.table(
        {name: [row.get(name) for row in rows] for name in schema.names}, schema=schema
    )


def _path(path: Optional[StrPath]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _file(file: File) -> File:
    if isinstance(file, str):
        return file
    given = {name: file[name] for name in ("file", "text", "format") if file.get(name) is not None}
    contents = file.get("bytes")
    if contents is not None:
        given["base64"] = base64.b64encode(contents).decode("ascii")
    return given


def _warn(problems: Sequence[Problem]) -> None:
    for problem in problems:
        if problem["severity"] != "skipped":
            line = "" if problem["line"] is None else f":{problem['line']}"
            message = f"{problem['path']}{line}: {problem['reason']}"
            warnings.warn(message, FindlingWarning, stacklevel=3)
