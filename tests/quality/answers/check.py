"""Checks the answer set against the sites: `python3 check.py SITES [NAME ...]`.

SITES is a folder with one folder (or link) for each site, named as in sites.json. For every
question: the pages exist, the anchors exist, each quote stands in the text of one of the right
sections, each right section holds a quote, and no question occurs twice. Then counts by site, by
split and by kind are printed, and how many questions share no content word with the right titles
and headings. Sites that are not in the folder are skipped and named; names limit the check.
"""

import collections
import json
import os
import re
import sys
import urllib.parse

import pages

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"how", "what", "why", "error", "compare", "code"}
FIELDS = {"site", "split", "question", "kind", "pages", "sections", "quotes", "note"}
MAX_QUOTE_WORDS = 25
STOP_WORDS = set(
    "a about after all already am an and another any anything are as at be because been before"
    " being best between both but by can can't cannot cant could did difference differ different"
    " do does doesn't doing don't done dont each else every example explain few first for from get"
    " gets give gives go good got had happen happened happens has have having how i i'd i'm i've if"
    " im in into is isn't it it's its itself just keep last like list make makes many mean meaning"
    " means me more most much must my need needs never new no not now of off on once one only or"
    " other our out over own per possible really right same say says see set should show since so"
    " some something sometimes still such tell than that that's the their them then there these"
    " they thing things this those through to too two under unless until up use used useful uses"
    " using versus very vs want was way we well went were what what's when where whether which"
    " while who whole why will with within without won't work works would wrong you your".split()
)


def content_words(text, also_stop=()):
    """Returns the content words of a text."""
    words = re.findall(r"[a-z0-9]+(?:['_-][a-z0-9]+)*", text.lower().replace("’", "'"))
    words = [part for word in words for part in [word, *re.split("[_-]", word)] if len(part) > 1]
    return {word for word in words if word not in STOP_WORDS and word not in also_stop}


def alike(one, other):
    """Returns whether two words are forms of one: equal, or with the same first letters."""
    common = len(os.path.commonprefix([one, other]))
    return one == other or common >= 5 or (common >= 3 and common >= max(len(one), len(other)) - 2)


class Checker:
    """Finds faults of the questions, and counts them."""

    def __init__(self, root, sites):
        self.root = root
        self.sites = {site["name"]: site for site in sites}
        self.read = {}
        self.faults = []
        self.counts = collections.Counter()
        self.questions = {}
        self.apart = collections.Counter()

    def page(self, site, name):
        """Returns a page of a site, or nothing."""
        path = os.path.join(self.root, site, urllib.parse.unquote(name))
        if path not in self.read:
            self.read[path] = pages.read(path) if os.path.isfile(path) else None
        return self.read[path]

    def section(self, site, address):
        """Returns a page and the section that an address names; either may be missing."""
        name, _, anchor = address.partition("#")
        page = self.page(site, name)
        return page, page.by_anchor.get(urllib.parse.unquote(anchor)) if page else None

    def check_file(self, name):
        """Checks the questions of a site."""
        path = os.path.join(HERE, f"{name}.jsonl")
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                where = f"{name}.jsonl:{number}"
                try:
                    entry = json.loads(line)
                except ValueError as error:
                    self.faults.append(f"{where}: no JSON: {error}")
                    continue
                for fault in self.check(name, where, entry):
                    self.faults.append(f"{where}: {fault}")

    def check(self, name, where, entry):
        """Yields the faults of a question."""
        if set(entry) != FIELDS:
            yield f"fields are {sorted(entry)}, expected {sorted(FIELDS)}"
            return
        site = self.sites[name]
        if entry["site"] != name or entry["split"] != site["split"]:
            yield "site or split differs from sites.json"
        if entry["kind"] not in KINDS:
            yield f"kind `{entry['kind']}` is none of {sorted(KINDS)}"
        key = " ".join(re.findall(r"\w+", entry["question"].lower()))
        if key in self.questions:
            yield f"the same question as {self.questions[key]}"
        self.questions[key] = where
        for field in ("pages", "sections", "quotes"):
            if not entry[field] or len(set(entry[field])) != len(entry[field]):
                yield f"{field} are empty or repeated"
        if list(dict.fromkeys(s.partition("#")[0] for s in entry["sections"])) != entry["pages"]:
            yield "pages are not those of the sections, in their order"
        found, titles = [], []
        for address in entry["sections"]:
            page, section = self.section(name, address)
            if page is None:
                yield f"no page {address}"
            elif section is None:
                anchor = address.partition("#")[2]
                known = "is no section's" if anchor in page.anchors else "does not exist"
                yield f"the anchor of {address} {known}"
            else:
                found.append((address, section.text))
                titles += [page.title, section.heading]
        yield from self.check_quotes(entry["quotes"], found)
        self.count(site, entry, titles)

    @staticmethod
    def check_quotes(quotes, found):
        """Yields quotes that stand in no right section, and sections without a quote."""
        unquoted = {address for address, _ in found}
        for quote in quotes:
            if len(quote.split()) > MAX_QUOTE_WORDS:
                yield f"more than {MAX_QUOTE_WORDS} words: {quote}"
            holders = {address for address, text in found if pages.squeezed(quote) in text}
            if not holders:
                yield f"in none of the sections: {quote}"
            unquoted -= holders
        for address in sorted(unquoted):
            yield f"no quote stands in {address}"

    def count(self, site, entry, titles):
        """Counts a question, and whether it shares a content word with what answers it."""
        own = set(site.get("own_words", ()))
        asked = content_words(entry["question"], own)
        told = {word for title in titles for word in content_words(title, own)}
        apart = not any(alike(one, other) for one in asked for other in told)
        for key in (site["name"], f"split {site['split']}", f"kind {entry['kind']}", "all"):
            self.counts[key] += 1
            self.apart[key] += apart


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(os.path.join(HERE, "sites.json"), encoding="utf-8") as file:
        sites = json.load(file)["sites"]
    checker = Checker(sys.argv[1], sites)
    skipped = []
    for site in sites:
        name = site["name"]
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        if not os.path.isdir(os.path.join(checker.root, name)):
            skipped.append(name)
            continue
        checker.check_file(name)
    for key in sorted(checker.counts):
        total, apart = checker.counts[key], checker.apart[key]
        print(f"{key:24} {total:4} questions, {apart:3} without a word of title or heading")
    for name in skipped:
        print(f"skipped: {name} is not in {checker.root}")
    print(*checker.faults, f"{len(checker.faults)} faults", sep="\n")
    sys.exit(bool(checker.faults) or not checker.counts)


if __name__ == "__main__":
    main()
