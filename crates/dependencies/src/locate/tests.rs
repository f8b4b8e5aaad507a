//! Tests over trees as the package managers make them.

use std::fs;
use std::path::Path;

use super::*;

/// A lock file of Yarn with four packages.
const YARN: &str = "# yarn lockfile v1\na@1:\n  version \"1.0.0\"\n\"@s/b@1\":\n  version \
                    \"1.0.0\"\nc@1:\n  version \"1.0.0\"\nd@1:\n  version \"1.0.0\"\n";

fn write(root: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn look(root: &Path, lock: &str) -> Located {
    let places = Places {
        cargo_homes: vec![root.join("cargo")],
        module_caches: vec![root.join("go/pkg/mod")],
        environments: Vec::new(),
        shared_environments: vec![root.join("uv/archive-v0")],
    };
    locate(&[Lock::read(&root.join(lock)).unwrap()], &places)
}

fn ids(located: &Located) -> Vec<String> {
    let ids = located.found.iter().flat_map(|found| {
        let files = found.contents().files;
        files.iter().map(|file| found.id(file)).collect::<Vec<_>>()
    });
    ids.collect()
}

fn missing(located: &Located) -> Vec<String> {
    located.missing.iter().map(|missing| missing.package.label()).collect()
}

#[test]
fn crates_are_found_in_the_registry_in_checkouts_and_in_vendor() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let lock = [("one", "registry"), ("two", "registry"), ("three", "git"), ("four", "registry")];
    let lock: String = lock
        .iter()
        .map(|(name, from)| {
            let source = match *from {
                "git" => "git+https://example.org/x#0123456789abcdef0123456789abcdef01234567",
                _ => "registry+https://github.com/rust-lang/crates.io-index",
            };
            format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n")
        })
        .collect();
    let manifest = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n")
    };
    write(
        root,
        &[
            ("app/Cargo.lock", &lock),
            ("cargo/registry/src/index.crates.io-1/one-1.0.0/src/lib.rs", "pub fn one() {}"),
            ("cargo/registry/src/index.crates.io-1/two-2.0.0/src/lib.rs", "pub fn two() {}"),
            ("cargo/git/checkouts/x-1/0123456/Cargo.toml", "[workspace]\n"),
            ("cargo/git/checkouts/x-1/0123456/crates/three/Cargo.toml", &manifest("three")),
            ("cargo/git/checkouts/x-1/0123456/crates/three/src/lib.rs", "pub fn three() {}"),
            ("app/vendor/four/Cargo.toml", &manifest("four")),
            ("app/vendor/four/README.md", "# Four"),
        ],
    );
    let located = look(root, "app/Cargo.lock");
    assert_eq!(
        ids(&located),
        ["four@1.0.0/README.md", "one@1.0.0/src/lib.rs", "three@1.0.0/src/lib.rs"]
    );
    assert_eq!(missing(&located), ["two@1.0.0"], "another version is another package");
    assert!(located.missing[0].reason().contains("cargo fetch"));
}

#[test]
fn packages_are_found_in_node_modules_of_all_managers() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let manifest = |name: &str| format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\"}}");
    write(
        root,
        &[
            ("app/yarn.lock", YARN),
            ("app/node_modules/a/package.json", &manifest("a")),
            ("app/node_modules/a/index.d.ts", "export declare function a(): void;"),
            ("app/node_modules/a/node_modules/@s/b/package.json", &manifest("@s/b")),
            ("app/node_modules/a/node_modules/@s/b/index.js", "exports.b = 1"),
            ("app/node_modules/.pnpm/c@1.0.0/node_modules/c/package.json", &manifest("c")),
            ("app/node_modules/.pnpm/c@1.0.0/node_modules/c/README.md", "# C"),
            ("elsewhere/d/package.json", &manifest("d")),
            ("elsewhere/d/secret.js", "secret"),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("elsewhere/d"), root.join("app/node_modules/d")).unwrap();
    let located = look(root, "app/yarn.lock");
    let expected = ["@s/b@1.0.0/index.js", "a@1.0.0/index.d.ts", "c@1.0.0/README.md"];
    assert_eq!(ids(&located), expected);
    assert_eq!(missing(&located), ["d@1.0.0"], "a link that leads out is not followed");
}

#[test]
fn distributions_are_found_in_environments_and_caches() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let site = "app/.venv/lib/python3.12/site-packages";
    write(
        root,
        &[
            ("app/requirements.txt", "Ruamel.YAML==0.18.6\nflask\nidna==3.7\nclick==8\n"),
            (&format!("{site}/ruamel/yaml/__init__.py"), "def load(): ..."),
            (
                &format!("{site}/ruamel_yaml-0.18.6.dist-info/RECORD"),
                "ruamel/yaml/__init__.py,sha256=1,2\n../../../bin/x.py,,\n/etc/passwd.py,,\n",
            ),
            (&format!("{site}/ruamel_yaml-0.18.6.dist-info/METADATA"), "Name: ruamel.yaml\n\n# R"),
            (&format!("{site}/flask-3.0.3.dist-info/METADATA"), "Name: Flask\n\n# Flask"),
            (&format!("{site}/click-7.dist-info/METADATA"), "Name: click\n\n# Click"),
            ("uv/archive-v0/x1/idna/core.py", "def encode(): ..."),
            ("uv/archive-v0/x1/idna-3.7.dist-info/RECORD", "idna/core.py,,\n"),
        ],
    );
    let located = look(root, "app/requirements.txt");
    assert_eq!(
        ids(&located),
        [
            "Ruamel.YAML@0.18.6/ruamel/yaml/__init__.py",
            "Ruamel.YAML@0.18.6/ruamel_yaml-0.18.6.dist-info/METADATA",
            "flask@3.0.3/flask-3.0.3.dist-info/METADATA",
            "idna@3.7/idna/core.py",
            "idna@3.7/idna-3.7.dist-info/METADATA",
        ]
    );
    assert_eq!(missing(&located), ["click@8"]);
}

#[test]
fn modules_are_found_by_their_escaped_names() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        root,
        &[
            (
                "app/go.sum",
                "github.com/BurntSushi/toml v0.3.1 h1:x=\nexample.org/gone v1.0.0 h1:x=\n",
            ),
            ("go/pkg/mod/github.com/!burnt!sushi/toml@v0.3.1/decode.go", "package toml"),
            ("go/pkg/mod/github.com/!burnt!sushi/toml@v0.3.1/decode_test.go", "package toml"),
        ],
    );
    let located = look(root, "app/go.sum");
    assert_eq!(ids(&located), ["github.com/BurntSushi/toml@v0.3.1/decode.go"]);
    assert_eq!(missing(&located), ["example.org/gone@v1.0.0"]);
    let left_out = located.found[0].contents().left_out;
    assert_eq!(left_out.len(), 1, "{left_out:?}");
}

#[cfg(unix)]
#[test]
fn links_inside_of_a_package_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        root,
        &[
            ("secret/key.rs", "secret"),
            (
                "app/Cargo.lock",
                "[[package]]\nname = \"one\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n",
            ),
            ("cargo/registry/src/i-1/one-1.0.0/src/lib.rs", "pub fn one() {}"),
        ],
    );
    let package = root.join("cargo/registry/src/i-1/one-1.0.0");
    std::os::unix::fs::symlink(root.join("secret"), package.join("src/out")).unwrap();
    std::os::unix::fs::symlink(root.join("secret/key.rs"), package.join("src/key.rs")).unwrap();
    assert_eq!(ids(&look(root, "app/Cargo.lock")), ["one@1.0.0/src/lib.rs"]);
}
