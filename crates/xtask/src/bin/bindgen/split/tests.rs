//! Tests of the splitter, on small modules made for them.

use std::collections::{BTreeSet, HashMap};

use walrus::ir::Value;
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionBuilder, FunctionId, FunctionKind,
    RefType, ValType,
};
use xtask::deferred::names::{Named, REST};

use super::*;
use crate::links::Target;
use crate::table::fill_from;

/// Defers the functions whose names contain one of these texts.
fn deferred(names: &[&'static str]) -> Functions {
    let deferred = names.iter().copied().map(Named::Containing).collect();
    Functions { deferred, ..Functions::default() }
}

/// Makes each function of a module a part.
fn parts_of(module: &str) -> Functions {
    Functions { parts: vec![Named::Module(module.to_owned())], ..Functions::default() }
}

/// Returns a module. `main` calls `common` and `rare`, `rare` calls `common` and `helper`; `rare`
/// and `common` stand in the table. There are three pieces of data: `main` refers to the first and
/// both slots, `rare` to the first two, nobody to the third.
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
    fill_from(&mut module, table, 1, vec![rare, common]);
    let links = Links {
        pieces: vec![8..11, 11..16, 16..21],
        constant: vec![true; 3],
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

fn parts(functions: &Functions) -> Result<(Module, BTreeMap<String, Module>)> {
    let (whole, links) = module();
    let parts = split(&whole, functions, &links)?;
    let others = parts.others.into_iter().map(|(name, part)| Ok((name, read(&part)?)));
    Ok((read(&parts.first)?, others.collect::<Result<_>>()?))
}

/// Returns the first part and the rest, if there are no other parts.
fn first_and_rest(functions: &Functions) -> Result<(Module, Module)> {
    let (first, mut others) = parts(functions)?;
    let rest = others.remove(REST).unwrap();
    assert!(others.is_empty());
    Ok((first, rest))
}

fn names(module: &Module) -> Vec<&str> {
    let local = |function: &&walrus::Function| matches!(function.kind, FunctionKind::Local(_));
    let mut names: Vec<&str> =
        module.funcs.iter().filter(local).filter_map(|function| function.name.as_deref()).collect();
    names.sort_unstable();
    names
}

/// Returns the place where the table is filled, and the number of functions.
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
    let (first, rest) = first_and_rest(&deferred(&["engine::rare"])).unwrap();
    assert_eq!(names(&first), ["engine::common::h0", "main"]);
    assert_eq!(names(&rest), ["engine::helper::h1", "engine[0123456789abcdef]::rare::h2"]);
    // The rest fills the slot of `rare`, and its old place in the table.
    assert_eq!(filled(&first), [(2, 1)]);
    assert_eq!(filled(&rest), [(1, 1), (3, 1)]);
    for module in [&first, &rest] {
        let table = module.tables.iter().next().unwrap();
        assert_eq!((table.initial, table.maximum), (4, Some(4)));
    }
    // The first part exports everything that the rest imports.
    for import in rest.imports.iter() {
        assert!(first.exports.iter().any(|export| export.name == import.name), "{}", import.name);
        assert!(
            first.exports.iter().any(|export| export.name == import.module),
            "{}",
            import.module
        );
    }
}

#[test]
fn data_goes_where_it_is_referred_to() {
    let (first, rest) = first_and_rest(&deferred(&["engine::rare"])).unwrap();
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
    let name = |names| {
        let (_, rest) = first_and_rest(&deferred(names)).unwrap();
        rest.imports.iter().next().unwrap().module.clone()
    };
    assert_eq!(name(&["engine::rare"]), name(&["engine::rare"]));
    assert_ne!(name(&["engine::rare"]), name(&["engine::rare", "engine::helper"]));
}

#[test]
fn exceptions_stay_in_the_first_part() {
    let kept = vec![Named::Containing("common")];
    let functions = Functions { kept, ..deferred(&["engine"]) };
    let (first, _) = first_and_rest(&functions).unwrap();
    assert_eq!(names(&first), ["engine::common::h0", "main"]);
}

#[test]
fn a_deferred_function_that_is_not_there_is_an_error() {
    let error = first_and_rest(&deferred(&["engine::rare", "nothing"])).unwrap_err().to_string();
    assert!(error.contains(": nothing;"), "{error}");
}

#[test]
fn a_deferred_function_that_the_host_calls_is_an_error() {
    let error = first_and_rest(&deferred(&["main", "engine::rare"])).unwrap_err().to_string();
    assert!(error.contains("main"), "{error}");
}

/// Returns a module. `main` calls `one` through the table, which calls `shared`, as does `two`,
/// which is called directly. There are four pieces of data. Each of the two functions refers to a
/// piece of its own, and both to the third, which is constant, and the fourth, which is not.
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
    fill_from(&mut module, table, 1, vec![one]);
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
    let parts = split(&whole, &parts_of("language::"), &links).unwrap();
    let first = read(&parts.first).unwrap();
    let [one, two] = ["one", "two"].map(|name| read(&parts.others[name]).unwrap());
    assert_eq!(parts.others.len(), 2);
    assert_eq!(names(&one), ["language::one", "shared"]);
    assert_eq!(names(&two), ["language::two", "shared"]);
    assert_eq!((filled(&one), filled(&two)), (vec![(1, 1)], vec![(2, 1)]));
    // The slots of both have a function in the first part, which does nothing; data that can change
    // exists from the beginning.
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
    let error = split(&whole, &parts_of("engine::"), &links).err().unwrap().to_string();
    assert!(error.contains("`engine::"), "{error}");
}
