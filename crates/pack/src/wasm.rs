//! What the client calls: `room`, a piece of the packed module written there, `unpack`, until all
//! is there; the module is at `module`.

#![expect(
    unsafe_code,
    reason = "exports by name and a static without a lock; wasm-bindgen's script and std's lock are larger than all of it"
)]

use core::cell::RefCell;

use crate::Unpacker;

/// Too large for the stack.
static UNPACKER: Alone = Alone(RefCell::new(Unpacker::new()));

/// For one thread.
struct Alone(RefCell<Unpacker>);

// SAFETY: WebAssembly without atomics, which is how this is compiled, has one thread.
unsafe impl Sync for Alone {}

/// Where the next `bytes` are to be written; 0 where they are too many.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> usize {
    UNPACKER.0.borrow_mut().room(bytes).map_or(0, |room| room.as_ptr().addr())
}

/// How many bytes of the module there are, now that more has come; -1 where it is damaged.
#[unsafe(no_mangle)]
extern "C" fn unpack(all: bool) -> isize {
    UNPACKER.0.borrow_mut().go_on(all).map_or(-1, |module| module.len() as isize)
}

/// Where the module begins.
#[unsafe(no_mangle)]
extern "C" fn module() -> usize {
    UNPACKER.0.borrow().module().as_ptr().addr()
}

/// Nothing here can panic but by a fault of its own; the client says that it failed.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
