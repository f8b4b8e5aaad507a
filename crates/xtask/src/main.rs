//! The repository's own commands. `cargo xtask` lists them.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

mod assistants;
mod bench;
mod client;
mod cmd;
mod component;
mod demo;
mod docs;
mod failures;
mod fuzz;
mod integrations;
mod own_site;
mod package;
mod paths;
mod pictures;
mod reproduce;
mod rust_web;
mod setup;
mod tally;
mod test;
mod wasm;

const HELP: &str = "\
The repository's own commands. Each installs what it lacks, and says so first.

  cargo xtask demo [--site DIR] [--port N] [--no-open] [--build-only] [--model]
                              build what a first look needs and a bundle of a real site, and serve
                              it on 127.0.0.1
                              --model: embed the pages with the transformer, which takes longer
  cargo xtask test [--fast] [--nightly] [--deny-skips]
                              every test: native, wasm, Chromium, Firefox, workerd
                              --nightly: only those of generators that take minutes to build a
                              site, of the WASI component, a walk with a screen reader, a hundred
                              thousand damaged bundles and a thousand failing writes, with the tool
                              and the client that are built
                              --fast: only those that need neither tract nor a browser
                              --deny-skips: fail on skipped tests not in tests/allowed-skips.txt
  cargo xtask setup           only install what the others need
  cargo xtask wasm [--engine] the WebAssembly modules, into www/wasm
  cargo xtask wasm --playground
                              that of the playground of the project's own site
  cargo xtask component       the endpoint as a WASI component, into target/component
  cargo xtask rust-web        the example of a page in Rust, into target/rust-web
  cargo xtask client          the npm package, into www/dist, and the tool's copy of it
  cargo xtask types           the TypeScript types of requests and responses, from the engine's,
                              and which requests need the engine's deferred part
  cargo xtask docs            the tables of the documents, from bench/results, and the picture of
                              docs/extraction.md
  cargo xtask pictures        pictures of the search dialog and the page of results (desktop, phone,
                              dark, right to left, forced colours) into target/pictures, and those
                              of the documents
  cargo xtask site [--dev]    the project's own site, into site/.vitepress/dist
                              --dev: serve it while it is written
  cargo xtask cli             the command-line tool, into target/release
  cargo xtask package [--rehearse] [--program FILE]
                              make the packages that are published, and try them outside of the
                              repository; needs the modules of `cargo xtask wasm`
                              --rehearse: publish them to registries on this machine, and install
                              each by its name
                              --program: only the packages that carry a program, with this one
  cargo xtask pack [--program FILE] [--target TRIPLE] [--out DIR]
                              the packages that carry a program, for a release: npm, wheel,
                              archive; into target/packages
  cargo xtask notices [--target TRIPLE]
                              the licences of others, into target/third-party, and the list of
                              parts in the form of CycloneDX, into target/packages; `pack` makes
                              them too
  cargo xtask reproduce [--package NAME] [-- ARGUMENTS OF cargo build]
                              build a package (findling) in two places and compare the bytes
  cargo xtask bench [NAME [ARGS...]]
                              run a benchmark, or list them
  cargo xtask fuzz [TARGET...] [--seconds N] [--json FILE]
                              run the fuzz targets with libFuzzer, 60 s each: bytes of bundles,
                              requests, and each kind of file that is indexed
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Vec<String>) -> Result<ExitCode> {
    let Some((command, rest)) = args.split_first() else {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let paths = paths::Paths::find()?;
    match command.as_str() {
        "demo" => demo::run(&paths, &demo_options(rest)?)?,
        "test" => {
            if !test::run(&paths, &test_options(rest)?) {
                return Ok(ExitCode::FAILURE);
            }
        }
        "setup" => {
            no_more(rest)?;
            set_up(&paths)?;
        }
        "wasm" => {
            let which = match rest {
                [flag] if flag == "--playground" => wasm::Which::Playground,
                _ if only_flag(rest, "--engine")? => wasm::Which::Engine,
                _ => wasm::Which::Both,
            };
            wasm::run(&paths, which)?;
        }
        "component" => {
            no_more(rest)?;
            component::run(&paths)?;
        }
        "rust-web" => {
            no_more(rest)?;
            rust_web::build(&paths)?;
        }
        "client" => {
            no_more(rest)?;
            client::run(&paths)?;
        }
        "types" => {
            no_more(rest)?;
            client::write_types(&paths, &paths.www.join(client::TYPES))?;
            client::write_deferred_requests(&paths)?;
        }
        "docs" => {
            no_more(rest)?;
            for file in docs::run(&paths.root)? {
                println!("{}", file.display());
            }
        }
        "pictures" => {
            no_more(rest)?;
            pictures::run(&paths)?;
        }
        "site" => own_site::run(&paths, rest)?,
        "cli" => {
            no_more(rest)?;
            demo::build_cli(&paths)?;
        }
        "bench" => {
            bench::run(&paths, rest.first().map(String::as_str), rest.get(1..).unwrap_or_default())?
        }
        "package" => {
            package::run(&paths, package_options(rest)?)?;
        }
        "notices" => package::notices(&paths, notices_target(rest)?)?,
        "reproduce" => reproduce::run(&paths, &reproduce_options(rest)?)?,
        "pack" => package::pack(&paths, &pack_options(rest)?)?,
        "fuzz" => fuzz::run(&paths, &fuzz_options(rest)?)?,
        "help" | "--help" | "-h" => print!("{HELP}"),
        unknown => bail!("there is no command `{unknown}`\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Installs everything that any command installs, except the model.
fn set_up(paths: &paths::Paths) -> Result<()> {
    cmd::heading("setup");
    let node = setup::node_for_tests(paths)?;
    setup::node_modules(&node, &paths.www)?;
    setup::node_modules(&node, &paths.e2e)?;
    cmd::note(format!("Node {}", node.version));
    let rustc = setup::wasm_rustc(paths)?;
    cmd::note(match rustc.rustc {
        Some(rustc) => format!("Rust for wasm: {}", rustc.display()),
        None => "Rust for wasm: the toolchain's own".to_owned(),
    });
    match setup::chromium() {
        Ok(chromium) => cmd::note(format!("Chromium: {}", chromium.display())),
        Err(error) => cmd::note(format!("no browser tests: {error:#}")),
    }
    match setup::firefox() {
        Ok(firefox) => cmd::note(format!("Firefox: {}", firefox.display())),
        Err(error) => cmd::note(format!("no tests in Firefox: {error:#}")),
    }
    if let Err(error) = setup::tesseract() {
        cmd::note(format!("no text recognition: {error:#}"));
    }
    Ok(())
}

fn demo_options(args: &[String]) -> Result<demo::Options> {
    let mut options = demo::Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--site" => options.site = Some(PathBuf::from(value()?)),
            "--port" => {
                options.port = value()?.parse().context("--port needs a number from 0 to 65535")?
            }
            "--no-open" => options.open = false,
            "--build-only" => options.build_only = true,
            "--model" => options.model = true,
            unknown => bail!("`cargo xtask demo` knows no `{unknown}`\n\n{HELP}"),
        }
    }
    Ok(options)
}

fn fuzz_options(args: &[String]) -> Result<fuzz::Options> {
    let mut options = fuzz::Options { targets: Vec::new(), seconds: 60, json: None };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => {
                let value = args.next().context("--seconds needs a value")?;
                options.seconds = value.parse().context("--seconds needs a number")?;
            }
            "--json" => options.json = Some(args.next().context("--json needs a file")?.into()),
            target if !target.starts_with('-') => options.targets.push(target.to_owned()),
            unknown => bail!("`cargo xtask fuzz` knows no `{unknown}`\n\n{HELP}"),
        }
    }
    Ok(options)
}

fn notices_target(args: &[String]) -> Result<Option<String>> {
    match args {
        [] => Ok(None),
        [flag, target] if flag == "--target" => Ok(Some(target.clone())),
        _ => bail!("`{}` is not understood; only `--target TRIPLE` is", args.join(" ")),
    }
}

fn reproduce_options(args: &[String]) -> Result<reproduce::Options> {
    let at = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let arguments = args.get(at + 1..).unwrap_or_default().to_vec();
    let package = match &args[..at] {
        [] => "findling".to_owned(),
        [flag, package] if flag == "--package" => package.clone(),
        other => bail!("`{}` is not understood; only `--package NAME` is", other.join(" ")),
    };
    Ok(reproduce::Options { package, arguments })
}

fn package_options(args: &[String]) -> Result<package::TryOptions> {
    let mut options = package::TryOptions::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--program" => {
                options.program = Some(args.next().context("--program needs a value")?.into());
            }
            "--rehearse" => options.rehearse = true,
            unknown => bail!("`cargo xtask package` knows no `{unknown}`\n\n{HELP}"),
        }
    }
    Ok(options)
}

fn pack_options(args: &[String]) -> Result<package::PackOptions> {
    let mut options = package::PackOptions::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--program" => options.program = Some(PathBuf::from(value()?)),
            "--target" => options.target = Some(value()?.clone()),
            "--out" => options.out = Some(PathBuf::from(value()?)),
            unknown => bail!("`cargo xtask pack` knows no `{unknown}`\n\n{HELP}"),
        }
    }
    Ok(options)
}

fn test_options(args: &[String]) -> Result<test::Options> {
    let mut options = test::Options::default();
    for arg in args {
        match arg.as_str() {
            "--fast" => options.fast = true,
            "--nightly" => options.nightly = true,
            "--deny-skips" => options.deny_skips = true,
            unknown => bail!("`cargo xtask test` knows no `{unknown}`\n\n{HELP}"),
        }
    }
    Ok(options)
}

fn only_flag(args: &[String], flag: &str) -> Result<bool> {
    match args {
        [] => Ok(false),
        [only] if only == flag => Ok(true),
        _ => bail!("`{}` is not understood; only `{flag}` is", args.join(" ")),
    }
}

fn no_more(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("`{}` is not understood", args.join(" "));
    }
    Ok(())
}
