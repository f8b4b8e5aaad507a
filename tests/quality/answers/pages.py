"""Sections of HTML and Markdown pages, as an answer set names them.

A section is a heading with an anchor and the text up to the next one. Terms of definition lists
with an id are sections as well, and so are rows of tables with an anchor, whose text also stays in
the section around them. The section of a page's title is named by the page's address alone.
This reader is independent of the one that is judged, and simpler: quotes are looked up in it.
"""

import html.parser
import re

BLOCKS = set(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section"
    " summary table tbody td tfoot th thead title tr ul".split()
)
CONTAINERS = {"section", "div", "article"}
LABELLED = {"note", "warning", "tip", "caution", "important", "admonition", "sidebar"}
SKIPPED = {"script", "style", "template", "noscript"}
VOID = set("area base br col embed hr img input link meta param source track wbr".split())


def squeezed(text):
    """Returns the text with every run of white space as one space, without invisible marks."""
    return " ".join(re.sub("[\u00ad\u200b\u2060\u00b6]", "", text).replace("\u00a0", " ").split())


class Section:
    """A section: its anchor (empty for the top), its heading, and its text without the heading."""

    def __init__(self, anchor, heading=""):
        self.anchor = anchor
        self.heading = heading
        self.tag = ""
        self.alias = ""  # another anchor in front of the heading
        self.parts = []

    @property
    def text(self):
        return squeezed("".join(self.parts))


class Page:
    """A page: its title, its sections in order, and all anchors that a browser would find.

    `top` is the anchor of the title's heading, or empty; it names the first section too.
    """

    def __init__(self, sections, anchors, top):
        self.title = sections[0].heading
        self.sections = sections
        self.anchors = anchors
        self.top = top
        self.by_anchor = {}
        for section in sections:
            self.by_anchor.setdefault(section.anchor, section)
            if section.alias:
                self.by_anchor.setdefault(section.alias, section)
        self.by_anchor.setdefault(top, sections[0])

    def addresses(self, name, section):
        """Returns the addresses of a section of this page: one, or two that lead to it."""
        anchors = [section.anchor] if section.anchor else ["", self.top]
        anchors += [section.alias] if section.alias else []
        return list(dict.fromkeys(f"{name}#{a}" if a else name for a in anchors))

    def find(self, quote):
        """Returns the sections whose text holds the quote."""
        wanted = squeezed(quote)
        return [section for section in self.sections if wanted in section.text]


class HtmlReader(html.parser.HTMLParser):
    """Cuts an HTML page into sections."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sections = [Section("")]
        self.current = self.sections[0]
        self.anchors = set()
        self.open = []  # [tag, id, whether a heading was met in it, classes, main]
        self.lists = []  # the section around each open definition list
        self.described = False  # whether the last term has a description
        self.skip = 0
        self.heading = None  # a heading or term that is being read
        self.row = None  # the section of the open row of a table, if it has an anchor
        self.loose = ""
        self.top = None
        self.title_tag = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        is_main = tag == "main" or attrs.get("role") == "main"
        if is_main:
            # The text before and after the main part is navigation.
            self.sections, self.top, self.lists, self.skip = [Section("")], None, [], 0
            self.current = self.sections[0]
        anchor = attrs.get("id") or (attrs.get("name") if tag == "a" else None) or ""
        if anchor and not self.skip:
            self.anchors.add(anchor)
            is_index_mark = "indexterm" in (attrs.get("class") or "")
            if tag == "a" and self.row is None and any(e[0] == "tr" for e in self.open):
                self.row = Section(anchor)
                self.sections.append(self.row)
            if self.heading and not self.heading["anchor"] and not is_index_mark:
                self.heading["anchor"] = anchor
            elif tag == "a" and not self.heading and not is_index_mark:
                self.loose = anchor
        if tag in VOID:
            self.handle_data(" " if tag in BLOCKS else "")
            return
        is_label = self.is_label(tag, anchor)
        classes = set((attrs.get("class") or "").lower().split())
        self.open.append([tag, anchor, False, classes, is_main])
        if tag in SKIPPED:
            self.skip += 1
        if self.skip:
            return
        if tag in BLOCKS:
            self.handle_data(" ")
        if re.fullmatch("h[1-6]", tag) and not is_label and "menu-title" not in classes:
            around = self.inherited()
            self.heading = {"tag": tag, "anchor": anchor, "around": around, "parts": []}
            self.loose = ""
        elif tag == "dt" and not self.heading:
            self.heading = {"tag": tag, "anchor": anchor, "around": "", "parts": []}
        elif tag == "dl":
            self.lists.append(self.current)
        elif tag == "dd":
            self.described = True
        elif tag == "title" and self.title_tag is None:
            self.title_tag = []

    def is_label(self, tag, anchor):
        """Returns whether a heading is only the label of a note."""
        return tag[0] == "h" and not anchor and self.open and bool(self.open[-1][3] & LABELLED)

    def inherited(self):
        """Returns the id of the container whose first heading this is, or a link's before it."""
        found = ""
        for element in reversed(self.open):
            if element[0] not in CONTAINERS:
                continue
            if element[2]:
                break
            element[2] = True
            found = found or element[1]
        return found or self.loose

    def handle_endtag(self, tag):
        if tag not in [element[0] for element in self.open]:
            return
        while self.open:
            name, _, _, _, was_main = self.open.pop()
            self.closed(name)
            if was_main:
                self.current = Section("")
            if name == tag:
                break

    def closed(self, tag):
        if tag in SKIPPED:
            self.skip -= 1
        if self.skip:
            return
        if self.heading and self.heading["tag"] == tag:
            self.end_heading()
        elif tag == "tr":
            self.row = None
        elif tag == "dl" and self.lists:
            self.current = self.lists.pop()
        if tag in BLOCKS:
            self.handle_data(" ")

    def end_heading(self):
        heading, self.heading = self.heading, None
        heading["anchor"] = heading["anchor"] or heading["around"]
        words = squeezed("".join(heading["parts"]))
        if heading["tag"] == "h1" and self.top is None:
            self.top = heading["anchor"]
            self.current = self.sections[0]
            self.sections[0].heading = words
        elif heading["anchor"]:
            self.current = Section(heading["anchor"], words)
            self.current.tag = heading["tag"]
            self.described = False
            self.sections.append(self.current)
            if heading["tag"] != "dt":
                self.lists = [self.current for _ in self.lists]
        elif heading["tag"] == "dt" and self.lists and self.described:
            self.current = self.lists[-1]
        if heading["tag"] == "dt" and not heading["anchor"]:
            self.current.parts.append(" " + words + " ")

    def handle_data(self, data):
        if self.skip:
            return
        if self.open and self.open[-1][0] == "title" and self.title_tag is not None:
            self.title_tag.append(data)
        elif self.heading:
            self.heading["parts"].append(data)
        else:
            self.loose = "" if data.strip() else self.loose
            for section in filter(None, [self.current, self.row]):
                section.parts.append(data)


def read_html(text):
    """Reads an HTML page."""
    reader = HtmlReader()
    reader.feed(text)
    reader.close()
    sections, top = titled(reader.sections, reader.top)
    sections[0].heading = sections[0].heading or squeezed("".join(reader.title_tag or []))
    return Page(sections, reader.anchors, top)


def titled(sections, top):
    """Returns the sections and the title's anchor.

    Some pages have no heading of the first level: the first of the second level is their title.
    """
    if top is None:
        second = next((section for section in sections if section.tag == "h2"), None)
        if second:
            sections.remove(second)
            sections[0].heading, top = second.heading, second.anchor
            sections[0].parts += second.parts
    return sections, top or ""


def slug(heading, seen):
    """Returns a heading's anchor as GitHub makes it."""
    words = "".join(c for c in heading.strip().lower() if c in " -_" or c.isalnum())
    words = words.replace(" ", "-")
    count = seen.get(words, 0)
    seen[words] = count + 1
    return f"{words}-{count}" if count else words


def plain(text):
    """Returns Markdown without its marks."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"</?[a-z][^>]*>", "", text)
    text = re.sub(r"(?m)^\s*(?:>\s?)+|^\s*[*+-]\s+|^\s*\|?[-:| ]+\|\s*$", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    return re.sub(r"`|\*\*|(?<!\w)[*_](?=[^\W_])|(?<=[^\W_])[*_](?!\w)", "", text)


def read_markdown(text):
    """Reads a page of Markdown."""
    sections = [Section("")]
    anchors = set(re.findall(r"<a\s+(?:id|name)=[\"']([^\"']+)", text))
    seen, top, fence = {}, None, None
    lines = text.split("\n")
    if lines[0].strip() == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        for line in lines[1:end]:
            if line.startswith("title:"):
                sections[0].heading = line.partition(":")[2].strip(" '\"")
        lines = lines[end + 1 :]
    prose = []
    for line in [*lines, None]:
        mark = re.match(r"\s*(`{3,}|~{3,})", line or "")
        heading = None if fence else re.match(r"(#{1,6})\s+(.*?)\s*#*\s*$", line or "")
        if line is None or mark or heading:
            sections[-1].parts.append(plain("\n".join(prose)) + "\n")
            before = prose[-1].strip() if prose else ""
            prose = []
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = None if fence else mark[1]
        elif heading:
            words = squeezed(plain(heading[2]))
            anchor = slug(words, seen)
            anchors.add(anchor)
            if heading[1] == "#" and top is None:
                top = anchor
                sections[0].heading = words
            else:
                sections.append(Section(anchor, words))
                sections[-1].tag = f"h{len(heading[1])}"
                own = re.fullmatch(r"<a (?:id|name)=[\"']([^\"']+)[\"']></a>", before)
                sections[-1].alias = own[1] if own else ""
        elif fence:
            sections[-1].parts.append((line or "") + "\n")
        elif line is not None:
            prose.append(line)
    sections, top = titled(sections, top)
    return Page(sections, anchors, top)


def read(path):
    """Reads a page of either kind."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return read_markdown(text) if path.endswith((".md", ".mdx")) else read_html(text)
