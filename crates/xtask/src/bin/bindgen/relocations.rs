//! The relocations of a linked module.
//!
//! A linked module has one heap of data, in which tables and addresses cannot be distinguished. The
//! linker can distinguish them. With `--emit-relocs`, it writes a list of all data by place and
//! length, and of each place in code and data where it has put an address of data or of a function.
//! Then data without a reference can be removed, and data that only deferred functions refer to can
//! be deferred with them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use walrus::ir::{self, Visitor};
use walrus::{FunctionId, FunctionKind, Module};

use crate::linked::Linked;
use crate::links::{Links, Target};

/// A linked module's relocations, by place in its file.
pub struct Relocations {
    pieces: Vec<Range<u32>>,
    constant: Vec<bool>,
    of_pieces: Vec<BTreeSet<Target>>,
    /// Targets of code, by the place of the instruction ([`walrus::InstrLocId`]).
    of_code: BTreeMap<u32, BTreeSet<Target>>,
    /// Number of instructions with relocations in each function.
    counts: HashMap<FunctionId, usize>,
}

/// The sections that only a linker reads.
const SECTIONS: [&str; 3] = ["linking", "reloc.CODE", "reloc.DATA"];

impl Relocations {
    /// Removes the relocations from `module`, which was read from `wasm`.
    ///
    /// # Errors
    /// If there are none, or one of an unknown type.
    pub fn take(wasm: &[u8], module: &mut Module) -> Result<Self> {
        let linked = Linked::read(wasm)?;
        for name in SECTIONS {
            module.customs.remove_raw(name);
        }
        let mut places: Vec<(u32, FunctionId)> = Vec::new();
        for function in module.funcs.iter() {
            each_place(module, function.id(), |at| places.push((at, function.id())));
        }
        places.sort_unstable_by_key(|&(at, _)| at);
        let mut relocations = Self {
            of_pieces: vec![BTreeSet::new(); linked.pieces.len()],
            pieces: linked.pieces,
            constant: linked.constant,
            of_code: BTreeMap::new(),
            counts: HashMap::new(),
        };
        for (at, target) in linked.in_code {
            // The instruction with the relocation: the last one that begins before it.
            let after = places.partition_point(|&(place, _)| place <= at);
            let (place, _) = *after
                .checked_sub(1)
                .and_then(|i| places.get(i))
                .context("a relocation before all code")?;
            relocations.of_code.entry(place).or_default().insert(target);
        }
        for (at, function) in places {
            *relocations.counts.entry(function).or_default() +=
                usize::from(relocations.of_code.contains_key(&at));
        }
        for (at, target) in linked.in_data {
            let mut within = false;
            for (piece, targets) in relocations.pieces.iter().zip(&mut relocations.of_pieces) {
                if piece.contains(&at) {
                    targets.insert(target);
                    within = true;
                }
            }
            ensure!(within, "there is an address in data that belongs to nothing, at {at}");
        }
        Ok(relocations)
    }

    /// Checks that no instruction with an address has changed after other steps have changed the
    /// module.
    ///
    /// # Errors
    /// If one has changed, because its reference is then unknown.
    pub fn check(&self, module: &Module) -> Result<()> {
        for function in module.funcs.iter() {
            let Some(&expected) = self.counts.get(&function.id()) else { continue };
            let mut found = 0;
            each_place(module, function.id(), |at| {
                found += usize::from(self.of_code.contains_key(&at))
            });
            let name = function.name.as_deref().unwrap_or_default();
            ensure!(
                found == expected,
                "`{name}` had {expected} instructions with addresses, and has {found}"
            );
        }
        Ok(())
    }

    /// Returns the references in `module`, whose functions get names that are unique.
    pub fn links(self, module: &mut Module) -> Links {
        let mut of_functions = HashMap::new();
        let ids: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
        for (i, id) in ids.into_iter().enumerate() {
            let mut targets = BTreeSet::new();
            each_place(module, id, |at| {
                targets.extend(self.of_code.get(&at).into_iter().flatten().copied())
            });
            let function = module.funcs.get_mut(id);
            let name = format!("{} #{i}", function.name.as_deref().unwrap_or_default());
            if !targets.is_empty() {
                of_functions.insert(name.clone(), targets);
            }
            function.name = Some(name);
        }
        Links {
            pieces: self.pieces,
            constant: self.constant,
            of_pieces: self.of_pieces,
            of_functions,
        }
    }
}

/// Finds the places of a function's instructions in the file that it was read from.
fn each_place(module: &Module, id: FunctionId, found: impl FnMut(u32)) {
    struct Places<F>(F);
    impl<'i, F: FnMut(u32)> Visitor<'i> for Places<F> {
        fn visit_instr(&mut self, _: &'i ir::Instr, at: &'i ir::InstrLocId) {
            if !at.is_default() {
                (self.0)(at.data());
            }
        }
    }
    if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
        ir::dfs_in_order(&mut Places(found), function, function.entry_block());
    }
}
