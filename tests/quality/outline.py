"""Pages of documentation as headings with their anchors, and as blocks of text with their links.

`read(path)` returns a `Page` of a file of HTML or Markdown. Every anchor of a page belongs to one
heading: the heading after it if that follows directly, otherwise the heading before it. So a link
to an anchor names a section, and so does a search that shows an anchor. Headings without an anchor,
and headings of boxes, begin no section. Anchors of Markdown are made as GitHub makes them.
Navigation, code and tables of contents are left out.
"""

import html
import re
from html.parser import HTMLParser
from urllib.parse import unquote

HEADINGS = {f"h{level}" for level in range(1, 7)}
# Elements whose text does not belong to the page.
SILENT = {"script", "style", "nav", "pre", "head", "svg", "template", "button"}
SILENT_CLASSES = {"toc", "toctree-wrapper", "sphinxsidebar", "related", "navheader", "navfooter",
                  "contents", "footer", "headerlink", "sidebar", "nav-wrapper", "rule"}
# Boxes, whose headings begin no section.
BOXES = {"note", "tip", "warning", "important", "caution", "admonition"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
INLINE = {"a", "abbr", "acronym", "b", "cite", "code", "em", "i", "kbd", "q", "samp", "small",
          "span", "strong", "sub", "sup", "tt", "u", "var", "del", "ins", "mark"}
# Placeholders for links in the text of a block: private characters, then a number.
OPEN, CLOSE = "\ue000", "\ue001"


class Page:
    """Headings in order, the heading of each anchor, and blocks of `(text, links)`.

    In a block's text each link is OPEN, its text, CLOSE; `links` are their targets in order.
    """

    def __init__(self):
        self.headings = []
        self.heading_of = {}
        self.definitions = set()
        self.blocks = []

    def anchors(self, heading):
        """All anchors in the section of a heading; "" is the page itself."""
        return sorted(a for a, i in self.heading_of.items() if i == heading)


class HtmlReader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.pending = []
        self.open = []
        self.silent = None
        self.box = None
        self.heading = None
        self.term = 0
        self.text, self.links, self.in_link = "", [], False

    def flush(self):
        text = " ".join(self.text.split())
        if text and self.links:
            self.page.blocks.append((text, self.links))
        self.text, self.links, self.in_link = "", [], False

    def name(self):
        """Gives the waiting anchors to the heading that is being read."""
        for anchor in self.pending:
            self.page.heading_of.setdefault(anchor, len(self.page.headings) - 1)
        self.named = self.named or bool(self.pending)
        self.pending = []

    def settle(self):
        """Gives the waiting anchors to the heading before them."""
        for anchor in self.pending:
            self.page.heading_of.setdefault(anchor, max(0, len(self.page.headings) - 1))
        self.pending = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        for anchor in {attrs.get("id"), attrs.get("name") if tag == "a" else None} - {None, ""}:
            self.pending.append(anchor)
            if self.term:
                self.page.definitions.add(anchor)
        if tag == "dt":
            # Anchors directly before a term, and in it, belong to the term.
            self.page.definitions.update(self.pending)
            self.term += 1
        classes = set((attrs.get("class") or "").split())
        if self.silent is None and (tag in SILENT or classes & SILENT_CLASSES) and tag not in VOID:
            self.silent = len(self.open)
        if self.box is None and classes & BOXES and tag not in VOID:
            self.box = len(self.open)
        if tag in HEADINGS and self.silent is None and self.box is None:
            self.flush()
            self.page.headings.append("")
            self.heading = len(self.open)
            self.named = len(self.page.headings) == 1
            self.name()
        elif tag not in INLINE and self.heading is None:
            self.flush()
        elif tag == "a" and attrs.get("href") and self.silent is None and self.heading is None:
            self.links.append(attrs["href"])
            self.text += OPEN
            self.in_link = True

    def handle_endtag(self, tag):
        if tag in VOID or tag not in self.open:
            return
        while True:
            closed = self.open.pop()
            if closed == "dt":
                self.term -= 1
            if closed == "a" and self.in_link:
                self.text += CLOSE
                self.in_link = False
            depth = len(self.open) + 1
            if self.silent == depth:
                self.silent = None
            if self.box == depth:
                self.box = None
            if self.heading == depth:
                self.heading = None
                self.name()
                if not self.named:
                    self.page.headings.pop()
            if closed not in INLINE and self.heading is None:
                self.flush()
            if closed == tag:
                return

    def handle_data(self, data):
        if self.silent is not None:
            return
        if self.heading is not None:
            self.page.headings[-1] += data
            self.name()
        else:
            if data.strip():
                self.settle()
            self.text += data

    def done(self):
        self.flush()
        self.settle()
        return self.page


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return "".join("-" if c in " -" else c.lower() for c in heading if c in " -_" or c.isalnum())


def plain(text):
    """Markdown without its marks, links as in the text of blocks, and the links' targets."""
    links = []

    def link(match):
        links.append(match[2])
        return f"{OPEN}{match[1]}{CLOSE}"

    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", " ", text)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)", link, text)
    text = re.sub(r"</?[A-Za-z][^>]*>|<!--.*?-->", " ", text)
    text = re.sub(r"(`+)\s?(.+?)\s?\1", r"\2", text)
    text = re.sub(r"(\*{1,3}|(?<!\w)_{1,3})(\S|\S.*?\S)\1", r"\2", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(text))
    return " ".join(text.split()), links


def read_markdown(source):
    page, seen, fence, lines = Page(), {}, None, []

    def flush():
        text, links = plain(" ".join(lines))
        if links:
            page.blocks.append((text, links))
        lines.clear()

    source = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.S)
    for line in source.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark or fence:
            if mark and (fence is None or mark[1].startswith(fence)):
                fence = None if fence else mark[1]
            continue
        heading = re.match(r"#{1,6}\s+(.+?)\s*#*\s*$", line)
        named = re.findall(r"<a (?:name|id)=\"([^\"]+)\"", line)
        own = re.search(r"\{#([^}]+)\}", line)
        if heading:
            flush()
            text = plain(re.sub(r"\s*\{#[^}]*\}", "", heading[1]))[0]
            text = text.replace(OPEN, "").replace(CLOSE, "")
            page.headings.append(text)
            anchor = slug(text)
            seen[anchor] = seen.get(anchor, -1) + 1
            named.append(own[1] if own else f"{anchor}-{seen[anchor]}" * (seen[anchor] > 0)
                         or anchor)
        for anchor in named:
            page.heading_of.setdefault(anchor, max(0, len(page.headings) - 1))
        if heading or not line.strip():
            flush()
        elif re.match(r"\s*([-+*]|\d+\.|\||>)", line):
            flush()
            lines.append(re.sub(r"^\s*(?:[-+*>]|\d+\.)\s*", "", line))
        else:
            lines.append(line)
    flush()
    return page


def read(path):
    """The page of a file, or None if it has no heading."""
    source = path.read_text(encoding="utf8", errors="replace").replace("\r\n", "\n")
    if path.suffix == ".html":
        reader = HtmlReader()
        reader.feed(source)
        reader.close()
        page = reader.done()
    else:
        page = read_markdown(source)
    page.headings = [" ".join(text.replace("¶", " ").split()) for text in page.headings]
    page.heading_of[""] = 0
    return page if page.headings else None


def target(page, link):
    """The path of a link's page and its anchor, or None for links that leave the site."""
    if re.match(r"[a-z][a-z0-9+.-]*:|//|/", link, re.I):
        return None
    path, _, anchor = link.partition("#")
    parts = [] if not path else page.split("/")[:-1]
    for part in unquote(path).split("/") if path else page.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts), unquote(anchor)
