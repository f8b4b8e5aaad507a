//! Links components: the imports of one are the exports of another.
//!
//! ```text
//! xtask-compose PLUG SOCKET OUT
//! ```

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use wac_graph::{CompositionGraph, EncodeOptions, PackageId, plug, types::Package};

fn main() -> Result<()> {
    let files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [exports, imports, out] = &files[..] else {
        bail!("expected three files, `xtask-compose PLUG SOCKET OUT`: found {}", files.len());
    };
    let mut graph = CompositionGraph::new();
    let exports = component(&mut graph, "findling:exports", exports)?;
    let imports = component(&mut graph, "findling:imports", imports)?;
    plug(&mut graph, vec![exports], imports).context("the components cannot be linked")?;
    let linked = graph.encode(EncodeOptions::default())?;
    fs::write(out, linked).with_context(|| out.display().to_string())
}

/// Adds a component to the graph under a name.
fn component(graph: &mut CompositionGraph, name: &str, file: &PathBuf) -> Result<PackageId> {
    let package = Package::from_file(name, None, file, graph.types_mut())?;
    Ok(graph.register_package(package)?)
}
