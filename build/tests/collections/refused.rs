//! Bad inputs: each leads to a message that names the fault and to the right exit status, and
//! destroys no existing data.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use findling_build::collections::Lock;

use super::home::{Done, Home};

/// Returns a home with a collection `site` of two pages.
fn home() -> Home {
    let home = Home::new();
    home.write("site/a.md", "# One\n\nAlpha.\n");
    home.write("site/b.md", "# Two\n\nAlpha beta.\n");
    home.add("site");
    home
}

/// Asserts that the bundle still answers.
fn serves(home: &Home) {
    assert_eq!(home.found("site", "alpha").len(), 2);
}

/// Returns the code that a failed sync reports.
fn code(home: &Home, args: &[&str]) -> String {
    let done = home.run(&[&["sync", "site", "--json"][..], args].concat());
    assert_eq!(done.code, 1, "{done:?}");
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    report["collections"][0]["code"].as_str().unwrap().to_owned()
}

fn fails(home: &Home, args: &[&str], code: i32, names: &str) -> Done {
    let done = home.run(args);
    assert_eq!(done.code, code, "{args:?}: {done:?}");
    assert!(done.err.contains(names), "{names} in {done:?}");
    assert!(!done.err.contains('\u{1b}'), "an escape sequence in {done:?}");
    done
}

#[test]
fn names_that_are_no_names_are_wrong_usage() {
    let home = home();
    for name in ["../x", "", "a/b", "Upper", ".hidden", "con", "a b", "\u{1b}[2Jx"] {
        fails(&home, &["collection", "add", name, "site"], 2, "");
        fails(&home, &["collection", "rename", "site", name], 2, "");
        fails(&home, &["sync", "--", name], 2, "");
    }
    fails(&home, &["collection", "add", "x", "site", "--kind=floppy"], 2, "floppy");
    fails(&home, &["collection", "add", "x"], 2, "");
    assert_eq!(fs::read_dir(home.data().join("collections")).unwrap().count(), 1);
    serves(&home);
}

#[test]
fn names_that_are_taken_or_unknown_are_refused() {
    let home = home();
    home.write("other/c.md", "# C\n\nGamma.\n");
    home.add("other");
    let registry = fs::read(home.registry()).unwrap();
    fails(&home, &["collection", "add", "site", "other"], 1, "`site`");
    fails(&home, &["collection", "rename", "other", "site"], 1, "`site`");
    fails(&home, &["collection", "rename", "absent", "x"], 1, "`absent`");
    fails(&home, &["collection", "remove", "sitte", "--yes"], 1, "similar ones are site");
    fails(&home, &["collection", "show", "absent"], 1, "`absent`");
    fails(&home, &["sync", "site", "absent"], 1, "`absent`");
    // Nobody can answer: nothing is removed.
    fails(&home, &["collection", "remove", "site"], 1, "--yes");
    assert_eq!(fs::read(home.registry()).unwrap(), registry);
    serves(&home);
}

#[test]
fn sources_that_are_not_there_keep_the_last_bundle() {
    let home = home();
    fails(&home, &["collection", "add", "x", "absent"], 1, "absent");
    assert_eq!(
        home.json(&["collection", "list", "--json"])["collections"].as_array().unwrap().len(),
        1
    );
    fs::rename(home.path("site"), home.path("away")).unwrap();
    assert_eq!(code(&home, &[]), "missing-source");
    serves(&home);
    // A drive that is not mounted is an empty directory.
    fs::create_dir(home.path("site")).unwrap();
    assert_eq!(code(&home, &[]), "emptied");
    // Without a remaining page, no bundle can be built.
    assert_eq!(code(&home, &["--allow-empty"]), "build");
    serves(&home);
    fs::remove_dir(home.path("site")).unwrap();
    fs::rename(home.path("away"), home.path("site")).unwrap();
    assert_eq!(home.sync("site")["status"], "unchanged");
}

#[test]
fn one_of_two_sources_can_be_emptied_on_purpose() {
    let home = Home::new();
    home.write("one/a.md", "# A\n\nAlpha.\n");
    home.write("two/b.md", "# B\n\nAlpha.\n");
    let args = ["collection", "add", "site", "one", "two", "--encoder=none"];
    assert_eq!(home.run(&args).code, 0);
    fs::remove_file(home.path("two/b.md")).unwrap();
    assert_eq!(code(&home, &[]), "emptied");
    serves(&home);
    // A source without pages is named at every sync, and the rest is indexed.
    fails(&home, &["sync", "site", "--allow-empty"], 3, "two");
    assert_eq!(home.found("site", "alpha").len(), 1);
    fails(&home, &["sync", "site"], 3, "could not be read");
}

#[test]
fn a_source_without_pages_leaves_a_collection_without_bundle() {
    let home = home();
    home.write("pictures/a.png", "png");
    let add = ["collection", "add", "pictures", "pictures", "--encoder=none"];
    fails(&home, &add, 1, "pictures");
    fails(&home, &["search", "pictures", "x"], 3, "findling sync pictures");
    home.write("pictures/a.md", "# A\n\nWords.\n");
    home.sync("pictures");
    assert_eq!(home.found("pictures", "words").len(), 1);
}

#[test]
fn a_damaged_registry_is_named_with_its_line_and_left_alone() {
    let home = home();
    let good = fs::read_to_string(home.registry()).unwrap();
    for (damage, line) in [
        (good.clone() + "[collections.x\n", good.lines().count() + 1),
        (good.clone() + "[collections.site]\n", good.lines().count() + 1),
        (good.clone() + "[collections.\"../x\"]\n", good.lines().count() + 1),
        (good.clone() + "[collections.x]\ndirectory = \"site\"\n", good.lines().count() + 1),
        (good.clone() + "colour = \"red\"\n", good.lines().count() + 1),
        (good.replace("\nencoder = \"none\"", "\nencoder = 3"), good.lines().count()),
    ] {
        fs::write(home.registry(), &damage).unwrap();
        let named = format!("collections.toml:{line}");
        for args in [
            &["collection", "list"][..],
            &["collection", "add", "y", "site", "--no-sync"],
            &["collection", "remove", "site", "--yes"],
            &["sync"],
        ] {
            fails(&home, args, 1, &named);
        }
        fails(&home, &["search", "site-x", "alpha"], 3, &named);
        assert_eq!(fs::read_to_string(home.registry()).unwrap(), damage);
    }
    fs::write(home.registry(), b"# \xff\n").unwrap();
    fails(&home, &["collection", "list"], 1, "collections.toml:1");
    fs::write(home.registry(), good).unwrap();
    serves(&home);
}

#[test]
fn a_registry_that_is_no_file_is_named() {
    let home = home();
    fs::remove_file(home.registry()).unwrap();
    fs::create_dir(home.registry()).unwrap();
    fails(&home, &["collection", "list"], 1, "collections.toml");
    fails(&home, &["collection", "add", "x", "site"], 1, "collections.toml");
    let other = Home::new();
    other.write("data", "a file");
    other.write("site/a.md", "# A\n\nAlpha.\n");
    fails(&other, &["collection", "add", "x", "site"], 1, "data");
    assert_eq!(fs::read(other.data()).unwrap(), b"a file");
}

#[test]
fn of_two_syncs_at_once_one_is_refused() {
    let home = home();
    home.write("site/c.md", "# Three\n\nAlpha.\n");
    let lock = Lock::take(&home.collection("site").join("lock"), "test").unwrap();
    assert_eq!(code(&home, &[]), "busy");
    let done = fails(&home, &["sync", "site"], 1, &format!("process {}", std::process::id()));
    assert!(done.out.is_empty());
    fails(&home, &["collection", "remove", "site", "--yes"], 1, "`site`");
    serves(&home);
    drop(lock);
    assert_eq!(home.sync("site")["new"], 1);
}

#[test]
fn syncs_started_together_end_with_one_whole_bundle() {
    let home = home();
    home.write("site/c.md", "# Three\n\nAlpha gamma.\n");
    let syncs: Vec<_> =
        (0..4).map(|_| home.command(&["sync", "site", "--quiet"]).spawn().unwrap()).collect();
    for mut sync in syncs {
        assert!(matches!(sync.wait().unwrap().code(), Some(0 | 1)));
    }
    home.sync("site");
    assert_eq!(home.found("site", "gamma"), ["/c/"]);
    assert_eq!(home.run(&["inspect", "site"]).code, 0);
    assert_eq!(home.generations("site").len(), 1);
}

#[test]
fn damaged_bundles_and_states_are_built_again() {
    let home = home();
    let generation = |home: &Home| home.collection("site").join(&home.generations("site")[0]);
    for (file, reason) in [("state.json", "damaged"), ("bundle/findling.idx", "damaged")] {
        fs::write(generation(&home).join(file), "spoilt").unwrap();
        assert_eq!(home.sync("site")["reason"], reason, "{file}");
        serves(&home);
    }
    // The pointer to the current generation is damaged; the existing generation is found.
    fs::write(home.collection("site").join("current"), "spoilt").unwrap();
    serves(&home);
    assert_eq!(home.sync("site")["status"], "unchanged");
    // The whole bundle.
    fs::remove_dir_all(generation(&home).join("bundle")).unwrap();
    fails(&home, &["search", "site", "x"], 3, "findling sync site");
    assert_eq!(home.sync("site")["reason"], "damaged");
    serves(&home);
    fs::remove_dir_all(home.collection("site")).unwrap();
    assert_eq!(home.sync("site")["reason"], "first");
    serves(&home);
}

#[test]
fn what_a_killed_sync_left_is_swept() {
    let home = home();
    let half = home.collection("site").join("000009");
    fs::create_dir_all(half.join("bundle/shards")).unwrap();
    fs::write(half.join("bundle/findling.idx"), "half").unwrap();
    fs::write(home.collection("site").join(".current.new-1"), "000009").unwrap();
    fs::write(home.collection("site").join("lock"), "{\"pid\":4194999,\"started\":1,\"since\":1}")
        .unwrap();
    serves(&home);
    assert_eq!(home.sync("site")["status"], "unchanged");
    assert_eq!(home.generations("site"), ["000001"]);
    assert!(!home.collection("site").join(".current.new-1").exists());
}

#[test]
fn a_clock_that_goes_back_hides_no_edit() {
    let home = home();
    let set = |time: SystemTime| {
        let file = fs::File::options().append(true).open(home.path("site/a.md")).unwrap();
        file.set_modified(time).unwrap();
    };
    // Synced while the clock was a day ahead.
    set(SystemTime::now() - Duration::from_secs(60));
    home.sync("site");
    let state = home.collection("site").join("000001/state.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    let ahead = json["scanned"].as_u64().unwrap() + 86_400_000_000_000;
    json["scanned"] = ahead.into();
    fs::write(&state, json.to_string()).unwrap();
    let date = fs::metadata(home.path("site/a.md")).unwrap().modified().unwrap();
    // The same length and the same date.
    home.write("site/a.md", "# One\n\nOmega.\n");
    set(date);
    assert_eq!(home.sync("site")["changed"], 1);
    // A date before all others.
    home.write("site/a.md", "# One\n\nAlpha.\n");
    set(SystemTime::UNIX_EPOCH);
    assert_eq!(home.sync("site")["changed"], 1);
    serves(&home);
}

#[test]
fn records_that_cannot_be_read_are_left_out_with_status_3() {
    let home = Home::new();
    home.write("site/a.jsonl", "{\"_id\": \"a\", \"text\": \"Alpha.\"}\n{\"_id\": \n");
    let add = ["collection", "add", "site", "site", "--encoder=none"];
    fails(&home, &add, 3, "a.jsonl:2");
    assert_eq!(home.found("site", "alpha").len(), 1);
    // The next sync has nothing to do, but still reports what is missing.
    fails(&home, &["sync"], 3, "could not be read");
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::CommandExt;

    use super::*;

    /// Runs as a user to whom permissions apply. They do not apply to root.
    fn run_as_nobody(home: &Home, args: &[&str]) -> Done {
        let mut command = home.command(args);
        if is_root(home) {
            command.uid(65_534).gid(65_534);
        }
        Done::of(command.output().unwrap())
    }

    fn is_root(home: &Home) -> bool {
        let probe = home.path("probe");
        fs::write(&probe, "").unwrap();
        mode(&probe, 0o000);
        fs::File::open(&probe).is_ok()
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Lets every user write everything.
    fn open_to_all(home: &Home) {
        for entry in walkdir::WalkDir::new(home.path("")) {
            mode(entry.unwrap().path(), 0o777);
        }
    }

    #[test]
    fn unreadable_files_and_directories_are_left_out_with_status_3() {
        let home = home();
        home.write("site/deep/c.md", "# Three\n\nAlpha gamma.\n");
        home.sync("site");
        open_to_all(&home);
        mode(&home.path("site/b.md"), 0o000);
        let done = run_as_nobody(&home, &["sync", "site"]);
        assert!(done.code == 3 && done.err.contains("b.md"), "{done:?}");
        mode(&home.path("site/deep"), 0o000);
        let done = run_as_nobody(&home, &["sync", "site"]);
        assert!(done.code == 3 && done.err.contains("deep"), "{done:?}");
        assert_eq!(home.found("site", "alpha"), ["/a/"]);
        mode(&home.path("site/deep"), 0o777);
        mode(&home.path("site/b.md"), 0o666);
        assert_eq!(run_as_nobody(&home, &["sync", "site"]).code, 0);
        assert_eq!(home.found("site", "alpha").len(), 3);
        // A source that cannot be read at all counts as missing.
        mode(&home.path("site"), 0o000);
        let done = run_as_nobody(&home, &["sync", "site"]);
        assert!(done.code == 1 && done.err.contains("site"), "{done:?}");
        mode(&home.path("site"), 0o777);
        assert_eq!(home.found("site", "alpha").len(), 3);
    }

    #[test]
    fn a_registry_that_cannot_be_written_is_read_all_the_same() {
        let home = home();
        open_to_all(&home);
        mode(&home.data(), 0o555);
        for args in
            [&["collection", "add", "x", "site"][..], &["collection", "rename", "site", "x"]]
        {
            let done = run_as_nobody(&home, args);
            assert!(done.code == 1 && done.err.contains("collections"), "{done:?}");
        }
        for args in [&["collection", "list"][..], &["search", "site", "alpha"], &["sync"]] {
            let done = run_as_nobody(&home, args);
            assert_ne!(done.code, 2, "{done:?}");
        }
        mode(&home.registry(), 0o000);
        let done = run_as_nobody(&home, &["collection", "list"]);
        assert!(done.code == 1 && done.err.contains("collections.toml"), "{done:?}");
        mode(&home.registry(), 0o666);
        mode(&home.data(), 0o777);
        serves(&home);
    }

    #[test]
    fn a_collection_that_cannot_be_written_is_searched_all_the_same() {
        let home = home();
        open_to_all(&home);
        mode(&home.collection("site"), 0o555);
        home.write("site/a.md", "# One\n\nOmega.\n");
        let done = run_as_nobody(&home, &["sync", "site", "--json"]);
        assert!(done.code == 1 && done.err.contains("000002"), "{done:?}");
        let done = run_as_nobody(&home, &["search", "site", "alpha", "--json", "--mode=lexical"]);
        assert_eq!(done.code, 0, "{done:?}");
        mode(&home.collection("site"), 0o777);
        serves(&home);
    }

    #[test]
    fn a_full_disk_keeps_the_last_bundle() {
        let home = home();
        let text = format!(
            "# Three\n\n{}\n",
            (0..20_000).map(|i| format!("word{i} ")).collect::<String>()
        );
        home.write("site/c.md", &text);
        // No file may grow beyond 1 kB, so writing fails in the same places as on a full disk.
        let program = env!("CARGO_BIN_EXE_findling");
        let line = format!("trap '' XFSZ; ulimit -f 2; exec {program} sync site --json");
        let done = Done::of(home.shell(&line).output().unwrap());
        assert!(done.code == 1 && done.err.contains("000002"), "{done:?}");
        serves(&home);
        assert_eq!(home.generations("site"), ["000001"], "what was written is removed");
        assert_eq!(home.sync("site")["new"], 1);
    }

    #[test]
    fn links_in_a_circle_end() {
        let home = home();
        symlink("..", home.path("site/up")).unwrap();
        symlink("b", home.path("site/self")).unwrap();
        fs::create_dir(home.path("site/sub")).unwrap();
        symlink("..", home.path("site/sub/loop")).unwrap();
        let done = home.run(&["sync", "site"]);
        assert!(matches!(done.code, 0 | 3), "{done:?}");
        assert!(home.found("site", "alpha").len() >= 2);
    }

    #[test]
    fn a_link_to_the_registry_stays_a_link() {
        let home = home();
        fs::rename(home.registry(), home.path("dotfile.toml")).unwrap();
        symlink(home.path("dotfile.toml"), home.registry()).unwrap();
        home.json(&["collection", "add", "x", "site", "--no-sync", "--json"]);
        assert!(fs::symlink_metadata(home.registry()).unwrap().is_symlink());
        assert!(fs::read_to_string(home.path("dotfile.toml")).unwrap().contains("collections.x"));
    }

    #[test]
    fn paths_that_are_not_unicode_are_refused_as_sources_and_read_below_them() {
        let home = home();
        let odd = home.path("").join(OsStr::from_bytes(b"odd\xff"));
        fs::create_dir(&odd).unwrap();
        let mut add = home.command(&["collection", "add", "x"]);
        let done = Done::of(add.arg(&odd).output().unwrap());
        assert!(done.code == 1 && done.err.contains("odd"), "{done:?}");
        fs::write(home.path("site").join(OsStr::from_bytes(b"c\xff.md")), "# C\n\nAlpha.\n")
            .unwrap();
        home.sync("site");
        assert_eq!(home.found("site", "alpha").len(), 3);
        assert_eq!(home.sync("site")["status"], "unchanged");
    }
}
