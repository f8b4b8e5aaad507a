//! Tests that `findling models prepare --vocabulary` and `findling build --vocabulary-budget`
//! refuse bad values before any long work.

use std::path::Path;
use std::process::Command;

/// The end of the program, which must not be success.
struct Refusal {
    /// The code of the error, with `--json`.
    code: String,
    #[cfg_attr(not(feature = "transformer"), expect(dead_code, reason = "one test reads it"))]
    said: String,
}

fn refused(args: &[&str], home: &Path) -> Refusal {
    let output = Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(args)
        // No model: it is the arguments that are looked at first.
        .env("FINDLING_HOME", home)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{args:?}");
    let failure: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Refusal {
        code: failure["error"]["code"].as_str().unwrap_or_default().to_owned(),
        said: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
#[cfg(feature = "transformer")]
fn what_is_neither_a_bundle_nor_text_is_named() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).display().to_string();
    std::fs::write(path("image"), [0xff, 0xd8, 0xff, 0xe0]).unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    for (name, expected) in [("image", "UTF-8"), ("empty", "findling.idx"), ("nowhere", "nowhere")]
    {
        let said = refused(&["models", "prepare", "--vocabulary", &path(name)], home.path()).said;
        assert!(said.contains(expected) && said.contains(name), "{said}");
    }
}

#[test]
fn words_are_cut_of_a_transformer_alone() {
    let home = tempfile::tempdir().unwrap();
    let site = home.path().join("site");
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("a.md"), "# A\n\nText.").unwrap();
    let (site, out) = (site.display().to_string(), home.path().join("out").display().to_string());
    for encoder in ["hash", "none", "static"] {
        let args = [
            "build",
            &site,
            "--output",
            &out,
            "--no-client",
            "--encoder",
            encoder,
            "--vocabulary-budget",
            "2000",
            "--json",
        ];
        assert_eq!(refused(&args, home.path()).code, "query-encoder", "{encoder}");
    }
}
