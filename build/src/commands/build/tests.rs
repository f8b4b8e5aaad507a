use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use super::*;
use crate::bundle_files::BundleFiles;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn build(args: &[&str]) -> Result<ExitCode> {
    let cli = Cli::try_parse_from(std::iter::once("build").chain(args.iter().copied()))?;
    run(cli.args, &Ui::silent())
}

fn site(dir: &Path) -> PathBuf {
    let site = dir.join("site");
    for (path, title, text) in [
        (
            "book/index.html",
            "The Book",
            "<p>Ownership and borrowing.</p><h2 id=threads>Threads</h2><p>A mutex guards data.</p>",
        ),
        ("book/ch01.html", "Getting started", "<p>Install the toolchain.</p>"),
        ("cargo/index.html", "Cargo", "<p>The package manager.</p>"),
    ] {
        let file = site.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(
            file,
            format!(
                "<html lang=en><title>{title}</title><main><h1>{title}</h1>{text}</main></html>"
            ),
        )
        .unwrap();
    }
    site
}

fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(dir)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            (entry.path().strip_prefix(dir).unwrap().to_owned(), fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn building_twice_gives_equal_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (site, cache) = (site(dir.path()), dir.path().join("cache"));
    let (site, cache) = (site.to_str().unwrap(), cache.to_str().unwrap());
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    for (out, rest) in [(&a, ["--cache", cache]), (&b, ["--jobs", "1"]), (&a, ["--cache", cache])] {
        let out = out.to_str().unwrap();
        let mut args = vec![
            site,
            "-o",
            out,
            "--encoder",
            "hash",
            "--no-client",
            "--attribute-from-path",
            "book",
        ];
        args.extend(rest);
        if rest[0] == "--jobs" {
            args.push("--no-cache");
        }
        assert_eq!(build(&args).unwrap(), ExitCode::SUCCESS);
    }
    assert!(files(&a) == files(&b));
    let manifest = BundleFiles::open(&a).unwrap().manifest().clone();
    assert_eq!(manifest.stats.n_pages, 3);
    assert_eq!(manifest.attributes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["book"]);
    assert_eq!(manifest.dense.unwrap().query_encoders[0].kind, "hash");
}

#[test]
fn unreadable_files_give_exit_status_3() {
    let dir = tempfile::tempdir().unwrap();
    let site = site(dir.path());
    fs::write(site.join("huge.html"), vec![b' '; 3 << 20]).unwrap();
    let out = dir.path().join("out");
    let args = [
        site.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--encoder",
        "none",
        "--no-client",
        "--max-file-size",
        "2",
    ];
    assert_eq!(build(&args).unwrap(), ExitCode::from(SOME_UNREADABLE));
    assert!(out.join("findling.idx").is_file());
}

#[test]
fn wrong_arguments_are_refused_before_the_build() {
    let dir = tempfile::tempdir().unwrap();
    let site = site(dir.path());
    let site_str = site.to_str().unwrap();
    let out = dir.path().join("out");
    let out = out.to_str().unwrap();
    let refused = |args: &[&str]| {
        let mut all = vec!["--encoder", "none", "--no-client"];
        all.extend(args);
        assert!(build(&all).is_err(), "{args:?}");
        assert!(!Path::new(out).exists());
    };
    refused(&["nowhere", "-o", out]);
    refused(&[site_str, "-o", site_str]);
    refused(&[site_str, "-o", "x.findling"]);
    fs::create_dir_all(dir.path().join("empty")).unwrap();
    refused(&[dir.path().join("empty").to_str().unwrap(), "-o", out]);
}

#[test]
fn single_files_open_like_directories() {
    let dir = tempfile::tempdir().unwrap();
    let site = site(dir.path());
    let alone = dir.path().join("site.findling");
    let inside = dir.path().join("out");
    for out in [&alone, &inside] {
        let args = [
            site.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--encoder",
            "hash",
            "--no-cache",
            "--no-client",
            "--single-file",
        ];
        build(&args).unwrap();
    }
    let (alone, inside) = (BundleFiles::open(&alone).unwrap(), BundleFiles::open(&inside).unwrap());
    assert!(alone.is_single_file() && inside.is_single_file());
    assert_eq!(alone.manifest(), inside.manifest());
}

#[test]
fn the_client_is_written_beside_the_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let (site, client, out) = (site(dir.path()), dir.path().join("client"), dir.path().join("out"));
    fs::create_dir_all(&client).unwrap();
    fs::write(client.join("findling.js"), "client").unwrap();
    let args = [
        site.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--encoder",
        "none",
        "--client",
        client.to_str().unwrap(),
    ];
    build(&args).unwrap();
    assert_eq!(fs::read(out.join("findling.js")).unwrap(), b"client");
}

#[test]
fn a_build_in_process_needs_an_output_or_gives_the_files_of_a_directory() {
    let tree = crate::sources::Tree::of_files([("a.md".to_owned(), b"# A\n\nText.".to_vec())]);
    let options = Options {
        tree,
        meaning: site::Meaning { encoder: Some("none".into()), ..site::Meaning::default() },
        client: site::Client::None,
        ..Options::default()
    };
    let error = site::build(&options, &Ui::silent()).unwrap_err();
    assert!(error.to_string().contains("expected an output"), "{error}");
    assert!(site::bundle(&options, &Ui::silent()).unwrap().files().is_ok());
    let options = Options { form: site::Form::SingleFile, ..options };
    let error = site::bundle(&options, &Ui::silent()).unwrap().files().unwrap_err();
    assert!(error.to_string().contains("expected the form"), "{error}");
}
