//! `findling sync --watch` follows its sources.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::home::Home;

/// Ends the program with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the word is found on these pages; gives up after two minutes.
fn wait_for(home: &Home, word: &str, pages: &[&str]) {
    for _ in 0..600 {
        if home.found("site", word) == pages {
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    panic!("{word}: expected {pages:?}, found {:?}", home.found("site", word));
}

#[test]
fn edits_of_files_settings_and_sources_are_followed() {
    let home = Home::new();
    home.write("site/a.md", "# One\n\nAlpha.\n");
    home.add("site");
    home.write("site/a.md", "# One\n\nBeta.\n");
    let mut watch = home.command(&["sync", "site", "--watch"]);
    let _watch = Ends(watch.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_for(&home, "beta", &["/a/"]);
    home.write("site/deep/er/b.md", "# Two\n\nGamma.\n");
    wait_for(&home, "gamma", &["/deep/er/b/"]);
    home.write("site/deep/er/b.md", "# Two\n\nDelta.\n");
    wait_for(&home, "delta", &["/deep/er/b/"]);
    // A setting in the registry.
    let registry = fs::read_to_string(home.registry()).unwrap();
    let edited =
        registry.replace("\nencoder = \"none\"", "\nencoder = \"none\"\nbase-url = \"/x/\"");
    fs::write(home.registry(), edited).unwrap();
    wait_for(&home, "delta", &["/x/deep/er/b/"]);
    // A source that goes away and comes back with something new.
    fs::rename(home.path("site"), home.path("away")).unwrap();
    home.write("away/c.md", "# Three\n\nOmega.\n");
    fs::rename(home.path("away"), home.path("site")).unwrap();
    wait_for(&home, "omega", &["/x/c/"]);
    fs::remove_file(home.path("site/a.md")).unwrap();
    wait_for(&home, "beta", &[]);
}
