//! The interface for hosts of WebAssembly components: `wit/engine.wit`.

use std::cell::RefCell;

use crate::error::Failure;
use crate::open_bundle::{self, OpenBundle};
use bindings::exports::findling::engine::search as wit;

/// The code that `wit-bindgen` generates: the canonical ABI.
#[allow(unsafe_code, missing_docs, clippy::all, reason = "generated code of a foreign interface")]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "engine" });

    use crate::component::Component;

    export!(Component);
}

struct Component;

/// Resources are shared by their handles, and a component runs one call at a time.
struct Bundle(RefCell<OpenBundle>);
struct Query(RefCell<open_bundle::Search>);

impl wit::Guest for Component {
    type Bundle = Bundle;
    type Query = Query;

    fn manifest_of(entry: Vec<u8>) -> Result<String, wit::Failure> {
        Ok(open_bundle::manifest_of(&entry)?)
    }

    fn single_file_head(head: Vec<u8>) -> Result<Vec<u32>, wit::Failure> {
        Ok(open_bundle::single_file_head(&head)?)
    }
}

impl wit::GuestBundle for Bundle {
    fn open(
        entry: Vec<u8>,
        manifest: Vec<u8>,
        streamed: bool,
    ) -> Result<wit::Bundle, wit::Failure> {
        let bundle = OpenBundle::open(&entry, &manifest, streamed)?;
        Ok(wit::Bundle::new(Self(RefCell::new(bundle))))
    }

    fn describe(&self) -> String {
        self.0.borrow().describe()
    }

    fn search(&self, request: String) -> Result<wit::Query, wit::Failure> {
        let search = self.0.borrow().search(&request)?;
        Ok(wit::Query::new(Query(RefCell::new(search))))
    }

    fn provide(&self, shard: u64, stored: Vec<u8>) -> Result<(), wit::Failure> {
        // No shard has the last number.
        let shard = u32::try_from(shard).unwrap_or(u32::MAX);
        Ok(self.0.borrow_mut().provide(shard, &stored)?)
    }

    fn resident_bytes(&self) -> u64 {
        self.0.borrow().resident_bytes() as u64
    }

    fn shrink(&self, limit: u64) {
        self.0.borrow_mut().shrink(usize::try_from(limit).unwrap_or(usize::MAX));
    }

    fn shard_paths(&self) -> Option<String> {
        self.0.borrow().shard_paths()
    }
}

impl wit::GuestQuery for Query {
    fn step(&self, of: wit::BundleBorrow<'_>) -> Result<String, wit::Failure> {
        Ok(self.0.borrow_mut().step(&mut of.get::<Bundle>().0.borrow_mut())?)
    }
}

impl From<Failure> for wit::Failure {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code().to_owned(), message: failure.to_string() }
    }
}
