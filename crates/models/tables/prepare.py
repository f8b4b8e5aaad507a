"""Turns what sources.sh fetched into texts, one a line, for `findling distill`.

    python3 prepare.py UNPACKED LISTS OUT

UNPACKED has one directory for each unpacked package. LISTS is a directory of apt's lists with
Translation-en (lz4 or plain, read with `/usr/lib/apt/apt-helper cat-file`). OUT is the file to
write. A sample of each source is taken, in an order determined by hashes. Texts with words that
occur in few earlier texts come first, so that training covers the whole vocabulary. Standard
library only; the same input gives the same output.
"""

import gzip
import hashlib
import html
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

# Words of a text. Queries are short, and the teacher's time grows with the number of words: texts
# are cut to SHORT words, one in EACH of them to LONG.
SHORT, LONG, EACH = 9, 25, 8
# Texts with a word that fewer texts had go first.
FEW = 6
# Most pages and texts of one package's documentation.
MAX_PAGES, MAX_PAGE_TEXTS = 120, 2000


def one(unpacked, package, pattern):
    """The file of a package, anywhere in it, that `pattern` matches."""
    path = min((unpacked / package).rglob(pattern), default=None)
    if path is None:
        sys.exit(
            f"{unpacked / package}: expected a file {pattern}, found none; "
            "run sources.sh again, which fetches and unpacks the package"
        )
    return path


def sentences(text):
    """Sentences of three words and more, without the marks of dictionaries."""
    text = " ".join(text.split())
    for sentence in re.split(r"(?<=[.!?;])\s+(?=[\"'(A-Z0-9])", text):
        if len(sentence.split()) >= 3:
            yield sentence.strip()


def span(text, key):
    """Some adjacent words, chosen by a hash of `key`: queries are seldom whole sentences."""
    words = text.split()
    if len(words) < 6:
        return None
    h = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    n = 2 + h % min(10, len(words) - 2)
    start = (h >> 16) % (len(words) - n + 1)
    return " ".join(words[start : start + n]).strip(" ,;:.()")


def dictd(path):
    """Entries of a dictd dictionary: headword lines at the margin, text indented."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    head, body = None, []
    for line in text.decode("utf8", "replace").split("\n"):
        if line and not line[0].isspace():
            if head and body:
                yield head, body
            head, body = line.strip(), []
        else:
            body.append(line.strip())
    if head and body:
        yield head, body


def paragraphs(lines):
    out = []
    for line in lines + [""]:
        if line:
            out.append(line)
        elif out:
            yield " ".join(out)
            out = []


def wordnet(unpacked):
    for pos in ["noun", "verb", "adj", "adv"]:
        path = one(unpacked, "wordnet-base", f"data.{pos}")
        for line in path.open(encoding="latin1"):
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            n_words = int(fields[3], 16)
            words = [fields[4 + 2 * i].replace("_", " ").split("(")[0] for i in range(n_words)]
            parts = [p.strip() for p in re.split(r';\s*(?=")|;\s', gloss.strip())]
            definitions = [p for p in parts if not p.startswith('"')]
            yield words[0]
            if len(words) > 1:
                yield " ".join(words[:4])
            if definitions:
                yield f"{words[0]}: {definitions[0]}"
                yield definitions[0]
            for example in parts:
                if example.startswith('"'):
                    yield example.strip('" ')


def foldoc(unpacked):
    for head, body in dictd(one(unpacked, "dict-foldoc", "foldoc.dict.dz")):
        yield head
        for paragraph in paragraphs(body):
            text = re.sub(r"[{}]|<[^>]*>|\(https?:[^)]*\)", "", paragraph)
            for i, sentence in enumerate(sentences(text)):
                yield sentence
                if i == 0:
                    yield f"{head} {span(sentence, sentence) or ''}"


def small_dictionaries(unpacked):
    for name in ["vera", "jargon", "elements", "devil"]:
        for head, body in dictd(one(unpacked, f"dict-{name}", f"{name}*.dict.dz")):
            yield head
            for paragraph in paragraphs(body):
                yield from sentences(re.sub(r"[{}]|<[^>]*>", "", paragraph))


def gcide(unpacked):
    path = one(unpacked, "dict-gcide", "gcide.dict.dz")
    for head, body in dictd(path):
        head = re.sub(r"\\.*", "", head).strip()
        if not re.fullmatch(r"[A-Za-z][A-Za-z' -]*", head):
            continue
        text = " ".join(body)
        text = re.sub(r"\[[^\]]*\]|\{|\}|\\[^\\]*\\|\"", "", text)
        # "(Med.) Inflammation of ..." is a definition with its field; "1." begins a sense.
        senses = re.split(r"\s(?:\d+|\([a-z]\))\.?\s+", " " + text)
        senses = [sense for sense in senses if len(sense.split()) >= 4]
        for i, sense in enumerate(senses[:4]):
            sense = re.sub(r"\((?:[A-Z][A-Za-z.& ]*)\)\s*", "", sense, count=1)
            sense = re.split(r"\s--|\s[A-Z][a-z]+\.$", sense)[0].strip()
            if len(sense.split()) >= 3 and not re.search(r"\b(?:fr|pr|imp)\.", sense):
                yield f"{head}: {sense}" if i % 2 == 0 else sense


def medical_words(unpacked):
    path = one(unpacked, "hunspell-en-med", "*.dic")
    for line in path.open(encoding="latin1"):
        word = line.strip().split("/")[0]
        if word.isalpha() and len(word) > 4:
            yield word


def gene_ontology(unpacked):
    """Terms with definitions (GO Consortium, CC BY 4.0)."""
    path = one(unpacked, "r-bioc-go.db", "GO.sqlite")
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = database.execute("SELECT term, definition FROM go_term ORDER BY go_id")
    for term, definition in rows:
        if not definition or term == "all" or term.startswith("obsolete"):
            continue
        yield term
        definition = re.sub(r"\[[^\]]*\]", "", definition)
        for i, sentence in enumerate(sentences(definition)):
            if i < 3:
                yield sentence
                part = span(sentence, term + sentence)
                if part:
                    yield part


def icd(unpacked):
    """Headings and index terms of ICD-10-CM (NCHS, public domain)."""
    path = one(unpacked, "simple-icd-10-cm", "icd10c-tabular*.xml")
    for element in xml.parse(path).iter():
        text = " ".join((element.text or "").split())
        if element.tag in ("desc", "note") and len(text.split()) >= 2:
            code, encounter = r"\s*\([A-Z]\d\d[^)]*\)", r", (?:initial|subsequent) encounter.*"
            yield re.sub(rf"{code}|{encounter}|, sequela$", "", text)


def debian_packages(lists):
    """Short and long descriptions of Debian's packages."""
    part = "_dists_bookworm_main_i18n_Translation-en"
    names = sorted(str(path) for path in lists.iterdir() if part in path.name)
    command = ["/usr/lib/apt/apt-helper", "cat-file", *names]
    read = subprocess.run(command, capture_output=True, check=True)
    for record in read.stdout.decode("utf8", "replace").split("\n\n"):
        head, _, rest = record.partition("Description-en: ")
        if not rest:
            continue
        short, _, long = rest.partition("\n")
        name = head.split("Package: ")[-1].split("\n")[0]
        if re.search(r"-(?:dbg|dbgsym|dev|data)$", name):
            continue
        yield short
        lines = [line.strip() for line in long.split("\n")]
        for i, paragraph in enumerate(paragraphs(["" if line == "." else line for line in lines])):
            for j, sentence in enumerate(sentences(paragraph)):
                if i < 3 and j < 3 and "This package" not in sentence:
                    yield sentence
                    if j == 0:
                        part = span(sentence, name + sentence)
                        if part:
                            yield part


def documentation(unpacked):
    """Headings, first sentences and spans of the HTML pages of every package."""
    for package in sorted(unpacked.iterdir()):
        pages = sorted(
            p
            for p in package.rglob("*.html")
            if "genindex" not in p.name and p.is_file() and not p.is_symlink()
        )
        pages.sort(key=lambda p: digest(str(p.relative_to(unpacked))))
        texts = []
        for page in pages[:MAX_PAGES]:
            source = page.read_text("utf8", "replace")[:150_000]
            source = re.sub(r"(?s)<(script|style|nav|pre|table|head)\b.*?</\1>", " ", source)
            for tag, inner in re.findall(r"(?s)<(h[1-4]|p|dd|li)\b[^>]*>(.*?)</\1>", source):
                inner = html.unescape(re.sub(r"(?s)<[^>]*>", "", inner)).replace("¶", "").strip()
                if tag[0] == "h":
                    texts.append(re.sub(r"^[\d.]+\s+", "", inner))
                    continue
                for i, sentence in enumerate(sentences(inner)):
                    texts.append(sentence if i == 0 else span(sentence, sentence) or sentence)
        texts.sort(key=digest)
        yield from texts[:MAX_PAGE_TEXTS]


def digest(text):
    return hashlib.sha256(text.encode("utf8", "replace")).digest()


def tidy(line):
    words = line.split()
    line = " ".join(words[: LONG if digest(line)[0] % EACH == 0 else SHORT])
    letters = sum(c.isascii() and c.isalpha() for c in line)
    return line if letters >= max(3, 0.6 * len(line)) else ""


def sample(lines, limit, counts):
    """`limit` of the lines, those with rarely seen words first."""
    lines = sorted({tidy(line) for line in lines} - {""}, key=digest)
    chosen, rest = [], []
    for line in lines:
        words = set(re.findall(r"[a-z]+", line.lower()))
        if len(chosen) < limit and any(counts[word] < FEW for word in words):
            chosen.append(line)
            counts.update(words)
        else:
            rest.append(line)
    return chosen + rest[: limit - len(chosen)], len(lines)


def main():
    unpacked, lists, out = map(Path, sys.argv[1:])
    sources = [
        ("wordnet", wordnet(unpacked), 24_000),
        ("debian-packages", debian_packages(lists), 18_000),
        ("gene-ontology", gene_ontology(unpacked), 16_000),
        ("documentation", documentation(unpacked), 24_000),
        ("foldoc", foldoc(unpacked), 9_000),
        ("gcide", gcide(unpacked), 10_000),
        ("icd-10-cm", icd(unpacked), 5_000),
        ("dictionaries", small_dictionaries(unpacked), 3_000),
        ("medical-words", medical_words(unpacked), 6_000),
    ]
    counts, texts = Counter(), []
    for name, lines, limit in sources:
        chosen, of = sample(lines, limit, counts)
        texts += chosen
        print(f"{name}: {len(chosen)} texts of {of}", flush=True)
    out.write_text("".join(line + "\n" for line in sorted(set(texts), key=digest)), encoding="utf8")


if __name__ == "__main__":
    main()
