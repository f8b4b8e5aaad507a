//! A compiler for wasm32-unknown-unknown.
//!
//! Usually this is the user's compiler after `rustup target add`. If rustup or its server is not
//! available but Debian's packages are, `rustc-web` is used: the standard library is compiled once
//! from its source, in about a minute, into a sysroot in the cache directory. Debian's compiler is
//! never used for native builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{debian, will_install};
use crate::cmd::{Cmd, note, which};
use crate::paths::{self, Paths};

const TARGET: &str = "wasm32-unknown-unknown";
/// Debian's compiler, which is not rustup's.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
/// Time limit for about 30 MB on a slow connection. Afterwards the packages are tried.
const RUSTUP_LIMIT: Duration = Duration::from_secs(240);

/// The compiler to build wasm with.
pub struct WasmRustc {
    /// `None` for the compiler that cargo uses.
    pub rustc: Option<PathBuf>,
}

impl WasmRustc {
    /// Makes a cargo command use this compiler.
    pub fn apply(&self, command: Cmd) -> Cmd {
        match &self.rustc {
            Some(rustc) => command.env("RUSTC", rustc),
            None => command,
        }
    }
}

/// Finds or makes a compiler for wasm. `FINDLING_WASM_RUSTC` names one;
/// `FINDLING_WASM_SYSROOT=packaged` skips rustup.
pub fn wasm_rustc(paths: &Paths) -> Result<WasmRustc> {
    if let Some(rustc) = std::env::var_os("FINDLING_WASM_RUSTC").map(PathBuf::from) {
        if !has_std(&rustc) {
            bail!(
                "FINDLING_WASM_RUSTC={}: this compiler has no standard library for {TARGET}",
                rustc.display()
            );
        }
        return Ok(WasmRustc { rustc: Some(rustc) });
    }
    let packaged_only = std::env::var_os("FINDLING_WASM_SYSROOT").is_some_and(|v| v == "packaged");
    if !packaged_only && has_std(&paths::rustc()) {
        return Ok(WasmRustc { rustc: None });
    }
    if let Some(rustc) = made_before(paths) {
        return Ok(WasmRustc { rustc: Some(rustc) });
    }
    let mut tried = Vec::new();
    if packaged_only {
        tried.push("rustup: passed over, as FINDLING_WASM_SYSROOT says".to_owned());
    } else {
        match by_rustup() {
            Ok(()) => return Ok(WasmRustc { rustc: None }),
            Err(error) => {
                note(format!("not by rustup: {error:#}"));
                tried.push(format!("rustup: {error:#}"));
            }
        }
    }
    match by_packages(paths) {
        Ok(rustc) => Ok(WasmRustc { rustc: Some(rustc) }),
        Err(error) => {
            tried.push(format!("Debian packages: {error:#}"));
            bail!(
                "there is no Rust standard library for {TARGET}, and none could be installed:\n  - \
                 {}\n\
                 Install it by hand (`rustup target add {TARGET}`), or name a compiler that has it \
                 in FINDLING_WASM_RUSTC",
                tried.join("\n  - ")
            )
        }
    }
}

/// Returns whether `rustc` finds a compiled standard library for wasm.
fn has_std(rustc: &Path) -> bool {
    let libdir = Cmd::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).read();
    let entries = libdir.ok().and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten();
    let is_std = |name: &str| name.starts_with("libstd-") && name.ends_with(".rlib");
    entries.filter_map(Result::ok).any(|entry| entry.file_name().to_str().is_some_and(is_std))
}

fn by_rustup() -> Result<()> {
    let rustup = which("rustup").context("there is no rustup here")?;
    will_install(&format!("Rust's standard library for {TARGET}, by rustup (about 30 MB)"));
    Cmd::new(rustup).args(["target", "add", TARGET]).limit(RUSTUP_LIMIT).run()?;
    if !has_std(&paths::rustc()) {
        bail!("rustup installed it for another toolchain than the one cargo uses here");
    }
    Ok(())
}

/// Returns version and host of Debian's compiler.
fn debian_rustc() -> Option<(String, String)> {
    let said = Cmd::new(DEBIAN_RUSTC).arg("-vV").read().ok()?;
    let field = |name: &str| {
        said.lines().find_map(|line| line.strip_prefix(name)).map(|v| v.trim().to_owned())
    };
    Some((field("release:")?, field("host:")?))
}

fn sysroot_dir(paths: &Paths, release: &str) -> PathBuf {
    paths.cache.join(format!("wasm-sysroot-{release}"))
}

/// Returns the sysroot of an earlier run, if it belongs to the compiler that is installed now.
fn made_before(paths: &Paths) -> Option<PathBuf> {
    let (release, _) = debian_rustc()?;
    let rustc = sysroot_dir(paths, &release).join("bin/rustc");
    (rustc.is_file() && has_std(&rustc)).then_some(rustc)
}

fn by_packages(paths: &Paths) -> Result<PathBuf> {
    if !debian::has_apt() {
        bail!("this machine has no apt");
    }
    let names = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm"];
    if !debian::missing(&names).is_empty() {
        debian::update();
    }
    let version = debian::candidate("rustc-web").context("there is no package rustc-web here")?;
    let wanted = env!("CARGO_PKG_RUST_VERSION");
    if minor(&version) < minor(wanted) {
        bail!("rustc-web is {version}, and this workspace needs Rust {wanted}");
    }
    // The linker of the same LLVM.
    let llvm = debian::depends("rust-web-llvm")
        .into_iter()
        .find_map(|dep| Some(dep.strip_prefix("llvm-")?.to_owned()));
    let lld = format!("lld-{}", llvm.context("rust-web-llvm names no LLVM")?);
    let packages: Vec<&str> = names.iter().copied().chain([lld.as_str()]).collect();
    debian::install(
        &packages,
        "a Rust compiler for wasm and the standard library's source, about 400 MB",
    )?;
    let (release, host) =
        debian_rustc().context("rustc-web is installed, but /usr/bin/rustc does not run")?;
    let sysroot = sysroot_dir(paths, &release);
    will_install(&format!(
        "{}, the standard library for {TARGET}, compiled here (a minute, 80 MB)",
        sysroot.display()
    ));
    compile_std(&sysroot, &host)?;
    let rustc = sysroot.join("bin/rustc");
    if !has_std(&rustc) {
        bail!("{} was made, but is not usable", sysroot.display());
    }
    Ok(rustc)
}

/// Returns the `y` of `x.y.z`.
fn minor(version: &str) -> u32 {
    version.split(['.', '+', '~', '-']).nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(0)
}

/// Compiles the standard library into a sysroot. The directory appears only when it is complete.
fn compile_std(sysroot: &Path, host: &str) -> Result<()> {
    let work = sysroot.with_extension("making");
    remove(&work)?;
    let empty = work.join("empty");
    fs::create_dir_all(empty.join("src"))?;
    fs::write(empty.join("src/lib.rs"), "")?;
    fs::write(
        empty.join("Cargo.toml"),
        "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [profile.release]\nopt-level = 3\ncodegen-units = 1\npanic = \"abort\"\ndebug = false\n",
    )?;
    // Building std is an unstable option of cargo, which the variable allows on a stable compiler.
    Cmd::new(DEBIAN_CARGO)
        .args(["build", "--release", "--target", TARGET, "-Zbuild-std=std,panic_abort,test"])
        .dir(&empty)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", DEBIAN_RUSTC)
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("CARGO_TARGET_DIR", empty.join("target"))
        .limit(Duration::from_secs(900))
        .run()?;
    let made = work.join("sysroot");
    let rustlib = made.join("lib/rustlib");
    let lib = rustlib.join(TARGET).join("lib");
    fs::create_dir_all(&lib)?;
    for entry in fs::read_dir(empty.join("target").join(TARGET).join("release/deps"))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            fs::copy(&path, lib.join(name))?;
        }
    }
    // Build scripts and procedural macros run on the host, with Debian's own library.
    symlink(&Path::new("/usr/lib/rustlib").join(host), &rustlib.join(host))?;
    symlink(Path::new("/usr/lib/rustlib/src"), &rustlib.join("src"))?;
    fs::create_dir_all(made.join("bin"))?;
    let rustc = made.join("bin/rustc");
    let quoted = sysroot.display().to_string().replace('\'', "'\\''");
    fs::write(&rustc, format!("#!/bin/sh\nexec {DEBIAN_RUSTC} --sysroot '{quoted}' \"$@\"\n"))?;
    make_executable(&rustc)?;
    remove(sysroot)?;
    fs::rename(&made, sysroot).with_context(|| sysroot.display().to_string())?;
    remove(&work)
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| dir.display().to_string())
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn symlink(to: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(to, link).with_context(|| link.display().to_string())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
        .with_context(|| file.display().to_string())
}

#[cfg(not(unix))]
fn symlink(_to: &Path, _link: &Path) -> Result<()> {
    bail!("Debian packages are for Debian")
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> Result<()> {
    bail!("Debian packages are for Debian")
}

#[cfg(test)]
mod tests {
    use super::minor;

    #[test]
    fn versions_of_packages_and_of_rust_compare() {
        for (version, expect) in
            [("1.96.0+dfsg1-1~deb12u2", 96), ("1.91", 91), ("1.85.0", 85), ("none", 0)]
        {
            assert_eq!(minor(version), expect, "{version}");
        }
    }
}
