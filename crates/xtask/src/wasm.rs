//! `cargo xtask wasm`: builds the WebAssembly modules, the engine, the encoder and the playground.
//!
//! cargo -> wasm-bindgen -> traps -> split -> wasm-opt -> `www/wasm/`. A module whose inputs have
//! not changed is not built again. Browsers get the engine in parts: `first.wasm`, which contains a
//! part for each language, and `rest.wasm`. Workers and Node get the whole engine.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail};
use findling_wasm_parts as parts;
use xtask::deferred;

use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::setup::{self, Node, WasmRustc};

/// The target of all modules.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// One module.
struct Module {
    /// The crate.
    package: &'static str,
    /// The crate's file, before wasm-bindgen.
    artefact: &'static str,
    /// Directory below `www/wasm/`.
    directory: &'static str,
    /// The name that wasm-bindgen gives the files.
    out_name: &'static str,
    profile: &'static str,
    /// Further arguments of cargo, after all others.
    rustc: &'static [&'static str],
    /// Options of wasm-opt.
    optimise: &'static [&'static str],
    /// Whether browsers get the module in parts.
    split: bool,
    /// Largest number of bytes after brotli of the module, or of its first part without other
    /// parts.
    budget: u64,
    /// Two more limits: the growth of the first part by any single part that it may contain, and
    /// the size of the first part with all of them.
    more: Option<(u64, u64)>,
    /// Largest number of bytes after brotli of the deferred part.
    rest: u64,
    /// Whether exceeding the budget is an error yet.
    binding: bool,
}

/// The parts of a module that is split, in its directory.
const FIRST: &str = "first";
const REST: &str = "rest";
/// Below it, the directory of the parts that the first part contains.
const CARRIED: &str = "parts";

const ENGINE: Module = Module {
    package: "findling-wasm",
    artefact: "findling_wasm.wasm",
    directory: "engine",
    out_name: "findling_engine",
    profile: "wasm",
    // The crate is also a library for Rust, and then cargo does not optimise across crates. With
    // relocations, `xtask-bindgen` sees the references to data.
    rustc: &["--crate-type", "cdylib", "--", "-Clink-arg=--emit-relocs"],
    // A function with one caller is inlined by default, however long. Browsers optimise whole
    // functions, so one of 30 kB that is hot in a single loop holds up the first search
    // (docs/design/engine-on-the-wire.md). Only the end of the stack is below 1,024, where a
    // wrapped address would end. The sections about the compiler and its features take 160 bytes
    // after brotli, and no browser reads them.
    optimise: &[
        "--one-caller-inline-max-function-size",
        "30",
        "-O2",
        "-Oz",
        "--low-memory-unused",
        "--converge",
        "--strip-producers",
        "--strip-target-features",
    ],
    split: true,
    // The present size and a little room, so that it grows only on purpose.
    budget: 167_000,
    more: Some((9_000, 214_600)),
    rest: 117_000,
    binding: true,
};

/// The engine of the endpoint, which no reader loads: optimised for speed, because plans limit CPU
/// time. Workers may have 3 MB after gzip.
const EDGE: Module = Module {
    package: "findling-wasm",
    artefact: "findling_wasm.wasm",
    directory: "edge",
    out_name: "findling_engine",
    profile: "wasm-fast",
    rustc: &["--crate-type", "cdylib"],
    optimise: &["-O1", "--strip-producers", "--strip-target-features"],
    split: false,
    budget: 411_000,
    more: None,
    rest: 0,
    binding: true,
};

/// The engine without wasm-opt, which takes as long as all other steps. It is larger and does the
/// same.
const FIRST_LOOK: Module = Module { optimise: &[], ..ENGINE };

const ENCODER: Module = Module {
    package: "findling-wasm-encoder",
    artefact: "findling_wasm_encoder.wasm",
    directory: "encoder",
    out_name: "findling_encoder",
    profile: "wasm-fast",
    // With optimisation across crates, it is 5% larger.
    rustc: &[],
    // More optimisation does not make it faster, and makes it larger after compression: 986 kB from
    // LLVM, 983 after this, 1,034 after -O2, 1,045 after -Os.
    optimise: &["-O1"],
    split: false,
    budget: 1_000_000,
    more: None,
    rest: 0,
    binding: true,
};

/// The build for words, which only the playground of the site loads.
const PLAYGROUND: Module = Module {
    package: "findling-playground",
    artefact: "findling_playground.wasm",
    directory: "playground",
    out_name: "findling_playground",
    profile: "wasm",
    // Parsers are recursive for nested input. Native threads have a stack of this size.
    rustc: &["--crate-type", "cdylib", "--", "-Clink-arg=-zstack-size=8388608"],
    optimise: &["-O2", "--strip-producers", "--strip-target-features"],
    split: false,
    budget: PLAYGROUND_BUDGET,
    more: None,
    rest: 0,
    binding: true,
};

/// The download size that the playground's page states.
const PLAYGROUND_BUDGET: u64 = 1_500_000;

/// Length of a module, raw and after brotli at its best, in which form hosts send it.
pub struct Size {
    pub name: String,
    pub raw: u64,
    pub sent: u64,
    pub budget: u64,
    pub binding: bool,
}

impl Size {
    /// Writes the sizes and the verdict on one line.
    pub fn line(&self) -> String {
        let verdict = if self.within() { "within" } else { "OVER" };
        let kb = |bytes: u64| bytes as f64 / 1000.0;
        format!(
            "{:13} {:>7.1} kB raw, {:>6.1} kB brotli, {verdict} the budget of {:.1} kB",
            self.name,
            kb(self.raw),
            kb(self.sent),
            kb(self.budget)
        )
    }

    /// Returns whether the budget is kept.
    pub fn within(&self) -> bool {
        self.sent <= self.budget
    }
}

/// The modules to build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The modules for browsers and for the endpoint.
    Engine,
    /// All of these, and the transformer.
    Both,
    /// The module of the site's playground, which takes minutes.
    Playground,
    /// The engine for a first look: not optimised, and not measured.
    FirstLook,
}

/// Builds the modules, and everything that this needs.
pub fn run(paths: &Paths, which: Which) -> Result<Vec<Size>> {
    heading("WebAssembly");
    let node = setup::node(paths)?;
    setup::node_modules(&node, &paths.www)?;
    let rustc = setup::wasm_rustc(paths)?;
    let modules: &[Module] = match which {
        Which::Engine => &[ENGINE, EDGE],
        Which::Both => &[ENGINE, EDGE, ENCODER],
        Which::Playground => &[PLAYGROUND],
        Which::FirstLook => &[FIRST_LOOK],
    };
    // wasm-opt runs on one core: one module is compiled while the other is optimised.
    let built = in_parallel(modules, |module| build(paths, &node, &rustc, module))?;
    let sizes: Vec<Size> = built.into_iter().flatten().collect();
    for size in &sizes {
        note(size.line());
    }
    Ok(sizes)
}

/// Checks the types of the playground. This finds native code that it must not contain.
pub fn check_playground(paths: &Paths) -> Result<()> {
    let command = Cmd::new(paths::cargo())
        .args(["check", "--package", PLAYGROUND.package, "--target", TARGET])
        .dir(&paths.root)
        .env("CARGO_TARGET_DIR", paths.target.join("wasm"));
    setup::wasm_rustc(paths)?.apply(command).run()
}

/// Returns the results of `work` for each item, each in a thread of its own.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items.iter().map(|item| scope.spawn(move || work(item))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread has panicked")))
            .collect()
    })
}

fn build(paths: &Paths, node: &Node, rustc: &WasmRustc, module: &Module) -> Result<Vec<Size>> {
    // A separate target directory. Otherwise, with different compilers, this build and the native
    // one would evict each other's files.
    let target = paths.target.join("wasm");
    let command = Cmd::new(paths::cargo())
        .args(["rustc", "--package", module.package, "--profile", module.profile])
        .args(["--target", TARGET])
        .args(module.rustc)
        .dir(&paths.root)
        .env("CARGO_TARGET_DIR", &target);
    rustc.apply(command).run()?;
    let built = target.join(TARGET).join(module.profile).join(module.artefact);
    let out = paths.www.join("wasm").join(module.directory);
    let stamp = out.join(".stamp");
    let wanted = fingerprint(paths, &built, module)?;
    if let Some(sizes) = up_to_date(&stamp, &wanted, &out, module) {
        return Ok(sizes);
    }
    // An optimised engine serves for a first look too.
    if !module.is_optimised()
        && up_to_date(&stamp, &fingerprint(paths, &built, &ENGINE)?, &out, module).is_some()
    {
        return Ok(Vec::new());
    }
    // Written next to the previous module, which a build of the client may be reading.
    let next = out.with_extension("next");
    let _ = fs::remove_dir_all(&next);
    fs::create_dir_all(&next).with_context(|| next.display().to_string())?;
    bindgen(paths, &built, &next, module)?;
    in_parallel(&module.files(), |file| optimise(paths, node, &next.join(file), module.optimise))?;
    let sizes = if module.split {
        let (first, parts) = read_parts(paths, node, &next, module)?;
        let sizes = if module.is_optimised() {
            measure_parts(node, &next, module, &first, &parts)?
        } else {
            Vec::new()
        };
        fs::write(next.join(FIRST).with_extension("wasm"), with_parts(first, &parts))?;
        sizes
    } else {
        let file = next.join(module.whole());
        vec![module.size(
            module.directory,
            fs::metadata(&file)?.len(),
            brotli_len(node, &file)?,
            module.budget,
        )]
    };
    let lines: String = sizes
        .iter()
        .map(|size| format!("{} {} {} {}\n", size.raw, size.sent, size.budget, size.name))
        .collect();
    fs::write(next.join(".stamp"), format!("{wanted}\n{lines}"))?;
    let _ = fs::remove_dir_all(&out);
    fs::rename(&next, &out).with_context(|| out.display().to_string())?;
    Ok(sizes)
}

/// A part of the first module: its tag and its WebAssembly.
type Part = (parts::Tag, Vec<u8>);

/// Returns the first module, and the parts that it will contain, optimised.
fn read_parts(
    paths: &Paths,
    node: &Node,
    out: &Path,
    module: &Module,
) -> Result<(Vec<u8>, Vec<Part>)> {
    let first = fs::read(out.join(FIRST).with_extension("wasm"))?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(out.join(CARRIED))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut carried = Vec::with_capacity(files.len());
    for path in files {
        optimise(paths, node, &path, module.optimise)?;
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let tag: parts::Tag = name
            .as_bytes()
            .try_into()
            .with_context(|| format!("`{name}`: expected a part's name of two letters"))?;
        carried.push((tag, fs::read(&path)?));
    }
    Ok((first, carried))
}

/// Returns the first module with parts in it.
fn with_parts<'a>(mut first: Vec<u8>, carried: impl IntoIterator<Item = &'a Part>) -> Vec<u8> {
    for (tag, part) in carried {
        parts::push(&mut first, *tag, part);
    }
    first
}

/// Returns four sizes: of the first module alone, of its largest part, of the first module with all
/// parts, and of the deferred part.
fn measure_parts(
    node: &Node,
    out: &Path,
    module: &Module,
    first: &[u8],
    carried: &[Part],
) -> Result<Vec<Size>> {
    let compressed = |wasm: &[u8]| {
        let scratch = out.join("measured");
        fs::write(&scratch, wasm)?;
        let length = brotli_len(node, &scratch)?;
        fs::remove_file(&scratch)?;
        anyhow::Ok(length)
    };
    let (raw, sent) = (first.len() as u64, compressed(first)?);
    let mut sizes = vec![module.size(module.directory, raw, sent, module.budget)];
    let mut largest: Option<Size> = None;
    for part in carried {
        let name = String::from_utf8_lossy(&part.0);
        let budget = module.more.map_or(0, |(each, _)| each);
        let with_it = format!("{} +{name}", module.directory);
        let more = compressed(&with_parts(first.to_vec(), [part]))?.saturating_sub(sent);
        let size = module.size(&with_it, part.1.len() as u64, more, budget);
        if largest.as_ref().is_none_or(|largest| size.sent > largest.sent) {
            largest = Some(size);
        }
    }
    sizes.extend(largest);
    let budget = module.more.map_or(module.budget, |(_, all)| all);
    let name = format!("{} +all", module.directory);
    let all = with_parts(first.to_vec(), carried);
    sizes.push(module.size(&name, all.len() as u64, compressed(&all)?, budget));
    let rest = fs::read(out.join(REST).with_extension("wasm"))?;
    let name = format!("{} rest", module.directory);
    sizes.push(module.size(&name, rest.len() as u64, compressed(&rest)?, module.rest));
    Ok(sizes)
}

impl Module {
    /// Returns the file with the whole module, as wasm-bindgen names it.
    fn whole(&self) -> String {
        format!("{}_bg.wasm", self.out_name)
    }

    /// Returns whether wasm-opt makes it smaller.
    fn is_optimised(&self) -> bool {
        !self.optimise.is_empty()
    }

    /// Returns the files that browsers get if they get the module in parts.
    fn parts(&self) -> &'static [&'static str] {
        if self.split { &[FIRST, REST] } else { &[] }
    }

    /// Returns the files of WebAssembly.
    fn files(&self) -> Vec<String> {
        iter::once(self.whole())
            .chain(self.parts().iter().map(|part| format!("{part}.wasm")))
            .collect()
    }

    fn size(&self, name: &str, raw: u64, sent: u64, budget: u64) -> Size {
        Size { name: name.to_owned(), raw, sent, budget, binding: self.binding }
    }
}

/// Returns a text that names the inputs and the steps.
fn fingerprint(paths: &Paths, built: &Path, module: &Module) -> Result<String> {
    let bytes = fs::read(built).with_context(|| built.display().to_string())?;
    // The lock files name the versions of wasm-bindgen and binaryen.
    let locks = [paths.root.join("Cargo.lock"), paths.www.join("package-lock.json")];
    let versions: Vec<String> = locks.iter().map(|lock| tool_versions(lock)).collect();
    let bindgen = [
        include_str!("bin/bindgen/graph.rs"),
        include_str!("bin/bindgen/linked.rs"),
        include_str!("bin/bindgen/links.rs"),
        include_str!("bin/bindgen/main.rs"),
        include_str!("bin/bindgen/parts.rs"),
        include_str!("bin/bindgen/plan.rs"),
        include_str!("bin/bindgen/relocations.rs"),
        include_str!("bin/bindgen/split.rs"),
        include_str!("bin/bindgen/table.rs"),
        include_str!("bin/bindgen/traps.rs"),
        include_str!("deferred/names.rs"),
    ];
    let deferred = if module.split { Some(deferred::read(&paths.root)?.functions) } else { None };
    let mut hasher = DefaultHasher::new();
    let budgets = (module.budget, module.more, module.rest);
    (bytes, versions, bindgen, module.out_name, module.optimise, deferred, budgets)
        .hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

/// Returns the lines of a lock file around the tools' names.
fn tool_versions(lock: &Path) -> String {
    let text = fs::read_to_string(lock).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let is_tool = |line: &str| {
        line == "name = \"wasm-bindgen-cli-support\"" || line.contains("node_modules/binaryen\"")
    };
    let found = lines.iter().enumerate().filter(|(_, line)| is_tool(line.trim()));
    found.filter_map(|(i, _)| lines.get(i + 1)).copied().collect::<Vec<_>>().join(" ")
}

fn up_to_date(stamp: &Path, wanted: &str, out: &Path, module: &Module) -> Option<Vec<Size>> {
    let text = fs::read_to_string(stamp).ok()?;
    let (had, sizes) = text.split_once('\n')?;
    let there = module.files().into_iter().all(|file| out.join(file).is_file());
    let size = |line: &str| {
        let mut words = line.splitn(4, ' ');
        let mut number = || words.next()?.parse().ok();
        let (raw, sent, budget) = (number()?, number()?, number()?);
        Some(module.size(words.next()?, raw, sent, budget))
    };
    let sizes = sizes.lines().map(size).collect::<Option<Vec<Size>>>()?;
    (had == wanted && there).then_some(sizes)
}

fn bindgen(paths: &Paths, wasm: &Path, out: &Path, module: &Module) -> Result<()> {
    let parts = module.split.then_some(paths.root.as_path());
    run_bindgen(paths, wasm, out, module.out_name, parts)
}

/// Runs wasm-bindgen. With `parts`, the module is also written in parts, as the source below that
/// directory declares them.
pub fn run_bindgen(
    paths: &Paths,
    wasm: &Path,
    out: &Path,
    out_name: &str,
    parts: Option<&Path>,
) -> Result<()> {
    Cmd::new(paths::cargo())
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "xtask",
            "--features",
            "bindgen",
            "--bin",
            "xtask-bindgen",
        ])
        .arg("--")
        .args([wasm, out])
        .arg(out_name)
        .args(parts.iter().flat_map(|root| [Path::new("--parts"), root]))
        .dir(&paths.root)
        .run()
}

/// Optimises a file in place; does nothing without options.
fn optimise(paths: &Paths, node: &Node, wasm: &Path, options: &[&str]) -> Result<()> {
    if options.is_empty() {
        return Ok(());
    }
    let wasm_opt = paths.www.join("node_modules/.bin/wasm-opt");
    if !wasm_opt.exists() {
        bail!(
            "{} is missing: www/package.json must have `binaryen` among its devDependencies",
            wasm_opt.display()
        );
    }
    let optimised = wasm.with_extension("opt");
    node.command(wasm_opt).args(options).arg(wasm).arg("-o").arg(&optimised).run()?;
    fs::rename(&optimised, wasm).with_context(|| wasm.display().to_string())
}

/// Returns the length after brotli at its best, which is what static hosts send.
pub fn brotli_len(node: &Node, file: &Path) -> Result<u64> {
    let script = "const z=require('zlib'),c=z.constants;\
                  const b=require('fs').readFileSync(process.argv[1]);\
                  const params={[c.BROTLI_PARAM_SIZE_HINT]:b.length,[c.BROTLI_PARAM_LGWIN]:24};\
                  console.log(z.brotliCompressSync(b,{params}).length)";
    let said = node.command("node").args(["-e", script]).arg(file).read()?;
    said.parse().with_context(|| format!("node said `{said}` for a length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_playground_says_what_a_reader_downloads() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../site/pages/playground.md");
        let text = fs::read_to_string(page).unwrap();
        assert_eq!(PLAYGROUND_BUDGET % 100_000, 0);
        let kilobytes = PLAYGROUND_BUDGET / 1000;
        let said = format!("at most {},{:03} kB", kilobytes / 1000, kilobytes % 1000);
        assert!(text.contains(&said), "expected `{said}` in site/pages/playground.md");
    }
}
