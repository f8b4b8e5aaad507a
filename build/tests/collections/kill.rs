//! Tests that a sync that is killed at any moment loses nothing.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::home::Home;

/// Pages of the site.
const N: usize = 90;

fn site(home: &Home, marker: &str) {
    for page in 0..N {
        let text = format!("# Page {page}\n\nEvery page has this: common. {marker} {page}.\n");
        home.write(&format!("site/{page}.md"), &text);
    }
}

/// Kills `n` syncs, each at another moment between start and end, and checks the state after each.
fn kill(n: u32) {
    let home = Home::new();
    site(&home, "marker0");
    home.add("site");
    // The duration of a sync only determines the moments.
    site(&home, "marker1");
    let started = Instant::now();
    home.sync("site");
    let whole = started.elapsed();
    let mut n_killed = 0;
    for i in 0..n {
        let (old, new) = (format!("marker{}", i + 1), format!("marker{}", i + 2));
        site(&home, &new);
        let mut sync = home
            .command(&["sync", "site"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the whole time by the golden ratio, with some moments after the end.
        let share = (f64::from(i) * 0.618_034).fract() * 1.1;
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * share));
        sync.kill().unwrap();
        n_killed += u32::from(sync.wait().unwrap().code().is_none());

        // All pages are there, all old or all new.
        assert_eq!(home.found("site", "common").len(), N, "after {share}");
        let found = [&old, &new].map(|marker| home.found("site", marker).len());
        assert!(found == [N, 0] || found == [0, N], "{found:?} after {share}");
        assert_eq!(home.run(&["inspect", "site"]).code, 0);
        // The registry is as it was, and the next sync goes on.
        home.json(&["collection", "list", "--json"]);
        home.sync("site");
        assert_eq!(home.found("site", &new).len(), N);
        assert_eq!(home.generations("site").len(), 1, "nothing half-made is left");
    }
    assert!(n_killed > 0, "no sync was killed before its end");
    // The present site, built from scratch, gives the same answers.
    let list = |home: &Home| home.found("site", "common");
    let (mut before, _) = (list(&home), home.json(&["sync", "site", "--fresh", "--json"]));
    let mut after = list(&home);
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn a_sync_killed_at_5_moments_loses_nothing() {
    kill(5);
}

/// Runs as `cargo test -p findling --test collections -- --ignored killed_at_50`.
#[test]
#[ignore = "fifty syncs take a minute"]
fn a_sync_killed_at_50_moments_loses_nothing() {
    kill(50);
}

#[test]
fn a_change_of_the_registry_killed_at_any_moment_leaves_a_whole_registry() {
    let home = Home::new();
    home.write("site/a.md", "# A\n\nText.\n");
    for i in 0..12u32 {
        let name = format!("c{i}");
        let mut add = home
            .command(&["collection", "add", &name, "site", "--no-sync"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(i) * 700));
        add.kill().unwrap();
        add.wait().unwrap();
        let list = home.json(&["collection", "list", "--json"]);
        assert!(list["collections"].as_array().unwrap().len() <= i as usize + 1);
    }
    assert_eq!(home.run(&["collection", "add", "last", "site", "--no-sync"]).code, 0);
    let left: Vec<_> = fs::read_dir(home.data())
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
