//! The facts about an opened bundle that a host needs, as JSON.

use findling_bundle::{AttributeKind, AttributeLevel, Manifest, ShardId, ShardKind, hex};
use findling_engine::Index;
use findling_engine::json::Json;

/// Returns a bundle's description, a selection from its manifest. `hashes`: whether the module
/// embeds its queries by feature hashing.
pub fn description(index: &Index, hashes: bool) -> String {
    let manifest = index.manifest();
    let mut json = Json::default();
    json.object().name("generator").text(&manifest.generator);
    json.name("languages").texts(&manifest.languages);
    json.name("pages").whole(manifest.stats.n_pages.into());
    json.name("sections").whole(manifest.stats.n_sections.into());
    json.name("attributes").list(&manifest.attributes, |json, attribute| {
        json.object().name("name").text(&attribute.name);
        json.name("kind").text(match attribute.kind {
            AttributeKind::String => "string",
            AttributeKind::Strings => "strings",
            AttributeKind::Number => "number",
            AttributeKind::Date => "date",
            AttributeKind::Bool => "bool",
        });
        json.name("facet").truth(attribute.facet);
        json.name("of").text(match attribute.level {
            AttributeLevel::Page => "pages",
            AttributeLevel::Section => "sections",
        });
        json.end_object();
    });
    dense(json.name("dense"), index, manifest, hashes);
    json.end_object();
    json.into_text()
}

fn dense(json: &mut Json, index: &Index, manifest: &Manifest, hashes: bool) {
    let Some(dense) = &manifest.dense else { return json.null() };
    json.object().name("name").text(&dense.encoder.name);
    json.name("dim").whole(dense.encoder.dim.into());
    json.name("fingerprint").text(&dense.encoder.fingerprint);
    json.name("semantic").truth(dense.encoder.semantic);
    // Whether searches fetch only the vectors near the query instead of all vectors.
    json.name("streamed").truth(index.is_streamed());
    // The way in which this module embeds queries itself, if it can.
    json.name("builtIn").text_or_null(match &dense.rows {
        _ if hashes => Some("hash"),
        Some(_) => Some("static"),
        None => None,
    });
    json.name("queryEncoders").list(&dense.query_encoders, |json, encoder| {
        json.object().name("kind").text(&encoder.kind);
        json.name("files").list(&encoder.files, |json, file| {
            json.object().name("path").text(&file.path);
            json.name("length").whole(file.len);
            json.name("hash").text(&hex(&file.hash));
            json.end_object();
        });
        json.end_object();
    });
    json.end_object();
}

/// Writes a shard that a search waits for, for fetching. `offset` is its start in a single-file
/// bundle; its length is only needed there.
pub fn wanted(json: &mut Json, index: &Index, id: ShardId, offset: u64) {
    let (Some(entry), Some(path)) = (index.entry(id), index.path(id)) else { return };
    json.object().name("id").whole(id.0.into());
    json.name("path").text(&path);
    json.name("length").whole(entry.stored_len.into());
    json.name("offset").whole(offset);
    // If a host has the engine in parts, the code that decodes this shard is in the deferred part.
    if entry.kind.is_rare() {
        json.name("rest").truth(true);
    }
    // If this shard cannot be fetched, the search continues without it.
    if entry.kind == ShardKind::Sentences {
        json.name("optional").truth(true);
    }
    json.end_object();
}
