//! The texts of the abbreviations of a bibliography (`@string`), within limits.
//!
//! An abbreviation may consist of others. The library resolves them recursively: an abbreviation
//! that contains itself overflows its stack, and eleven abbreviations that each repeat the previous
//! one ten times give 10^12 bytes. Here each is joined once, without recursion, and the library
//! gets plain text.

use std::collections::{HashMap, HashSet};

use biblatex::{Field, Pair, RawChunk, Spanned};

/// Maximum number of bytes that a field with abbreviations may have.
const MAX_FIELD_BYTES: usize = 1 << 20;

/// Maximum number of bytes that the abbreviations and the fields with abbreviations of a file may
/// have in all.
const MAX_FILE_BYTES: usize = 64 << 20;

/// Additional bytes that each piece of a text counts: even an empty piece needs memory.
const PIECE_BYTES: usize = 64;

/// The reason why an abbreviation is not replaced by its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refused {
    /// The abbreviation contains itself.
    Circle,
    /// The abbreviation's text is longer than the limit.
    TooLarge,
}

/// The pieces of a text with their size.
type Joined<'s> = Result<(Field<'s>, usize), Refused>;

/// The abbreviations of a bibliography.
#[derive(Debug, Default)]
pub(super) struct Abbreviations<'s> {
    raw: HashMap<&'s str, Field<'s>>,
    /// The abbreviations that were joined so far.
    known: HashMap<&'s str, Joined<'s>>,
    /// Total bytes of the joined texts.
    spent: usize,
}

impl<'s> Abbreviations<'s> {
    /// Takes the abbreviations of a bibliography. If several have the same name, the last one
    /// counts.
    pub fn of(pairs: Vec<Pair<'s>>) -> Self {
        let raw = pairs.into_iter().map(|pair| (pair.key.v, pair.value.v)).collect();
        Self { raw, ..Self::default() }
    }

    /// Returns a field with the texts of its abbreviations. Unknown ones stay: they may be months.
    ///
    /// # Errors
    /// The reason why one of them is not replaced.
    pub fn replace(&mut self, field: Field<'s>) -> Result<Field<'s>, Refused> {
        let names = field.iter().filter_map(|piece| self.name(piece)).collect::<Vec<_>>();
        if names.is_empty() {
            return Ok(field);
        }
        for name in names {
            self.settle(name);
        }
        self.join(&field).map(|(joined, _)| joined)
    }

    /// Returns the name of the abbreviation in a piece, if it is known.
    fn name(&self, piece: &Spanned<RawChunk<'s>>) -> Option<&'s str> {
        match piece.v {
            RawChunk::Abbreviation(name) if self.raw.contains_key(name) => Some(name),
            _ => None,
        }
    }

    /// Joins an abbreviation, after joining the abbreviations that it contains.
    fn settle(&mut self, name: &'s str) {
        // Abbreviations that wait for others, with the index of the next piece.
        let mut waiting = vec![(name, 0)];
        let mut open = HashSet::from([name]);
        while let Some((name, at)) = waiting.last_mut() {
            let name = *name;
            if self.known.contains_key(name) {
                waiting.pop();
                continue;
            }
            let rest = self.raw[name].iter().enumerate().skip(*at);
            let next = rest
                .filter_map(|(place, piece)| Some((place, self.name(piece)?)))
                .find(|(_, inner)| !self.known.contains_key(inner));
            match next {
                Some((_, inner)) if open.contains(inner) => {
                    self.known.insert(name, Err(Refused::Circle));
                }
                Some((place, inner)) => {
                    *at = place + 1;
                    open.insert(inner);
                    waiting.push((inner, 0));
                }
                None => {
                    let field = std::mem::take(self.raw.get_mut(name).expect("is known"));
                    let joined = self.join(&field);
                    self.known.insert(name, joined);
                }
            }
        }
    }

    /// Joins the pieces of a field whose abbreviations are all resolved.
    fn join(&mut self, field: &[Spanned<RawChunk<'s>>]) -> Joined<'s> {
        let mut joined = Field::new();
        let mut size = 0;
        for piece in field {
            let (pieces, bytes) = match (&piece.v, self.name(piece)) {
                (_, Some(name)) => match &self.known[name] {
                    Ok((pieces, bytes)) => (pieces.as_slice(), *bytes),
                    Err(refused) => return Err(*refused),
                },
                (RawChunk::Normal(text) | RawChunk::Abbreviation(text), None) => {
                    (std::slice::from_ref(piece), text.len() + PIECE_BYTES)
                }
            };
            size += bytes;
            if size > MAX_FIELD_BYTES || self.spent + size > MAX_FILE_BYTES {
                return Err(Refused::TooLarge);
            }
            joined.extend_from_slice(pieces);
        }
        self.spent += size;
        Ok((joined, size))
    }
}
