//! Collections: named bundles that Findling keeps and brings up to date.
//!
//! The [`Registry`] says what each is made from. Each sync makes a new generation of its bundle
//! ([`generation`]) and switches to it at the end, so searches see the last good bundle whatever
//! happens. `docs/collections.md` describes collections for their users.

mod dependencies;
mod error;
mod export;
mod files;
mod freshness;
pub mod generation;
mod home;
mod kind;
mod lock;
mod name;
mod package_root;
mod registry;
mod remove;
mod settings;
mod state;
mod sync;
mod target;
mod unused;
mod vectors;
mod watch;

pub use error::Error;
pub use export::{export, import};
pub use freshness::Freshness;
pub use home::Home;
pub use kind::{Kind, names as kinds};
pub use lock::{Lock, Owner};
pub use name::Name;
pub use package_root::PackageRoot;
pub use registry::Registry;
pub use remove::remove;
pub use settings::Settings;
pub use state::{Built, BuiltVectors, State};
pub use sync::{Build, Options, Place, Reason, Report, Status, sync};
pub use target::Target;
pub use unused::{note_use, remove_unused};
pub use vectors::DEFAULT_VECTORS;
pub use watch::Watch;
