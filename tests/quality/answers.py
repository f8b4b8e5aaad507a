"""Makes sets of questions with the sentences that answer them, for `cargo xtask bench sentences`.

    python3 answers.py git SET TLDR OUT [--split dev|test]
    python3 answers.py scifact SET CLAIMS OUT
    python3 answers.py docs SET ANSWERS OUT

SET is a directory in BEIR's layout: corpus.jsonl or site/, queries.jsonl, qrels.tsv. The script
writes `queries.jsonl` (`_id`, `text`, `sentences`) and `qrels.tsv` into OUT, and links the
documents. A sentence is unchanged text of a document. If a question has several sentences, any of
them answers it.

- `git`: task sentences of tldr-pages, and manual pages of git. TLDR is a directory with the pages
  of tldr-pages (`git-branch.md`). Each gives the command for a task. A task whose command has
  exactly one option is answered by the first sentence about this option in its manual, and by
  every other sentence of running text there that names the option.
- `scifact`: claims, and abstracts with the sentences that experts marked as rationale. CLAIMS is
  SciFact's own `claims_train.jsonl` or `claims_dev.jsonl`, which number the sentences.
- `docs`: questions about a product's documentation with written answers. ANSWERS is a JSON file of
  `{"id", "correct_answer"}`. The sentence of the relevant sections that has most words in common
  with the answer (F1) answers the question. Questions with an F1 below 0.4 are left out.

`--split` takes one half of the tasks, by a hash of the id. Needs the standard library only; the
same input gives the same output.
"""

import argparse
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# The fewest words of a sentence that answers.
MIN_WORDS = 4
# The smallest F1 between a sentence and the written answer.
MIN_F1 = 0.4

OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")


def words(text):
    """The words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def sentences_of(text):
    """The sentences of a text: at the ends of lines, and at marks before a capital."""
    lines = (line.strip() for line in text.split("\n"))
    return [part.strip() for line in lines if line for part in SENTENCE_END.split(line)]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class Manual(HTMLParser):
    """The paragraphs of a manual page, and the entries of its lists: the terms of an entry with its
    first paragraph.

    Lists may be nested; an inner list ends the paragraph of the outer entry.
    """

    def __init__(self):
        super().__init__()
        self.entries = []
        self.paragraphs = []
        self._terms = []
        self._text = None
        self._in = None

    def handle_starttag(self, tag, attrs):
        if tag == "dt":
            self._in, self._text = "dt", ""
        elif tag == "dd":
            self._in = "dd"
        elif tag == "p":
            self._in, self._text = "p", ""

    def handle_endtag(self, tag):
        if tag == "dt" and self._in == "dt":
            self._terms.append(self._text)
            self._in = None
        elif tag == "p" and self._in == "p":
            self.paragraphs.append(" ".join(self._text.split()))
            if self._terms:
                self.entries.append((self._terms, self.paragraphs[-1]))
            self._terms, self._in = [], None

    def handle_data(self, data):
        if self._in in ("dt", "p"):
            self._text += data


def sentences_about(manual, options):
    """The sentences that describe or name one of these options; none without an entry."""
    entry = ""
    for terms, text in manual.entries:
        plain = [term.replace("[no-]", "").split("=")[0] for term in terms]
        named = {option for term in plain for option in OPTION.findall(term)}
        if named & set(options):
            entry = text
            break
    first = sentences_of(entry)[:1]
    all_sentences = (one for text in manual.paragraphs for one in sentences_of(text))
    naming = [one for one in all_sentences if set(OPTION.findall(one)) & set(options)]
    return [one for one in first + naming if len(words(one)) >= MIN_WORDS] if first else []


def tldr_tasks(directory):
    """Each task of the pages about git with the subcommand and the options of its command."""
    tasks = {}
    for path in sorted(Path(directory).glob("git-*.md")):
        task = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("- "):
                task = line[2:].rstrip(":")
            elif line.startswith("`git ") and task:
                command = line.strip("`")
                # `{{[-d|--delete]}}` is one option; other braces are values.
                groups = re.findall(r"\{\{\[(-[^\]]*)\]\}\}", command)
                rest = re.sub(r"\{\{.*?\}\}|\"[^\"]*\"|'[^']*'", " ", command)
                options = [OPTION.findall(group) for group in groups]
                options += [[option] for option in OPTION.findall(rest)]
                tasks.setdefault(" ".join(words(task)), (command.split()[1], options))
                task = None
    return tasks


def git(args):
    tasks = tldr_tasks(args.labels)
    manuals = {}
    for query in read_lines(args.set / "queries.jsonl"):
        half = "dev" if hashlib.sha256(query["_id"].encode()).digest()[0] % 2 else "test"
        if args.split not in (None, half):
            continue
        subcommand, options = tasks.get(" ".join(words(query["text"])), (None, []))
        page = f"git-{subcommand}.html"
        if len(options) != 1 or not (args.set / "site" / page).exists():
            continue
        if page not in manuals:
            manuals[page] = Manual()
            text = (args.set / "site" / page).read_text(encoding="utf-8", errors="replace")
            manuals[page].feed(text)
        sentences = sentences_about(manuals[page], options[0])
        if sentences:
            yield query["_id"], query["text"], [page], sentences


def scifact(args):
    texts = {doc["_id"]: doc["text"] for doc in read_lines(args.set / "corpus.jsonl")}
    for claim in read_lines(args.labels):
        pages, sentences = [], []
        for page, rationales in claim["evidence"].items():
            split = sentences_of(texts.get(page, ""))
            marked = {n for rationale in rationales for n in rationale["sentences"]}
            if marked and max(marked) < len(split):
                pages.append(page)
                sentences += [split[n] for n in sorted(marked)]
        if pages:
            yield str(claim["id"]), claim["claim"], pages, sentences


def f1(a, b):
    a, b = set(words(a)), set(words(b))
    common = len(a & b)
    return 2 * common / (len(a) + len(b)) if common else 0.0


def docs(args):
    texts = {doc["_id"]: doc["text"] for doc in read_lines(args.set / "corpus.jsonl")}
    answers = json.loads(args.labels.read_text(encoding="utf-8"))
    answers = {answer["id"]: answer["correct_answer"] for answer in answers}
    relevant = {}
    for line in (args.set / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, page, grade = line.split("\t")
        if grade.isdigit() and int(grade) > 0:
            relevant.setdefault(query, []).append(page)
    for query in read_lines(args.set / "queries.jsonl"):
        answer = answers.get(query["_id"], "")
        found = [
            (f1(sentence, answer), page, sentence)
            for page in relevant.get(query["_id"], [])
            for sentence in sentences_of(texts.get(page, ""))
            if len(words(sentence)) >= MIN_WORDS
        ]
        best = max((score for score, _, _ in found), default=0.0)
        if best >= MIN_F1:
            chosen = [(page, sentence) for score, page, sentence in found if score == best]
            pages = sorted({page for page, _ in chosen})
            yield query["_id"], query["text"], pages, sorted({text for _, text in chosen})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["git", "scifact", "docs"])
    parser.add_argument("set", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", choices=["dev", "test"])
    args = parser.parse_args()
    questions = list({"git": git, "scifact": scifact, "docs": docs}[args.kind](args))
    if not questions:
        sys.exit(f"{args.set}: expected questions that {args.labels} answers; found none")
    args.out.mkdir(parents=True, exist_ok=True)
    for name in ("corpus.jsonl", "site"):
        link = args.out / name
        if (args.set / name).exists() and not link.exists():
            link.symlink_to((args.set / name).resolve())
    with open(args.out / "queries.jsonl", "w", encoding="utf-8") as file:
        for query, text, _, sentences in questions:
            line = {"_id": query, "text": text, "sentences": sentences}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with open(args.out / "qrels.tsv", "w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for query, _, pages, _ in questions:
            file.writelines(f"{query}\t{page}\t1\n" for page in pages)
    print(f"{len(questions)} questions")


if __name__ == "__main__":
    main()
