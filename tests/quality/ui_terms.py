"""Checks whether the search box's translations use the same words as other programs.

    python3 ui_terms.py CATALOGUE_DIR

CATALOGUE_DIR holds gettext catalogues as LANGUAGE/LC_MESSAGES/*.mo, such as /usr/share/locale with
Debian's packages libgtk-4-common, libkf5configwidgets-data, nautilus-data, dolphin and kate5-data.
For texts that such programs have too ("Search", "Close", "Next Page"), the script prints those of
www/src/ui/locales whose words begin otherwise than in every catalogue. A line is a synonym or a
mistake: read it. Needs the standard library only.
"""

import gettext
import re
import sys
from pathlib import Path

LOCALES = Path(__file__).parents[2] / "www" / "src" / "ui" / "locales"
# Our keys, and the English names in other programs.
NAMES = {
    "search": ["search"],
    "close": ["close"],
    "clear": ["clear", "clear filter", "remove", "remove filter"],
    "results": ["results", "search results"],
    "filters": ["filter", "filters"],
    "retry": ["retry", "try again"],
    "select": ["open"],
    "sort": ["sort", "sort by"],
    "relevance": ["relevance"],
    "group": ["group", "group by"],
    "yes": ["yes"],
    "no": ["no"],
    "previous": ["previous", "previous page"],
    "next": ["next", "next page"],
    "recent": ["recent", "recent searches"],
}
# Languages for which the catalogue's name differs from ours.
CATALOGUES = {"zh": ["zh_CN"], "zh-Hant": ["zh_TW"], "pt": ["pt", "pt_BR"]}
# Letters that two words with the same stem have in common at their beginning.
COMMON = 4
COMMON_IDEOGRAPHS = 2


def plain(text):
    """A text of an interface without its marks for keys."""
    return re.sub(r"\(\w\)|[_&…:]", "", text).strip().casefold()


def ours(path):
    """Our texts by key."""
    lines = re.finditer(r'^  (\w+):\s*"((?:[^"\\]|\\.)*)"', path.read_text(), re.MULTILINE)
    return {line[1]: line[2] for line in lines}


def theirs(directory, language):
    """The texts in the catalogues of a language, by our keys."""
    found = {key: set() for key in NAMES}
    for name in CATALOGUES.get(language, [language]):
        for path in sorted((directory / name / "LC_MESSAGES").glob("*.mo")):
            with path.open("rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
            for english, text in messages.items():
                if not (isinstance(english, str) and isinstance(text, str)):
                    continue
                # A context precedes the text, separated by EOT.
                english = plain(english.rpartition("\x04")[2])
                for key, names in NAMES.items():
                    if english in names and plain(text):
                        found[key].add(plain(text))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    compared = differ = 0
    for path in sorted(LOCALES.glob("*.ts")):
        language = path.stem
        texts = ours(path)
        begin = COMMON_IDEOGRAPHS if language in ("ja", "ko", "zh", "zh-Hant", "th") else COMMON
        for key, names in theirs(Path(sys.argv[1]), language).items():
            if not names or key not in texts:
                continue
            compared += 1
            words = {word[:begin] for name in names for word in re.findall(r"\w+", name)}
            if not any(word in texts[key].casefold() for word in words):
                differ += 1
                print(f"{language}\t{key}\t{texts[key]}\t{', '.join(sorted(names))}")
    print(f"{compared} texts compared, {differ} differ")


if __name__ == "__main__":
    main()
