//! The packages that a project depends on: which versions its lock files pin, and where they are on
//! this disk.
//!
//! [`Lock::read`] reads a lock file of Cargo, npm, pnpm, Yarn, Poetry, uv, pip or Go. [`locate`]
//! looks for each package where the tools keep it: the registry of Cargo, `node_modules`,
//! `site-packages` of environments, the module cache of Go. [`Found::contents`] lists the files
//! that answer questions about it: sources, declarations and documents.
//!
//! Nothing is fetched, no package manager and no program of a package runs. Lock files and packages
//! are other people's: names that lead out of a directory of packages are refused, links are not
//! followed, and sizes and depths are limited.
//!
//! ```
//! use findling_dependencies::{Ecosystem, Lock, Places, locate};
//!
//! let directory = tempfile::tempdir()?;
//! let sources = directory.path().join("cargo/registry/src/index-1/kiln-1.2.0");
//! std::fs::create_dir_all(sources.join("src"))?;
//! std::fs::write(sources.join("src/lib.rs"), "/// Fires.\npub fn fire() {}\n")?;
//! let path = directory.path().join("Cargo.lock");
//! let package = |name: &str| {
//!     format!("[[package]]\nname = \"{name}\"\nversion = \"1.2.0\"\nsource = \"registry+x\"\n")
//! };
//! std::fs::write(&path, package("kiln") + &package("oven"))?;
//!
//! let lock = Lock::read(&path)?;
//! let places =
//!     Places { cargo_homes: vec![directory.path().join("cargo")], ..Places::default() };
//! let located = locate(&[lock], &places);
//! let kiln = &located.found[0];
//! assert_eq!((kiln.package.ecosystem, kiln.package.name.as_str()), (Ecosystem::Cargo, "kiln"));
//! assert_eq!(kiln.id(&kiln.contents().files[0]), "kiln@1.2.0/src/lib.rs");
//! assert_eq!(located.missing[0].package.to_string(), "oven@1.2.0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cargo_sources;
mod contents;
mod error;
mod formats;
mod locate;
mod lock;
mod module_cache;
mod node_modules;
mod package;
mod places;
mod site_packages;

pub use contents::Contents;
pub use error::Error;
pub use locate::{Found, Located, Missing, locate};
pub use lock::{Kind, Lock, lock_files};
pub use package::{Ecosystem, Package};
pub use places::Places;
