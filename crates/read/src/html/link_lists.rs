//! Sections that are lists of links, such as "See also": they only repeat the words of other pages.

use std::collections::BTreeSet;

use findling_page::page::{LINKS_WEIGHT, Section};

use super::super::outline::Links;

/// Lowers the weight of sections whose blocks all are links. A page without other text keeps its
/// weight, and so does the text between the title and the first heading.
pub(super) fn weigh(sections: &mut [Section], links: &[Links]) {
    let made_of_links: BTreeSet<(u32, u32)> =
        links.iter().filter_map(|links| Some((links.section, links.block?))).collect();
    let only_links = |(number, section): (usize, &Section)| {
        let blocks = 0..section.blocks.len() as u32;
        !section.blocks.is_empty()
            && blocks.into_iter().all(|block| made_of_links.contains(&(number as u32, block)))
    };
    let lists: Vec<bool> = sections.iter().enumerate().map(only_links).collect();
    let has_text =
        sections.iter().zip(&lists).any(|(of, is_list)| !is_list && !of.blocks.is_empty());
    if !has_text {
        return;
    }
    for (section, _) in sections.iter_mut().zip(lists).skip(1).filter(|(_, is_list)| *is_list) {
        for block in section.blocks.iter_mut().filter(|block| block.weight == 1.0) {
            block.weight = LINKS_WEIGHT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, read};
    use super::*;

    /// Returns the weights of the sections' first blocks.
    fn weights(html: &str) -> Vec<f32> {
        let page = read(html, "page.html", &Options::default()).expect("a page").page;
        let first = |section: &Section| section.blocks.first().map_or(0.0, |block| block.weight);
        page.sections.iter().map(first).collect()
    }

    #[test]
    fn a_section_of_links_counts_little_beside_text() {
        let text = "<h1>Glaze</h1><p>A glaze melts.</p>";
        let list = "<h2>See also</h2><p><a href=a.html>Kiln</a> and <a href=b.html>Clay</a>.</p>";
        assert_eq!(weights(&format!("<main>{text}{list}</main>")), [1.0, LINKS_WEIGHT]);
        // A sentence with a link is text, and so is a list that explains its links.
        let linked = "<h2>Firing</h2><p>Put it into the hot <a href=a.html>kiln</a>.</p>";
        assert_eq!(weights(&format!("<main>{text}{linked}</main>")), [1.0, 1.0]);
        let told = "<h2>Parts</h2><ul><li><a href=a.html>Kiln</a>: where pots are fired.</ul>";
        assert_eq!(weights(&format!("<main>{text}{told}</main>")), [1.0, 1.0]);
        // The only text of a page counts in full.
        assert_eq!(weights(&format!("<main><h1>Index</h1>{list}{list}</main>"))[1..], [1.0, 1.0]);
    }
}
