//! The seam: the calls between a module's parts.
//!
//! A call of a function of another part goes through a slot of the table. Until that part is
//! loaded, the slot is empty and the call traps, so that the host can load the part and repeat the
//! search. Any other reference between parts is an error of the build: a function that a part
//! refers to directly would be missing in that part, or be copied into it with everything that it
//! calls.

use std::collections::HashSet;

use anyhow::{Result, ensure};
use walrus::{FunctionId, Module};
use xtask::deferred::names::Functions;

use crate::graph::called;

/// Checks that the functions of a part refer to no function of another part. `here` are the
/// functions of the part; `given` are the functions that it imports.
///
/// # Errors
/// If there is such a reference; the error names each such caller and callee.
pub fn check_references(
    module: &Module,
    part: &str,
    here: &HashSet<FunctionId>,
    given: &HashSet<FunctionId>,
) -> Result<()> {
    let mut unguarded = Vec::new();
    for function in module.funcs.iter().filter(|function| here.contains(&function.id())) {
        for callee in called(module, function.id()) {
            if !here.contains(&callee) && !given.contains(&callee) {
                let (caller, callee) = (name(module, function.id()), name(module, callee));
                unguarded.push(format!("\n  `{caller}` refers to `{callee}`"));
            }
        }
    }
    unguarded.sort();
    unguarded.dedup();
    ensure!(
        unguarded.is_empty(),
        "expected the part `{part}` to reach other parts by plain calls, which can be guarded by \
         slots of the table; found tail calls or addresses: {}\nMark the caller as deferred too, \
         or call the function plainly.",
        unguarded.concat()
    );
    Ok(())
}

/// Checks that no deferred function is in the first part, as would be the case if the host called
/// it.
///
/// # Errors
/// If there is one; the error names each.
pub fn check_first(
    module: &Module,
    functions: &Functions,
    first: &HashSet<FunctionId>,
) -> Result<()> {
    let mut there: Vec<&str> = first
        .iter()
        .map(|&id| name(module, id))
        .filter(|name| functions.part_of(name).is_some())
        .collect();
    there.sort_unstable();
    ensure!(
        there.is_empty(),
        "expected deferred functions outside of the first part, found some that the host calls: \
         {}; mark what they call instead",
        there.join(", ")
    );
    Ok(())
}

fn name(module: &Module, id: FunctionId) -> &str {
    module.funcs.get(id).name.as_deref().unwrap_or("a function without a name")
}

#[cfg(test)]
mod tests {
    use walrus::{FunctionBuilder, ValType};

    use super::*;

    /// Checks a module where `main` calls `common`, and `jumps` does what `build` adds; `rare` is
    /// in another part.
    fn check(build: impl Fn(&mut walrus::InstrSeqBuilder, FunctionId)) -> Result<()> {
        let mut module = Module::default();
        let mut add = |name: &str, build: &dyn Fn(&mut walrus::InstrSeqBuilder)| {
            let mut builder = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
            builder.name(name.to_owned());
            build(&mut builder.func_body());
            builder.finish(vec![], &mut module.funcs)
        };
        let common = add("common", &|body| {
            body.i32_const(1);
        });
        let rare = add("rare", &|body| {
            body.i32_const(2);
        });
        let main = add("main", &|body| {
            body.call(common);
        });
        let jumps = add("jumps", &|body| build(body, rare));
        check_references(&module, "first", &[main, jumps].into(), &[common].into())
    }

    #[test]
    fn a_reference_across_the_seam_is_refused_by_name() {
        check(|body, _| {
            body.i32_const(3);
        })
        .unwrap();
        let tail_call = |body: &mut walrus::InstrSeqBuilder, rare| {
            body.return_call(rare);
        };
        let address = |body: &mut walrus::InstrSeqBuilder, rare| {
            body.ref_func(rare).drop().i32_const(3);
        };
        let direct = |body: &mut walrus::InstrSeqBuilder, rare| {
            body.call(rare);
        };
        for error in [check(tail_call), check(address), check(direct)] {
            let error = error.unwrap_err().to_string();
            assert!(error.contains("`jumps` refers to `rare`"), "{error}");
            assert!(!error.contains("main"), "{error}");
        }
    }
}
