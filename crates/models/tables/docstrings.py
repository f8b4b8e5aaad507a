"""Turns Python packages into what people ask code for, one text a line, for `findling distill`.

    python3 docstrings.py ARCHIVES OUT [JUDGED.jsonl ...]

ARCHIVES is a directory of wheels and source archives, as `pip download` leaves them. OUT is the
file to write. A text is the first sentence of the docstring of a function or class, or its name in
words. Some of both get a typical beginning of questions to a search engine. Texts that also occur
in the documents of a JUDGED set (BEIR's `corpus.jsonl`) are left out. Standard library only; the
same input gives the same output.
"""

import ast
import hashlib
import json
import re
import sys
import tarfile
import warnings
import zipfile
from pathlib import Path

# Most texts of one package, and words of a text.
EACH, WORDS = 2500, 16


def digest(text):
    return hashlib.sha256(text.encode()).digest()


def modules(path):
    """The Python sources of an archive, without tests."""
    if path.suffix == ".whl":
        archive = zipfile.ZipFile(path)
        files = ((name, archive.read(name)) for name in archive.namelist() if name.endswith(".py"))
    else:
        archive = tarfile.open(path)
        files = (
            (entry.name, archive.extractfile(entry).read())
            for entry in archive
            if entry.name.endswith(".py")
        )
    return (source for name, source in files if "/tests/" not in name and "/test_" not in name)


def in_words(name):
    """`get_fileSize` as `get file size`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name.strip("_")).replace("_", " ")
    return " ".join(spaced.split()).lower()


def first_sentence(docstring):
    paragraph = " ".join(docstring.strip().split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?:])\s", paragraph)[0].strip(" .:")
    return re.sub(r"[`*]+|:\w+:", "", sentence)


def texts(source):
    """The first sentence of each docstring, and some names of functions and classes."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        words = first_sentence(ast.get_docstring(node) or "").split()
        if len(words) < 3:
            continue
        name, sentence = in_words(node.name), " ".join(words[:WORDS])
        kind = digest(sentence + name)[0] % 4
        if sentence[1].islower():
            sentence = sentence[0].lower() + sentence[1:]
        yield "python " + sentence if kind == 0 else sentence
        if len(name.split()) >= 2 and kind in (1, 2):
            yield ("python " if kind == 1 else "how to ") + name


def main():
    warnings.simplefilter("ignore")
    archives, out, judged = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    documents = " ".join(
        re.sub(r"\s+", " ", json.loads(line)["text"].lower())
        for path in judged
        for line in open(path, encoding="utf8")
    )
    chosen = set()
    for path in sorted(archives.iterdir()):
        found = {text for source in modules(path) for text in texts(source)}
        chosen.update(sorted(found, key=digest)[:EACH])
        print(f"{path.name}: {min(len(found), EACH)} texts of {len(found)}", flush=True)

    def is_judged(text):
        said = re.sub(r"^(python|how to) ", "", text.lower())
        return len(said.split()) >= 3 and said in documents

    kept = [text for text in sorted(chosen, key=digest) if not is_judged(text)]
    out.write_text("".join(text + "\n" for text in kept), encoding="utf8")


if __name__ == "__main__":
    main()
