//! `xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME [--parts ROOT]`: wasm-bindgen for the web, from the
//! library that Cargo.lock names.
//!
//! Writes `OUT_NAME.js`, its types and `OUT_NAME_bg.wasm`. With `--parts`, also the same module in
//! parts, as the source below ROOT declares them ([`xtask::deferred`]): `first.wasm`, `rest.wasm`
//! with the deferred functions and the functions that only they call, and the languages in `parts/`
//! (see [`split`]).

mod graph;
mod linked;
mod links;
mod parts;
mod plan;
mod relocations;
mod seam;
mod split;
mod table;
mod traps;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use xtask::deferred::{self, names};

use relocations::Relocations;

fn main() -> anyhow::Result<()> {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let (input, out_dir, out_name, root) = match args.as_slice() {
        [input, out_dir, out_name] => (input, out_dir, out_name, None),
        [input, out_dir, out_name, option, root] if option == "--parts" => {
            (input, out_dir, out_name, Some(root))
        }
        _ => bail!("usage: xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME [--parts ROOT]"),
    };
    let (out_dir, out_name) =
        (PathBuf::from(out_dir), out_name.to_str().context("OUT_NAME must be UTF-8")?);
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    // The names are needed to split, and dropped by wasm-opt.
    bindgen.out_name(out_name).typescript(true).remove_name_section(false);
    // The host decides the address of the module, because a page, a worker and workerd have
    // different addresses.
    bindgen.web(true).map_err(|e| anyhow!("{e:#}"))?.omit_default_module_path(true);
    let Some(root) = root else {
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
    let whole = fs::read(out_dir.join(format!("{out_name}_bg.wasm")))?;
    let declaration = deferred::read(Path::new(root))?;
    let parts = split::split(&whole, &declaration.functions, &links)?;
    fs::write(out_dir.join("first.wasm"), parts.first)?;
    fs::create_dir_all(out_dir.join("parts"))?;
    for (name, part) in parts.others {
        let directory = if name == names::REST { out_dir.clone() } else { out_dir.join("parts") };
        fs::write(directory.join(name).with_extension("wasm"), part)?;
    }
    Ok(())
}
