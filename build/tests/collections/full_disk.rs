//! Tests of a full disk: nothing is lost, and the error names the reason.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::home::Home;

/// Runs in a namespace of its own, with a small disk at `$FINDLING_HOME`. Each step leaves its
/// output and its exit status in a file.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=2m tmpfs "$FINDLING_HOME" || exit 97
step() { name=$1; shift; "$PROGRAM" "$@" --json > "$name" 2> "$name.err"; echo $? > "$name.code"; }
step add collection add site site --encoder none
mv more/* site
step full sync site
step found search site mutex -k 100
ls -A "$FINDLING_HOME/collections/site" > left
mount -o remount,size=64m "$FINDLING_HOME" || exit 97
step roomy sync site
step after search site mutex -k 500
"#;

/// Generates words that compress badly.
fn words(seed: u64, n: usize) -> String {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (0..7).map(|i| char::from(b'a' + ((state >> (20 + 5 * i)) % 20) as u8)).collect::<String>()
    };
    (0..n).map(|_| word() + " ").collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_nothing_that_was_there() {
    let home = Home::new();
    for at in 0..30 {
        let text = format!("# Page {at}\n\nA mutex. {}\n", words(at, 60));
        home.write(&format!("site/{at}.md"), &text);
    }
    for at in 100..250 {
        let text = format!("# Page {at}\n\nA mutex. {}\n", words(at, 900));
        home.write(&format!("more/{at}.md"), &text);
    }
    let data = home.path("disk");
    fs::create_dir(&data).unwrap();
    let done = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", SCRIPT])
        .current_dir(home.path("."))
        .env("FINDLING_HOME", &data)
        .env("PROGRAM", env!("CARGO_BIN_EXE_findling"))
        .output();
    let Some(done) = done.ok().filter(|done| home.path("add").exists() || done.status.success())
    else {
        println!("skipped: a full disk: this machine lets no user mount one");
        return;
    };
    assert!(done.status.success(), "{done:?}");
    let text = |name: &str| fs::read_to_string(home.path(name)).unwrap();
    let json = |name: &str| -> Value { serde_json::from_str(&text(name)).unwrap() };
    let code = |name: &str| text(&format!("{name}.code")).trim().to_owned();
    assert_eq!(code("add"), "0", "{}", text("add.err"));
    assert_eq!(code("full"), "1", "{}", text("full"));
    let failed = &json("full")["collections"][0];
    assert_eq!((&failed["status"], &failed["code"]), (&"failed".into(), &"disk-full".into()));
    assert!(text("full.err").contains("findling sync site"), "{}", text("full.err"));
    // The last bundle still answers, and no incomplete file takes up space.
    assert_eq!(json("found")["total"]["pages"], 30);
    let left = text("left");
    assert!(left.lines().all(|name| !name.ends_with(".new") && !name.contains("000002")), "{left}");
    assert_eq!(code("roomy"), "0", "{}", text("roomy.err"));
    assert_eq!(json("after")["total"]["pages"], 180);
}
