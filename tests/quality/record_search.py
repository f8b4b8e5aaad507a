"""Measures search over papers and over conversations.

    python3 record_search.py papers PAPERS... WORK --findling PROGRAM [--encoder NAME]
    python3 record_search.py turns BOOK WORK --findling PROGRAM [--encoder NAME]

**Papers.** PAPERS are files of metadata with abstracts (.jsonl, .ris). The question for a paper is
the last sentence of its abstract, which is removed from the indexed abstract. There authors repeat
in other words what the paper is about. The only right answer is this paper. With `--filter` by its
year it must be found too, if it is among the first 50 without a filter; with another year it must
not be found. Every page shown must have the requested year, or year and type. RIS becomes JSONL
lines with the same fields.

**Turns.** BOOK is a directory of a rendered mdBook, such as the Rust Book of the toolchain
(`share/doc/rust/html/book`). Each page becomes a conversation in the form of a session's log: for
each heading, a person asks about it, and the assistant answers with the section. Conversations
begin a day apart. The question is a sentence from the middle of the answer, which is removed from
it. With `role=assistant` and the day, the right answer is that turn; with another day or with
`role=user`, it must not be shown.

Prints the share of questions whose answer is first, among the first ten, nDCG@10, and the results
with filters. Needs the standard library only.
"""

import argparse
import html
import json
import math
import re
import shutil
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
MIN_WORDS, MIN_SENTENCES = 8, 4


class Program:
    def __init__(self, program):
        self.program = str(Path(program).resolve())

    def run(self, *args):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{args}: {done.stderr.decode()}")
        return done.stdout.decode()

    def build(self, corpus, out, form, encoder):
        shutil.rmtree(out, ignore_errors=True)
        self.run("build", corpus, "-o", out, "--format", form, "--encoder", encoder, "--no-client",
                 "--quiet")

    def ask(self, index, question, *options):
        out = self.run("search", index, question, "--json", *options)
        return json.loads(out)["results"]


def measure(places):
    n = max(len(places), 1)
    found = [place for place in places if place and place <= 10]
    return {
        "questions": len(places),
        "first": round(sum(place == 1 for place in found) / n, 4),
        "in10": round(len(found) / n, 4),
        "ndcg10": round(sum(1 / math.log2(1 + place) for place in found) / n, 4),
    }


def place(shown, own):
    return next((at for at, one in enumerate(shown, 1) if one == own), None)


# Papers


def read_ris(text):
    kinds = {"JOUR": "journal-article", "CONF": "conference", "BOOK": "book", "THES": "thesis"}
    for record in re.split(r"^ER  -.*$", text, flags=re.M):
        fields = {}
        for key, value in re.findall(r"^([A-Z][A-Z0-9])  - (.*)$", record, re.M):
            fields.setdefault(key, []).append(value.strip())
        title = (fields.get("TI") or fields.get("T1") or [None])[0]
        year = (fields.get("PY") or fields.get("Y1") or [""])[0][:4]
        if title and fields.get("AB"):
            yield {"id": (fields.get("DO") or fields.get("ID") or [title])[0], "title": title,
                   "authors": fields.get("AU", []), "year": year, "abstract": fields["AB"][0],
                   "type": kinds.get(fields["TY"][0], "other"),
                   "journal": (fields.get("JO") or fields.get("T2") or [""])[0]}


def read_papers(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ris":
        return list(read_ris(text))
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def papers(args):
    corpus = args.work / "papers"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    asked = []
    for path in args.inputs:
        with open(corpus / f"{path.stem}.jsonl", "w", encoding="utf-8") as file:
            for paper in read_papers(path):
                sentences = SENTENCE.split((paper.get("abstract") or "").strip())
                last = sentences[-1]
                if len(sentences) >= MIN_SENTENCES and len(last.split()) >= MIN_WORDS:
                    paper["abstract"] = " ".join(sentences[:-1])
                    asked.append((last.strip(" ."), paper["title"], int(paper["year"] or 0)))
                file.write(json.dumps(paper) + "\n")
    program, index = Program(args.findling), args.work / "papers.index"
    program.build(corpus, index, "papers", args.encoder)
    rows, wrong = {}, []
    for mode in ["lexical"] if args.encoder == "none" else ["lexical", "semantic", "hybrid"]:
        places = []
        for question, title, _ in asked:
            shown = program.ask(index, plain(question), "--mode", mode, "-k", 10)
            places.append(place([page["title"] for page in shown], title))
        rows[mode] = measure(places)
        print(mode, rows[mode], flush=True)
    n_filtered = 0
    for question, title, year in asked[:: max(1, len(asked) // 100)]:
        if not year:
            continue
        found = program.ask(index, plain(question), "-k", 50)
        own = program.ask(index, plain(question), "--filter", f"year={year}", "-k", 50)
        other = program.ask(index, plain(question), "--filter", f"year!={year}", "-k", 50)
        kind = own[0]["attributes"]["type"] if own else None
        both = f"type={kind},year={year}"
        kinds = program.ask(index, plain(question), "--filter", both, "-k", 50)
        n_filtered += 1
        is_found = title in [page["title"] for page in found]
        fine = ((not is_found or title in [page["title"] for page in own])
                and title not in [page["title"] for page in other]
                and all(page["attributes"]["year"] == year for page in own)
                and all(page["attributes"]["year"] != year for page in other)
                and all(page["attributes"]["type"] == kind and page["attributes"]["year"] == year
                        for page in kinds))
        if not fine:
            wrong.append({"question": question, "title": title, "year": year})
    print(f"filters: {n_filtered - len(wrong)} of {n_filtered} honoured")
    for one in wrong[:5]:
        print(json.dumps(one))
    return {"modes": rows, "filtered": n_filtered, "wrong": wrong}


def plain(text):
    """A question without signs that have a meaning in queries."""
    return re.sub(r"[\"':()\[\]{}<>=*~^|&!\-]+", " ", text).strip()


# Turns


def text_of(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup))).strip()


def sections_of(page):
    main = page[page.find("<main"):page.find("</main>")]
    main = re.sub(r"<pre.*?</pre>", " ", main, flags=re.S)
    parts = re.split(r"<h[1-4][^>]*>(.*?)</h[1-4]>", main, flags=re.S)
    for heading, body in zip(parts[1::2], parts[2::2]):
        paragraphs = [text_of(one) for one in re.findall(r"<p>(.*?)</p>", body, re.S)]
        if text_of(heading) and paragraphs:
            yield text_of(heading), " ".join(paragraphs)


def turns(args):
    corpus = args.work / "sessions"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    asked, began = [], datetime(2025, 1, 6, 9, tzinfo=timezone.utc)
    pages = sorted(path for path in args.inputs[0].glob("ch*.html"))
    for number, path in enumerate(pages):
        day = began + timedelta(days=number)
        turn, lines = 0, []

        def say(role, text):
            nonlocal turn
            turn += 1
            time = (day + timedelta(minutes=turn)).strftime("%Y-%m-%dT%H:%M:%SZ")
            lines.append({"type": role, "sessionId": path.stem, "timestamp": time,
                          "uuid": f"{path.stem}-{turn}",
                          "message": {"role": role, "content": text}})

        for heading, body in sections_of(path.read_text(encoding="utf-8")):
            sentences = SENTENCE.split(body)
            middle = len(sentences) // 2
            held_out = sentences[middle]
            fits = (len(sentences) >= MIN_SENTENCES and MIN_WORDS <= len(held_out.split()) <= 40
                    and held_out.isascii())
            say("user", f"Please explain: {heading}")
            if fits:
                body = " ".join(sentences[:middle] + sentences[middle + 1:])
                asked.append((held_out.strip(" ."), path.stem, turn + 1, day.date()))
            say("assistant", body)
        if lines:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (corpus / f"{path.stem}.jsonl").write_text(text)
    program, index = Program(args.findling), args.work / "turns.index"
    program.build(corpus, index, "chats", args.encoder)
    rows, wrong = {}, []

    def shown(question, *options):
        """File and number of the turn of each section shown."""
        return [(Path(page["id"].split("#")[0]).stem, int(re.findall(r"\d+", section["anchor"])[0]),
                 section["attributes"])
                for page in program.ask(index, plain(question), *options)
                for section in page["sections"]]

    def is_in(found, stem, turn):
        # A long turn is several sections, which share the number of its turn.
        return [(one, number) == (stem, turn) for one, number, _ in found]

    for mode in ["lexical"] if args.encoder == "none" else ["lexical", "semantic", "hybrid"]:
        by_role, by_day = [], []
        for question, stem, turn, day in asked:
            role = shown(question, "--mode", mode, "-k", 10, "--filter", "role=assistant")
            by_role.append(place(is_in(role, stem, turn), True))
            span = f"role=assistant,time:gte:{day},time:lt:{day + timedelta(days=1)}"
            dated = shown(question, "--mode", mode, "-k", 10, "--filter", span)
            by_day.append(place(is_in(dated, stem, turn), True))
        rows[f"{mode}, by role"] = measure(by_role)
        rows[f"{mode}, by role and day"] = measure(by_day)
        print(mode, rows[f"{mode}, by role"], rows[f"{mode}, by role and day"], flush=True)
    checked = asked[:: max(1, len(asked) // 100)]
    for question, stem, turn, day in checked:
        user = shown(question, "-k", 50, "--filter", "role=user")
        other = shown(question, "-k", 50, "--filter", f"time:gte:{day + timedelta(days=1)}")
        fine = (all("user" in json.dumps(attributes["role"]) for _, _, attributes in user)
                and not any(is_in(user, stem, turn)) and not any(is_in(other, stem, turn))
                and all(attributes["time"] >= str(day + timedelta(days=1))
                        for _, _, attributes in other))
        if not fine:
            wrong.append({"question": question, "session": stem, "turn": turn})
    print(f"filters: {len(checked) - len(wrong)} of {len(checked)} honoured")
    for one in wrong[:5]:
        print(json.dumps(one))
    return {"modes": rows, "filtered": len(checked), "wrong": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["papers", "turns"])
    parser.add_argument("inputs", type=Path, nargs="+")
    parser.add_argument("work", type=Path)
    parser.add_argument("--findling", required=True)
    parser.add_argument("--encoder", default="none")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    report = papers(args) if args.what == "papers" else turns(args)
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
