"""Questions about the packages of three projects, each with its known answers.

Usage: python tests/quality/dependencies.py PROJECT COLLECTION [--findling PROGRAM] [--json]

PROJECT is `rust` (this repository's Cargo.lock), `typescript` or `python`: the packages that
tests/quality/dependencies/README.md lists. COLLECTION is made by `findling collection add deps
--lock FILE`. An answer is a package and a symbol of it, or a file; it counts at the place of its
section among the best sections of the pages.
"""

import argparse
import json
import pathlib
import re
import subprocess

QUESTIONS = pathlib.Path(__file__).with_name("dependencies") / "questions.jsonl"


def places(findling, collection, query):
    """Returns the package, the file and the symbols of the best sections, in order."""
    command = [findling, "search", collection, query, "--json", "-k", "10", "--sections", "1"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode not in (0, 1):
        raise SystemExit(found.stderr)
    sections = []
    for page in json.loads(found.stdout)["results"]:
        package = page["attributes"]["package"]
        for section in page["sections"][:1]:
            symbols = section["attributes"].get("symbol", [])
            named = " ".join([*section["headingPath"], *symbols])
            names = re.split(r"[^\w$]+", named)
            sections.append((package, page["id"], names))
    return sections


def is_answer(answer, section):
    """Returns whether a section is an answer: `package symbol` or `package file`."""
    package, name = answer.split(" ", 1)
    found, page, names = section
    return found == package and (name in names or page.endswith("/" + name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("project", choices=["rust", "typescript", "python"])
    parser.add_argument("collection")
    parser.add_argument("--findling", default="findling")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    args = parser.parse_args()
    ranks = []
    for line in QUESTIONS.read_text().splitlines():
        question = json.loads(line)
        if question["project"] != args.project:
            continue
        sections = places(args.findling, args.collection, question["query"])
        fits = [
            at
            for at, section in enumerate(sections, 1)
            if any(is_answer(answer, section) for answer in question["answers"])
        ]
        ranks.append(min(fits, default=0))
        if not args.json:
            print(f"{ranks[-1] or '-':>3}  {question['query']}")
    figures = {
        "project": args.project,
        "questions": len(ranks),
        "first": sum(rank == 1 for rank in ranks),
        "in_three": sum(0 < rank <= 3 for rank in ranks),
        "in_ten": sum(0 < rank for rank in ranks),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
