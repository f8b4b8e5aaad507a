//! Line numbers of code blocks: numbers that a highlighter puts in a cell, in a column or at the
//! head of each line.
//!
//! A name alone is not enough: themes put `line-numbers` on the code block too. An element with
//! only numbers holds line numbers if its name says so, or if the numbers count the lines of the
//! code beside it.

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::annotations::text_of;
use super::attrs::names;
use super::text::{has_code_block, neighbours};

/// The certainty of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hint {
    None,
    /// The name also occurs on other elements, so it only counts beside code.
    Weak,
    Strong,
}

/// Returns whether an element holds the line numbers of a code block. `in_code`: it is inside of
/// one.
pub(super) fn is_line_numbers(
    node: NodeRef<Node>,
    element: &Element,
    in_code: bool,
    tables: &mut NumberedTables,
) -> bool {
    match hint(element) {
        Hint::Strong => is_numeric(node) && (!holds_code(node) || counts_other_code(node, element)),
        _ if is_its_own_number(node, element) => true,
        Hint::Weak => is_numeric(node) && (in_code || is_beside_code(node)),
        Hint::None => {
            is_column(element.name())
                && (counts_the_lines_beside(node) || tables.counts_the_rows(node))
        }
    }
}

/// Returns whether an element is or contains code.
fn holds_code(node: NodeRef<Node>) -> bool {
    node.descendants().any(|below| {
        super::is_named(below.value(), "pre") || super::is_named(below.value(), "code")
    })
}

/// Returns whether code that only contains numbers counts the lines of other code. `<pre
/// class="line-numbers"><code>404</code></pre>` asks for line numbers, and is content.
fn counts_other_code(node: NodeRef<Node>, element: &Element) -> bool {
    let is_block = element.name() == "pre"
        && node.descendants().any(|below| super::is_named(below.value(), "code"));
    if is_block {
        return counts_the_lines_beside(node);
    }
    let mut at = node;
    for _ in 0..3 {
        if neighbours(at).any(|beside| holds_code(beside) && !is_numeric(beside)) {
            return true;
        }
        let Some(parent) = at.parent() else { return false };
        let is_alone = parent.children().filter(|child| child.value().is_element()).count() == 1;
        if !is_alone {
            return false;
        }
        at = parent;
    }
    false
}

/// Returns whether the element's text is the number that an attribute such as `data-line-number`
/// gives. A line of code may also be named by its number: then nothing follows on the same line.
fn is_its_own_number(node: NodeRef<Node>, element: &Element) -> bool {
    let is_cell = matches!(element.name(), "td" | "th");
    let goes_on = || {
        node.next_sibling()
            .is_some_and(|next| next.value().as_text().is_none_or(|text| !text.starts_with('\n')))
    };
    if !is_cell && !goes_on() {
        return false;
    }
    let mut numbers = element
        .attrs()
        .filter(|(name, value)| name.starts_with("data-line") && !value.is_empty())
        .map(|(_, value)| value.trim())
        .peekable();
    numbers.peek().is_some() && is_numeric(node) && {
        let text = ElementRef::wrap(node).map(text_of).unwrap_or_default();
        numbers.any(|number| number == text)
    }
}

fn hint(element: &Element) -> Hint {
    let mut hint = Hint::None;
    for name in element.attr("class").unwrap_or_default().split_ascii_whitespace() {
        let name = name.to_ascii_lowercase();
        let found = match name.as_str() {
            "ln" | "lnt" | "lntd" | "gl" | "gutter" | "lnlinks" | "nums" => Hint::Weak,
            _ if [
                "lineno",
                "line-no",
                "line_no",
                "linenum",
                "line-num",
                "line_num",
                "ln-num",
                "ln-n",
                "lnum",
                "blob-num",
                "lines-num",
                "line-index",
                "line-count",
            ]
            .iter()
            .any(|part| name.contains(part)) =>
            {
                Hint::Strong
            }
            _ if name.contains("gutter") => Hint::Weak,
            _ => Hint::None,
        };
        hint = hint.max(found);
    }
    let unselectable = || {
        element
            .attr("style")
            .is_some_and(|style| style.contains("user-select") && style.contains("none"))
    };
    if hint == Hint::None && (unselectable() || element.attr("unselectable").is_some()) {
        return Hint::Weak;
    }
    hint
}

/// Returns whether an element has digits, and no text except numbers and the marks after them.
pub(super) fn is_numeric(node: NodeRef<Node>) -> bool {
    let mut digits = false;
    for below in node.descendants() {
        let Node::Text(text) = below.value() else { continue };
        for c in text.chars() {
            match c {
                '0'..='9' => digits = true,
                '.' | ':' | '|' | ')' | '│' => {}
                c if c.is_whitespace() => {}
                _ => return false,
            }
        }
    }
    digits
}

fn is_beside_code(node: NodeRef<Node>) -> bool {
    node.ancestors()
        .take(5)
        .take_while(|above| {
            !matches!(
                above.value().as_element().map(Element::name),
                Some("main" | "article" | "section" | "body")
            )
        })
        .any(has_code_block)
}

/// Returns whether an element can hold a column of numbers beside code.
fn is_column(name: &str) -> bool {
    matches!(name, "td" | "th" | "pre" | "div" | "ul" | "ol")
}

/// Returns whether a column's numbers ascend one by one and are as many as the lines of the code
/// beside it.
fn counts_the_lines_beside(node: NodeRef<Node>) -> bool {
    if !is_numeric(node) {
        return false;
    }
    let Some(count) = ascending(node) else { return false };
    neighbours(node).any(|beside| {
        beside.descendants().filter_map(ElementRef::wrap).any(|element| {
            element.value().name() == "pre" && {
                let lines = lines(element);
                count.abs_diff(lines) <= 1 && lines > 1
            }
        })
    })
}

/// Tables with a line of code in each row, numbered by its first cell. Each cell checks its table,
/// so the answer for the last table is kept.
#[derive(Debug, Default)]
pub(super) struct NumberedTables {
    last: Option<(NodeId, bool)>,
}

impl NumberedTables {
    /// Returns whether a cell is the number of a line of code, one line in each row of its table.
    fn counts_the_rows(&mut self, cell: NodeRef<Node>) -> bool {
        let is_cell = |node: NodeRef<Node>| {
            super::is_named(node.value(), "td") || super::is_named(node.value(), "th")
        };
        if !is_cell(cell) || !is_numeric(cell) {
            return false;
        }
        let Some(rows) = cell.parent().and_then(|row| row.parent()) else { return false };
        match self.last {
            Some((table, is_numbered)) if table == rows.id() => is_numbered,
            _ => {
                let is_numbered = are_numbered_lines(rows);
                self.last = Some((rows.id(), is_numbered));
                is_numbered
            }
        }
    }
}

/// Returns whether the rows of a table are lines of code: the first cells ascend one by one, and a
/// second one holds nothing but a code block.
fn are_numbered_lines(rows: NodeRef<Node>) -> bool {
    let (mut last, mut count): (Option<u64>, usize) = (None, 0);
    for row in rows.children().filter(|row| row.value().is_element()) {
        let mut cells = row.children().filter(|cell| cell.value().is_element());
        let (Some(first), Some(second), None) = (cells.next(), cells.next(), cells.next()) else {
            return false;
        };
        let mut inside = second.children().filter(|child| match child.value() {
            Node::Text(text) => !text.trim().is_empty(),
            child => child.is_element(),
        });
        let is_code = inside.next().is_some_and(|child| super::is_named(child.value(), "pre"));
        let number = ElementRef::wrap(first).and_then(|cell| text_of(cell).parse().ok());
        let follows = match (last, number) {
            (_, None) => false,
            (None, _) => true,
            (Some(last), number) => last.checked_add(1) == number,
        };
        if !is_code || inside.next().is_some() || !follows {
            return false;
        }
        last = number;
        count += 1;
    }
    count > 1
}

fn lines(pre: ElementRef) -> usize {
    let text: String = pre.text().collect();
    let breaks = pre.descendants().filter(|below| super::is_named(below.value(), "br")).count();
    text.trim_matches('\n').lines().count() + breaks
}

/// Returns how many numbers an element holds, if each is one more than the number before it.
fn ascending(node: NodeRef<Node>) -> Option<usize> {
    let mut last: Option<u64> = None;
    let mut count = 0;
    for below in node.descendants() {
        let Node::Text(text) = below.value() else { continue };
        for number in text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()) {
            let number = number.parse().ok()?;
            if last.is_some_and(|last| last.checked_add(1) != Some(number)) {
                return None;
            }
            last = Some(number);
            count += 1;
        }
    }
    (count > 1).then_some(count)
}

/// Returns whether every row of a table is a number followed by a line of code.
pub(super) fn is_code_table(table: NodeRef<Node>) -> bool {
    let mut rows =
        table.descendants().filter(|below| super::is_named(below.value(), "tr")).peekable();
    rows.peek().is_some()
        && !has_code_block(table)
        && rows.all(|row| {
            let mut cells = row.children().filter_map(ElementRef::wrap);
            let Some(first) = cells.next() else { return false };
            let is_numbers = is_numeric(*first) || text_of(first).is_empty();
            let code = cells.next_back();
            match hint(first.value()) {
                Hint::Strong => is_numbers && code.is_some(),
                Hint::Weak => is_numbers && code.is_some_and(is_all_code),
                Hint::None => false,
            }
        })
}

/// Returns whether all text of an element is inside of `<code>`.
fn is_all_code(element: ElementRef) -> bool {
    let mut texts = element
        .descendants()
        .filter(|below| below.value().as_text().is_some_and(|text| !text.trim().is_empty()))
        .peekable();
    texts.peek().is_some()
        && texts.all(|text| {
            text.ancestors()
                .take_while(|above| above.id() != element.id())
                .any(|above| super::is_named(above.value(), "code"))
        })
}

/// Numbers at the beginnings of lines, in elements without a telling name. They are recorded while
/// code is read.
#[derive(Default)]
pub(super) struct Heads {
    /// The place of each number in the text, and the number.
    found: Vec<(usize, usize, u64)>,
}

impl Heads {
    /// Records `code[start..]`, the whole text of an element, if it is a number that begins a line.
    pub fn note(&mut self, code: &str, start: usize, element: &Element) {
        let begins_line = start == 0 || code[..start].ends_with('\n');
        let is_literal = names(element).any(|name| {
            matches!(name, "number" | "mi" | "mf" | "m" | "nu" | "hljs-number" | "mtk7")
        });
        if begins_line
            && !is_literal
            && let Ok(number) = code[start..].trim().trim_end_matches(['.', ':', '|']).parse()
        {
            // Elements around a number begin at the same place.
            self.found.retain(|(known, ..)| *known != start);
            self.found.push((start, code.len(), number));
        }
    }

    /// Removes the numbers from `code` if they are line numbers: every line has one, each is one
    /// more than the previous one. Returns whether they were.
    pub fn remove(self, code: &mut String) -> bool {
        let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
        let consecutive = self.found.windows(2).all(|pair| pair[0].2 + 1 == pair[1].2);
        if self.found.len() < 2 || self.found.len() != lines || !consecutive {
            return false;
        }
        for (start, end, _) in self.found.into_iter().rev() {
            code.drain(start..end);
        }
        true
    }
}
