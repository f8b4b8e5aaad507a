//! What is packed comes back, in whatever pieces, and what was damaged does not.

use findling_pack::{Damaged, Unpacker, pack, unpack};
use proptest::prelude::*;

/// Bytes that look like a module: some instructions again and again, numbers of all lengths,
/// constants in bytes, and nonsense.
fn modules() -> impl Strategy<Value = Vec<u8>> {
    let instruction = prop_oneof![
        (0x20..=0x22u8, 0..9u8).prop_map(|(opcode, local)| vec![opcode, local]),
        (0x28..=0x3eu8, any::<u16>()).prop_map(|(opcode, offset)| {
            vec![
                opcode,
                2,
                offset as u8 | 0x80,
                (offset >> 7) as u8 | 0x80,
                (offset >> 14) as u8 & 3,
            ]
        }),
        Just(vec![0x0e, 3, 0, 1, 2, 0]),
        Just([&[0x44][..], &1.5f64.to_le_bytes()].concat()),
        Just([&[0xfd, 12][..], &[7; 16]].concat()),
        Just(vec![0xfd, 84, 0, 4, 1, 0x6a, 0x0b]),
        Just(vec![0xfc, 10, 0, 0]),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    (proptest::collection::vec(instruction, 0..400), 0..3000u16).prop_map(|(body, claimed)| {
        let body = body.concat();
        let length = |n: usize| vec![n as u8 | 0x80, (n >> 7) as u8 | 0x80, (n >> 14) as u8];
        // Two bodies; the first may end elsewhere than it says.
        let code = [
            vec![2],
            length(usize::from(claimed)),
            vec![1, 2, 0x7f],
            body.clone(),
            length(body.len() + 1),
            vec![0],
            body,
        ]
        .concat();
        [b"\0asm\x01\0\0\0\x0a".to_vec(), length(code.len()), code, b"\x0b\x03abc".to_vec()]
            .concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_packed_comes_back(bytes in prop_oneof![modules(), proptest::collection::vec(any::<u8>(), 0..2000)]) {
        prop_assert_eq!(unpack(&pack(&bytes)), Ok(bytes));
    }

    #[test]
    fn a_byte_that_differs_is_seen(bytes in modules(), at in any::<prop::sample::Index>(), change in 1..=255u8) {
        let mut packed = pack(&bytes);
        // The last bytes are the coder's rest, which need not all be read; the first of it says nothing.
        let at = at.index(packed.len() - 5);
        prop_assume!(at != 16);
        packed[at] ^= change;
        prop_assert_eq!(unpack(&packed), Err(Damaged));
    }

    #[test]
    fn one_that_ends_early_is_seen(bytes in modules(), at in any::<prop::sample::Index>()) {
        let packed = pack(&bytes);
        prop_assert_eq!(unpack(&packed[..at.index(packed.len() - 5)]), Err(Damaged));
    }
}

#[test]
fn pieces_give_the_same_as_the_whole_and_give_it_soon() {
    static UNPACKER: std::sync::Mutex<Unpacker> = std::sync::Mutex::new(Unpacker::new());
    let mut unpacker = UNPACKER.lock().expect("no other test has it");
    // Nothing to be foretold: a byte packed is a byte.
    let mut state = 1u32;
    let noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let bytes: Vec<u8> = std::iter::repeat_with(noise).take(40_000).collect();
    let packed = pack(&bytes);
    for piece in [1, 7, 4096] {
        unpacker.begin();
        let mut came = 0;
        for (i, part) in packed.chunks(piece).enumerate() {
            unpacker.room(part.len()).expect("room").copy_from_slice(part);
            let received = i * piece + part.len();
            came = unpacker.go_on(received == packed.len()).expect("sound").len();
            // No more is held back than the coder may need.
            assert!(came as f64 > received as f64 * 0.95 - 8500.0, "{came} of {received}");
        }
        assert_eq!(came, bytes.len());
        assert!(unpacker.module() == bytes, "pieces of {piece}");
    }
}

#[test]
fn hostile_headers_claim_nothing() {
    let packed = pack(b"\0asm");
    for (at, byte) in [(0, b'g'), (3, 1), (7, 0xff)] {
        let mut changed = packed.clone();
        changed[at] = byte;
        assert_eq!(unpack(&changed), Err(Damaged), "byte {at}");
    }
    assert_eq!(unpack(b""), Err(Damaged));
    assert_eq!(unpack(&vec![0; findling_pack::MOST_PACKED + 1]), Err(Damaged));
}

#[test]
fn code_that_repeats_itself_costs_little() {
    let line = [0x20, 1, 0x20, 2, 0x6a, 0x21, 3, 0x41, 0x80, 0x20, 0x36, 2, 16];
    let body = line.repeat(1000);
    assert!(pack(&body).len() < 150, "{}", pack(&body).len());
}
