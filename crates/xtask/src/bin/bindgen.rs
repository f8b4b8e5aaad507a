//! `xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME`: wasm-bindgen for the web, from the library that Cargo.lock names.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};

fn main() -> anyhow::Result<()> {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, out_dir, out_name] = args.as_slice() else {
        bail!("usage: xtask-bindgen INPUT.wasm OUT_DIR OUT_NAME");
    };
    let out_name = out_name.to_str().context("OUT_NAME must be UTF-8")?;
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(PathBuf::from(input)).out_name(out_name).typescript(true).remove_name_section(true);
    // The address of the module is the host's business: a page, a worker and workerd each have their own.
    bindgen.web(true).map_err(|e| anyhow!("{e:#}"))?.omit_default_module_path(true);
    bindgen.generate(PathBuf::from(out_dir)).map_err(|e| anyhow!("{e:#}"))
}
