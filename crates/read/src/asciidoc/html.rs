//! The writer of a parsed document as HTML.

use std::fmt::Write;

use asciidoc_parser::Document;
use asciidoc_parser::blocks::{
    Block, FindBlocks, IsBlock, ListItemMarker, ListType, SimpleBlockStyle, TableBlock,
    TableCellContent, TableRow,
};

/// Deepest nesting that is written.
const MAX_DEPTH: usize = 200;

/// Returns a document as HTML.
pub(super) fn of_document(document: &Document) -> String {
    let mut html = String::new();
    if let Some(title) = document.doctitle() {
        let id = document.header().id().unwrap_or_default();
        heading(1, id, title, &mut html);
    }
    for block in document.child_blocks() {
        of_block(block, 0, &mut html);
    }
    // The text of a footnote replaces its mark.
    for footnote in document.catalog().footnotes() {
        let _ = write!(html, "<p>{}</p>", footnote.text);
    }
    html
}

/// Returns the text of a piece of HTML.
pub(super) fn text(html: &str) -> String {
    scraper::Html::parse_fragment(html).root_element().text().collect()
}

fn heading(level: usize, id: &str, title: &str, html: &mut String) {
    let level = level.clamp(1, 6);
    if id.is_empty() {
        let _ = write!(html, "<h{level}>{title}</h{level}>");
    } else {
        let _ = write!(html, "<h{level} id=\"{}\">{title}</h{level}>", escaped(id));
    }
}

fn of_block<'a>(block: &'a Block<'a>, depth: usize, html: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    if !matches!(block, Block::Section(_))
        && let Some(title) = block.title()
    {
        let _ = write!(html, "<p>{title}</p>");
    }
    match block {
        Block::Simple(simple) => {
            let content = simple.content().rendered_html();
            match simple.style() {
                SimpleBlockStyle::Paragraph => {
                    let _ = write!(html, "<p>{content}</p>");
                }
                _ => code(content, html),
            }
        }
        Block::Media(media) => {
            if let Some(alt) = media.macro_attrlist().named_or_positional_attribute("alt", 1) {
                let _ = write!(html, "<p>{}</p>", escaped(alt.value()));
            }
        }
        Block::Section(section) => {
            let id = section.id().unwrap_or_default();
            heading(section.level() + 1, id, section.section_title(), html);
            children(block, depth, html);
        }
        Block::List(list) => {
            let name = match list.type_() {
                ListType::Description => "dl",
                ListType::Ordered => "ol",
                _ => "ul",
            };
            let _ = write!(html, "<{name}>");
            children(block, depth, html);
            let _ = write!(html, "</{name}>");
        }
        Block::ListItem(item) => {
            if let ListItemMarker::DefinedTerm { term, .. } = item.list_item_marker() {
                let _ = write!(html, "<dt>{}</dt><dd>", term.rendered_html());
                children(block, depth, html);
                html.push_str("</dd>");
            } else {
                html.push_str("<li>");
                children(block, depth, html);
                html.push_str("</li>");
            }
        }
        Block::RawDelimited(raw) => {
            let content = raw.content().rendered_html();
            match block.resolved_context().as_ref() {
                "comment" => {}
                "pass" => html.push_str(content),
                "verse" | "paragraph" | "quote" => {
                    let _ = write!(html, "<p>{content}</p>");
                }
                _ => code(content, html),
            }
        }
        Block::Admonition(admonition) => {
            paragraph(admonition.content().map(|content| content.rendered_html()), html);
            children(block, depth, html);
        }
        Block::Quote(quote) => {
            paragraph(quote.content().map(|content| content.rendered_html()), html);
            children(block, depth, html);
            for source in [quote.attribution(), quote.citetitle()].into_iter().flatten() {
                let _ = write!(html, "<p>{source}</p>");
            }
        }
        Block::Table(table) => of_table(table, depth, html),
        Block::CompoundDelimited(_) | Block::Preamble(_) => {
            html.push_str("<div>");
            children(block, depth, html);
            html.push_str("</div>");
        }
        _ => {}
    }
}

fn children<'a>(block: &'a Block<'a>, depth: usize, html: &mut String) {
    for child in block.child_blocks() {
        of_block(child, depth + 1, html);
    }
}

fn paragraph(content: Option<&str>, html: &mut String) {
    if let Some(content) = content {
        let _ = write!(html, "<p>{content}</p>");
    }
}

fn code(content: &str, html: &mut String) {
    let _ = write!(html, "<pre><code>{content}</code></pre>");
}

fn of_table<'a>(table: &'a TableBlock<'a>, depth: usize, html: &mut String) {
    html.push_str("<table>");
    if let Some(row) = table.header_row() {
        of_row(row, "th", depth, html);
    }
    for row in table.body_rows().iter().chain(table.footer_row()) {
        of_row(row, "td", depth, html);
    }
    html.push_str("</table>");
}

fn of_row<'a>(row: &'a TableRow<'a>, name: &str, depth: usize, html: &mut String) {
    html.push_str("<tr>");
    for cell in row.cells() {
        let _ = write!(html, "<{name}>");
        match cell.content() {
            TableCellContent::Simple(content) => html.push_str(content.rendered_html()),
            TableCellContent::AsciiDoc(cell) => {
                for block in cell.blocks() {
                    of_block(block, depth + 1, html);
                }
            }
        }
        let _ = write!(html, "</{name}>");
    }
    html.push_str("</tr>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
