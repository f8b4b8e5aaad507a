//! Replaces calls that cannot return by traps.
//!
//! A function that never returns and calls no function of the host can only trap in the end. Before
//! that it composes a message for a hook that the modules of browsers and Workers do not have, so
//! nobody reads the message. Each call of such a function becomes a trap. Nothing refers to the
//! message and the source location then, and they are removed (see [`crate::split::prune`]).

use std::collections::HashSet;

use walrus::ir::{self, Instr, InstrSeq, VisitorMut};
use walrus::{FunctionId, FunctionKind, LocalFunction, Module};

use crate::graph::called;

/// Replaces all calls of functions that can only trap by traps. Returns the number of calls.
pub fn at_once(module: &mut Module) -> usize {
    let ids: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
    let mut host: HashSet<FunctionId> = ids
        .iter()
        .copied()
        .filter(|&id| matches!(module.funcs.get(id).kind, FunctionKind::Import(_)))
        .collect();
    let calls: Vec<(FunctionId, Vec<FunctionId>)> =
        ids.iter().map(|&id| (id, called(module, id))).collect();
    loop {
        let to_it = |(id, called): &&(FunctionId, Vec<FunctionId>)| {
            !host.contains(id) && called.iter().any(|id| host.contains(id))
        };
        let more: Vec<FunctionId> = calls.iter().filter(to_it).map(|&(id, _)| id).collect();
        if more.is_empty() {
            break;
        }
        host.extend(more);
    }
    let only_trap: HashSet<FunctionId> = ids
        .iter()
        .copied()
        .filter(|id| !host.contains(id))
        .filter(|&id| match &module.funcs.get(id).kind {
            FunctionKind::Local(function) => never_returns(function),
            _ => false,
        })
        .collect();
    let mut traps = Traps { only_trap: &only_trap, made: 0 };
    for id in ids {
        if let FunctionKind::Local(function) = &mut module.funcs.get_mut(id).kind {
            let entry = function.entry_block();
            ir::dfs_pre_order_mut(&mut traps, function, entry);
        }
    }
    traps.made
}

/// Returns whether a function ends in a trap, and has no other way out.
fn never_returns(function: &LocalFunction) -> bool {
    struct Out {
        entry: ir::InstrSeqId,
        found: bool,
    }
    impl<'i> ir::Visitor<'i> for Out {
        fn visit_instr(&mut self, instr: &'i Instr, _: &'i ir::InstrLocId) {
            self.found |= match instr {
                Instr::Br(to) => to.block == self.entry,
                Instr::BrIf(to) => to.block == self.entry,
                Instr::BrTable(to) => to.default == self.entry || to.blocks.contains(&self.entry),
                Instr::Block(_)
                | Instr::Loop(_)
                | Instr::IfElse(_)
                | Instr::Call(_)
                | Instr::CallIndirect(_) => false,
                other => !is_quiet(other) && !matches!(other, Instr::Unreachable(_)),
            };
        }
    }
    let entry = function.entry_block();
    let ends = matches!(function.block(entry).last(), Some((Instr::Unreachable(_), _)));
    let mut out = Out { entry, found: !ends };
    ir::dfs_in_order(&mut out, function, entry);
    !out.found
}

/// Returns whether an instruction changes nothing but the stack, locals, globals and memory, and
/// then continues with the next one.
fn is_quiet(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Const(_)
            | Instr::LocalGet(_)
            | Instr::LocalSet(_)
            | Instr::LocalTee(_)
            | Instr::GlobalGet(_)
            | Instr::GlobalSet(_)
            | Instr::Unop(_)
            | Instr::Binop(_)
            | Instr::Select(_)
            | Instr::Drop(_)
            | Instr::Load(_)
            | Instr::Store(_)
            | Instr::MemoryCopy(_)
            | Instr::MemoryFill(_)
            | Instr::MemorySize(_)
    )
}

struct Traps<'a> {
    only_trap: &'a HashSet<FunctionId>,
    made: usize,
}

impl VisitorMut for Traps<'_> {
    fn start_instr_seq_mut(&mut self, seq: &mut InstrSeq) {
        let is_one = |(instr, _): &(Instr, _)| match instr {
            Instr::Call(ir::Call { func }) => self.only_trap.contains(func),
            _ => false,
        };
        if let Some(at) = seq.instrs.iter().position(is_one) {
            seq.instrs.truncate(at);
            seq.instrs.push((Instr::Unreachable(ir::Unreachable {}), ir::InstrLocId::default()));
            self.made += 1;
        }
        // Nobody uses the results of instructions right before a trap. Without such an instruction
        // its operands stay on the stack, which may contain anything at a trap.
        while let [.., (before, _), (Instr::Unreachable(_), _)] = &seq.instrs[..]
            && is_quiet(before)
        {
            seq.instrs.remove(seq.instrs.len() - 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use walrus::{FunctionBuilder, ValType};

    use super::*;

    #[test]
    fn only_calls_that_can_but_trap_become_traps() {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let ty = module.types.add(&[ValType::I32], &[]);
        let (said, _) = module.add_import_func("host", "said", ty);
        let global = module.globals.add_local(
            ValType::I32,
            true,
            false,
            walrus::ConstExpr::Value(ir::Value::I32(0)),
        );
        let store = ir::StoreKind::I32 { atomic: false };
        let mut add = |build: &dyn Fn(&mut walrus::InstrSeqBuilder)| {
            let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
            build(&mut builder.func_body());
            builder.finish(vec![], &mut module.funcs)
        };
        let traps = add(&|body| {
            body.i32_const(1).global_set(global).unreachable();
        });
        let traps_through = add(&|body| {
            body.call(traps).unreachable();
        });
        let throws = add(&|body| {
            body.i32_const(1).call(said).unreachable();
        });
        let returns = add(&|body| {
            body.block(None, |block| {
                let outside = block.id();
                block.global_get(global).br_if(outside).unreachable();
            });
        });
        let leaves = add(&|body| {
            let leave = |then: &mut walrus::InstrSeqBuilder| {
                then.return_();
            };
            body.global_get(global).if_else(None, leave, |_| {}).unreachable();
        });
        let user = add(&|body| {
            for callee in [returns, leaves, throws] {
                body.call(callee);
            }
            body.i32_const(0).i32_const(1).store(
                memory,
                store,
                ir::MemArg { align: 4, offset: 64 },
            );
            body.call(traps_through).unreachable();
        });
        module.exports.add("user", user);
        assert_eq!(at_once(&mut module), 2, "the call in `traps_through` and the one of it");
        assert_eq!(called(&module, user), [returns, leaves, throws]);
        let FunctionKind::Local(function) = &module.funcs.get(user).kind else { unreachable!() };
        let instrs = function.block(function.entry_block());
        assert_eq!(instrs.len(), 4, "what was stored before the trap went with it: {instrs:?}");
        assert!(matches!(instrs.last(), Some((Instr::Unreachable(_), _))));
    }
}
