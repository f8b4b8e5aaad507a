//! A module in parts, so that a reader's first search need not wait for what few searches call, nor
//! for other sites' languages.
//!
//! The first part has everything but the deferred functions and what only they call. It exports its
//! memory, tables, globals and those of its functions that the others call; where it calls another,
//! it does so through slots of its table, which that part fills when it is instantiated. The others
//! import all that, and bring the data that the first does not refer to. What several of them need,
//! and the first does not, each of them has: instructions and constants are the same twice.
//!
//! Until the rest is there its slots are empty: such a call traps, so that the host sees to it
//! before (`www/src/deferred-engine.ts`). In the slots of a part that the list makes of a single
//! function, there is one that does nothing, which is how a site goes without that part.
//!
//! They fit together only as they were made, down to the addresses in them: the module that the
//! others import from is named by a hash of the whole, and the first part exports its memory by
//! that name besides, for the host to compare.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use walrus::ir::{self, Instr, InstrSeq, Value, VisitorMut};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionBuilder, FunctionId, FunctionKind,
    GlobalKind, ImportedFunction, Module, ModuleConfig, TableId, TypeId, passes,
};

use crate::deferred::{Deferred, REST};
use crate::links::{self, Graph, Links, Reached, called};

/// What goes where. Functions are named by their place in the module, since each part is made from
/// a reading of its own.
struct Plan {
    first: Part,
    /// The others, by name.
    others: BTreeMap<String, Part>,
    /// In the first part, what others call.
    shared: Vec<usize>,
    /// The table's entries: slot and function. Behind its own, those that stand for calls between
    /// parts.
    entries: BTreeMap<u32, usize>,
    /// The slots of these, by function.
    slots: BTreeMap<usize, u32>,
    /// Where there is a function that does nothing until the right one comes.
    stood_in: BTreeSet<u32>,
    /// Names what all parts were made from.
    name: String,
}

/// One part.
struct Part {
    functions: HashSet<usize>,
    /// Where the data is that it brings.
    data: Vec<Range<u32>>,
}

/// The parts of a module.
pub struct Parts {
    /// The first part.
    pub first: Vec<u8>,
    /// The others, by name.
    pub others: BTreeMap<String, Vec<u8>>,
}

/// The parts of `whole`, a module with names.
///
/// # Errors
/// Where the module is none, has no table of functions, one filled in a way that linkers do not, or
/// no function is deferred.
pub fn split(whole: &[u8], deferred: &Deferred, links: &Links) -> Result<Parts> {
    let mut first = read(whole)?;
    let plan = Plan::new(whole, &first, deferred, links)?;
    plan.make_first(&mut first)?;
    let mut others = BTreeMap::new();
    for (name, part) in &plan.others {
        let mut module = read(whole)?;
        plan.make_other(part, &mut module)?;
        // Each import is an export of the first part; anything else nobody would give it.
        for import in module.imports.iter() {
            let given = import.module == plan.name
                && first.exports.iter().any(|export| export.name == import.name);
            ensure!(
                given,
                "the part `{name}` imports `{}` from `{}`, which the first part does not export",
                import.name,
                import.module
            );
        }
        others.insert(name.clone(), module.emit_wasm());
    }
    Ok(Parts { first: first.emit_wasm(), others })
}

/// Takes out of a module what nothing refers to.
///
/// # Errors
/// Where the module is not as linkers make them.
pub fn prune(module: &mut Module, links: &Links) -> Result<()> {
    let graph = Graph::new(module, links)?;
    let reached = graph.reach([], |_| false);
    let (kept, gone): (Vec<usize>, Vec<usize>) =
        (0..links.pieces.len()).partition(|piece| reached.pieces.contains(piece));
    let pieces =
        |of: &[usize]| of.iter().map(|&piece| links.pieces[piece].clone()).collect::<Vec<_>>();
    links::clear(module, pieces(&kept).iter(), pieces(&gone).iter())?;
    let entries: BTreeMap<u32, usize> = graph
        .entries
        .iter()
        .map(|(&slot, &i)| (slot, i))
        .filter(|(slot, _)| reached.slots.contains(slot))
        .collect();
    fill(module, graph.table, 0, &entries, |_, i| Some(graph.ids[i]))?;
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
        let names =
            || graph.ids.iter().map(|&id| module.funcs.get(id).name.as_deref().unwrap_or_default());
        if let Some(line) = deferred.idle(names()) {
            bail!(
                "the list of deferred functions has `{line}`, which no function of the module is called by: mend the line or drop it"
            );
        }
        let all = graph.reach([], |_| false);
        let waits: HashMap<usize, String> = names()
            .enumerate()
            .filter(|(i, _)| all.functions.contains(i) && !graph.outside.contains(i))
            .filter(|&(i, _)| matches!(module.funcs.get(graph.ids[i]).kind, FunctionKind::Local(_)))
            .filter_map(|(i, name)| Some((i, deferred.part_of(name)?)))
            .collect();
        ensure!(
            !waits.is_empty(),
            "no function of the module is on the list of those deferred, or its names were dropped"
        );
        // What can be reached from outside without going through what waits, and then through what
        // waits for one part.
        let mut first = graph.reach([], |i| waits.contains_key(&i));
        let mut reached: BTreeMap<String, Reached> = BTreeMap::new();
        for part in waits.values() {
            if !reached.contains_key(part) {
                let own = waits.iter().filter(|(_, name)| *name == part).map(|(&i, _)| i);
                let of_part = graph.reach(own, |i| waits.get(&i).is_some_and(|name| name != part));
                reached.insert(part.clone(), of_part);
            }
        }
        let of_first = first.pieces.clone();
        let mut uses: HashMap<usize, usize> = HashMap::new();
        for &piece in reached.values().flat_map(|reached| reached.pieces.difference(&of_first)) {
            *uses.entry(piece).or_default() += 1;
        }
        // Data that can change must not come a second time. What it refers to is where those are
        // that refer to it.
        let changing = uses.iter().filter(|&(&piece, &uses)| uses > 1 && !links.constant[piece]);
        first.pieces.extend(changing.map(|(&piece, _)| piece));
        let data = |pieces: &mut dyn Iterator<Item = &usize>| {
            let mut data: Vec<Range<u32>> =
                pieces.map(|&piece| links.pieces[piece].clone()).collect();
            data.sort_unstable_by_key(|piece| (piece.start, piece.end));
            data
        };
        let part = |reached: Reached| Part {
            functions: reached.functions.difference(&first.functions).copied().collect(),
            data: data(&mut reached.pieces.difference(&first.pieces)),
        };
        let others: BTreeMap<String, Part> =
            reached.into_iter().map(|(name, reached)| (name, part(reached))).collect();
        let first = Part { data: data(&mut first.pieces.iter()), functions: first.functions };

        let entries = graph.entries.iter().map(|(&slot, &i)| (slot, i));
        let mut entries: BTreeMap<u32, usize> =
            entries.filter(|(slot, _)| all.slots.contains(slot)).collect();
        // Whatever is called from a part that does not have it: in the first, or through a slot.
        let calls = |part: &Part| {
            let calls = part.functions.iter().flat_map(|&i| graph.calls[i].iter().copied());
            calls.filter(|call| !part.functions.contains(call)).collect::<BTreeSet<usize>>()
        };
        let mut through = calls(&first);
        let (shared, more): (BTreeSet<usize>, BTreeSet<usize>) =
            others.values().flat_map(calls).partition(|call| first.functions.contains(call));
        through.extend(more);
        let end = u32::try_from(module.tables.get(graph.table).initial)?;
        let slots: BTreeMap<usize, u32> = through.into_iter().zip(end..).collect();
        entries.extend(slots.iter().map(|(&i, &slot)| (slot, i)));
        let is_stood_in = |i: &usize| waits.get(i).is_some_and(|part| part != REST);
        let stood_in =
            entries.iter().filter(|(_, i)| is_stood_in(i)).map(|(&slot, _)| slot).collect();
        let mut hasher = DefaultHasher::new();
        (whole, deferred).hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        Ok(Self {
            first,
            others,
            shared: shared.into_iter().collect(),
            entries,
            slots,
            stood_in,
            name,
        })
    }

    fn make_first(&self, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), main_table(module)?);
        self.call_through_slots(&self.first, module)?;
        let nothing = self.nothing(module, &ids)?;
        fill(module, table, self.slots.len(), &self.entries, |slot, i| {
            if self.first.functions.contains(&i) {
                Some(ids[i])
            } else {
                nothing.get(&slot).copied()
            }
        })?;
        let gone: Vec<Range<u32>> =
            self.others.values().flat_map(|part| part.data.iter().cloned()).collect();
        links::clear(module, self.first.data.iter(), gone.iter())?;
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
        let (here, gone): (Vec<usize>, Vec<usize>) =
            (0..ids.len()).partition(|i| self.first.functions.contains(i));
        // Slots stand for calls alone: an address taken, or a tail call, would be left to nothing.
        let gone: HashSet<FunctionId> = gone.into_iter().map(|i| ids[i]).collect();
        for id in here.into_iter().map(|i| ids[i]) {
            let name = module.funcs.get(id).name.as_deref().unwrap_or("a function");
            let left = called(module, id).iter().any(|id| gone.contains(id));
            ensure!(!left, "`{name}` refers to a deferred function otherwise than by calling it");
        }
        for id in gone {
            module.funcs.delete(id);
        }
        passes::gc::run(module);
        Ok(())
    }

    /// For each slot that is stood in for, a function of its type that does nothing.
    fn nothing(&self, module: &mut Module, ids: &[FunctionId]) -> Result<HashMap<u32, FunctionId>> {
        let mut by_type: HashMap<TypeId, FunctionId> = HashMap::new();
        let mut nothing = HashMap::new();
        for slot in &self.stood_in {
            let function = module.funcs.get(ids[self.entries[slot]]);
            let ty = function.ty();
            let name = function.name.as_deref().unwrap_or("a function");
            let (params, results) = module.types.params_results(ty);
            ensure!(
                results.is_empty(),
                "`{name}` is a part by itself and gives something back: nothing can stand for it where the part is not there"
            );
            let params = params.to_vec();
            let id = *by_type.entry(ty).or_insert_with(|| {
                let builder = FunctionBuilder::new(&mut module.types, &params, &[]);
                let params = params.iter().map(|&ty| module.locals.add(ty)).collect();
                builder.finish(params, &mut module.funcs)
            });
            nothing.insert(*slot, id);
        }
        Ok(nothing)
    }

    fn make_other(&self, part: &Part, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), main_table(module)?);
        self.call_through_slots(part, module)?;
        module.start = None;
        for export in module.exports.iter().map(walrus::Export::id).collect::<Vec<_>>() {
            module.exports.delete(export);
        }
        let brought = self.take_data(part, module)?;
        for (name, &i) in self.shared.iter().enumerate() {
            let ty = module.funcs.get(ids[i]).ty();
            let import = module.imports.add(&self.name, &format!("{name:x}"), ids[i]);
            module.funcs.get_mut(ids[i]).kind =
                FunctionKind::Import(ImportedFunction { import, ty });
        }
        let memories: Vec<_> = module.memories.iter().map(walrus::Memory::id).collect();
        ensure!(memories.len() == 1, "expected one memory, found {}", memories.len());
        let import = module.imports.add(&self.name, &self.name, memories[0]);
        let memory = module.memories.get_mut(memories[0]);
        memory.import = Some(import);
        memory.data_segments.clear();
        for (at, bytes) in brought {
            let offset = ConstExpr::Value(Value::I32(at.cast_signed()));
            let data = module.data.add(DataKind::Active { memory: memories[0], offset }, bytes);
            module.memories.get_mut(memories[0]).data_segments.insert(data);
        }
        for (i, id) in
            module.tables.iter().map(walrus::Table::id).collect::<Vec<_>>().into_iter().enumerate()
        {
            module.tables.get_mut(id).import =
                Some(module.imports.add(&self.name, &format!("t{i}"), id));
        }
        for (i, id) in module
            .globals
            .iter()
            .map(walrus::Global::id)
            .collect::<Vec<_>>()
            .into_iter()
            .enumerate()
        {
            module.globals.get_mut(id).kind =
                GlobalKind::Import(module.imports.add(&self.name, &format!("g{i}"), id));
        }
        fill(module, table, self.slots.len(), &self.entries, |_, i| {
            part.functions.contains(&i).then(|| ids[i])
        })?;
        passes::gc::run(module);
        Ok(())
    }

    /// Makes a part's calls of what it does not have, nor the first, calls through slots.
    fn call_through_slots(&self, part: &Part, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), main_table(module)?);
        let slots: HashMap<FunctionId, (u32, TypeId)> = self
            .slots
            .iter()
            .filter(|(i, _)| !part.functions.contains(i))
            .map(|(&i, &slot)| (ids[i], (slot, module.funcs.get(ids[i]).ty())))
            .collect();
        for &i in &part.functions {
            if let FunctionKind::Local(function) = &mut module.funcs.get_mut(ids[i]).kind {
                let entry = function.entry_block();
                ir::dfs_pre_order_mut(&mut ThroughSlots { slots: &slots, table }, function, entry);
            }
        }
        Ok(())
    }

    /// Takes all data out of a module; gives back that which a part brings, with its addresses.
    fn take_data(&self, part: &Part, module: &mut Module) -> Result<Vec<(u32, Vec<u8>)>> {
        let places = |part: &Part| part.data.iter().cloned().flatten().collect::<HashSet<u32>>();
        let own = places(part);
        // What may be there before, or come after.
        let mut others = places(&self.first);
        others.extend(self.others.values().flat_map(places).filter(|at| !own.contains(at)));
        let first = places(&self.first);
        let mut brought: BTreeMap<u32, u8> = BTreeMap::new();
        for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
            let data = module.data.get(id);
            let bytes =
                (links::address(&data.kind)?..).zip(&data.value).map(|(at, &byte)| (at, byte));
            brought.extend(
                bytes.filter(|(at, byte)| *byte != 0 && own.contains(at) && !first.contains(at)),
            );
            module.data.delete(id);
        }
        let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
        for (at, byte) in brought {
            match runs.last_mut() {
                // A few zeros between are shorter than a beginning. They are written over zeros, if
                // they are nobody else's.
                Some((start, run))
                    if (at - *start) as usize - run.len() < 8
                        && (*start + run.len() as u32..at).all(|at| !others.contains(&at)) =>
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
    here: impl Fn(u32, usize) -> Option<FunctionId>,
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
        let Some(id) = here(slot, function) else { continue };
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
    let element = module
        .elements
        .add(ElementKind::Active { table, offset }, ElementItems::Functions(functions));
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
                    through.push((
                        Instr::Const(ir::Const { value: Value::I32(slot.cast_signed()) }),
                        at,
                    ));
                    through.push((
                        Instr::CallIndirect(ir::CallIndirect { ty, table: self.table }),
                        at,
                    ));
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

    /// `main` calls `common` and `rare`, `rare` calls `common` and `helper`; `rare` and `common`
    /// stand in the table. There are three pieces of data: `main` refers to the first and both
    /// slots, `rare` to the first two, nobody to the third.
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
            constant: vec![true; 3],
            of_pieces: vec![BTreeSet::new(); 3],
            of_functions: HashMap::from([
                (
                    "main".into(),
                    BTreeSet::from([Target::Data(0), Target::Slot(1), Target::Slot(2)]),
                ),
                (
                    "engine[0123456789abcdef]::rare::h2".into(),
                    BTreeSet::from([Target::Data(0), Target::Data(1)]),
                ),
            ]),
        };
        (module.emit_wasm(), links)
    }

    fn parts(list: &Deferred) -> Result<(Module, BTreeMap<String, Module>)> {
        let (whole, links) = module();
        let parts = split(&whole, list, &links)?;
        let others = parts.others.into_iter().map(|(name, part)| Ok((name, read(&part)?)));
        Ok((read(&parts.first)?, others.collect::<Result<_>>()?))
    }

    /// Of one that has no other parts than the rest.
    fn first_and_rest(list: &str) -> Result<(Module, Module)> {
        let (first, mut others) = parts(&Deferred::parse(list))?;
        let rest = others.remove(REST).unwrap();
        assert!(others.is_empty());
        Ok((first, rest))
    }

    fn names(module: &Module) -> Vec<&str> {
        let local = |function: &&walrus::Function| matches!(function.kind, FunctionKind::Local(_));
        let mut names: Vec<&str> = module
            .funcs
            .iter()
            .filter(local)
            .filter_map(|function| function.name.as_deref())
            .collect();
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
        module
            .data
            .iter()
            .map(|data| (links::address(&data.kind).unwrap(), &data.value[..]))
            .collect()
    }

    #[test]
    fn what_only_deferred_functions_call_goes_with_them() {
        let (first, rest) = first_and_rest("# comment\n\nengine::rare\n").unwrap();
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
            assert!(
                first.exports.iter().any(|export| export.name == import.name),
                "{}",
                import.name
            );
            assert!(
                first.exports.iter().any(|export| export.name == import.module),
                "{}",
                import.module
            );
        }
    }

    #[test]
    fn data_goes_where_it_is_referred_to() {
        let (first, rest) = first_and_rest("engine::rare").unwrap();
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
            let (_, rest) = first_and_rest(list).unwrap();
            rest.imports.iter().next().unwrap().module.clone()
        };
        assert_eq!(name("engine::rare"), name("engine::rare"));
        assert_ne!(name("engine::rare"), name("engine::rare\nengine::helper"));
    }

    #[test]
    fn exceptions_and_lists_that_name_nothing() {
        let (first, _) = first_and_rest("engine::\n!common\n").unwrap();
        assert_eq!(names(&first), ["engine::common::h0", "main"]);
        let error = first_and_rest("nothing").unwrap_err().to_string();
        assert!(error.contains("no function of the module"), "{error}");
    }
    /// `main` calls `one` through the table, which calls `shared`, as does `two`, which is called
    /// directly. There are four pieces of data: each of the two refers to its own, both to the
    /// third, which is constant, and the fourth, which is not.
    fn with_languages() -> (Vec<u8>, Links) {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let offset = ConstExpr::Value(Value::I32(8));
        module.data.add(DataKind::Active { memory, offset }, b"onetwobothmore".to_vec());
        let table = module.tables.add_local(false, 2, Some(2), RefType::FUNCREF);
        let mut add = |name: &str, params: &[ValType], calls: &[FunctionId]| {
            let mut builder = FunctionBuilder::new(&mut module.types, params, &[]);
            builder.name(name.to_owned());
            let args = params.iter().map(|&ty| module.locals.add(ty)).collect();
            let mut body = builder.func_body();
            for &call in calls {
                body.i32_const(0).call(call);
            }
            builder.finish(args, &mut module.funcs)
        };
        let shared = add("shared", &[ValType::I32], &[]);
        let one = add("language::one", &[ValType::I32], &[shared]);
        let two = add("language::two", &[ValType::I32], &[shared]);
        let main = add("main", &[], &[two]);
        module.exports.add("main", main);
        run_of(&mut module, table, 1, vec![one]);
        let data = |pieces: [usize; 3]| pieces.map(Target::Data).into();
        let links = Links {
            pieces: vec![8..11, 11..14, 14..18, 18..22],
            constant: vec![true, true, true, false],
            of_pieces: vec![BTreeSet::new(); 4],
            of_functions: HashMap::from([
                ("main".into(), BTreeSet::from([Target::Slot(1)])),
                ("language::one".into(), data([0, 2, 3])),
                ("language::two".into(), data([1, 2, 3])),
            ]),
        };
        (module.emit_wasm(), links)
    }

    #[test]
    fn a_part_of_a_function_has_all_that_it_needs_and_is_stood_in_for() {
        let (whole, links) = with_languages();
        let parts = split(&whole, &Deferred::parse("language::*"), &links).unwrap();
        let first = read(&parts.first).unwrap();
        let [one, two] = ["one", "two"].map(|name| read(&parts.others[name]).unwrap());
        assert_eq!(parts.others.len(), 2);
        assert_eq!(names(&one), ["language::one", "shared"]);
        assert_eq!(names(&two), ["language::two", "shared"]);
        assert_eq!((filled(&one), filled(&two)), (vec![(1, 1)], vec![(2, 1)]));
        // The slots of both have a function in the first part, which does nothing; data that can
        // change is there from the beginning.
        assert_eq!(names(&first), ["main"]);
        assert_eq!(first.funcs.iter().count(), 2);
        assert_eq!(filled(&first), [(1, 2)]);
        assert_eq!(data(&first), [(8, &b"\0\0\0\0\0\0\0\0\0\0more"[..])]);
        assert_eq!(data(&one), [(8, &b"one"[..]), (14, b"both")]);
        assert_eq!(data(&two), [(11, &b"twoboth"[..])]);
    }

    #[test]
    fn nothing_stands_for_what_gives_something_back() {
        let (whole, links) = module();
        let error = split(&whole, &Deferred::parse("engine::*"), &links).err().unwrap().to_string();
        assert!(error.contains("gives something back"), "{error}");
    }
}
