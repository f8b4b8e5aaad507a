//! Every reader reads the output of its writer, compared with slow and obvious twins.

use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::column::MAX_DATE;
use findling_bundle::lexicon::{Posting, TermsBuilder, cap_term};
use findling_bundle::positions::{PositionsBuilder, write_directory};
use findling_bundle::spelling::SpellingBuilder;
use findling_bundle::structure::StructureBuilder;
use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::vectors::{MAX_SCALE, VectorsBuilder, quantise};
use findling_bundle::*;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

fn stats(n: u32) -> Stats {
    Stats { n_pages: n, n_sections: n, n_passages: n, n_vectors: n, n_terms: n, mean_len: [1.0; 6] }
}

/// id -> frequencies
type List = BTreeMap<u32, [u32; 2]>;

fn list() -> impl Strategy<Value = List> {
    btree_map(
        0u32..5000,
        (0u32..4, 0u32..300).prop_map(|(a, b)| if a + b == 0 { [1, 0] } else { [a, b] }),
        0..12,
    )
}

/// Returns postings in the second tier, by level; usually none.
fn n_second() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![3 => Just([0; 3]), 1 => [0u32..3, 0u32..70_000, 0u32..4000]]
}

/// Returns pages with these numbers of sections and passages, repeated up to 5,000 sections.
fn sections_of(sizes: &[u32]) -> Structure {
    let mut builder = StructureBuilder::default();
    let mut n = 0;
    for size in sizes.iter().cycle() {
        builder.page();
        for _ in 0..*size {
            builder.section(0);
            for _ in 0..*size {
                builder.passage();
            }
            n += 1;
        }
        if n >= 5000 {
            return builder.finish();
        }
    }
    unreachable!("sizes are above 0")
}

proptest! {
    #[test]
    fn terms(
        terms in btree_map("[a-cé]{1,6}|\\PC{1,12}", (list(), list(), list(), n_second()), 0..80),
        probes in vec("[a-cé]{0,4}", 10),
        sizes in vec(1u32..9, 1..5),
    ) {
        let structure = sections_of(&sizes);
        let terms: BTreeMap<String, ([Vec<Posting>; 3], [u32; 3])> = terms
            .into_iter()
            .filter(|(_, (a, b, c, _))| !(a.is_empty() && b.is_empty() && c.is_empty()))
            .map(|(term, (a, b, c, n_second))| {
                let lists = Level::ALL.map(|level| {
                    let list = [&a, &b, &c][level as usize].iter();
                    list.map(|(&id, &tf)| Posting::new(level, id, tf, [id % 300, id])).collect()
                });
                (term, (lists, n_second))
            })
            .collect();
        let mut builder = TermsBuilder::new();
        for (term, (lists, n_second)) in &terms {
            builder
                .push_first_tier(
                    term,
                    4321,
                    lists.each_ref().map(|list| &list[..]),
                    *n_second,
                    &structure,
                )
                .unwrap();
        }
        let raw = builder.finish();
        let (entry, stored) = encode_shard(ShardKind::Terms, &raw).unwrap();
        prop_assert_eq!(&decode_shard(&entry, &stored).unwrap(), &raw);
        // The shard is packed, unless this is not smaller than deflate, as for almost no data or
        // for a list that repeats.
        let deflated = encode_shard(ShardKind::Spelling, &raw).unwrap().1;
        prop_assert!(
            stored.len() <= deflated.len(),
            "{} bytes for {} deflated",
            stored.len(),
            deflated.len()
        );
        prop_assert!(stored[6] == 2 || stored.len() == deflated.len(), "codec {}", stored[6]);
        let shard = TermsShard::from_bytes(raw, &stats(5000)).unwrap();
        prop_assert_eq!(shard.n_terms() as usize, terms.len());
        let mut walk = shard.terms();
        for (ordinal, (term, (lists, n_second))) in terms.iter().enumerate() {
            let (found, entry) = walk.advance().unwrap();
            prop_assert_eq!(found, term);
            prop_assert_eq!(entry.ordinal as usize, ordinal);
            prop_assert_eq!((entry.df, entry.n_second), (4321, *n_second));
            prop_assert_eq!(shard.find(term), Some(entry));
            for (level, list) in Level::ALL.into_iter().zip(lists) {
                prop_assert_eq!(
                    &shard.postings(&entry, level, &structure).collect::<Vec<_>>(),
                    list
                );
            }
            prop_assert_eq!(&shard.lists(&entry, &structure), lists);
        }
        prop_assert!(walk.advance().is_none());
        for probe in probes.iter().chain(terms.keys()) {
            prop_assert_eq!(shard.find(probe).is_some(), terms.contains_key(probe));
            let expected: Vec<&String> =
                terms.keys().filter(|term| term.starts_with(probe.as_str())).collect();
            let mut walk = shard.prefix(probe);
            let mut got = Vec::new();
            while let Some((term, _)) = walk.advance() {
                got.push(term.to_owned());
            }
            prop_assert_eq!(got.iter().collect::<Vec<_>>(), expected);
            let mut walk = shard.seek(probe);
            let first = walk.advance().map(|(term, _)| term.to_owned());
            prop_assert_eq!(
                first.as_ref(),
                terms.range(probe.clone()..).next().map(|(term, _)| term)
            );
        }
    }

    #[test]
    fn positions(
        ranges in vec(
            vec((0usize..3, 0u32..4, 0u32..4, btree_set(0u32..100_000, 0..6)), 0..20),
            0..5,
        ),
    ) {
        let mut builder = PositionsBuilder::new();
        for postings in &ranges {
            for (level, first, second, list) in postings {
                let list: Vec<u32> = list.iter().copied().collect();
                builder.push(Level::ALL[*level], [*first, *second], &list).unwrap();
            }
            builder.end_range();
        }
        prop_assert_eq!(
            builder.is_empty(),
            ranges.iter().flatten().all(|posting| posting.3.is_empty())
        );
        let raw = builder.finish();
        let (line, stored) = encode_shard(ShardKind::Positions, &raw).unwrap();
        let shard = PositionsShard::from_bytes(decode_shard(&line, &stored).unwrap()).unwrap();
        let mut got = vec![7];
        for (range, postings) in (0..).zip(&ranges) {
            let mut lists = shard.lists(range);
            for (i, (level, first, second, list)) in postings.iter().enumerate() {
                let (level, tf) = (Level::ALL[*level], [*first, *second]);
                // Skipping a list now and then must not lose the position.
                if i % 3 == 1 {
                    lists.skip_list(level, tf);
                    continue;
                }
                lists.next_list(level, tf, &mut got);
                prop_assert_eq!(&got, &list.iter().copied().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn directories_of_positions(
        pages in vec(1u32..5, 1..6), ranges in vec(1u32..4, 1..5), lens in vec(0u32..3000, 30),
    ) {
        let lines: Vec<_> = (0..).zip(&lens).take(pages.len() * ranges.len())
            .map(|(i, &stored_len)| {
                let hash = shard_hash(ShardKind::Positions, &[i]);
                (stored_len > 0).then_some(ShardEntry {
                    kind: ShardKind::Positions,
                    hash,
                    stored_len,
                })
            })
            .collect();
        let raw = write_directory(&pages, &ranges, &lines).unwrap();
        let (n_pages, n_ranges) = (pages.iter().sum::<u32>(), ranges.iter().sum::<u32>() as usize);
        let read = PositionsDirectory::from_bytes(&raw, n_pages, n_ranges).unwrap();
        prop_assert_eq!(read.n_places(), lines.len());
        let mut first_page = 0;
        for (block, &n) in (0..).zip(&pages) {
            prop_assert_eq!(read.pages(block), first_page..first_page + n);
            (first_page..first_page + n)
                .for_each(|page| assert_eq!(read.block_of(PageId(page)), block));
            first_page += n;
            let mut range = 0;
            for (column, &n) in ranges.iter().enumerate() {
                let line = lines[column * pages.len() + block as usize];
                for at in 0..n {
                    let found = read.find(range, block);
                    prop_assert_eq!(found.and_then(|(id, _)| read.shard(id)).copied(), line);
                    prop_assert!(found.is_none_or(|(_, place)| place == at));
                    range += 1;
                }
            }
        }
        let listed: Vec<_> = read.shards().map(|(_, line)| *line).collect();
        prop_assert_eq!(listed, lines.iter().flatten().copied().collect::<Vec<_>>());
        prop_assert!(PositionsDirectory::from_bytes(&raw, n_pages + 1, n_ranges).is_err());
        prop_assert!(PositionsDirectory::from_bytes(&raw, n_pages, n_ranges + 1).is_err());
    }

    #[test]
    fn structure(pages in vec(vec((0u32..5, 0usize..4, any::<bool>()), 0..6), 0..8)) {
        let mut heads = Vec::new();
        let mut builder = StructureBuilder::default();
        let mut stats = Stats::default();
        // (page, section) of each passage, and section of each vector
        let (mut passages, mut vectors) = (Vec::new(), Vec::new());
        for sections in &pages {
            let page = builder.page();
            stats.n_pages += 1;
            for (place, (n_vectors, n_passages, continues)) in sections.iter().enumerate() {
                let section = builder.section(*n_vectors);
                match heads.last() {
                    Some(&head) if *continues && place > 0 => {
                        builder.continues();
                        heads.push(head);
                    }
                    _ => heads.push(section),
                }
                stats.n_sections += 1;
                vectors.extend((0..*n_vectors).map(|_| section));
                for _ in 0..*n_passages {
                    builder.passage();
                    passages.push((page, section));
                }
            }
        }
        stats.n_passages = passages.len() as u32;
        stats.n_vectors = vectors.len() as u32;
        let written = builder.finish();
        let raw = written.to_bytes();
        let read = Structure::from_bytes(&raw, &stats).unwrap();
        prop_assert_eq!(&read, &written);
        prop_assert_eq!(read.to_bytes(), raw);
        for (i, &(page, section)) in passages.iter().enumerate() {
            let id = PassageId(i as u32);
            prop_assert_eq!(read.section_of(id), section);
            prop_assert_eq!(read.page_of(section), page);
            prop_assert!(read.passages(section).contains(&id.0));
            prop_assert!(read.passages_of_page(page).contains(&id.0));
        }
        for (section, head) in (0..).zip(heads) {
            prop_assert_eq!(read.head(SectionId(section)), head);
        }
        prop_assert_eq!(read.head(SectionId(u32::MAX)), SectionId(u32::MAX));
        for (i, &section) in vectors.iter().enumerate() {
            prop_assert_eq!(read.section_of_vector(VectorId(i as u32)), section);
            prop_assert!(read.vectors(section).contains(&(i as u32)));
        }
    }

    #[test]
    fn vectors(rows in vec(vec(any::<f32>(), 5), 0..20)) {
        let mut builder = VectorsBuilder::new(5);
        let mut kept = Vec::new();
        for row in rows {
            let (numbers, scale) = quantise(&row);
            let pushed = builder.push(&numbers, scale);
            prop_assert_eq!(pushed.is_ok(), scale <= MAX_SCALE);
            kept.extend(pushed.is_ok().then_some(row));
        }
        let rows = kept;
        let shard = VectorsShard::from_bytes(builder.finish(), 5).unwrap();
        prop_assert_eq!(shard.len(), rows.len());
        for (i, row) in rows.iter().enumerate() {
            for (v, q) in row.iter().zip(shard.row(i)) {
                let v = if v.is_finite() { *v } else { 0.0 };
                // Half a step, plus the error of rounding to f32.
                let error = (f64::from(v) - f64::from(*q) * f64::from(shard.scale(i))).abs();
                prop_assert!(
                    error
                        <= f64::from(shard.scale(i)) * 0.501 + 127.0 * f64::from(f32::MIN_POSITIVE)
                );
            }
        }
    }

    #[test]
    fn graphs(
        edges in vec((0u32..30, 0u32..30), 0..200),
        upper in btree_set(0u32..30, 1..9),
        top: prop::sample::Index,
    ) {
        let upper: Vec<u32> = upper.into_iter().collect();
        let entry = VectorId(*top.get(&upper));
        let lists = |nodes: &[u32]| -> Vec<(VectorId, Vec<VectorId>)> {
            nodes
                .iter()
                .map(|&node| {
                    let near =
                        edges.iter().filter(|edge| edge.0 == node && nodes.contains(&edge.1));
                    (VectorId(node), near.map(|edge| VectorId(edge.1)).collect())
                })
                .collect()
        };
        let all: Vec<u32> = (0..30).collect();
        let graph = Graph::new(entry, vec![lists(&all), lists(&upper)]).unwrap();
        let raw = graph.to_bytes();
        let read = Graph::from_bytes(&raw, &stats(30)).unwrap();
        prop_assert_eq!(&read, &graph);
        prop_assert_eq!(read.entry(), entry);
        for (layer, nodes) in [&all, &upper].into_iter().enumerate() {
            for node in 0..30 {
                let expected: BTreeSet<u32> = edges
                    .iter()
                    .filter(|e| e.0 == node && e.1 != node)
                    .filter(|e| nodes.contains(&node) && nodes.contains(&e.1))
                    .map(|e| e.1)
                    .collect();
                prop_assert_eq!(
                    read.neighbours(layer, VectorId(node)),
                    expected.into_iter().collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn columns(
        strings in vec(proptest::option::of(btree_set("[a-c]{0,2}", 1..4)), 0..20),
        numbers in vec(
            proptest::option::of(any::<f64>().prop_filter("a number", |n| !n.is_nan())),
            0..20,
        ),
        wholes in vec(proptest::option::of(-(1i32 << 29)..=1 << 29), 0..20),
        dates in vec(proptest::option::of(-(1i64 << 53)..=1 << 53), 0..20),
        bools in vec(any::<Option<bool>>(), 0..20),
    ) {
        let sets: Vec<_> = strings
            .iter()
            .map(|set| Some(AttributeValue::Strings(set.as_ref()?.iter().cloned().collect())))
            .collect();
        let singles: Vec<_> = strings
            .iter()
            .map(|set| Some(AttributeValue::String(set.as_ref()?.first().cloned()?)))
            .collect();
        let numbers: Vec<_> = numbers.into_iter().map(|n| n.map(AttributeValue::Number)).collect();
        let wholes: Vec<_> =
            wholes.into_iter().map(|n| n.map(|n| AttributeValue::Number(n.into()))).collect();
        let dates: Vec<_> = dates.into_iter().map(|d| d.map(AttributeValue::Date)).collect();
        let bools: Vec<_> = bools.into_iter().map(|b| b.map(AttributeValue::Bool)).collect();
        for (kind, values) in [
            (AttributeKind::Strings, sets),
            (AttributeKind::String, singles),
            (AttributeKind::Number, numbers),
            (AttributeKind::Number, wholes),
            (AttributeKind::Date, dates),
            (AttributeKind::Bool, bools),
        ] {
            let column = Column::build(kind, values.iter().map(Option::as_ref)).unwrap();
            let read =
                Column::from_bytes(&column.to_bytes(), kind, values.len() as u32).unwrap();
            for (item, value) in (0..).zip(&values) {
                prop_assert_eq!(&read.value(item), value);
            }
        }
    }

    #[test]
    fn texts(
        pages in vec(
            (vec("\\PC{0,9}", 6), vec(("\\PC{0,40}", "\\PC{0,9}", any::<bool>()), 0..7)),
            0..6,
        ),
        cut in 1u32..4,
        dates in vec(-MAX_DATE..=MAX_DATE, 0..4),
    ) {
        let mut builder = TextsBuilder::new();
        let mut written = Vec::new();
        for (strings, sections) in &pages {
            let mut page = PageText {
                id: &strings[0],
                url: &strings[1],
                title: &strings[2],
                language: &strings[3],
                meta: vec![(&strings[4], &strings[5])],
                attributes: (0..)
                    .step_by(3)
                    .zip(dates.iter().map(|&date| AttributeValue::Date(date)))
                    .collect(),
                ..PageText::default()
            };
            for (i, (text, heading, flag)) in sections.iter().enumerate() {
                let bounds: Vec<u32> =
                    (0..=text.len())
                        .filter(|&at| text.is_char_boundary(at))
                        .map(|at| at as u32)
                        .collect();
                page.sections.push(SectionText {
                    level: i as u8,
                    heading,
                    anchor: flag.then(|| heading.to_lowercase().replace(' ', "-").into()),
                    parent: (i > 0 && *flag).then_some(i as u32 / 2),
                    attributes: (1..)
                        .zip(dates.iter().take(i).map(|&date| AttributeValue::Date(date)))
                        .collect(),
                    text: text.into(),
                    code: bounds.windows(2).step_by(2).map(|pair| pair[0]..pair[1]).collect(),
                    passages: bounds.windows(3).map(|three| three[0]..three[2]).collect(),
                });
            }
            builder.push(&page).unwrap();
            written.push(page);
        }
        let shard = TextsShard::from_bytes(builder.finish()).unwrap();
        prop_assert_eq!(shard.n_pages() as usize, written.len());
        for (i, page) in written.iter().enumerate() {
            prop_assert_eq!(&shard.page(i as u32).unwrap(), page);
            // Split into parts, it returns the same for each section.
            for first in (0..page.sections.len() as u32).step_by(cut as usize) {
                let places = first..(page.sections.len() as u32).min(first + cut);
                let mut builder = TextsBuilder::new();
                builder.push(&page.part(places.clone())).unwrap();
                let shard = TextsShard::from_bytes(builder.finish()).unwrap();
                let part = shard.page(0).unwrap();
                prop_assert_eq!(
                    (part.id, part.url, part.title, &part.meta),
                    (page.id, page.url, page.title, &page.meta)
                );
                prop_assert_eq!(part.sections.len(), places.len());
                for place in places {
                    prop_assert_eq!(part.section(place), page.section(place));
                    prop_assert_eq!(part.heading_path(place), page.heading_path(place));
                }
                prop_assert!(
                    part.section(first + cut).is_none()
                        && (first == 0 || part.section(first - 1).is_none())
                );
            }
        }
    }

    #[test]
    fn spelling(words in btree_map("[a-cé]{1,9}", any::<u8>(), 0..60)) {
        let mut builder = SpellingBuilder::new();
        for (word, common) in &words {
            builder.push(word, *common).unwrap();
        }
        let shard = SpellingShard::from_bytes(builder.finish()).unwrap();
        let (mut walk, mut last) = (shard.words(), String::new());
        for (word, common) in &words {
            let found = walk.advance().unwrap();
            prop_assert_eq!((found.text, found.common), (word.as_str(), *common));
            prop_assert!(word.starts_with(&last[..found.shared]));
            last.clone_from(word);
        }
        prop_assert!(walk.advance().is_none());
    }

    #[test]
    fn frames(raw in vec(0u8..4, 0..3000), kind in 0usize..18) {
        let kind = [
            ShardKind::Structure,
            ShardKind::Terms,
            ShardKind::Positions,
            ShardKind::Vectors,
            ShardKind::Graph,
            ShardKind::Column,
            ShardKind::Texts,
            ShardKind::Rows,
            ShardKind::Projection,
            ShardKind::Centroids,
            ShardKind::Cell,
            ShardKind::Spelling,
            ShardKind::Addresses,
            ShardKind::Sentences,
            ShardKind::PositionsDirectory,
            ShardKind::SecondTier,
            ShardKind::VectorCounts,
            ShardKind::SectionVectors,
        ][kind];
        let (entry, stored) = encode_shard(kind, &raw).unwrap();
        prop_assert_eq!(encode_shard(kind, &raw).unwrap(), (entry, stored.clone()));
        prop_assert_eq!(decode_shard(&entry, &stored).unwrap(), raw);
    }

    #[test]
    fn long_terms_are_cut_at_a_character(term in "[aé東]{0,200}") {
        let cut = cap_term(&term);
        prop_assert!(term.starts_with(cut) && cut.len() <= limits::MAX_TERM_LEN);
        prop_assert!(cut.len() == term.len() || cut.len() + 4 > limits::MAX_TERM_LEN);
    }
}

#[test]
fn scales_that_could_make_a_similarity_infinite_are_refused() {
    let mut builder = VectorsBuilder::new(1);
    builder.push(&[127], MAX_SCALE).unwrap();
    assert!(builder.push(&[127], 2.0 * MAX_SCALE).is_err());
    let mut bytes = builder.finish();
    assert!(VectorsShard::from_bytes(bytes.clone(), 1).is_ok());
    bytes[8..12].copy_from_slice(&f32::MAX.to_le_bytes());
    assert!(VectorsShard::from_bytes(bytes, 1).is_err());
}

#[test]
fn a_zero_vector_stays_zero() {
    assert_eq!(quantise(&[0.0; 3]), (vec![0; 3], 0.0));
    assert_eq!(quantise(&[f32::NAN, f32::INFINITY, -0.0]), (vec![0; 3], 0.0));
    assert_eq!(quantise(&[1.0, -0.5, 0.0]).0, [127, -64, 0]);
}

#[test]
fn lengths_are_rounded_within_a_quarter() {
    use findling_bundle::lexicon::{len_code, len_of, round_len};
    for len in (0..5000).chain([1 << 20, (1 << 31) + 5, u32::MAX]) {
        let rounded = round_len(len);
        assert!(rounded.abs_diff(len) <= len / 4, "{len} -> {rounded}");
        assert_eq!(round_len(rounded), rounded);
        assert!(len >= 4 || rounded == len);
    }
    assert!((0..=u8::MAX).map(len_of).is_sorted());
    assert!((0..=len_code(u32::MAX)).all(|code| len_code(len_of(code)) == code));
}

#[test]
fn a_section_that_grows_leaves_the_postings_of_other_pages() {
    let raw = |sizes: &[u32], passages: [u32; 4]| {
        let mut builder = StructureBuilder::default();
        builder.page();
        for &size in sizes {
            builder.section(0);
            for _ in 0..size {
                builder.passage();
            }
        }
        let list = passages.map(|id| Posting::new(Level::Passage, id, [1, 0], [100, 0]));
        let mut terms = TermsBuilder::new();
        terms.push("word", 4, [&[], &[], &list], &builder.finish()).unwrap();
        terms.finish()
    };
    // The first section has one more passage at its end.
    assert_eq!(raw(&[2, 3, 2], [0, 2, 4, 6]), raw(&[3, 3, 2], [0, 3, 5, 7]));
    assert_ne!(raw(&[2, 3, 2], [0, 2, 4, 6]), raw(&[2, 3, 2], [0, 3, 4, 6]));
}

#[test]
fn numbers_at_the_limit_of_whole_numbers_are_read_back() {
    let edge = f64::from(1 << 29);
    let least = f64::from(i32::MIN);
    for number in
        [edge, -edge, edge + 1.0, -edge - 1.0, least, -least, least - 1.0, 0.5, -0.0, f64::INFINITY]
    {
        let values = [number, -1.0].map(AttributeValue::Number);
        let column = Column::build(AttributeKind::Number, values.iter().map(Some)).unwrap();
        let read = Column::from_bytes(&column.to_bytes(), AttributeKind::Number, 2).unwrap();
        assert_eq!(read.number(0).map(f64::to_bits), Some(number.to_bits()), "{number}");
    }
}

#[test]
fn writers_refuse_contents_that_readers_refuse() {
    let plain = [Posting::new(Level::Page, 1, [1, 0], [1, 0])];
    let mut terms = TermsBuilder::new();
    let structure = sections_of(&[2]);
    terms.push("b", 1, [&plain, &[], &[]], &structure).unwrap();
    for (term, list) in [
        ("a", &plain[..]),
        ("b", &plain[..]),
        ("", &plain[..]),
        ("c", &[]),
        ("c", &[Posting::new(Level::Page, 1, [0, 0], [1, 1])]),
        ("c", &[plain[0], plain[0]]),
        (&"c".repeat(129), &plain[..]),
    ] {
        assert!(
            terms.clone().push(term, 1, [list, &[], &[]], &structure).is_err(),
            "{term} {list:?}"
        );
    }
    let mut positions = PositionsBuilder::new();
    for list in [&[1, 1][..], &[2, 1], &[u32::MAX]] {
        assert!(positions.push(Level::Passage, [2, 0], list).is_err());
    }
    assert!(write_directory(&[1], &[1], &[]).is_err());
    let of = AttributeValue::Bool(true);
    assert!(Column::build(AttributeKind::Number, [Some(&of)]).is_err());
    assert!(
        Column::build(AttributeKind::Number, [Some(&AttributeValue::Number(f64::NAN))]).is_err()
    );
    assert!(Column::build(AttributeKind::Date, [Some(&AttributeValue::Date(i64::MAX))]).is_err());
    let node =
        |id, near: &[u32]| (VectorId(id), near.iter().map(|&n| VectorId(n)).collect::<Vec<_>>());
    for (entry, layers) in [
        (0, vec![]),
        (0, vec![vec![node(1, &[])]]),
        (1, vec![vec![node(0, &[])]]),
        (0, vec![vec![node(0, &[1])]]),
        (0, vec![vec![node(0, &[]), node(1, &[])], vec![node(1, &[])]]),
        (0, vec![vec![node(0, &[]), node(1, &[])], vec![node(0, &[1])]]),
    ] {
        assert!(Graph::new(VectorId(entry), layers.clone()).is_err(), "{entry} {layers:?}");
    }
}

#[test]
fn a_place_that_its_page_lacks_ends_the_list() {
    let posting = |level| move |id| Posting::new(level, id, [1, 0], [100, 0]);
    let sections = [0, 1, 2].map(posting(Level::Section));
    let passages = [0, 2, 4].map(posting(Level::Passage));
    let mut terms = TermsBuilder::new();
    let many = sections_of(&[3]);
    terms.push("word", 4, [&[], &sections, &[]], &many).unwrap();
    terms.push("words", 4, [&[], &[], &passages], &many).unwrap();
    let shard = TermsShard::from_bytes(terms.finish(), &stats(5000)).unwrap();
    for (term, level) in [("word", Level::Section), ("words", Level::Passage)] {
        let entry = shard.find(term).unwrap();
        let found = |structure: &Structure| -> Vec<u32> {
            shard.postings(&entry, level, structure).map(|posting| posting.id).collect()
        };
        assert_eq!(found(&many).len(), 3, "{term}");
        // Pages with one section of one passage each, as in a structure that does not belong to the
        // terms.
        assert_eq!(found(&sections_of(&[1])), [0], "{term}");
    }
}
