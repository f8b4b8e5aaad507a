//! Tables of contents that are not named as such, and the last line of a generator.

use ego_tree::NodeRef;
use scraper::{ElementRef, Node};

use super::super::outline::Links;
use super::annotations::text_of;
use super::attrs::is_called;
use super::ids::Ids;
use super::rules;
use super::text::Words;
use findling_bundle::addresses::percent_decoded;
use findling_page::page::Section;

/// Smallest number of links of a list of headings.
const MIN_LINKS: usize = 2;

/// Maximum number of links of a list that are compared with headings.
const MAX_COMPARED: usize = 8;

/// Maximum number of words of a line about the program that wrote the page.
const MAX_COLOPHON_WORDS: usize = 30;

/// Returns whether a list consists of links to headings of the page, with the words of these
/// headings, or is called a table of contents and leads to places of the page, with few words
/// between the links.
pub(super) fn is_contents(list: NodeRef<Node>, ids: &Ids) -> bool {
    let is_named = list.value().as_element().is_some_and(|element| {
        is_called(element, |word| matches!(word, "toc" | "tableofcontents"))
    });
    let words = Words::of(list, if is_named { usize::MAX } else { 1 });
    let most = if is_named { words.links } else { 0 };
    if words.prose > most || words.controls > 0 || words.inputs > 0 {
        return false;
    }
    let links = || {
        list.descendants()
            .filter_map(ElementRef::wrap)
            .filter(|link| link.value().name() == "a" && link.value().attr("href").is_some())
    };
    let leads_within =
        |link: ElementRef| link.value().attr("href").is_some_and(|href| href.starts_with('#'));
    if links().take(MIN_LINKS).count() < MIN_LINKS || !links().all(leads_within) {
        return false;
    }
    if is_named {
        return true;
    }
    let compared = links().take(MAX_COMPARED).count();
    let named = links().take(MAX_COMPARED).filter(|link| names_a_heading(*link, list, ids)).count();
    named * 3 >= compared * 2
}

/// Returns whether a line consists of links with signs between them, and leads to headings of the
/// page: `List of all members | Public Member Functions`. At most half of the links lead
/// elsewhere.
pub(super) fn is_line_of_contents(line: NodeRef<Node>, ids: &Ids) -> bool {
    let (mut links, mut named) = (0, 0);
    for child in line.children() {
        match child.value() {
            Node::Text(text) if text.contains(char::is_alphanumeric) => return false,
            Node::Element(element) if element.name() == "a" => {
                let Some(link) = ElementRef::wrap(child) else { return false };
                links += 1;
                named += usize::from(links <= MAX_COMPARED && names_a_heading(link, line, ids));
            }
            Node::Element(element) if element.name() != "br" => return false,
            _ => {}
        }
    }
    links >= MIN_LINKS && named * 2 >= links.min(MAX_COMPARED)
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a link has the same words as the heading that it leads to.
fn names_a_heading(link: ElementRef, list: NodeRef<Node>, ids: &Ids) -> bool {
    let target = link.value().attr("href").and_then(|href| href.strip_prefix('#'));
    let target = target.map(percent_decoded).and_then(|id| ids.node(&id));
    let Some(target) = target.and_then(|id| list.tree().get(id)) else { return false };
    let is_heading = |node: &NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| rules::is_heading(element.name()))
    };
    let around = target.ancestors().take(2).find(is_heading);
    let within = || target.descendants().take(20).find(is_heading);
    let behind = || {
        let elements = target.next_siblings().filter(|next| next.value().is_element());
        elements.take(2).find(is_heading)
    };
    let heading = around.or_else(within).or_else(behind).and_then(ElementRef::wrap);
    let words = plain(&text_of(link));
    heading.is_some_and(|heading| {
        let heading = plain(&text_of(heading));
        !words.is_empty() && (heading == words || heading.ends_with(&words))
    })
}

/// Maximum number of blocks with the names of files that a page was generated from.
const MAX_SOURCE_FILES: usize = 8;

/// Removes from the end of a page the files that it was generated from: `The documentation for this
/// class was generated from the following file: View.hpp`. Returns the sentence.
pub(super) fn take_source_files(
    sections: &mut [Section],
    links: &mut Vec<Links>,
) -> Option<String> {
    let last = sections.len().checked_sub(1)?;
    let blocks = &mut sections.last_mut()?.blocks;
    let at = blocks.iter().rposition(|block| is_about_source_files(&block.text))?;
    let are_names = |text: &str| text.split_whitespace().count() <= 2;
    let files = &blocks[at + 1..];
    // The only text of a page is kept.
    if files.len() > MAX_SOURCE_FILES
        || !files.iter().all(|file| are_names(&file.text))
        || (last == 0 && at == 0)
    {
        return None;
    }
    let sentence = blocks[at].text.clone();
    blocks.truncate(at);
    links.retain(|links| {
        links.section as usize != last || links.block.is_none_or(|block| (block as usize) < at)
    });
    Some(sentence)
}

fn is_about_source_files(text: &str) -> bool {
    text.starts_with("The documentation for this ")
        && text.contains("was generated from the following file")
}

/// Removes the last line of a page if it says which program wrote the page. Also removes its
/// heading if nothing else is below that heading. Returns the line.
pub(super) fn take_colophon(sections: &mut Vec<Section>, links: &mut Vec<Links>) -> Option<String> {
    let last = sections.len().checked_sub(1)?;
    let section = sections.last_mut()?;
    let is_last = section.blocks.last().is_some_and(|block| is_colophon(&block.text));
    // The only text of a page is kept.
    if !is_last || (last == 0 && section.blocks.len() < 2) {
        return None;
    }
    let text = section.blocks.pop().map(|block| block.text);
    let block = Some(section.blocks.len() as u32);
    links.retain(|links| links.section as usize != last || links.block != block);
    let is_over = section.blocks.is_empty()
        && matches!(
            section.heading.to_lowercase().as_str(),
            "" | "index" | "contents" | "table of contents"
        );
    if is_over && last > 0 {
        sections.pop();
        links.retain(|links| (links.section as usize) < last);
    }
    text
}

fn is_colophon(text: &str) -> bool {
    const STARTS: [&str; 12] = [
        "this document was created by",
        "this document was generated",
        "this page was generated",
        "this page was created by",
        "this html was generated",
        "documentation generated by",
        "generated by ",
        "generated on ",
        "built with ",
        "created with ",
        "made with ",
        "powered by ",
    ];
    let lower = text.to_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start))
        && text.split_whitespace().count() <= MAX_COLOPHON_WORDS
}
