//! Any text as a query, as a filter in each spelling, and as a whole request: the engine answers it
//! or refuses it with a request error.

#![no_main]

use findling_engine::Request;
use libfuzzer_sys::fuzz_target;
use support::{Bundle, hostile};

#[path = "../../../crates/engine/tests/support/mod.rs"]
mod support;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let bundle = hostile::bundle();
    let query = |prefix| Request { query: text.to_string(), prefix, ..Request::default() };
    for request in [query(false), query(true)] {
        answer(&bundle, request);
    }
    let filter = serde_json::from_str(&text).unwrap_or_else(|_| text.to_string().into());
    let filtered =
        Request { query: "closures".into(), filter: Some(filter), ..Request::default() };
    answer(&bundle, filtered);
    if let Ok(request) = Request::from_json(&text) {
        answer(&bundle, request);
    }
});

/// Asserts that an error is the fault of the request, since the bundle is undamaged.
fn answer(bundle: &Bundle, request: Request) {
    let mut index = bundle.open();
    if let Err(error) = bundle.answer(&mut index, request) {
        assert!(error.is_request(), "{error}");
    }
}
