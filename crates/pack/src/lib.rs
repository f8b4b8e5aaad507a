//! WebAssembly modules on the wire: three quarters of what brotli leaves of them, whatever the host
//! compresses.
//!
//! A packed module is a header of 16 bytes (four that say what it is, the length of the module, an
//! FNV-1a hash of 64 bits of it, which also names it in caches) and its bytes as decisions through
//! a range coder, each by a probability that both sides make alike from all before it: [`model`]
//! mixes what a few contexts foretell, [`shape`] knows from the structure of WebAssembly what the
//! next byte is, and [`trees`] spare decisions for frequent bytes. Packing and unpacking take the
//! same time, a quarter of a microsecond a byte, and 11 MB. A module may carry others with it
//! ([`parts`]), which are then told by what it taught the model.
//!
//! [`pack`] is for builds; the unpacking side is a module of its own (`wasm.rs`), which the client
//! carries with it.

#![cfg_attr(target_arch = "wasm32", no_std)]

#[cfg(not(target_arch = "wasm32"))]
use std::sync::Mutex;

mod coder;
mod logistic;
mod mixer;
mod model;
#[cfg(not(target_arch = "wasm32"))]
pub mod parts;
mod shape;
mod trees;
mod unpack;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use unpack::{Damaged, Unpacker};

/// What a packed module begins with.
const MAGIC: [u8; 4] = *b"fpk\x03";
/// Magic, length, hash.
const HEADER: usize = 16;
/// The longest module.
pub const MOST_BYTES: usize = 1 << 20;
/// The longest packed module.
pub const MOST_PACKED: usize = 1 << 19;

/// `bytes` packed.
///
/// # Panics
///
/// Where they are more than [`MOST_BYTES`], or are more than [`MOST_PACKED`] packed.
#[cfg(not(target_arch = "wasm32"))]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    assert!(
        bytes.len() <= MOST_BYTES,
        "a module of {} bytes; {MOST_BYTES} can be packed",
        bytes.len()
    );
    let mut out = MAGIC.to_vec();
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(hash(bytes).to_le_bytes());
    let mut model = lock(&MODEL);
    model.begin();
    let mut coder = coder::Encoder::new(out);
    model.trees(&mut coder, &trees(bytes));
    for &byte in bytes {
        model.code(&mut coder, byte);
    }
    let out = coder.finish();
    assert!(out.len() <= MOST_PACKED, "packed {} bytes; {MOST_PACKED} can be unpacked", out.len());
    out
}

/// The trees of a module.
#[cfg(not(target_arch = "wasm32"))]
fn trees(bytes: &[u8]) -> [trees::Lengths; trees::TREES] {
    let mut counts = [[0; 256]; trees::TREES];
    let mut shape = shape::Shape::new();
    for &byte in bytes {
        counts[shape.tree()][usize::from(byte)] += 1;
        shape.next(byte);
    }
    counts.map(|counts| trees::shortest(&counts))
}

/// What [`pack`] made of a module, unpacked.
#[cfg(not(target_arch = "wasm32"))]
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, Damaged> {
    let mut unpacker = lock(&UNPACKER);
    unpacker.begin();
    unpacker.room(packed.len()).ok_or(Damaged)?.copy_from_slice(packed);
    unpacker.go_on(true).map(<[u8]>::to_vec)
}

/// Too large for the stack.
#[cfg(not(target_arch = "wasm32"))]
static MODEL: Mutex<model::Model> = Mutex::new(model::Model::new());
#[cfg(not(target_arch = "wasm32"))]
static UNPACKER: Mutex<Unpacker> = Mutex::new(Unpacker::new());

/// What is left by a thread that panicked is begun anew like all else.
#[cfg(not(target_arch = "wasm32"))]
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
