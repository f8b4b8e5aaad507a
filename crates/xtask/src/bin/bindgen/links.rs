//! The references of a module's functions and data.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use anyhow::{Result, bail};
use walrus::ir::Value;
use walrus::{ConstExpr, DataKind, Module};

/// Something that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A piece of data, by its place in [`Links::pieces`].
    Data(usize),
    /// A function, by its slot in the table.
    Slot(u32),
}

/// The references between functions and data.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The places of the pieces of data in memory.
    pub pieces: Vec<Range<u32>>,
    /// Whether they are constant.
    pub constant: Vec<bool>,
    /// The references of each piece.
    pub of_pieces: Vec<BTreeSet<Target>>,
    /// The references of functions, by their names, which are unique. Functions that refer to
    /// nothing have no entry.
    pub of_functions: HashMap<String, BTreeSet<Target>>,
}

/// Overwrites the data in `gone` with zeros, except data that is also in `kept`.
pub fn clear<'a>(
    module: &mut Module,
    kept: impl Iterator<Item = &'a Range<u32>>,
    gone: impl Iterator<Item = &'a Range<u32>>,
) -> Result<()> {
    let kept: HashSet<u32> = kept.cloned().flatten().collect();
    let gone: HashSet<u32> = gone.cloned().flatten().filter(|at| !kept.contains(at)).collect();
    for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
        let data = module.data.get_mut(id);
        let start = address(&data.kind)?;
        for (byte, at) in data.value.iter_mut().zip(start..) {
            if gone.contains(&at) {
                *byte = 0;
            }
        }
    }
    Ok(())
}

/// Returns the place of a segment in memory.
pub fn address(kind: &DataKind) -> Result<u32> {
    match kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(at)), .. } => Ok(at.cast_unsigned()),
        other => bail!("expected data as linkers place it, found {other:?}"),
    }
}
