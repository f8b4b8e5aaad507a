//! The platforms for which packages with the program exist.

use anyhow::{Context, Result};

/// A platform.
pub struct Platform {
    /// Rust's name of it.
    pub target: &'static str,
    /// The end of the name of its npm package.
    pub npm: &'static str,
    /// The value that npm compares with `process.platform` and `process.arch`.
    pub os: &'static str,
    pub cpu: &'static str,
    /// On Linux, the C library that npm asks for.
    pub libc: Option<&'static str>,
    /// The platform tag of its wheel. On glibc, it depends on the program: see [`Self::wheel`].
    wheel: &'static str,
}

/// All platforms. `www/bin/program.mjs` composes the same npm names from what Node says.
pub const ALL: [Platform; 7] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        npm: "linux-x64-gnu",
        os: "linux",
        cpu: "x64",
        libc: Some("glibc"),
        wheel: "x86_64",
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        npm: "linux-arm64-gnu",
        os: "linux",
        cpu: "arm64",
        libc: Some("glibc"),
        wheel: "aarch64",
    },
    Platform {
        target: "x86_64-unknown-linux-musl",
        npm: "linux-x64-musl",
        os: "linux",
        cpu: "x64",
        libc: Some("musl"),
        wheel: "musllinux_1_2_x86_64",
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        npm: "linux-arm64-musl",
        os: "linux",
        cpu: "arm64",
        libc: Some("musl"),
        wheel: "musllinux_1_2_aarch64",
    },
    Platform {
        target: "x86_64-apple-darwin",
        npm: "darwin-x64",
        os: "darwin",
        cpu: "x64",
        libc: None,
        wheel: "macosx_10_12_x86_64",
    },
    Platform {
        target: "aarch64-apple-darwin",
        npm: "darwin-arm64",
        os: "darwin",
        cpu: "arm64",
        libc: None,
        wheel: "macosx_11_0_arm64",
    },
    Platform {
        target: "x86_64-pc-windows-msvc",
        npm: "win32-x64",
        os: "win32",
        cpu: "x64",
        libc: None,
        wheel: "win_amd64",
    },
];

/// The oldest glibc that wheels can name in the form `manylinux_2_N`.
const OLDEST_GLIBC: u32 = 17;

impl Platform {
    /// Returns the platform with Rust's name `target`.
    ///
    /// # Errors
    /// If there are no packages for it.
    pub fn of(target: &str) -> Result<&'static Self> {
        ALL.iter().find(|platform| platform.target == target).with_context(|| {
            let known: Vec<_> = ALL.iter().map(|platform| platform.target).collect();
            format!("expected one of the targets {}, found {target}", known.join(", "))
        })
    }

    /// Returns the name of the program's file.
    pub fn program(&self) -> &'static str {
        if self.os == "win32" { "findling.exe" } else { "findling" }
    }

    /// Returns the platform tag of a wheel with this program: on glibc, the version that the
    /// program needs.
    pub fn wheel(&self, program: &[u8]) -> String {
        if self.libc != Some("glibc") {
            return self.wheel.to_owned();
        }
        let version = glibc_needed(program).max(OLDEST_GLIBC);
        format!("manylinux_2_{version}_{}", self.wheel)
    }
}

/// Returns the newest `GLIBC_2.N` among the names of symbol versions in a program; 0 if it has
/// none.
fn glibc_needed(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    program
        .windows(NAME.len() + 3)
        .filter(|window| window.starts_with(NAME))
        .filter_map(|window| {
            let digits = window[NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
            String::from_utf8(digits.copied().collect()).ok()?.parse().ok()
        })
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_names_the_glibc_that_its_program_needs() {
        let glibc = Platform::of("x86_64-unknown-linux-gnu").unwrap();
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_PRIVATE\0libc.so.6\0";
        assert_eq!(glibc.wheel(program), "manylinux_2_34_x86_64");
        assert_eq!(glibc.wheel(b"\0GLIBC_2.2.5\0 "), "manylinux_2_17_x86_64");
        let musl = Platform::of("aarch64-unknown-linux-musl").unwrap();
        assert_eq!(musl.wheel(program), "musllinux_1_2_aarch64");
    }

    #[test]
    fn a_target_without_packages_is_refused() {
        assert!(Platform::of("wasm32-unknown-unknown").is_err());
    }
}
