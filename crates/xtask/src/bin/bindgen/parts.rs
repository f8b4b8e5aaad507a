//! Makes the parts. Each is made from a fresh reading of the whole module.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use walrus::ir::{self, Value};
use walrus::{
    ConstExpr, DataKind, FunctionBuilder, FunctionId, FunctionKind, GlobalKind, ImportedFunction,
    Module, TypeId, passes,
};

use crate::links;
use crate::plan::{Part, Plan};
use crate::seam;
use crate::table::{self, ThroughSlots};

fn ids(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(walrus::Function::id).collect()
}

impl Plan {
    /// Makes the first part of the whole module.
    pub fn make_first(&self, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), table::main(module)?);
        self.call_through_slots(&self.first, module)?;
        let nothing = self.nothing(module, &ids)?;
        table::fill(module, table, self.slots.len(), &self.entries, |slot, i| {
            if self.first.functions.contains(&i) {
                Some(ids[i])
            } else {
                nothing.get(&slot).copied()
            }
        })?;
        let gone: Vec<Range<u32>> =
            self.others.values().flat_map(|part| part.data.iter().cloned()).collect();
        links::clear(module, self.first.data.iter(), gone.iter())?;
        self.export(module, &ids)?;
        let here = self.ids_of(&self.first, &ids);
        seam::check_references(module, "first", &here, &HashSet::new())?;
        for id in ids.iter().filter(|id| !here.contains(id)) {
            module.funcs.delete(*id);
        }
        passes::gc::run(module);
        Ok(())
    }

    /// Exports the items that the other parts import.
    fn export(&self, module: &mut Module, ids: &[FunctionId]) -> Result<()> {
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
        Ok(())
    }

    /// Adds a function that does nothing for each slot that needs a placeholder, with the slot's
    /// type.
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
                "`{name}` is a part by itself and gives something back: nothing can stand for it \
                 where the part is not there"
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

    /// Makes another part of the whole module.
    pub fn make_other(&self, name: &str, part: &Part, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), table::main(module)?);
        self.call_through_slots(part, module)?;
        let shared = self.shared.iter().map(|&i| ids[i]).collect();
        seam::check_references(module, name, &self.ids_of(part, &ids), &shared)?;
        module.start = None;
        for export in module.exports.iter().map(walrus::Export::id).collect::<Vec<_>>() {
            module.exports.delete(export);
        }
        let brought = self.take_data(part, module)?;
        self.import(module, &ids, brought)?;
        table::fill(module, table, self.slots.len(), &self.entries, |_, i| {
            part.functions.contains(&i).then(|| ids[i])
        })?;
        passes::gc::run(module);
        Ok(())
    }

    /// Imports the exports of the first part, and places data in its memory.
    fn import(
        &self,
        module: &mut Module,
        ids: &[FunctionId],
        brought: Vec<(u32, Vec<u8>)>,
    ) -> Result<()> {
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
        let tables: Vec<_> = module.tables.iter().map(walrus::Table::id).collect();
        for (i, id) in tables.into_iter().enumerate() {
            let import = module.imports.add(&self.name, &format!("t{i}"), id);
            module.tables.get_mut(id).import = Some(import);
        }
        let globals: Vec<_> = module.globals.iter().map(walrus::Global::id).collect();
        for (i, id) in globals.into_iter().enumerate() {
            let import = module.imports.add(&self.name, &format!("g{i}"), id);
            module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
        Ok(())
    }

    fn ids_of(&self, part: &Part, ids: &[FunctionId]) -> HashSet<FunctionId> {
        part.functions.iter().map(|&i| ids[i]).collect()
    }

    /// Replaces direct calls by calls through slots, if the called function is neither in this part
    /// nor in the first.
    fn call_through_slots(&self, part: &Part, module: &mut Module) -> Result<()> {
        let (ids, table) = (ids(module), table::main(module)?);
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

    /// Removes all data from a module, and adds the data that belongs to a part, with its
    /// addresses.
    fn take_data(&self, part: &Part, module: &mut Module) -> Result<Vec<(u32, Vec<u8>)>> {
        let places = |part: &Part| part.data.iter().cloned().flatten().collect::<HashSet<u32>>();
        let own = places(part);
        // Items that may exist before, or be added after.
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
                // A few zeros between two pieces take fewer bytes than the header of another
                // segment. They overwrite zeros, unless other data is there.
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
