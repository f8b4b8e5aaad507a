//! Conversion of XHTML to HTML: self-closing elements, and CDATA sections.

use std::borrow::Cow;

/// The name space of HTML's elements.
const NAME_SPACE: &str = "http://www.w3.org/1999/xhtml";

/// Elements that have no end tag in HTML either.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Returns a document of XML in the syntax of HTML. Parts that are already HTML are not changed.
pub(in super::super) fn as_html(text: &str) -> Cow<'_, str> {
    let prefix = prefix(text);
    if prefix.is_none() && !text.contains("/>") && !text.contains("<![CDATA[") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = if let Some(inner) = rest.strip_prefix("<![CDATA[") {
            let end = inner.find("]]>").unwrap_or(inner.len());
            // In XML these characters are text, also inside of scripts and styles.
            out.push_str(&inner[..end].replace('&', "&amp;").replace('<', "&lt;"));
            (end + 12).min(rest.len())
        } else if rest.starts_with("<!--") {
            let len = rest.find("-->").map_or(rest.len(), |end| end + 3);
            out.push_str(&rest[..len]);
            len
        } else if rest.starts_with("<?") {
            rest.find("?>").map_or(rest.len(), |end| end + 2)
        } else {
            let len = tag_len(rest);
            push_tag(&rest[..len], prefix, &mut out);
            len
        };
        rest = &rest[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the prefix of HTML's elements, `h` in `<h:body>`.
fn prefix(text: &str) -> Option<&str> {
    let at = text.find(NAME_SPACE)?;
    let before = text[..at].trim_end_matches(['"', '\'']).strip_suffix('=')?;
    let name = before.rsplit(char::is_whitespace).next()?.strip_prefix("xmlns:")?;
    let root = text.find(&format!("<{name}:"))?;
    (root < at).then_some(name)
}

/// Returns the length of a tag at the beginning; `>` inside of quotes does not end it.
fn tag_len(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_tag(tag: &str, prefix: Option<&str>, out: &mut String) {
    let (open, name) = match tag.strip_prefix("</") {
        Some(name) => ("</", name),
        None => ("<", &tag[1..]),
    };
    let own = prefix.and_then(|prefix| name.strip_prefix(prefix)?.strip_prefix(':'));
    let name = own.unwrap_or(name);
    out.push_str(open);
    match name.strip_suffix("/>").filter(|_| open == "<") {
        None => out.push_str(name),
        Some(inner) => {
            let end = inner.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inner.len());
            let element = &inner[..end];
            out.push_str(inner);
            out.push('>');
            if !VOID.iter().any(|void| void.eq_ignore_ascii_case(element)) && !element.is_empty() {
                out.push_str("</");
                out.push_str(element);
                out.push('>');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_end_where_they_begin_are_closed() {
        for (xml, html) in [
            ("<title/><p>a</p>", "<title></title><p>a</p>"),
            ("<script src=\"a>b.js\" />x", "<script src=\"a>b.js\" ></script>x"),
            ("<br/><img alt='a'/>", "<br><img alt='a'>"),
            ("<?xml version='1.0'?><p/>", "<p></p>"),
            ("<p><![CDATA[a < b & c]]></p>", "<p>a &lt; b &amp; c</p>"),
            ("<!-- <a/> --><a id=\"x\"/>y", "<!-- <a/> --><a id=\"x\"></a>y"),
        ] {
            assert_eq!(as_html(xml), html);
        }
    }

    #[test]
    fn a_prefix_of_the_name_space_is_taken_off() {
        let xml = "<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\"><h:p>a<h:br/></h:p></h:html>";
        let html = "<html xmlns:h=\"http://www.w3.org/1999/xhtml\"><p>a<br></p></html>";
        assert_eq!(as_html(xml), html);
    }
}
