//! A module in two parts, so that a reader's first search need not wait for what few searches call.
//!
//! The first part has everything but the deferred functions and what only they call. It exports its memory, tables, globals
//! and those of its functions that the rest calls; where it calls the rest, it does so through slots at the end of its table, which are
//! empty until the rest is there: such a call then traps, so that the host sees to it before (`www/src/rest.ts`). The rest
//! imports all that, and fills the slots when it is instantiated. It brings the data that nothing else refers to.
//!
//! The two fit together only as they were made, down to the addresses in them: the module that the rest imports from is named by a
//! hash of the whole, and the first part exports its memory by that name besides, for the host to compare.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use walrus::ir::{self, Instr, InstrSeq, Value, VisitorMut};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionId, FunctionKind, GlobalKind, ImportedFunction,
    Module, ModuleConfig, TableId, TypeId, passes,
};

use crate::links::{self, Graph, Links, called};

/// Which functions can wait, by parts of their names.
pub struct Deferred {
    with: Vec<String>,
    without: Vec<String>,
}

impl Deferred {
    /// Reads a list: a part of a name a line, with `!` in front one that makes an exception; empty lines and those with `#` in front are
    /// passed over.
    pub fn parse(list: &str) -> Self {
        let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (without, with): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('!'));
        Self {
            with: with.into_iter().map(str::to_owned).collect(),
            without: without.into_iter().map(|line| line[1..].to_owned()).collect(),
        }
    }

    fn has(&self, name: &str) -> bool {
        let name = without_hashes(name);
        let any = |parts: &[String]| parts.iter().any(|part| name.contains(part.as_str()));
        any(&self.with) && !any(&self.without)
    }
}

/// `core[c5930c85a12de822]::fmt` as `core::fmt`.
fn without_hashes(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((hash, after)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                rest = after
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

/// What goes where. Functions are named by their place in the module, since both parts are made from a reading of their own.
struct Plan {
    /// In the rest.
    rest: HashSet<usize>,
    /// Of these, what the first part calls, in the order of their slots.
    slots: Vec<usize>,
    /// In the first part, what the rest calls.
    shared: Vec<usize>,
    /// The table's entries: slot and function.
    entries: BTreeMap<u32, usize>,
    /// Where the data is that the first part refers to, the rest as well or not.
    data: Vec<Range<u32>>,
    /// That to which the rest alone refers.
    waiting_data: Vec<Range<u32>>,
    /// The first slot after the table's own.
    end: u32,
    /// Names what both parts were made from.
    name: String,
}

/// The first part and the rest of `whole`, a module with names.
///
/// # Errors
/// Where the module is none, has no table of functions, one filled in a way that linkers do not, or no function is deferred.
pub fn split(whole: &[u8], deferred: &Deferred, links: &Links) -> Result<(Vec<u8>, Vec<u8>)> {
    let (mut first, mut rest) = (read(whole)?, read(whole)?);
    let plan = Plan::new(whole, &first, deferred, links)?;
    plan.make_first(&mut first)?;
    plan.make_rest(&mut rest)?;
    // Each import of the rest is an export of the first part; anything else nobody would give it.
    for import in rest.imports.iter() {
        let given =
            import.module == plan.name && first.exports.iter().any(|export| export.name == import.name);
        ensure!(
            given,
            "the rest imports `{}` from `{}`, which the first part does not export",
            import.name,
            import.module
        );
    }
    Ok((first.emit_wasm(), rest.emit_wasm()))
}

/// Takes out of a module what nothing refers to.
///
/// # Errors
/// Where the module is not as linkers make them.
pub fn prune(module: &mut Module, links: &Links) -> Result<()> {
    let graph = Graph::new(module, links)?;
    let reached = graph.reach(|_| false);
    let (kept, gone): (Vec<usize>, Vec<usize>) =
        (0..links.pieces.len()).partition(|piece| reached.pieces.contains(piece));
    let pieces = |of: &[usize]| of.iter().map(|&piece| links.pieces[piece].clone()).collect::<Vec<_>>();
    links::clear(module, pieces(&kept).iter(), pieces(&gone).iter())?;
    let entries: BTreeMap<u32, usize> = graph
        .entries
        .iter()
        .map(|(&slot, &i)| (slot, i))
        .filter(|(slot, _)| reached.slots.contains(slot))
        .collect();
    fill(module, graph.table, 0, &entries, |i| Some(graph.ids[i]))?;
    passes::gc::run(module);
    Ok(())
}

/// Reads a module with names.
pub fn read(wasm: &[u8]) -> Result<Module> {
    ModuleConfig::new().generate_name_section(true).parse(wasm)
}

fn ids(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(walrus::Function::id).collect()
}

fn main_table(module: &Module) -> Result<TableId> {
    module.tables.main_function_table()?.context("the module has no table of functions")
}

impl Plan {
    fn new(whole: &[u8], module: &Module, deferred: &Deferred, links: &Links) -> Result<Self> {
        let graph = Graph::new(module, links)?;
        // The first part: what can be reached from outside without going through what is deferred.
        let waits = |i: usize| {
            let function = module.funcs.get(graph.ids[i]);
            matches!(function.kind, FunctionKind::Local(_))
                && function.name.as_deref().is_some_and(|name| deferred.has(name))
        };
        let (all, first) = (graph.reach(|_| false), graph.reach(waits));
        let entries = graph.entries.iter().map(|(&slot, &i)| (slot, i));
        let entries = entries.filter(|(slot, _)| all.slots.contains(slot)).collect();
        let pieces = |waits: bool| {
            let pieces = all.pieces.iter().filter(|piece| first.pieces.contains(piece) != waits);
            let mut pieces: Vec<Range<u32>> = pieces.map(|&piece| links.pieces[piece].clone()).collect();
            pieces.sort_unstable_by_key(|piece| (piece.start, piece.end));
            pieces
        };
        let (data, waiting_data) = (pieces(false), pieces(true));
        let first = first.functions;
        let rest: HashSet<usize> = (0..graph.ids.len()).filter(|i| !first.contains(i)).collect();
        ensure!(
            !rest.is_empty(),
            "no function of the module is on the list of those deferred, or its names were dropped"
        );
        let names: Vec<String> =
            module.funcs.iter().filter_map(|function| function.name.as_deref()).map(without_hashes).collect();
        for part in deferred.with.iter().chain(&deferred.without) {
            ensure!(
                names.iter().any(|name| name.contains(part.as_str())),
                "the list of deferred functions has `{part}`, which no function of the module is called by: mend the line or drop it"
            );
        }
        let called_by = |from: &HashSet<usize>, to: &HashSet<usize>| {
            let mut across: Vec<usize> =
                from.iter().flat_map(|&i| &graph.calls[i]).copied().filter(|i| to.contains(i)).collect();
            across.sort_unstable();
            across.dedup();
            across
        };
        let mut hasher = DefaultHasher::new();
        (whole, &deferred.with, &deferred.without).hash(&mut hasher);
        Ok(Self {
            slots: called_by(&first, &rest),
            shared: called_by(&rest, &first),
            end: u32::try_from(module.tables.get(graph.table).initial)?,
            name: format!("{:016x}", hasher.finish()),
            rest,
            entries,
            data,
            waiting_data,
        })
    }

    fn make_first(&self, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), main_table(module)?);
        let slots: HashMap<FunctionId, (u32, TypeId)> = self
            .slots
            .iter()
            .zip(self.end..)
            .map(|(&i, slot)| (ids[i], (slot, module.funcs.get(ids[i]).ty())))
            .collect();
        for (i, &id) in ids.iter().enumerate() {
            if self.rest.contains(&i) {
                continue;
            }
            if let FunctionKind::Local(function) = &mut module.funcs.get_mut(id).kind {
                let entry = function.entry_block();
                ir::dfs_pre_order_mut(&mut ThroughSlots { slots: &slots, table }, function, entry);
            }
        }
        fill(module, table, self.slots.len(), &self.entries, |i| (!self.rest.contains(&i)).then(|| ids[i]))?;
        links::clear(module, self.data.iter(), self.waiting_data.iter())?;
        for (name, &i) in self.shared.iter().enumerate() {
            module.exports.add(&format!("{name:x}"), ids[i]);
        }
        let memory = module.memories.iter().next().context("the module has no memory")?.id();
        module.exports.add(&self.name, memory);
        let tables: Vec<_> = module.tables.iter().map(walrus::Table::id).collect();
        for (i, table) in tables.into_iter().enumerate() {
            module.exports.add(&format!("t{i}"), table);
        }
        let globals: Vec<_> = module.globals.iter().map(walrus::Global::id).collect();
        for (i, global) in globals.into_iter().enumerate() {
            module.exports.add(&format!("g{i}"), global);
        }
        // Slots stand for calls alone: an address taken, or a tail call, would be left to nothing.
        let gone: HashSet<FunctionId> = self.rest.iter().map(|&i| ids[i]).collect();
        for &id in ids.iter().filter(|id| !gone.contains(id)) {
            let name = module.funcs.get(id).name.as_deref().unwrap_or("a function");
            let left = called(module, id).iter().any(|id| gone.contains(id));
            ensure!(!left, "`{name}` refers to a deferred function otherwise than by calling it");
        }
        for &i in &self.rest {
            module.funcs.delete(ids[i]);
        }
        passes::gc::run(module);
        Ok(())
    }

    fn make_rest(&self, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), main_table(module)?);
        module.start = None;
        for export in module.exports.iter().map(walrus::Export::id).collect::<Vec<_>>() {
            module.exports.delete(export);
        }
        let waiting = self.take_data(module)?;
        for (name, &i) in self.shared.iter().enumerate() {
            let ty = module.funcs.get(ids[i]).ty();
            let import = module.imports.add(&self.name, &format!("{name:x}"), ids[i]);
            module.funcs.get_mut(ids[i]).kind = FunctionKind::Import(ImportedFunction { import, ty });
        }
        let memories: Vec<_> = module.memories.iter().map(walrus::Memory::id).collect();
        ensure!(memories.len() == 1, "expected one memory, found {}", memories.len());
        let import = module.imports.add(&self.name, &self.name, memories[0]);
        let memory = module.memories.get_mut(memories[0]);
        memory.import = Some(import);
        memory.data_segments.clear();
        for (at, bytes) in waiting {
            let offset = ConstExpr::Value(Value::I32(at.cast_signed()));
            let data = module.data.add(DataKind::Active { memory: memories[0], offset }, bytes);
            module.memories.get_mut(memories[0]).data_segments.insert(data);
        }
        for (i, id) in module.tables.iter().map(walrus::Table::id).collect::<Vec<_>>().into_iter().enumerate()
        {
            module.tables.get_mut(id).import = Some(module.imports.add(&self.name, &format!("t{i}"), id));
        }
        for (i, id) in
            module.globals.iter().map(walrus::Global::id).collect::<Vec<_>>().into_iter().enumerate()
        {
            module.globals.get_mut(id).kind =
                GlobalKind::Import(module.imports.add(&self.name, &format!("g{i}"), id));
        }
        fill(module, table, self.slots.len(), &self.entries, |i| self.rest.contains(&i).then(|| ids[i]))?;
        let slots = self.slots.iter().map(|&i| ids[i]).collect();
        run_of(module, table, self.end, slots);
        passes::gc::run(module);
        Ok(())
    }

    /// Takes all data out of a module; gives back that which waits, with its addresses.
    fn take_data(&self, module: &mut Module) -> Result<Vec<(u32, Vec<u8>)>> {
        let mut waiting: BTreeMap<u32, u8> = BTreeMap::new();
        let at: HashSet<u32> = self.waiting_data.iter().cloned().flatten().collect();
        let kept: HashSet<u32> = self.data.iter().cloned().flatten().collect();
        for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
            let data = module.data.get(id);
            let bytes = (links::address(&data.kind)?..).zip(&data.value).map(|(at, &byte)| (at, byte));
            waiting.extend(
                bytes.filter(|(place, byte)| *byte != 0 && at.contains(place) && !kept.contains(place)),
            );
            module.data.delete(id);
        }
        let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
        for (at, byte) in waiting {
            match runs.last_mut() {
                // A few zeros between are shorter than a beginning. They are written over zeros, if they are nobody else's.
                Some((start, run))
                    if (at - *start) as usize - run.len() < 8
                        && (*start + run.len() as u32..at).all(|at| !kept.contains(&at)) =>
                {
                    run.resize((at - *start) as usize, 0);
                    run.push(byte);
                }
                _ => runs.push((at, vec![byte])),
            }
        }
        Ok(runs)
    }
}

/// Fills a table anew with those entries that are in this part, and makes room for `more` slots.
fn fill(
    module: &mut Module,
    table: TableId,
    more: usize,
    entries: &BTreeMap<u32, usize>,
    here: impl Fn(usize) -> Option<FunctionId>,
) -> Result<()> {
    for element in module.elements.iter().map(walrus::Element::id).collect::<Vec<_>>() {
        module.elements.delete(element);
    }
    let more = u64::try_from(more)?;
    let place = module.tables.get_mut(table);
    place.elem_segments.clear();
    place.initial += more;
    place.maximum = place.maximum.map(|maximum| maximum + more);
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (&slot, &function) in entries {
        let Some(id) = here(function) else { continue };
        match runs.last_mut() {
            Some((at, run)) if *at as usize + run.len() == slot as usize => run.push(id),
            _ => runs.push((slot, vec![id])),
        }
    }
    for (at, run) in runs {
        run_of(module, table, at, run);
    }
    Ok(())
}

/// Fills the table from `at`.
fn run_of(module: &mut Module, table: TableId, at: u32, functions: Vec<FunctionId>) {
    let offset = ConstExpr::Value(Value::I32(at.cast_signed()));
    let element =
        module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(functions));
    module.tables.get_mut(table).elem_segments.insert(element);
}

/// Makes calls of deferred functions calls through their slots.
struct ThroughSlots<'a> {
    slots: &'a HashMap<FunctionId, (u32, TypeId)>,
    table: TableId,
}

impl VisitorMut for ThroughSlots<'_> {
    fn start_instr_seq_mut(&mut self, seq: &mut InstrSeq) {
        let mut through = Vec::with_capacity(seq.instrs.len());
        for (instr, at) in seq.instrs.drain(..) {
            match &instr {
                Instr::Call(ir::Call { func }) if self.slots.contains_key(func) => {
                    let (slot, ty) = self.slots[func];
                    through.push((Instr::Const(ir::Const { value: Value::I32(slot.cast_signed()) }), at));
                    through.push((Instr::CallIndirect(ir::CallIndirect { ty, table: self.table }), at));
                }
                _ => through.push((instr, at)),
            }
        }
        seq.instrs = through;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use walrus::{FunctionBuilder, RefType, ValType};

    use super::*;
    use crate::links::Target;

    /// `main` calls `common` and `rare`, `rare` calls `common` and `helper`; `rare` and `common` stand in the table. There are three
    /// pieces of data: `main` refers to the first and both slots, `rare` to the first two, nobody to the third.
    fn module() -> (Vec<u8>, Links) {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let offset = ConstExpr::Value(Value::I32(8));
        module.data.add(DataKind::Active { memory, offset }, b"onetwo!!never".to_vec());
        let table = module.tables.add_local(false, 3, Some(3), RefType::FUNCREF);
        let mut add = |name: &str, calls: &[FunctionId]| {
            let mut builder = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
            builder.name(name.to_owned());
            let mut body = builder.func_body();
            for &call in calls {
                body.call(call).drop();
            }
            body.i32_const(i32::try_from(name.len()).unwrap());
            builder.finish(vec![], &mut module.funcs)
        };
        let common = add("engine::common::h0", &[]);
        let helper = add("engine::helper::h1", &[]);
        let rare = add("engine[0123456789abcdef]::rare::h2", &[common, helper]);
        let main = add("main", &[common, rare]);
        module.exports.add("main", main);
        run_of(&mut module, table, 1, vec![rare, common]);
        let links = Links {
            pieces: vec![8..11, 11..16, 16..21],
            of_pieces: vec![BTreeSet::new(); 3],
            of_functions: HashMap::from([
                ("main".into(), BTreeSet::from([Target::Data(0), Target::Slot(1), Target::Slot(2)])),
                (
                    "engine[0123456789abcdef]::rare::h2".into(),
                    BTreeSet::from([Target::Data(0), Target::Data(1)]),
                ),
            ]),
        };
        (module.emit_wasm(), links)
    }

    fn parts(list: &Deferred) -> Result<(Module, Module)> {
        let (whole, links) = module();
        let (first, rest) = split(&whole, list, &links)?;
        Ok((read(&first)?, read(&rest)?))
    }

    fn names(module: &Module) -> Vec<&str> {
        let local = |function: &&walrus::Function| matches!(function.kind, FunctionKind::Local(_));
        let mut names: Vec<&str> =
            module.funcs.iter().filter(local).filter_map(|function| function.name.as_deref()).collect();
        names.sort_unstable();
        names
    }

    /// Where the table is filled, and by how many functions.
    fn filled(module: &Module) -> Vec<(i32, usize)> {
        let run = |element: &walrus::Element| match (&element.kind, &element.items) {
            (
                ElementKind::Active { offset: ConstExpr::Value(Value::I32(at)), .. },
                ElementItems::Functions(functions),
            ) => (*at, functions.len()),
            other => panic!("{other:?}"),
        };
        let mut filled: Vec<(i32, usize)> = module.elements.iter().map(run).collect();
        filled.sort_unstable();
        filled
    }

    fn data(module: &Module) -> Vec<(u32, &[u8])> {
        module.data.iter().map(|data| (links::address(&data.kind).unwrap(), &data.value[..])).collect()
    }

    #[test]
    fn what_only_deferred_functions_call_goes_with_them() {
        let (first, rest) = parts(&Deferred::parse("# comment\n\nengine::rare\n")).unwrap();
        assert_eq!(names(&first), ["engine::common::h0", "main"]);
        assert_eq!(names(&rest), ["engine::helper::h1", "engine[0123456789abcdef]::rare::h2"]);
        // The rest fills the slot of `rare`, and its old place in the table.
        assert_eq!(filled(&first), [(2, 1)]);
        assert_eq!(filled(&rest), [(1, 1), (3, 1)]);
        for module in [&first, &rest] {
            let table = module.tables.iter().next().unwrap();
            assert_eq!((table.initial, table.maximum), (4, Some(4)));
        }
        // What the rest imports, the first part exports.
        for import in rest.imports.iter() {
            assert!(first.exports.iter().any(|export| export.name == import.name), "{}", import.name);
            assert!(first.exports.iter().any(|export| export.name == import.module), "{}", import.module);
        }
    }

    #[test]
    fn data_goes_where_it_is_referred_to() {
        let (first, rest) = parts(&Deferred::parse("engine::rare")).unwrap();
        assert_eq!(data(&first), [(8, &b"one\0\0\0\0\0never"[..])]);
        assert_eq!(data(&rest), [(11, &b"two!!"[..])]);
    }

    #[test]
    fn what_nothing_refers_to_goes() {
        let (whole, links) = module();
        let mut whole = read(&whole).unwrap();
        prune(&mut whole, &links).unwrap();
        assert_eq!(data(&whole), [(8, &b"onetwo!!\0\0\0\0\0"[..])]);
        assert_eq!(names(&whole).len(), 4, "all of them are called");
    }

    #[test]
    fn parts_of_different_builds_do_not_fit() {
        let name = |list| {
            let (_, rest) = parts(&Deferred::parse(list)).unwrap();
            rest.imports.iter().next().unwrap().module.clone()
        };
        assert_eq!(name("engine::rare"), name("engine::rare"));
        assert_ne!(name("engine::rare"), name("engine::rare\nengine::helper"));
    }

    #[test]
    fn exceptions_and_lists_that_name_nothing() {
        let (first, _) = parts(&Deferred::parse("engine::\n!common\n")).unwrap();
        assert_eq!(names(&first), ["engine::common::h0", "main"]);
        let error = parts(&Deferred::parse("nothing")).unwrap_err().to_string();
        assert!(error.contains("no function of the module"), "{error}");
    }
}
