"""Short texts of twelve languages out of the translations in Debian packages.

    python3 gather.py DEBS DIR

DEBS is a directory of unpacked packages (`apt-get download`, `dpkg-deb -x`): libreoffice-help-* and
libreoffice-l10n-* of the languages, gnome-user-docs, wesnoth-1.16-data, kstars-data, calibre,
gimp-data, gramps, freeciv-data, iso-codes. Writes DIR/LANGUAGE.txt, one text on each line: spans of
2 to 25 words of messages and of paragraphs of help. Three fifths are texts with words that few
texts had before. None of them is from XQuAD.
"""

import gettext
import html
import random
import re
import sys
from pathlib import Path

LANGUAGES = "de es tr ru hi ar el vi en ro zh th".split()
# Written without spaces: spans are of characters.
UNSPACED = {"zh": (4, 40), "th": (8, 90)}
LETTERS = {
    "ru": "[а-яё]",
    "hi": "[\u0900-\u097f]",
    "ar": "[\u0600-\u06ff]",
    "el": "[\u0370-\u03ff]",
    "zh": "[\u4e00-\u9fff]",
    "th": "[\u0e00-\u0e7f]",
}
MARKUP = re.compile(
    r"<[^>]*>|\{[^}]*\}|%[-0-9.$]*[a-zA-Z]|\$\(?\w+\)?|~|\\n|https?:\S+|\^"
)
BLOCK = re.compile(r"<(?:p|h\d|td|li)[^>]*>(.*?)</(?:p|h\d|td|li)>", re.S)
WANTED = 12_000


def tidy(text):
    text = html.unescape(MARKUP.sub(" ", text)).replace("_", "").replace("&", "")
    return " ".join(text.split())


def catalogues(debs, locale):
    for file in debs.glob(f"**/{locale}/LC_MESSAGES/*.mo"):
        if "3166-2" in file.name:
            continue
        try:
            with open(file, "rb") as opened:
                messages = gettext.GNUTranslations(opened)._catalog
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        for source, text in messages.items():
            source = source[0] if isinstance(source, tuple) else source
            if source and text:
                yield source.split("\x04")[-1], text.split("\x04")[-1]


def strings(debs, language):
    locale = {"zh": "zh_CN", "en": "de"}.get(language, language)
    for source, text in catalogues(debs, locale):
        if language == "en":
            yield source
        elif text != source:
            yield text
    pages = {"zh": "zh-CN", "en": "en-US"}.get(language, language)
    for file in debs.glob(f"usr/share/libreoffice/help/{pages}/**/*.html"):
        yield from BLOCK.findall(file.read_text(encoding="utf-8", errors="ignore"))


def spans(text, language, chance):
    if language in UNSPACED:
        units, between = text, ""
        low, high = UNSPACED[language]
    else:
        units, between = text.split(), " "
        low, high = 2, 25
    at = 0
    while at < len(units):
        n = chance.randint(low, high if chance.random() < 0.7 else max(low + 1, high // 3))
        span = between.join(units[at : at + n]).strip()
        if span:
            yield span
        at += n
        if chance.random() < 0.4:
            at += n


def gather(debs, language, seed=1):
    chance, seen, whole = random.Random(seed), set(), []
    letters = re.compile(LETTERS.get(language, ""), re.I)
    for text in map(tidy, strings(debs, language)):
        n_letters = sum(c.isalpha() for c in text)
        is_own = language not in LETTERS or len(letters.findall(text)) >= n_letters * 0.6
        if len(text) > 1 and text not in seen and n_letters >= len(text) * 0.5 and is_own:
            seen.add(text)
            whole.append(text)
    chance.shuffle(whole)
    found = list(dict.fromkeys(s for text in whole for s in spans(text, language, chance)))
    chance.shuffle(found)
    often, taken, rest = {}, [], []
    for text in found:
        units = [text[i : i + 2] for i in range(len(text) - 1)]
        units = units if language in UNSPACED else text.lower().split()
        rare = sum(often.get(unit, 0) < 3 for unit in units)
        if units and rare / len(units) >= 0.34 and len(taken) < WANTED * 0.6:
            taken.append(text)
            for unit in units:
                often[unit] = often.get(unit, 0) + 1
        else:
            rest.append(text)
    taken += rest[: WANTED - len(taken)]
    chance.shuffle(taken)
    return taken


if __name__ == "__main__":
    debs, into = map(Path, sys.argv[1:3])
    into.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        texts = gather(debs, language)
        (into / f"{language}.txt").write_text("\n".join(texts), encoding="utf-8")
        print(language, len(texts), flush=True)
