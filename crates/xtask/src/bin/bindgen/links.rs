//! What the functions and the data of a linked module refer to.
//!
//! A linked module has one heap of data, in which no one can tell a table from an address. The
//! linker can: asked for its relocations (`--emit-relocs`), it leaves a list of all data by place
//! and length, and of each place in code and data where it has put an address of data or of a
//! function. What nothing refers to can then go, and what only deferred functions refer to can wait
//! with them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use walrus::ir::{self, Value, Visitor};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExportItem, FunctionId, FunctionKind, Module,
    TableId,
};
use wasmparser::{
    BinaryReader, DataKind as Kind, Linking, LinkingSectionReader, Name, NameSectionReader,
};
use wasmparser::{Operator, Parser, Payload};
use wasmparser::{RelocSectionReader, RelocationType, SymbolFlags, SymbolInfo};

/// Something that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A piece of data, by its place in [`Links::pieces`].
    Data(usize),
    /// A function, by its slot in the table.
    Slot(u32),
}

/// What refers to what.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Where the pieces of data are in memory.
    pub pieces: Vec<Range<u32>>,
    /// Whether nobody writes to them.
    pub constant: Vec<bool>,
    /// What each piece refers to.
    pub of_pieces: Vec<BTreeSet<Target>>,
    /// What functions refer to, by their names, which are unique. Those that refer to nothing have
    /// no entry.
    pub of_functions: HashMap<String, BTreeSet<Target>>,
}

/// A linked module's relocations, by place in its file.
pub struct Relocations {
    pieces: Vec<Range<u32>>,
    constant: Vec<bool>,
    of_pieces: Vec<BTreeSet<Target>>,
    /// By the place of the instruction, as [`walrus::InstrLocId`] has it.
    of_code: BTreeMap<u32, BTreeSet<Target>>,
    /// How many instructions with relocations each function has.
    counts: HashMap<FunctionId, usize>,
}

/// The sections that only a linker reads.
const SECTIONS: [&str; 3] = ["linking", "reloc.CODE", "reloc.DATA"];

impl Relocations {
    /// Takes the relocations out of `module`, which was read from `wasm`.
    ///
    /// # Errors
    /// Where there are none, or one that is not known.
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
            // The instruction that has it: the last one that begins before it.
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

    /// Sees that each instruction with an address is still what it was after others have changed
    /// the module.
    ///
    /// # Errors
    /// Where it is not: no one could tell any longer what is referred to.
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

    /// What refers to what in `module`, whose functions get names that are unique.
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

/// The places of a function's instructions in the file that it was read from.
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

/// What the file says: relocations in code by place in the file, those in data by address.
struct Linked {
    pieces: Vec<Range<u32>>,
    constant: Vec<bool>,
    in_code: Vec<(u32, Target)>,
    in_data: Vec<(u32, Target)>,
}

impl Linked {
    fn read(wasm: &[u8]) -> Result<Self> {
        let (mut code, mut data) = (None, None);
        let (mut symbols, mut relocations) = (Vec::new(), Vec::new());
        // Where segments are in memory, and where their bytes are in the file.
        let mut segments: Vec<(u32, Range<usize>)> = Vec::new();
        let mut segment_names: HashMap<u32, &str> = HashMap::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::CodeSectionStart { range, .. } => code = Some(range.start),
                Payload::DataSection(section) => {
                    data = Some(section.range().start);
                    for segment in section {
                        let segment = segment?;
                        let Kind::Active { memory_index: 0, offset_expr } = segment.kind else {
                            bail!(
                                "expected data as linkers place it, found a segment that nothing places"
                            );
                        };
                        let Operator::I32Const { value } =
                            offset_expr.get_operators_reader().read()?
                        else {
                            bail!("expected data at an address, found it at an expression");
                        };
                        let end = segment.range.end;
                        segments.push((value.cast_unsigned(), end - segment.data.len()..end));
                    }
                }
                Payload::CustomSection(section) => {
                    let reader = || BinaryReader::new(section.data(), section.data_offset());
                    if section.name() == "linking" {
                        for part in LinkingSectionReader::new(reader())?.subsections() {
                            if let Linking::SymbolTable(table) = part? {
                                symbols = table.into_iter().collect::<Result<_, _>>()?;
                            }
                        }
                    } else if section.name() == "name" {
                        for names in NameSectionReader::new(reader()) {
                            if let Name::Data(names) = names? {
                                for naming in names {
                                    let naming = naming?;
                                    segment_names.insert(naming.index, naming.name);
                                }
                            }
                        }
                    } else if section.name().starts_with("reloc.") {
                        let in_data = section.name() == "reloc.DATA";
                        for entry in RelocSectionReader::new(reader())?.entries() {
                            relocations.push((in_data, entry?));
                        }
                    }
                }
                _ => {}
            }
        }
        ensure!(!symbols.is_empty(), "the module has no relocations: link it with `--emit-relocs`");
        let (code, data) =
            (code.context("the module has no code")?, data.context("the module has no data")?);
        // Pieces by the symbols that stand for them.
        let (mut pieces, mut constant) = (Vec::new(), Vec::new());
        let mut piece_of: HashMap<u32, usize> = HashMap::new();
        for (symbol, i) in symbols.iter().zip(0..) {
            let SymbolInfo::Data { flags, symbol: Some(defined), .. } = symbol else { continue };
            if flags.contains(SymbolFlags::ABSOLUTE) {
                continue;
            }
            let (at, _) = segments
                .get(defined.index as usize)
                .context("data in a segment that is not there")?;
            piece_of.insert(i, pieces.len());
            pieces.push(at + defined.offset..at + defined.offset + defined.size);
            constant.push(
                segment_names.get(&defined.index).is_some_and(|name| name.starts_with(".rodata")),
            );
        }
        let (mut in_code, mut in_data) = (Vec::new(), Vec::new());
        for (of_data, entry) in relocations {
            use RelocationType as T;
            let at = if of_data { data } else { code } + entry.offset as usize;
            let target = match entry.ty {
                T::MemoryAddrLeb | T::MemoryAddrSleb | T::MemoryAddrI32 => Target::Data(
                    *piece_of
                        .get(&entry.index)
                        .context("an address of data that is not defined")?,
                ),
                T::TableIndexSleb => {
                    Target::Slot(BinaryReader::new(&wasm[at..], at).read_var_i32()?.cast_unsigned())
                }
                T::TableIndexI32 => Target::Slot(BinaryReader::new(&wasm[at..], at).read_u32()?),
                T::FunctionIndexLeb | T::TypeIndexLeb | T::GlobalIndexLeb | T::TableNumberLeb => {
                    continue;
                }
                other => bail!(
                    "expected addresses of data and functions, found a relocation of the type {other:?}"
                ),
            };
            if of_data {
                let segment = segments.iter().find(|(_, file)| file.contains(&at));
                let (address, file) = segment.context("a relocation outside of all data")?;
                in_data.push((address + u32::try_from(at - file.start)?, target));
            } else {
                in_code.push((u32::try_from(at)?, target));
            }
        }
        Ok(Self { pieces, constant, in_code, in_data })
    }
}

/// A module's functions by place, and what can be reached from each.
pub struct Graph {
    pub ids: Vec<FunctionId>,
    pub calls: Vec<Vec<usize>>,
    /// What is called from outside.
    pub outside: HashSet<usize>,
    /// The table's entries: slot and function.
    pub entries: BTreeMap<u32, usize>,
    pub table: TableId,
    targets: Vec<BTreeSet<Target>>,
    of_pieces: Vec<BTreeSet<Target>>,
}

/// What can be reached.
#[derive(Default)]
pub struct Reached {
    pub functions: HashSet<usize>,
    pub pieces: HashSet<usize>,
    pub slots: HashSet<u32>,
}

impl Graph {
    /// # Errors
    /// Where the module has no table of functions, or one filled in a way that linkers do not.
    pub fn new(module: &Module, links: &Links) -> Result<Self> {
        let table =
            module.tables.main_function_table()?.context("the module has no table of functions")?;
        let ids: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
        let place: HashMap<FunctionId, usize> =
            ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let mut entries = BTreeMap::new();
        for element in module.elements.iter() {
            let (
                ElementKind::Active { table: of, offset: ConstExpr::Value(Value::I32(at)) },
                ElementItems::Functions(functions),
            ) = (&element.kind, &element.items)
            else {
                bail!("expected a table of functions as linkers fill it, found {:?}", element.kind);
            };
            ensure!(*of == table, "expected one table of functions, found two that are filled");
            entries.extend(functions.iter().zip(*at as u32..).map(|(id, slot)| (slot, place[id])));
        }
        let mut outside: HashSet<usize> = module.start.iter().map(|id| place[id]).collect();
        for export in module.exports.iter() {
            match export.item {
                ExportItem::Function(id) => drop(outside.insert(place[&id])),
                ExportItem::Table(of) => {
                    ensure!(of != table, "hosts may call any function of the table")
                }
                _ => {}
            }
        }
        let names = ids.iter().map(|&id| module.funcs.get(id).name.as_deref().unwrap_or_default());
        Ok(Self {
            calls: ids
                .iter()
                .map(|&id| called(module, id).iter().map(|id| place[id]).collect())
                .collect(),
            targets: names
                .map(|name| links.of_functions.get(name).cloned().unwrap_or_default())
                .collect(),
            of_pieces: links.of_pieces.clone(),
            ids,
            outside,
            entries,
            table,
        })
    }

    /// What can be reached from outside, and from `besides`, without going through functions that
    /// wait.
    pub fn reach(
        &self,
        besides: impl IntoIterator<Item = usize>,
        waits: impl Fn(usize) -> bool,
    ) -> Reached {
        let mut reached = Reached::default();
        let mut functions: Vec<usize> = self.outside.iter().copied().chain(besides).collect();
        let mut targets: Vec<Target> = Vec::new();
        loop {
            if let Some(i) = functions.pop() {
                if (self.outside.contains(&i) || !waits(i)) && reached.functions.insert(i) {
                    functions.extend(&self.calls[i]);
                    targets.extend(&self.targets[i]);
                }
            } else {
                match targets.pop() {
                    Some(Target::Data(piece)) if reached.pieces.insert(piece) => {
                        targets.extend(&self.of_pieces[piece])
                    }
                    Some(Target::Slot(slot)) if reached.slots.insert(slot) => {
                        functions.extend(self.entries.get(&slot))
                    }
                    Some(_) => {}
                    None => return reached,
                }
            }
        }
    }
}

/// What a function calls or takes the address of.
pub fn called(module: &Module, id: FunctionId) -> Vec<FunctionId> {
    #[derive(Default)]
    struct Called(Vec<FunctionId>);
    impl<'i> Visitor<'i> for Called {
        fn visit_function_id(&mut self, id: &FunctionId) {
            self.0.push(*id);
        }
    }
    let mut found = Called::default();
    if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
        ir::dfs_in_order(&mut found, function, function.entry_block());
    }
    found.0
}

/// Makes zeros of the data in `gone` that is not in `kept` as well.
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

/// Where a segment is in memory.
pub fn address(kind: &DataKind) -> Result<u32> {
    match kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(at)), .. } => Ok(at.cast_unsigned()),
        other => bail!("expected data as linkers place it, found {other:?}"),
    }
}
