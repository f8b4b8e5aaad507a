//! A file of browser tests that fails runs once more, and a fault is still a failure.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs files of tests in Node as `tests/e2e/run.mjs` does. Returns whether they passed, and the
/// output. `test` names a directory for the files.
fn run_files(test: &str, files: &[&str]) -> (bool, String) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let mut paths = Vec::new();
    for (place, body) in files.iter().enumerate() {
        let path = dir.join(format!("{place}.test.mjs"));
        let head = "import assert from 'node:assert';\n\
             import { existsSync, writeFileSync } from 'node:fs';\n\
             import { test } from 'node:test';\n\
             const isFirst = !existsSync(import.meta.filename + '.ran');\n\
             writeFileSync(import.meta.filename + '.ran', '');\n";
        fs::write(&path, format!("{head}{body}")).unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    let runner = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/lib/run-files.mjs");
    let script = format!(
        "import {{ runFiles }} from {runner:?};\n\
         process.exit(runFiles(process.execPath, {paths:?}, {:?}));",
        dir
    );
    let output = Command::new("node")
        .args(["--input-type=module", "--eval", &script])
        .output()
        .expect("these tests need Node");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
}

const SOUND: &str = "test('is sound', () => {});";
const LATE: &str = "test('is late once', () => assert.ok(!isFirst));";
const BROKEN: &str = "test('is broken', () => assert.ok(false));";

#[test]
fn what_fails_once_passes_and_is_named() {
    let (passed, output) = run_files("what_fails_once_passes_and_is_named", &[SOUND, LATE]);
    assert!(passed, "{output}");
    assert!(output.contains("1 failed tests passed when run again: is late once"), "{output}");
}

#[test]
fn what_fails_twice_fails() {
    let (passed, output) = run_files("what_fails_twice_fails", &[SOUND, LATE, BROKEN]);
    assert!(!passed, "{output}");
    assert!(!output.contains("passed when run again"), "{output}");
}

#[test]
fn many_failures_are_not_run_again() {
    let (passed, output) = run_files("many_failures_are_not_run_again", &[LATE, LATE, LATE]);
    assert!(!passed, "{output}");
    assert!(!output.contains("again |"), "{output}");
}

#[test]
fn nothing_is_run_again_where_all_pass() {
    let (passed, output) = run_files("nothing_is_run_again_where_all_pass", &[SOUND]);
    assert!(passed && !output.contains("again |"), "{output}");
}
