"""Measures whether pages are found by their headings in other languages than English, on real
translated documentation.

    python3 languages.py fetch TREES [--languages de,pl] [--clones DIR]
    python3 languages.py measure TREES OUT [--languages de,pl] [--tools TOOL,...]
                                           [--split dev|test|all] [--misses N] [--result FILE]

`fetch` takes LibreOffice's help and GIMP's help from Debian's packages and, for languages that no
package has documentation in (Arabic, Hebrew, Thai), Microsoft's translated documentation from its
public repositories (DIR may have clones of them). It also fetches dictionaries (Hunspell; Voikko
for Finnish), which say which words are forms of the same word. It needs `apt-get` and `git`.

`measure` draws pages of each tree and headings of those pages: unique in the tree, of two to eight
words. A heading that the English tree has too is not translated and is no query. Kinds of queries:

- `plain`: the heading;
- `folded`: as readers type it: in lower case and without marks; Turkish, Polish and Vietnamese
  letters in ASCII, German umlauts as two letters, kana and digits in their other width, Korean
  without spaces. Only headings that change in more than case;
- `inflected`: one word of the heading in another form that occurs in the tree. The dictionary says
  that both have a stem in common; for Korean, the word with another particle; for Hindi, whose
  dictionary has no forms, with another ending. Languages whose words have only one form have no
  such queries;
- `part`: the last part of a compound in place of the compound (German, Dutch, Swedish, Finnish).

Headings belong to one of two halves by a hash, `dev` and `test`. The figure is the mean reciprocal
rank of the heading's page among ten. FINDLING names the program (default `findling`); it builds
without vectors. Pagefind is that of `tests/peers`. `charabia-terms` and `findling-terms` rank pages
in the same way, by the terms of Meilisearch's tokeniser and of Findling (`tests/peers/charabia`,
which cargo compiles). The same input gives the same queries.
"""

import argparse
import hashlib
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
LANGUAGES = (
    "en de nl sv fr es it pt ro ru uk pl cs el tr fi hu hi ar he vi th ko ja zh"
).split()
MAX_PAGES = 800
MAX_QUERIES = 200
MAX_RANK = 10
SALT = "languages"

OFFICE = {language: language for language in LANGUAGES} | {"en": "en-US", "zh": "zh-CN"}
# Languages in which GIMP's help is translated, but LibreOffice's is not.
GIMP = {"ro", "uk"}
REPOSITORIES = {
    "ar": ("customer-insights-pr.ar-sa", "dynamics-365-project-operations-pr.ar-SA"),
    "he": ("customer-insights-pr.he-il", "dynamics-365-project-operations-pr.he-il"),
    "th": ("customer-insights-pr.th-th", "dynamics-365-project-operations-pr.th-TH"),
}
# Hunspell's package and dictionary.
DICTIONARIES = {
    "ar": ("ar", "ar"),
    "cs": ("cs", "cs_CZ"),
    "de": ("de-de", "de_DE"),
    "el": ("el", "el_GR"),
    "en": ("en-us", "en_US"),
    "es": ("es", "es_ES"),
    "fr": ("fr-classical", "fr"),
    "he": ("he", "he_IL"),
    "hu": ("hu", "hu_HU"),
    "it": ("it", "it_IT"),
    "nl": ("nl", "nl"),
    "pl": ("pl", "pl_PL"),
    "pt": ("pt-pt", "pt_PT"),
    "ro": ("ro", "ro_RO"),
    "ru": ("ru", "ru_RU"),
    "sv": ("sv", "sv_SE"),
    "tr": ("tr", "tr_TR"),
    "uk": ("uk", "uk_UA"),
}
VOIKKO = ("libarchive13", "libhfstospell11", "libvoikko1", "python3-libvoikko", "voikko-fi")
UNSPACED = {"ja", "zh", "th"}
# Text between the parts of a compound.
LINKS = {
    "de": ("", "s", "es", "n", "en", "er"),
    "nl": ("", "s", "e", "en"),
    "sv": ("", "s"),
    "fi": ("", "n"),
}
MIN_PART = 4
MIN_COMPOUND = 9
# Endings of Hindi nouns: direct and oblique, singular and plural.
ENDINGS = (
    ("ा", ("े", "ों")),
    ("े", ("ा", "ों")),
    ("ी", ("ियों", "ियाँ")),
    ("", ("ों", "ें")),
)
PARTICLES = "을 를 이 가 은 는 의 에 에서 로 으로 와 과 도".split()
SCRIPTS = {
    "ar": "\u0600-\u06ff",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "ja": "\u3040-\u30ff\u4e00-\u9fff",
    "ko": "\uac00-\ud7a3",
    "ru": "\u0400-\u04ff",
    "uk": "\u0400-\u04ff",
    "th": "\u0e00-\u0e7f",
    "zh": "\u4e00-\u9fff",
}
FOLDS = {
    "ar": str.maketrans("أإآىة", "ااايه"),
    "de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}),
    "pl": str.maketrans("ł", "l"),
    "tr": str.maketrans("ı", "i"),
    "vi": str.maketrans("đ", "d"),
}
# Words of letters and marks, with the signs that Hebrew and French write inside words.
WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0590-\u05c7\u064b-\u0655\u0900-\u0963])*")


def digest(*parts):
    return hashlib.sha256(" ".join((SALT, *parts)).encode()).hexdigest()


class Reader(html.parser.HTMLParser):
    """The headings and the words of a page that readers see."""

    VOID = set("area base br col embed hr img input link meta source track wbr".split())

    def __init__(self, text):
        super().__init__()
        # Open elements: the name, and whether the element or one around it is hidden.
        self.headings, self.words, self.open, self.stack = [], [], None, [("", False)]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in self.VOID:
            return
        hidden = tag in ("script", "style", "nav") or "hidden" in dict(attrs)
        self.stack.append((tag, hidden or self.stack[-1][1]))
        if re.fullmatch("h[1-3]", tag) and not self.stack[-1][1]:
            self.open = []

    def handle_endtag(self, tag):
        if any(name == tag for name, _ in self.stack):
            while self.stack.pop()[0] != tag:
                pass
        if re.fullmatch("h[1-3]", tag) and self.open is not None:
            self.headings.append(" ".join("".join(self.open).split()))
            self.open = None

    def handle_data(self, data):
        if not self.stack[-1][1]:
            self.words.append(data)
            if self.open is not None:
                self.open.append(data)


def from_markdown(text):
    """A page of Microsoft's documentation as HTML: headings and paragraphs."""
    title = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", text, re.M)
    text = re.sub(r"\A\ufeff?---\n.*?\n---\n", "", text.replace("\r\n", "\n"), flags=re.S)
    text = re.sub(r"<[^>]*>|!\[[^\]]*\]\([^)]*\)|^> \[!\w+\]", " ", text, flags=re.M)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("**", "").replace("&", "&amp;").replace("<", "&lt;")
    out = [f"<title>{html.escape(title[1]) if title else ''}</title>\n<body>"]
    for block in re.split(r"\n\s*\n|\n(?=#)|(?<=\n)(?=\d+\.|- )", text):
        block = block.strip()
        heading = re.match(r"(#{1,6})\s+(.+?)\s*#*$", block, re.S)
        if heading:
            level = len(heading[1])
            out.append(f"<h{level}>{' '.join(heading[2].split())}</h{level}>")
        elif block:
            out.append(f"<p>{block}</p>")
    return "\n".join(out)


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode not in (0, 3):
        sys.exit(f"{command[0]} {command[1]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def fetch(trees, languages, clones):
    packages = {"hunspell", "libhunspell-1.7-0", "libreoffice-help-en-us"}
    for language in languages:
        if language in DICTIONARIES:
            packages.add(f"hunspell-{DICTIONARIES[language][0]}")
        if language in GIMP:
            packages.add(f"gimp-help-{language}")
        elif language not in REPOSITORIES:
            packages.add(f"libreoffice-help-{OFFICE[language].lower()}")
    if "fi" in languages:
        packages.update(VOIKKO)
    debs = trees / "packages"
    debs.mkdir(parents=True, exist_ok=True)
    missing = [name for name in sorted(packages) if not list(debs.glob(f"{name}_*.deb"))]
    if missing:
        run("apt-get", "download", *missing, cwd=debs)
    for name in sorted(packages):
        mark = trees / f".{name}"
        if not mark.exists():
            run("dpkg", "-x", next(debs.glob(f"{name}_*.deb")), trees)
            mark.touch()
    for language in languages:
        for name in REPOSITORIES.get(language, ()):
            into = trees / "repositories" / language / name
            if into.exists():
                continue
            clone = next(iter(clones.glob(f"*{name}*")), None) if clones else None
            if clone is None:
                clone = trees / "clones" / name
                run("git", "clone", "-q", "--bare", "--depth", "1",
                    f"https://github.com/MicrosoftDocs/{name}", clone)
            clone = clone / "repo" if (clone / "repo").exists() else clone
            into.mkdir(parents=True)
            archive = subprocess.Popen(
                ["git", "-C", str(clone), "archive", "HEAD"], stdout=subprocess.PIPE
            )
            run("tar", "-x", "-C", into, stdin=archive.stdout)


def tree_of(trees, language):
    """Paths and HTML of a language's pages."""
    if language in REPOSITORIES:
        root, suffix = trees / "repositories" / language, ".md"
    elif language in GIMP:
        root, suffix = trees / "usr/share/gimp/2.0/help" / language, ".html"
    else:
        root, suffix = trees / "usr/share/libreoffice/help" / OFFICE[language] / "text", ".html"
    paths = sorted(path for path in root.rglob(f"*{suffix}") if path.is_file())
    if not paths:
        sys.exit(f"{root}: expected pages in {suffix}, found none; run `fetch` first")
    for path in paths:
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf8", errors="replace")
        if suffix == ".md":
            if not re.search(r"^#", text, re.M):
                continue
            name = re.sub(r"\.md$", ".html", name)
            text = f'<!doctype html>\n<html lang="{language}">\n{from_markdown(text)}\n</html>\n'
        yield name, text


def drawn(trees, language):
    """The pages that are indexed, by path."""
    pages = sorted(tree_of(trees, language), key=lambda page: digest(page[0]))
    return dict(sorted(pages[:MAX_PAGES]))


def is_translated(heading, language):
    script = SCRIPTS.get(language)
    letters = [c for c in heading if c.isalpha()]
    return not script or sum(bool(re.match(f"[{script}]", c)) for c in letters) * 2 > len(letters)


def fits(heading, language):
    if language in UNSPACED:
        return 4 <= sum(c.isalpha() for c in heading) <= 40
    return 2 <= len(heading.split()) <= 8 and len(WORD.findall(heading)) > 1


def folded(text, language):
    if language == "tr":
        text = text.translate(str.maketrans("Iİ", "ıi"))
    lower = text = text.lower()
    if language == "ko":
        return text.replace(" ", "") if " " in text else None
    text = text.translate(FOLDS.get(language, {}))
    if language in ("ja", "zh"):
        text = "".join(
            unicodedata.normalize("NFKC", c) if unicodedata.east_asian_width(c) == "F" else c
            for c in text
        )
        # A long vowel at the end of a loan word is often left out.
        text = re.sub(r"(?<=[ァ-ヺ]{2})ー(?![ァ-ヺー])", "", text)
    elif language == "hi":
        text = text.replace("\u093c", "").replace("\u0901", "\u0902")
        text = unicodedata.normalize("NFD", text).replace("\u093c", "")
    elif language not in ("th", "ar", "he"):
        apart = unicodedata.normalize("NFD", text)
        text = "".join(c for c in apart if not unicodedata.combining(c))
    else:
        text = re.sub("[\u0591-\u05c7\u064b-\u0652]", "", text)
    return text if text != lower else None


def stems_by_hunspell(trees, language, words):
    """The stems of each word in the dictionary."""
    dictionary = trees / "usr/share/hunspell" / DICTIONARIES[language][1]
    out = run(trees / "usr/bin/hunspell", "-s", "-i", "utf-8", "-d", dictionary,
              input="\n".join(words) + "\n", env=os.environ | {"LD_LIBRARY_PATH": libraries(trees)})
    stems = {}
    for line in out.splitlines():
        word, *stem = line.split()[:2] or [""]
        if stem:
            stems.setdefault(word, set()).add(stem[0].lower())
    return stems


VOIKKO_PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from libvoikko import Voikko
Voikko.setLibrarySearchPath(sys.argv[2])
voikko = Voikko("fi", path=sys.argv[3])
words = sys.stdin.read().split()
print(json.dumps({word: [a["BASEFORM"].lower() for a in voikko.analyze(word)] for word in words}))
"""


def libraries(trees):
    return ":".join(str(path) for path in (trees / "usr/lib").glob("*-linux-gnu*"))


def stems_by_voikko(trees, words):
    root = trees.resolve() / "usr/lib"
    paths = (root / "python3/dist-packages", next(root.glob("*-linux-gnu*")), root / "voikko")
    environment = os.environ | {"LD_LIBRARY_PATH": libraries(trees.resolve())}
    out = run(sys.executable, "-c", VOIKKO_PROGRAM, *paths,
              input="\n".join(words), env=environment)
    return {word: set(stems) for word, stems in json.loads(out).items()}


def other_forms(trees, language, counts):
    """For each word, the most frequent other form of it in the tree."""
    words = sorted(word for word in counts if len(word) > 2)
    forms = {}
    if language == "ko":
        for word in words:
            joined = [word + particle for particle in PARTICLES if word + particle in counts]
            if joined:
                forms[word] = max(joined, key=lambda form: (counts[form], form))
        return forms
    if language == "hi":
        for word in words:
            for ending, others in ENDINGS:
                joined = [word.removesuffix(ending) + other for other in others]
                joined = [form for form in joined if counts.get(form)]
                if joined and word.endswith(ending) and len(word) > len(ending) + 2:
                    forms.setdefault(word, max(joined, key=lambda form: (counts[form], form)))
        return forms
    if language == "fi":
        stems = stems_by_voikko(trees, words)
    elif language in DICTIONARIES:
        stems = stems_by_hunspell(trees, language, words)
    else:
        return {}
    by_stem = {}
    for word, of_word in stems.items():
        for stem in of_word:
            by_stem.setdefault(stem, set()).add(word)
    for word, of_word in stems.items():
        others = set().union(*(by_stem[stem] for stem in of_word)) - {word} if of_word else set()
        if others:
            forms[word] = max(others, key=lambda form: (counts[form], form))
    return forms


def head_of(word, language, counts):
    """The last part of a compound, if the tree has both parts as words."""
    best = None
    for at in range(MIN_PART, len(word) - MIN_PART + 1):
        head = word[at:]
        if counts.get(head, 0) < 3 or len(word) < MIN_COMPOUND:
            continue
        for link in LINKS[language]:
            first = word[: at - len(link)] if word[:at].endswith(link) else ""
            if len(first) >= MIN_PART and counts.get(first, 0) >= 3:
                score = min(counts[head], counts[first])
                best = max(best or (0, ""), (score, head))
    return best[1] if best else None


def replaced(heading, change, fits=lambda word: True):
    """The heading with its longest word that `change` knows in another form."""
    for match in sorted(WORD.finditer(heading), key=lambda m: -len(m[0])):
        other = change(match[0].lower()) if fits(match[0]) else None
        if other:
            return heading[: match.start()] + other + heading[match.end() :]
    return None


def queries_of(trees, language, pages, english):
    readers = {name: Reader(text) for name, text in pages.items()}
    where, shown = {}, {}
    for name, reader in readers.items():
        for heading in reader.headings:
            heading = re.sub(r"^(?:\d+\.)+\s*", "", heading)
            where.setdefault(heading.casefold(), set()).add(name)
            shown.setdefault(heading.casefold(), heading)
    counts = Counter()
    for reader in readers.values():
        counts.update(word.lower() for word in WORD.findall(" ".join(reader.words)))
    chosen = sorted(
        (key for key, names in where.items()
         if len(names) == 1 and fits(shown[key], language) and is_translated(key, language)
         and (language == "en" or key not in english)),
        key=lambda key: digest(key),
    )[:MAX_QUERIES]
    forms = other_forms(trees, language, counts)
    queries = []
    for key in chosen:
        heading, (page,) = shown[key], where[key]
        texts = {"plain": heading, "folded": folded(heading, language),
                 "inflected": replaced(heading, forms.get)}
        if language in LINKS:
            # German nouns have a capital, and verbs with prefixes are not compounds.
            texts["part"] = replaced(
                heading,
                lambda word: head_of(word, language, counts),
                lambda word: language != "de" or word[0].isupper(),
            )
        split = "dev" if int(digest("half", key)[:8], 16) % 2 == 0 else "test"
        for kind, text in texts.items():
            if text:
                name = f"{digest(key)[:10]}-{kind}"
                queries.append(
                    {"_id": name, "text": text, "kind": kind, "split": split, "page": page}
                )
    return queries


def by_findling(site, scratch, language, file, _):
    program = os.environ.get("FINDLING", "findling")
    bundle = scratch / "bundle"
    shutil.rmtree(bundle, ignore_errors=True)
    run(program, "build", site, "-o", bundle, "--no-client", "--encoder", "none", "--quiet",
        "--language", language)
    out = run(program, "search", bundle, "--batch", file, "--mode", "lexical",
              "--query-encoder", "none", "--limit", MAX_RANK, "--format", "json")
    answers = map(json.loads, out.splitlines())
    return {a["_id"]: [page["id"] for page in a["results"]] for a in answers}


def by_peer(site, scratch, language, file, tool):
    script = HERE.parent / "peers" / "languages.mjs"
    return json.loads(run("node", script, tool, site, language, file, scratch))


def by_terms(site, scratch, language, _, tool):
    """Pages ranked in the same way by the terms of a tokeniser: charabia's or Findling's."""
    pages = scratch / "pages.jsonl"
    with pages.open("w", encoding="utf8") as file:
        for page in sorted(site.rglob("*.html")):
            reader = Reader(page.read_text(encoding="utf8"))
            record = {
                "path": str(page.relative_to(site)),
                "headings": "\n".join(reader.headings),
                "text": " ".join(reader.words),
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    manifest = HERE.parent / "peers" / "charabia" / "Cargo.toml"
    out = run("cargo", "run", "--quiet", "--release", "--manifest-path", manifest, "--",
              tool.removesuffix("-terms"), language, pages, scratch / "queries.jsonl")
    return json.loads(out)


TOOLS = {
    "findling": by_findling,
    "pagefind": by_peer,
    "charabia-terms": by_terms,
    "findling-terms": by_terms,
}
# Charabia downloads the dictionaries of these languages while it is compiled.
UNKNOWN = {"charabia-terms": {"ja", "ko"}}


def reciprocal(found, query):
    pages = found.get(query["_id"], [])[:MAX_RANK]
    return 1 / (pages.index(query["page"]) + 1) if query["page"] in pages else 0.0


KINDS = ("plain", "folded", "inflected", "part")


def measure(options):
    english = set()
    for _, text in tree_of(options.trees, "en"):
        english.update(heading.casefold() for heading in Reader(text).headings)
    columns = ["language", "pages"]
    columns += [f"{kind}, {tool}" for kind in KINDS for tool in options.tools]
    rows = []
    print("\t".join(columns))
    for language in options.languages:
        scratch = options.out / language
        site = scratch / "site"
        shutil.rmtree(site, ignore_errors=True)
        pages = drawn(options.trees, language)
        for name, text in pages.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text, encoding="utf8")
        queries = queries_of(options.trees, language, pages, english)
        file = scratch / "queries.jsonl"
        asked = ({"_id": query["_id"], "text": query["text"]} for query in queries)
        lines = (json.dumps(query, ensure_ascii=False) for query in asked)
        file.write_text("".join(line + "\n" for line in lines), encoding="utf8")
        found = {
            tool: TOOLS[tool](site, scratch, language, file, tool) for tool in options.tools
            if language not in UNKNOWN.get(tool, ())
        }
        row = [language, str(len(pages))]
        for kind in KINDS:
            asked = [q for q in queries
                     if q["kind"] == kind and options.split in ("all", q["split"])]
            for i, tool in enumerate(options.tools):
                if tool not in found:
                    row.append("")
                    continue
                mean = sum(reciprocal(found[tool], q) for q in asked) / max(len(asked), 1)
                count = f" ({len(asked)})" if i == 0 else ""
                row.append(f"{mean:.3f}{count}" if len(asked) >= 5 else "")
        print("\t".join(row), flush=True)
        rows.append(row)
        shown = [q for q in queries if options.split in ("all", q["split"])
                 and reciprocal(found[options.tools[0]], q) < 1]
        for query in shown[: options.misses]:
            pages_found = found[options.tools[0]].get(query["_id"], [])
            place = pages_found.index(query["page"]) + 1 if query["page"] in pages_found else "-"
            print(f"  {query['kind']} {place} {query['text']!r} -> {query['page']};"
                  f" found {', '.join(pages_found[:2]) or 'nothing'}")
    if options.result:
        write(options, columns, rows)


def write(options, columns, rows):
    """A result from which a table of the documents is made."""
    commit = run("git", "-C", HERE, "rev-parse", "--short", "HEAD").strip()
    head = {
        "name": "languages",
        "date": options.date,
        "machine": f"{os.cpu_count()} cores",
        "commit": commit,
        "command": "python3 tests/quality/languages.py measure TREES OUT --split test",
    }
    lines = ",\n".join(f"        {json.dumps(row, ensure_ascii=False)}" for row in rows)
    body = json.dumps(head, indent=2)[:-2]
    options.result.write_text(
        f'{body},\n  "tables": [\n    {{\n      "id": "headings",\n'
        f'      "columns": {json.dumps(columns)},\n      "rows": [\n{lines}\n      ]\n'
        "    }\n  ]\n}\n",
        encoding="utf8",
    )


def main():
    parser = argparse.ArgumentParser(description="Known items by heading in many languages.")
    parser.add_argument("task", choices=("fetch", "measure"))
    parser.add_argument("trees", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--split", choices=("dev", "test", "all"), default="dev")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--result", type=Path)
    parser.add_argument("--date", default="")
    options = parser.parse_args()
    options.languages = options.languages.split(",")
    options.tools = options.tools.split(",")
    if options.task == "fetch":
        fetch(options.trees, options.languages, options.clones)
    elif options.out is None:
        sys.exit("measure: expected the directory OUT, found none")
    else:
        measure(options)


if __name__ == "__main__":
    main()
