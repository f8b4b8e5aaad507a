"""The shapes of reports and responses: JSON as the program prints it."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union

Mode = Literal["hybrid", "lexical", "semantic"]
Order = Literal["relevance", "recent", "balanced", "match"]


class Report(TypedDict):
    """The result of a build."""

    output: str
    pages: int
    sections: int
    passages: int
    vectors: int
    terms: int
    #: The encoder of the documents; None if they are searched by words alone.
    encoder: Optional[str]
    unreadable: int
    truncated: int
    bundleBytes: int
    files: int
    unchangedFiles: int
    newBytes: int
    seconds: float
    notices: List[Notice]


class Snippet(TypedDict):
    """A passage of a section as plain text. Ranges are [start, end) in UTF-16 code units."""

    text: str
    ranges: List[Tuple[int, int]]
    code: List[Tuple[int, int]]
    sentence: Tuple[int, int]
    cutStart: bool
    cutEnd: bool


class Legs(TypedDict):
    """The parts of a score: by words and by meaning. Ranks begin at 1."""

    lexicalRank: Optional[int]
    lexicalScore: Optional[float]
    semanticRank: Optional[int]
    similarity: Optional[float]
    lexicalShare: float
    semanticShare: float


class Section(TypedDict):
    """A section that matches."""

    url: str
    anchor: Optional[str]
    headingPath: List[str]
    score: float
    snippet: Snippet
    legs: Legs
    explain: Optional[Dict[str, Any]]


class _Page(TypedDict):
    id: str
    url: str
    title: str
    language: str
    score: float
    attributes: Dict[str, Union[str, float, bool, List[str]]]
    meta: List[Tuple[str, str]]
    sections: List[Section]
    nSections: int


class Page(_Page, total=False):
    """A page that matches, with its best sections."""

    copies: int
    pinned: bool


class Notice(TypedDict):
    """What the reader should know. The code is stable."""

    code: str
    message: str


class Correction(TypedDict):
    """A misspelled word, and the word that was searched for instead."""

    word: str
    replacement: str


class Facet(TypedDict):
    """The values of an attribute with the number of matching pages of each."""

    name: str
    values: List[Tuple[str, int]]


class _Total(TypedDict):
    pages: int
    sections: int


class Total(_Total, total=False):
    """How many pages and sections match. With `atLeast`, the numbers are lower bounds."""

    atLeast: bool


class Response(TypedDict):
    """The answer to a search."""

    query: str
    mode: Mode
    encoder: Optional[str]
    notices: List[Notice]
    corrections: List[Correction]
    suggestions: List[Dict[str, Any]]
    answerable: Optional[float]
    total: Total
    results: List[Page]
    facets: List[Facet]
    plan: Optional[Dict[str, Any]]


class Problem(TypedDict):
    """A message about a file."""

    severity: Literal["skipped", "warning", "error"]
    path: str
    line: Optional[int]
    reason: str


class SectionRow(TypedDict):
    """A row of a table of sections. `docs/tables.md` describes the columns."""

    file: Optional[str]
    place: Optional[int]
    section: Optional[int]
    sections: Optional[int]
    page: str
    url: Optional[str]
    title: Optional[str]
    language: Optional[str]
    level: Optional[int]
    heading: Optional[str]
    anchor: Optional[str]
    text: str
    attributes: Optional[str]
    section_attributes: Optional[str]
    units: Optional[List[str]]
    options: Optional[str]
    as_read: Optional[bytes]
