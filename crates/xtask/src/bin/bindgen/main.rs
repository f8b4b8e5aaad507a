//! `xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME [DEFERRED]`: wasm-bindgen for the web, from the
//! library that Cargo.lock names.
//!
//! Writes `OUT_NAME.js`, its types and `OUT_NAME_bg.wasm`. Where a list of deferred functions is
//! given, also the same module in parts: `first.wasm`, `rest.wasm` with these functions and what
//! only they call, and those in `parts/` that the list makes of a function each (see [`deferred`]
//! and [`split`]).

mod deferred;
mod links;
mod split;
mod traps;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};

use deferred::Deferred;
use links::Relocations;

fn main() -> anyhow::Result<()> {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let (input, out_dir, out_name, list) = match args.as_slice() {
        [input, out_dir, out_name] => (input, out_dir, out_name, None),
        [input, out_dir, out_name, list] => (input, out_dir, out_name, Some(list)),
        _ => bail!("usage: xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME [DEFERRED]"),
    };
    let (out_dir, out_name) =
        (PathBuf::from(out_dir), out_name.to_str().context("OUT_NAME must be UTF-8")?);
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    // The names are needed to split, and dropped by wasm-opt.
    bindgen.out_name(out_name).typescript(true).remove_name_section(false);
    // The address of the module is the host's business: a page, a worker and workerd each have
    // their own.
    bindgen.web(true).map_err(|e| anyhow!("{e:#}"))?.omit_default_module_path(true);
    let Some(list) = list else {
        bindgen.input_path(PathBuf::from(input));
        return bindgen.generate(&out_dir).map_err(|e| anyhow!("{e:#}"));
    };
    let wasm = fs::read(input).with_context(|| PathBuf::from(input).display().to_string())?;
    let mut module = split::read(&wasm)?;
    let relocations = Relocations::take(&wasm, &mut module)?;
    bindgen.input_module(out_name, module);
    let mut output = bindgen.generate_output().map_err(|e| anyhow!("{e:#}"))?;
    let module = output.wasm_mut();
    relocations.check(module)?;
    traps::at_once(module);
    let links = relocations.links(module);
    split::prune(module, &links)?;
    output.emit(&out_dir).map_err(|e| anyhow!("{e:#}"))?;
    let list =
        fs::read_to_string(list).with_context(|| PathBuf::from(list).display().to_string())?;
    let whole = fs::read(out_dir.join(format!("{out_name}_bg.wasm")))?;
    let parts = split::split(&whole, &Deferred::parse(&list), &links)?;
    fs::write(out_dir.join("first.wasm"), parts.first)?;
    fs::create_dir_all(out_dir.join("parts"))?;
    for (name, part) in parts.others {
        let directory =
            if name == deferred::REST { out_dir.clone() } else { out_dir.join("parts") };
        fs::write(directory.join(name).with_extension("wasm"), part)?;
    }
    Ok(())
}
