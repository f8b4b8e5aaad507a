//! The manifest's fields that do not grow with the site.
//!
//! They follow one another in the order of [`write`]. Strings and lists begin with their length, a
//! varint. Numbers are varints; hashes and floats are stored as raw bytes, except that the mean
//! vector only has the upper half of each f32. A bool is 0 or 1. An option is 0, or 1 and the
//! value. A type is a u8, plus 8 for an attribute of sections.

use super::{
    Attribute, Dense, EncoderCard, FilePart, Manifest, QueryEncoder, StaticRows, Synonym, WHAT,
};
use crate::codec::{Reader, put_str, put_varint, put_varint64};
use crate::rows::Bits;
use crate::{AttributeKind, AttributeLevel, Error, ShardId, Stats};

pub(super) fn write(manifest: &Manifest, out: &mut Vec<u8>) {
    put_str(out, &manifest.generator);
    put_list(out, &manifest.languages, |out, language| put_str(out, language));
    out.extend_from_slice(&manifest.analysis.to_le_bytes());
    let Stats { n_pages, n_sections, n_passages, n_vectors, n_terms, mean_len } = manifest.stats;
    [n_pages, n_sections, n_passages, n_vectors, n_terms].iter().for_each(|&n| put_varint(out, n));
    put_floats(out, &mean_len);
    put_list(out, &manifest.attributes, |out, attribute| {
        put_str(out, &attribute.name);
        out.push(attribute.kind as u8 | (attribute.level as u8) << 3);
        put_varint(out, attribute.column.0);
        out.push(attribute.facet.into());
    });
    put_list(out, &manifest.synonyms, |out, synonym| {
        put_str(out, &synonym.from);
        put_list(out, &synonym.to, |out, to| put_str(out, to));
    });
    put_varint(out, manifest.ranking.len() as u32);
    put_floats(out, &manifest.ranking);
    put_option(out, manifest.dense.as_ref(), write_dense);
}

/// Reads the fields. The lists of `tables.rs` are left empty.
///
/// # Errors
/// If the bytes break the format.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Manifest, Error> {
    let manifest = Manifest {
        generator: string(reader)?,
        languages: list(reader, string)?,
        analysis: u64::from_le_bytes(reader.array()?),
        stats: Stats {
            n_pages: reader.varint()?,
            n_sections: reader.varint()?,
            n_passages: reader.varint()?,
            n_vectors: reader.varint()?,
            n_terms: reader.varint()?,
            mean_len: {
                let mut lens = [0.0; 6];
                for len in &mut lens {
                    *len = reader.f32()?;
                }
                lens
            },
        },
        attributes: list(reader, |reader| {
            let (name, byte) = (string(reader)?, reader.u8()?);
            let level = match byte >> 3 {
                0 => Some(AttributeLevel::Page),
                1 => Some(AttributeLevel::Section),
                _ => None,
            };
            let (kind, level) = AttributeKind::of(byte & 7)
                .zip(level)
                .ok_or(reader.malformed("the type of an attribute is unknown to this version"))?;
            let column = ShardId(reader.varint()?);
            Ok(Attribute { name, kind, level, column, facet: truth(reader)? })
        })?,
        lexicon: Vec::new(),
        spelling: Vec::new(),
        synonyms: list(reader, |reader| {
            Ok(Synonym { from: string(reader)?, to: list(reader, string)? })
        })?,
        ranking: list(reader, float)?,
        dense: option(reader, read_dense)?,
        texts: Vec::new(),
        shards: Vec::new(),
    };
    Ok(manifest)
}

fn write_dense(out: &mut Vec<u8>, dense: &Dense) {
    let card = &dense.encoder;
    put_str(out, &card.name);
    put_varint(out, card.dim);
    put_str(out, &card.fingerprint);
    put_varint(out, card.max_tokens);
    put_str(out, &card.query_prefix);
    put_str(out, &card.document_prefix);
    out.push(card.semantic.into());
    put_list(out, &dense.mean, |out, &value| {
        out.extend_from_slice(&((value.to_bits() >> 16) as u16).to_le_bytes())
    });
    for shard in [dense.graph, dense.centroids, dense.projection] {
        put_option(out, shard.as_ref(), |out, shard| put_varint(out, shard.0));
    }
    put_list(out, &dense.query_encoders, |out, encoder| {
        put_str(out, &encoder.kind);
        put_list(out, &encoder.files, |out, file| {
            put_str(out, &file.path);
            put_varint64(out, file.len);
            out.extend_from_slice(&file.hash);
        });
    });
    put_option(out, dense.rows.as_ref(), |out, rows| {
        out.extend([rows.bits as u8, rows.lowercase.into()]);
        put_option(out, rows.fitted.as_ref(), |out, fitted| put_floats(out, &[*fitted]));
        out.extend_from_slice(&rows.origin);
        put_varint(out, rows.common.0);
    });
}

fn read_dense(reader: &mut Reader<'_>) -> Result<Dense, Error> {
    let encoder = EncoderCard {
        name: string(reader)?,
        dim: reader.varint()?,
        fingerprint: string(reader)?,
        max_tokens: reader.varint()?,
        query_prefix: string(reader)?,
        document_prefix: string(reader)?,
        semantic: truth(reader)?,
    };
    let mean = list(reader, |reader| Ok(f32::from_bits(u32::from(reader.u16()?) << 16)))?;
    let mut shards = [None; 3];
    for shard in &mut shards {
        *shard = option(reader, |reader| Ok(ShardId(reader.varint()?)))?;
    }
    let [graph, centroids, projection] = shards;
    let query_encoders = list(reader, |reader| {
        let file = |reader: &mut Reader<'_>| {
            Ok(FilePart { path: string(reader)?, len: reader.varint64()?, hash: reader.array()? })
        };
        Ok(QueryEncoder { kind: string(reader)?, files: list(reader, file)? })
    })?;
    let rows = option(reader, |reader| {
        let bits = Bits::KNOWN.get(usize::from(reader.u8()?)).copied();
        Ok(StaticRows {
            bits: bits.ok_or(
                reader.malformed("the form of the encoder rows is unknown to this version"),
            )?,
            lowercase: truth(reader)?,
            fitted: option(reader, float)?,
            origin: reader.array()?,
            common: ShardId(reader.varint()?),
            common_keys: Vec::new(),
            ranges: Vec::new(),
        })
    })?;
    let (vectors, sentences, sections) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Dense {
        encoder,
        mean,
        vectors,
        graph,
        centroids,
        query_encoders,
        projection,
        rows,
        sentences,
        sections,
    })
}

fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    floats.iter().for_each(|float| out.extend_from_slice(&float.to_le_bytes()));
}

fn put_list<T>(out: &mut Vec<u8>, list: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    put_varint(out, list.len() as u32);
    list.iter().for_each(|each| put(out, each));
}

fn put_option<T>(out: &mut Vec<u8>, option: Option<&T>, put: impl Fn(&mut Vec<u8>, &T)) {
    out.push(option.is_some().into());
    if let Some(value) = option {
        put(out, value);
    }
}

/// Reads a list. Each item takes a byte at least, so the count is bounded by the input.
fn list<T>(
    reader: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let n = reader.count(1)?;
    let mut list = Vec::new();
    for _ in 0..n {
        list.push(read(reader)?);
    }
    Ok(list)
}

fn option<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if truth(reader)? { read(reader).map(Some) } else { Ok(None) }
}

fn string(reader: &mut Reader<'_>) -> Result<String, Error> {
    reader.str().map(String::from)
}

fn float(reader: &mut Reader<'_>) -> Result<f32, Error> {
    reader.f32()
}

fn truth(reader: &mut Reader<'_>) -> Result<bool, Error> {
    match reader.u8()? {
        byte @ 0..=1 => Ok(byte == 1),
        _ => Err(Error::malformed(WHAT, "a bool is neither 0 nor 1")),
    }
}
