//! Files of settings: damaged ones, read by the program before a command.

use std::fs;
use std::sync::Mutex;

use super::home::Done;
use super::mutations::{Random, seeds, shown};
use super::program::home_with_bundle;

/// Texts that parsers of settings look for.
const WORDS: &[&str] = &[
    "\n",
    "\r",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "[",
    "]",
    "[[search]]\n",
    "[search]\n",
    "[search.deep]\n",
    "[\"\"]\n",
    "\"\"\"",
    "'''",
    "\\u0000",
    "\\ud800",
    "\\U0010ffff",
    "= ",
    "= [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "= {a = {a = {a = {a = {a = {a = {a = ",
    "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1\n",
    "= inf\n",
    "= -nan\n",
    "= 0xffffffffffffffffff\n",
    "= 1979-05-27T07:32:00Z\n",
    "= false\n",
    "mode = \"\"\n",
    "limit = -1\n",
    "\"--\" = \"--\"\n",
    "help = true\n",
    "version = true\n",
];

/// A file of settings, and a command that reads it.
struct Kind {
    /// The path in the home.
    path: &'static str,
    valid: &'static [&'static str],
    command: &'static [&'static str],
}

const SEARCH: &[&str] = &["search", "out", "mutex", "--json"];

const KINDS: [Kind; 4] = [
    Kind { path: "findling.toml", valid: SETTINGS, command: SEARCH },
    // The user's own file may set everything.
    Kind { path: "data/findling.toml", valid: SETTINGS, command: SEARCH },
    Kind { path: "findling.toml", valid: SETTINGS, command: &["config", "--json"] },
    Kind {
        path: "data/collections.toml",
        valid: REGISTRY,
        command: &["collection", "list", "--json"],
    },
];

const SETTINGS: &[&str] = &[
    "# Settings\n[search]\nmode = \"lexical\"\nlimit = 3\nverbatim = true\nfacet = [\"a\"]\n",
    "history = true\n\n[search]\nfilter = [\"language:en\", 'section:\"a\"']\nlimit = 10\n",
    "[build]\ninputs = [\"public\"]\noutput = \"public/findling\"\nexclude = [\"print.html\"]\n\
     prune = 3\nbase-url = \"\"\"/docs\"\"\"\n[search]\nlimit = 1_0\n",
];

const REGISTRY: &[&str] = &[
    "[collections.site]\nkind = \"auto\"\npaths = [\"/nowhere/site\"]\nencoder = \"none\"\n",
    "# Notes\n[collections]\n[collections.notes]\nkind = \"markdown\"\npaths = [\"/a\", \"/b\"]\n\
     encoder = \"none\"\nexclude = [\"drafts\"]\nbase-url = \"/n/\"\nlanguage = \"en\"\n\
     vectors = { more = \"static\" }\ndirectory = \"notes-1\"\n",
];

/// Maximum number of bytes of an error.
const MAX_ERROR: usize = 4_000;

/// Checks what the program said: an answer, or an error that names the file and is short.
fn check(kind: &Kind, done: &Done) -> Result<(), String> {
    let name = kind.path.rsplit('/').next().unwrap();
    let says = |text: &str| done.out.contains(text) || done.err.contains(text);
    if says("panicked") || !(0..=3).contains(&done.code) {
        return Err(format!("expected an answer or an error, found the status {}", done.code));
    }
    if done.code < 2 && !done.out.starts_with("{\n  \"error\"") {
        return Ok(());
    }
    if done.out.len().max(done.err.len()) > MAX_ERROR {
        return Err(format!("expected a short error, found {} bytes", done.err.len()));
    }
    // A value may be one that only the command understands, such as a filter. Its error is about
    // the request.
    let is_of = |code: &str| done.out.contains(&format!("\"code\": \"{code}\""));
    let is_of_command =
        kind.path.ends_with("findling.toml") && !is_of("settings") && !is_of("usage");
    match says(name) || is_of_command {
        true => Ok(()),
        false => Err(format!("the error does not name {name}")),
    }
}

#[test]
fn no_file_of_settings_makes_the_program_panic_and_errors_name_the_file() {
    let (left, codes) = (Mutex::new(seeds(300, 10)), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let home = home_with_bundle();
                fs::create_dir_all(home.data()).unwrap();
                loop {
                    let Some(seed) = left.lock().unwrap().next() else { return };
                    let mut random = Random::new(seed);
                    let kind = &KINDS[random.below(KINDS.len())];
                    let valid: Vec<Vec<u8>> =
                        kind.valid.iter().map(|text| text.as_bytes().to_vec()).collect();
                    let input = random.damaged(&valid, WORDS);
                    fs::write(home.path(kind.path), &input).unwrap();
                    let output = home.command(kind.command).output().unwrap();
                    let done = Done {
                        code: output.status.code().unwrap_or(-1),
                        out: String::from_utf8_lossy(&output.stdout).into_owned(),
                        err: String::from_utf8_lossy(&output.stderr).into_owned(),
                    };
                    fs::remove_file(home.path(kind.path)).unwrap();
                    if let Err(wrong) = check(kind, &done) {
                        panic!(
                            "{wrong}: {:?} with {}: {done:?}\nafter {}",
                            kind.command,
                            kind.path,
                            shown(seed, &input)
                        );
                    }
                    codes.lock().unwrap().push(done.code);
                }
            });
        }
    });
    let codes = codes.into_inner().unwrap();
    let n = |code: i32| codes.iter().filter(|&&one| one == code).count();
    println!("{} files: {} read, {} refused", codes.len(), n(0) + n(1), n(2) + n(3));
    assert!(n(0) + n(1) > codes.len() / 20 && n(2) > codes.len() / 20, "{codes:?}");
}

// Former findings: a value that nobody typed was refused without the name of its file, and an
// option without its value took the next argument.
#[test]
fn a_mistake_in_a_file_is_named_with_its_line() {
    let home = home_with_bundle();
    for (settings, expect) in [
        ("[search]\nmode = true\n", "findling.toml:2: expected a value of `mode`, found true"),
        ("[search]\n\nverbatim = 1\n", "findling.toml:3: expected true or false of `verbatim`"),
        ("[search]\nmode = \"nope\"\n", "findling.toml:2: error: invalid value 'nope'"),
        ("[search]\nlimit = -1\n", "findling.toml:2: error: invalid value '-1'"),
        ("[search]\nmode = [\"lexical\", \"lexical\"]\n", "findling.toml:2: error: the argument"),
        ("# é\n[search\n", "findling.toml:2: expected TOML"),
    ] {
        home.write("findling.toml", settings);
        let done = home.run(SEARCH);
        assert!(done.code == 2 && done.out.contains(expect), "{settings}: {done:?}");
        // The typed value counts, and the file's value is not read.
        let typed = [SEARCH, &["--mode=lexical", "--limit=1", "--verbatim"]].concat();
        assert_eq!(home.run(&typed).code == 0, !expect.contains("expected"), "{settings}");
    }
    fs::write(home.path("findling.toml"), b"[search]\nmode = \"\xff\"\n").unwrap();
    let done = home.run(SEARCH);
    assert!(done.code == 2 && done.out.contains("expected text in UTF-8"), "{done:?}");
}
