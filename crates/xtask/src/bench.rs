//! `cargo xtask bench NAME`: the benchmarks. The first lines of each state its question, its corpus
//! and its method.

use anyhow::{Context, Result, bail};

use crate::cmd::{Cmd, heading};
use crate::paths::{self, Paths};
use crate::{client, demo, setup, wasm};

mod answers;

/// A benchmark.
struct Bench {
    name: &'static str,
    question: &'static str,
    /// The arguments, for the list.
    args: &'static str,
    how: How,
}

enum How {
    /// Arguments of cargo, before `--`.
    Cargo(&'static [&'static str]),
    /// A script for Node, with the wasm modules built.
    Node(&'static str),
    /// A script for Node with the peers' packages; the command-line tool is built first.
    Peers(&'static str),
    /// The same in a browser.
    PeersInBrowser(&'static str),
    /// The same over the demo's site and its bundle.
    PeersOfDemo(&'static str),
    /// The same; both wasm modules are built too.
    PeersOfEncoder(&'static str),
    /// A script for Node with the peers' packages; the command-line tool and the engine's wasm
    /// module are built first.
    PeersInNode(&'static str),
    /// The same with the module of the playground in place of the engine's.
    PeersOfPlayground(&'static str),
    /// The same with the client, which the tool then contains, and the packages of the end-to-end
    /// tests, in the Node that runs these.
    PeersOfServers(&'static str),
    /// A function of this program.
    Own(fn(&Paths, &[String]) -> Result<()>),
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "ann",
        question: "filtered nearest neighbours: recall against the exact scan, and time, by \
             selectivity",
        args: "",
        how: How::Cargo(&["bench", "--package", "findling-engine", "--bench", "ann"]),
    },
    Bench {
        name: "query",
        question: "a warm query by words over 50,000 sections",
        args: "",
        how: How::Cargo(&["bench", "--package", "findling-engine", "--bench", "query"]),
    },
    Bench {
        name: "parse",
        question: "reading and chunking pages",
        args: "INPUT...",
        how: How::Cargo(&[
            "run",
            "--release",
            "--package",
            "findling",
            "--no-default-features",
            "--example",
            "parse",
        ]),
    },
    Bench {
        name: "build",
        question: "a whole build by words beside Pagefind's: time and memory",
        args: "SITE [RUNS]",
        how: How::Peers("tests/peers/build.mjs"),
    },
    Bench {
        name: "parts",
        question: "a build in parts beside one build of the same files: time and memory by step",
        args: "SITE [PARTS] [-- BUILD OPTIONS]",
        how: How::Peers("tests/peers/parts.mjs"),
    },
    Bench {
        name: "scale",
        question: "how a bundle, its build, a first and a warm query grow, to a million generated \
             pages",
        args: "[--pages N,...] [--encoder NAME,...] [-- BUILD OPTIONS]",
        how: How::PeersInBrowser("tests/peers/scale.mjs"),
    },
    Bench {
        name: "playground",
        question: "folders indexed by the module of the site's playground, beside the tool on one \
             thread: time, memory, size",
        args: "DIRECTORY... [--json [FILE]]",
        how: How::PeersOfPlayground("tests/peers/playground.mjs"),
    },
    Bench {
        name: "edit",
        question: "a site built again after an edit of one page: time by stage, bytes that are new",
        args: "SITE [BUILD OPTIONS]",
        how: How::Peers("tests/peers/edit.mjs"),
    },
    Bench {
        name: "cold-search",
        question: "a search from the shell over 1,000 pages: time of the process and its phases",
        args: "[--runs N]",
        how: How::Peers("tests/peers/cold-search.mjs"),
    },
    Bench {
        name: "collections",
        question: "10,000 files of code: time to build, to sync after an edit, and to search",
        args: "[--files N] [--from DIR]",
        how: How::Peers("tests/peers/collections.mjs"),
    },
    Bench {
        name: "shell",
        question: "the shell's limits: a search over ten collections, keys of the terminal \
             interface, the server for assistants, a site at an address, passages that answer",
        args: "[--only PART,...] [--sets DIR]",
        how: How::Peers("tests/peers/shell.mjs"),
    },
    Bench {
        name: "soak",
        question: "whether the servers answer without an error and with flat memory while their \
             bundle is replaced every 30 seconds: 200 connections, 10 minutes each",
        args: "[--minutes N] [--every SECONDS] [--only serve,application,worker]",
        how: How::PeersOfServers("tests/peers/soak.mjs"),
    },
    Bench {
        name: "net",
        question: "what a reader downloads and waits for, beside Pagefind's: bytes, requests, \
             rounds, time",
        args: "SITE [QUERIES]",
        how: How::PeersInBrowser("tests/peers/net.mjs"),
    },
    Bench {
        name: "sizes",
        question: "what sites of 3 to 1,000 pages cost beside Pagefind: build, bytes, files, \
             requests while typing",
        args: "SITE... [--pages N,...] [--runs N]",
        how: How::PeersInBrowser("tests/peers/sizes.mjs"),
    },
    Bench {
        name: "networks",
        question: "how long a reader waits for results, by network and version of HTTP, with \
             files, with packs, and with Pagefind",
        args: "[SITE] [--turns N]",
        how: How::PeersOfDemo("tests/peers/networks.mjs"),
    },
    Bench {
        name: "first-result",
        question: "how long a reader waits for the first result, by processor, network, \
             compression",
        args: "[--budget SECONDS]",
        how: How::PeersOfDemo("tests/peers/first-result.mjs"),
    },
    Bench {
        name: "felt",
        question: "how soon a key's answer is painted, and whether typing ever waits, beside \
             Pagefind's component and MiniSearch",
        args: "[--cpu N] [--queries N]",
        how: How::PeersOfDemo("tests/peers/felt.mjs"),
    },
    Bench {
        name: "peers",
        question: "quality, time and index size on judged sets, beside MiniSearch's, Orama's and \
             Pagefind's",
        args: "SET...",
        how: How::PeersInNode("tests/peers/peers.mjs"),
    },
    Bench {
        name: "answers",
        question: "whether the first page, section and snippet answer natural questions",
        args: answers::ARGS,
        how: How::Own(answers::run),
    },
    Bench {
        name: "sentences",
        question: "whether snippets contain the sentence that answers, beside Pagefind's \
             excerpts; how reliable `answerable` is",
        args: "SET... | --answerable SITE...",
        how: How::Peers("tests/peers/sentences.mjs"),
    },
    Bench {
        name: "sections",
        question: "whether the right section is shown with the right page, beside Pagefind's",
        args: "SETS NAME=TREE...",
        how: How::Peers("tests/peers/sections.mjs"),
    },
    Bench {
        name: "extraction",
        question: "what is indexed of documentation in Debian's packages, compared with what \
             Chromium shows: anchors, text, titles, frame, listing pages",
        args: "[--cache DIR] [--only NAME,...] [--details DIR] [--archive]",
        how: How::PeersInBrowser("tests/peers/extraction.mjs"),
    },
    Bench {
        name: "half-typed",
        question: "how high the wanted page is while its name is typed, beside Pagefind and \
             MiniSearch",
        args: "NAME=SITE=BUNDLE...",
        how: How::PeersInNode("tests/peers/half-typed.mjs"),
    },
    Bench {
        name: "quality",
        question: "quality on judged sets, by words, with the static encoder and with the \
             transformer, with intervals of confidence",
        args: "SETS",
        how: How::Peers("tests/peers/quality.mjs"),
    },
    Bench {
        name: "keystrokes",
        question: "a search for each key pressed, in wasm, and for the worst that can be typed",
        args: "BUNDLE QUERIES",
        how: How::PeersInNode("tests/peers/keystrokes.mjs"),
    },
    Bench {
        name: "graph",
        question: "what a deterministic graph costs, and how it is best stored",
        args: "BUNDLE [MAX_VECTORS]",
        how: How::Cargo(&[
            "run",
            "--release",
            "--package",
            "findling",
            "--no-default-features",
            "--example",
            "graph_cost",
        ]),
    },
    Bench {
        name: "text",
        question: "analysis and WordPiece, in bytes a second",
        args: "TEXT [VOCAB]",
        how: How::Cargo(&[
            "run",
            "--release",
            "--package",
            "findling-text",
            "--example",
            "analysis",
        ]),
    },
    Bench {
        name: "encoder",
        question: "the transformer in a browser and natively, beside onnxruntime: bytes, memory, \
             milliseconds a query, documents a second",
        args: "[--documents DIR]",
        how: How::PeersOfEncoder("tests/peers/encoder.mjs"),
    },
    Bench {
        name: "precision",
        question: "the transformer's bits and words: bytes, closeness to the model, quality on \
             judged sets",
        args: "SETS",
        how: How::Peers("tests/peers/precision.mjs"),
    },
    Bench {
        name: "native-encoder",
        question: "embedding natively, in tokens and texts a second",
        args: "MODEL_DIR [SECONDS]",
        how: How::Cargo(&[
            "run",
            "--release",
            "--package",
            "findling-encoder",
            "--features",
            "native",
            "--example",
            "throughput",
        ]),
    },
    Bench {
        name: "wasm-encoder",
        question: "loading a model and embedding a query in wasm",
        args: "ARTEFACT",
        how: How::Node("crates/wasm-encoder/benches/query.mjs"),
    },
];

/// Runs the benchmark called `name` with `args`; without a name, lists them.
pub fn run(paths: &Paths, name: Option<&str>, args: &[String]) -> Result<()> {
    let Some(name) = name else {
        for bench in BENCHES {
            println!("{:<14} {:<22} {}", bench.name, bench.args, bench.question);
        }
        return Ok(());
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        let names: Vec<_> = BENCHES.iter().map(|bench| bench.name).collect();
        bail!("there is no benchmark `{name}`; there are: {}", names.join(", "));
    };
    heading(bench.question);
    let here = std::env::current_dir().context("the current directory is gone")?;
    let command = match bench.how {
        How::Own(run) => return run(paths, args),
        How::Cargo(line) => Cmd::new(paths::cargo()).args(line).arg("--"),
        How::Node(script) => {
            wasm::run(paths, wasm::Which::Both)?;
            client::run(paths)?;
            setup::node(paths)?.command("node").arg(script)
        }
        How::Peers(script) => peers(paths, script)?,
        How::PeersInBrowser(script) => {
            let chromium = setup::chromium()?;
            peers(paths, script)?.env("FINDLING_CHROMIUM", chromium)
        }
        How::PeersOfDemo(script) => {
            let chromium = setup::chromium()?;
            let demo = demo::build(paths)?;
            let mut command = peers(paths, script)?.env("FINDLING_CHROMIUM", chromium);
            if std::env::var_os("FINDLING_BUNDLE").is_none() {
                command = command.env("FINDLING_BUNDLE", demo.bundle);
            }
            command.arg(demo.site)
        }
        How::PeersOfEncoder(script) => {
            let chromium = setup::chromium()?;
            wasm::run(paths, wasm::Which::Both)?;
            client::run(paths)?;
            demo::build_cli_and(paths, &["embed"])?;
            let command = peers(paths, script)?.env("FINDLING_CHROMIUM", chromium);
            let embed = paths
                .target
                .join("release/examples")
                .join(format!("embed{}", std::env::consts::EXE_SUFFIX));
            let documents = std::env::join_paths(demo::documents(paths)?)?;
            command.env("FINDLING_EMBED", embed).env("FINDLING_DOCUMENTS", documents)
        }
        How::PeersInNode(script) => {
            wasm::run(paths, wasm::Which::Engine)?;
            peers(paths, script)?
        }
        How::PeersOfServers(script) => {
            wasm::run(paths, wasm::Which::Engine)?;
            client::run(paths)?;
            let node = setup::node_for_tests(paths)?;
            setup::node_modules(&node, &paths.e2e)?;
            peers_with(paths, &node, script)?
        }
        How::PeersOfPlayground(script) => {
            wasm::run(paths, wasm::Which::Playground)?;
            peers(paths, script)?
        }
    };
    // Paths in the arguments are relative to the user's directory.
    command.args(args.iter().map(|arg| absolute(&here, arg))).dir(&paths.root).run()
}

/// Returns a command that runs a script with the peers' packages.
fn peers(paths: &Paths, script: &str) -> Result<Cmd> {
    peers_with(paths, &setup::node(paths)?, script)
}

fn peers_with(paths: &Paths, node: &setup::Node, script: &str) -> Result<Cmd> {
    setup::node_modules(node, &paths.root.join("tests/peers"))?;
    demo::build_cli(paths)?;
    Ok(node.command("node").arg(script).env("FINDLING_BIN", paths.findling()))
}

/// Makes an argument that names a file absolute, because the benchmark runs in another directory.
fn absolute(here: &std::path::Path, arg: &str) -> std::ffi::OsString {
    let path = here.join(arg);
    if path.exists() { path.into_os_string() } else { arg.into() }
}
