//! Printing the contents of a bundle.

use std::io::{self, Write};

use super::contents::{Contents, EncoderLine, Part};
use crate::ui::{Paint, Ui, bytes, count, thousands};

/// Prints the contents for people.
pub(super) fn print(contents: &Contents, ui: &Ui, out: &mut dyn Write) -> io::Result<()> {
    let mut field = |name: &str, value: String| {
        writeln!(out, "{}{value}", ui.paint(Paint::Bold, &format!("{name:<12}")))
    };
    let n = |n: u32| thousands(n.into());
    let shape = match (contents.single_file, contents.packs) {
        (true, _) => "one file".to_owned(),
        (false, 0) => "directory".to_owned(),
        (false, packs) => format!("directory, {}", count(packs as u64, "packs")),
    };
    field(
        "bundle",
        format!("{} ({shape}), {}", contents.path.display(), bytes(contents.total_bytes)),
    )?;
    field("state", contents.hash.clone())?;
    let rules = if contents.analysis_matches {
        ""
    } else {
        ", which analyses text differently from this program: build the bundle again to search it"
    };
    field("built by", format!("{}{rules}", contents.generator))?;
    field("languages", contents.languages.join(", "))?;
    field(
        "contents",
        format!(
            "{} pages, {} sections, {} passages, {} vectors, {} terms",
            n(contents.pages),
            n(contents.sections),
            n(contents.passages),
            n(contents.vectors),
            n(contents.terms)
        ),
    )?;
    match &contents.encoder {
        None => field("encoder", "none (search by words only)".to_owned())?,
        Some(encoder) => print_encoder(encoder, &mut field)?,
    }
    if let Some(graph) = &contents.graph {
        field(
            "graph",
            format!("{} layers, {} edges", graph.layers, thousands(graph.edges as u64)),
        )?;
    }
    if !contents.ranking.is_empty() {
        let ranking: Vec<String> =
            contents.ranking.iter().map(|(name, value)| format!("{name} {value}")).collect();
        field("ranking", ranking.join(", "))?;
    }
    for attribute in &contents.attributes {
        let values =
            attribute.values.map_or_else(String::new, |values| format!(", {} values", n(values)));
        let facet = if attribute.facet { "" } else { ", counted only if a search names it" };
        field(
            "attribute",
            format!(
                "{}: {} on {} {}{values}{facet}",
                attribute.name,
                attribute.kind,
                n(attribute.count),
                attribute.of
            ),
        )?;
    }
    print_parts(&contents.parts, ui, out)?;
    let state = match contents.damage.len() {
        0 => ui.paint(Paint::Green, "all checksums match"),
        n => {
            let damage = format!("{n} damaged or missing; build or deploy the bundle again");
            ui.paint(Paint::Red, &damage)
        }
    };
    writeln!(out, "\n{state}")
}

/// Returns the lines of an encoder. `field` prints a name and a value.
fn print_encoder(
    encoder: &EncoderLine,
    field: &mut dyn FnMut(&str, String) -> io::Result<()>,
) -> io::Result<()> {
    let meaning = if encoder.semantic { "" } else { ", not semantic" };
    let line =
        format!("{}, {} dimensions{meaning}, {}", encoder.name, encoder.dim, encoder.fingerprint);
    field("encoder", line)?;
    let queries: Vec<String> = encoder
        .query_encoders
        .iter()
        .map(|(kind, len)| match len {
            0 => kind.clone(),
            len => format!("{kind} ({})", bytes(*len)),
        })
        .collect();
    let queries = match &queries[..] {
        [] => "no encoder deployed".to_owned(),
        queries => queries.join(", "),
    };
    field("queries", queries)
}

fn print_parts(parts: &[Part], ui: &Ui, out: &mut dyn Write) -> io::Result<()> {
    let head = format!("{:<12}{:>8}{:>12}{:>14}", "part", "files", "stored", "uncompressed");
    writeln!(out, "\n{}", ui.paint(Paint::Bold, &head))?;
    for part in parts {
        writeln!(
            out,
            "{:<12}{:>8}{:>12}{:>14}",
            part.kind,
            thousands(part.files as u64),
            bytes(part.stored_bytes),
            bytes(part.raw_bytes)
        )?;
    }
    Ok(())
}
