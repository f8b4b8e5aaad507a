//! What the next byte of a WebAssembly module is, as far as the bytes before it say: the opcode of
//! an instruction or a part of which immediate, behind which instructions and near which locals.
//! (WebAssembly core specification, chapter 5, "Binary format")
//!
//! It is a guess that both sides make alike, no check: bytes that are no module are followed as
//! well, and foretold worse.

/// Contexts that a shape gives.
pub(crate) const CONTEXTS: usize = 5;

/// Kinds of bytes, fewer than 64: what a context and a set of weights are chosen by. A number's
/// later bytes have the next kind.
mod kind {
    pub(super) const OUTSIDE: u8 = 0;
    pub(super) const HEAD: u8 = 1;
    pub(super) const OPCODE: u8 = 2;
    pub(super) const GET: u8 = 4;
    pub(super) const TEE: u8 = 8;
    pub(super) const GLOBAL: u8 = 10;
    pub(super) const CALL: u8 = 12;
    pub(super) const TYPE: u8 = 14;
    pub(super) const TABLE: u8 = 16;
    pub(super) const BRANCH: u8 = 18;
    pub(super) const TARGETS: u8 = 20;
    pub(super) const TARGET: u8 = 22;
    pub(super) const BLOCK: u8 = 24;
    pub(super) const ALIGN: u8 = 26;
    pub(super) const OFFSET: u8 = 28;
    pub(super) const MEMORY: u8 = 30;
    pub(super) const I32: u8 = 32;
    pub(super) const I64: u8 = 34;
    pub(super) const SUB: u8 = 36;
    pub(super) const LANE: u8 = 38;
    pub(super) const OTHER: u8 = 40;
    /// From here on, a byte each.
    pub(super) const BYTE: u8 = 42;
}

/// Where in the module it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Preamble,
    SectionId,
    SectionLength,
    Section,
    Functions,
    BodyLength,
    Groups,
    GroupLength,
    GroupType,
    Opcode,
    Immediate,
}

/// A reader of modules that never fails.
pub(crate) struct Shape {
    /// Of the next byte.
    pub(crate) kind: u8,
    /// What it may depend on, hashed.
    pub(crate) contexts: [u32; CONTEXTS],
    place: Place,
    /// Bytes so far, and where the section and the body end.
    at: u32,
    section_end: u32,
    body_end: u32,
    code: bool,
    /// The number that is being read: value, shift.
    value: u32,
    shift: u32,
    /// Of what is counted (groups of locals, targets of a table), how many are to come.
    left: u32,
    opcode: u8,
    /// The immediates of the instruction, from the last, and bytes of the one that comes in bytes.
    form: [u8; 4],
    pending: u8,
    bytes: u8,
    /// The opcodes before, the last one lowest.
    before: u64,
    /// The locals named last.
    locals: [u32; 3],
    last: [u32; 2],
    call: u32,
    offset: u32,
    constant: u32,
    align: u32,
    targets: [u32; 2],
    depth: u32,
}

impl Shape {
    /// Before the first byte.
    pub(crate) const fn new() -> Self {
        Self {
            kind: kind::OUTSIDE,
            contexts: [0; CONTEXTS],
            place: Place::Preamble,
            at: 0,
            section_end: 0,
            body_end: 0,
            code: false,
            value: 0,
            shift: 0,
            left: 0,
            opcode: 0,
            form: [0; 4],
            pending: 0,
            bytes: 0,
            before: 0,
            locals: [0; 3],
            last: [0; 2],
            call: 0,
            offset: 0,
            constant: 0,
            align: 0,
            targets: [0; 2],
            depth: 0,
        }
    }

    /// Goes on behind `byte`.
    pub(crate) fn next(&mut self, byte: u8) {
        self.at += 1;
        match self.place {
            Place::Preamble => {
                if self.at == 8 {
                    self.place = Place::SectionId;
                }
            }
            Place::SectionId => {
                self.code = byte == 10;
                self.place = Place::SectionLength;
            }
            Place::SectionLength => {
                if let Some(length) = self.number(byte) {
                    self.section_end = self.at.wrapping_add(length);
                    self.place = if self.code { Place::Functions } else { Place::Section };
                }
            }
            // A part of the module, in a section of its own.
            Place::Section
                if self.last[0] << 8 | u32::from(byte) == u32::from_be_bytes(*b"\0asm") =>
            {
                (self.at, self.place) = (4, Place::Preamble);
            }
            Place::Section => {}
            Place::Functions => {
                if self.number(byte).is_some() {
                    self.place = Place::BodyLength;
                }
            }
            Place::BodyLength => {
                if let Some(length) = self.number(byte) {
                    self.body_end = self.at.wrapping_add(length);
                    (self.before, self.locals, self.depth) = (0, [0; 3], 0);
                    self.place = Place::Groups;
                }
            }
            Place::Groups => {
                if let Some(groups) = self.number(byte) {
                    self.left = groups;
                    self.place = if groups == 0 { Place::Opcode } else { Place::GroupLength };
                }
            }
            Place::GroupLength => {
                if self.number(byte).is_some() {
                    self.place = Place::GroupType;
                }
            }
            Place::GroupType => {
                self.left -= 1;
                self.place = if self.left == 0 { Place::Opcode } else { Place::GroupLength };
            }
            Place::Opcode => self.instruction(byte),
            Place::Immediate => self.immediate(byte),
        }
        let inside = matches!(self.place, Place::Opcode | Place::Immediate);
        if inside && self.at >= self.body_end {
            self.place = Place::BodyLength;
        }
        if self.at >= self.section_end && (inside || self.place == Place::Section) {
            self.place = Place::SectionId;
        }
        self.foretell(byte);
    }

    /// Which tree leads to the next byte.
    pub(crate) fn tree(&self) -> usize {
        match self.kind {
            kind::OUTSIDE | kind::HEAD | kind::BYTE => 0,
            kind::OPCODE => 1,
            kind::GET..=kind::TEE if self.shift == 0 => 2,
            kind::ALIGN => 3,
            kind::BRANCH | kind::TARGET | kind::BLOCK => 4,
            _ if self.shift == 0 => 5,
            _ => 6,
        }
    }

    /// A number in LEB128, once its last byte is there.
    fn number(&mut self, byte: u8) -> Option<u32> {
        self.value |= u32::from(byte & 127) << (self.shift & 31);
        self.shift += 7;
        if byte >= 128 {
            return None;
        }
        self.shift = 0;
        Some(core::mem::take(&mut self.value))
    }

    fn instruction(&mut self, opcode: u8) {
        self.opcode = opcode;
        match opcode {
            0x02..=0x04 => {
                self.depth += 1;
                self.expect([kind::BLOCK]);
            }
            0x0b => self.depth = self.depth.saturating_sub(1),
            0x0c | 0x0d => self.expect([kind::BRANCH]),
            0x0e => self.expect([kind::TARGETS]),
            0x10 => self.expect([kind::CALL]),
            0x11 => self.expect([kind::TABLE, kind::TYPE]),
            0x20..=0x22 => self.expect([kind::GET + 2 * (opcode - 0x20)]),
            0x23 | 0x24 => self.expect([kind::GLOBAL]),
            0x28..=0x3e => self.expect([kind::OFFSET, kind::ALIGN]),
            0x3f | 0x40 => self.expect([kind::MEMORY]),
            0x41 => self.expect([kind::I32]),
            0x42 => self.expect([kind::I64]),
            0x43 => self.expect_bytes(4),
            0x44 => self.expect_bytes(8),
            0xfc | 0xfd => self.expect([kind::SUB]),
            0x25 | 0x26 | 0xd2 => self.expect([kind::OTHER]),
            _ => {}
        }
        self.go_on();
    }

    /// What comes behind an opcode of two parts.
    fn second_opcode(&mut self, opcode: u32) {
        match (self.opcode, opcode) {
            (0xfc, 8 | 10 | 12 | 14) => self.expect([kind::OTHER, kind::OTHER]),
            (0xfc, 9 | 11 | 13 | 15..=17) => self.expect([kind::OTHER]),
            (0xfd, 0..=11 | 92 | 93) => self.expect([kind::OFFSET, kind::ALIGN]),
            (0xfd, 12 | 13) => self.expect_bytes(16),
            (0xfd, 21..=34) => self.expect([kind::LANE]),
            (0xfd, 84..=91) => self.expect([kind::LANE, kind::OFFSET, kind::ALIGN]),
            _ => {}
        }
    }

    /// Immediates, from the last.
    fn expect<const N: usize>(&mut self, form: [u8; N]) {
        for (i, kind) in form.into_iter().enumerate() {
            self.form[(i + 1) & 3] = kind;
        }
        self.pending = N as u8;
    }

    fn expect_bytes(&mut self, bytes: u8) {
        self.expect([kind::BYTE]);
        self.bytes = bytes;
    }

    fn immediate(&mut self, byte: u8) {
        let kind = self.form[usize::from(self.pending) & 3];
        if kind == kind::BYTE {
            self.bytes -= 1;
            if self.bytes == 0 {
                self.pending = 0;
            }
        } else if let Some(value) = self.number(byte) {
            self.pending -= 1;
            match kind {
                kind::GET..=kind::TEE => self.locals = [value, self.locals[0], self.locals[1]],
                kind::CALL => self.call = value,
                kind::TARGETS => {
                    self.targets = [0; 2];
                    self.left = value;
                    self.expect([kind::TARGET]);
                }
                kind::TARGET => {
                    self.targets = [value, self.targets[0]];
                    if self.left > 0 {
                        self.left -= 1;
                        self.pending = 1;
                    }
                }
                kind::ALIGN => self.align = value,
                kind::OFFSET => self.offset = value,
                kind::I32 => self.constant = value,
                kind::SUB => self.second_opcode(value),
                _ => {}
            }
        }
        self.go_on();
    }

    fn go_on(&mut self) {
        self.place = Place::Immediate;
        if self.pending == 0 {
            self.place = Place::Opcode;
            self.before = self.before << 8 | u64::from(self.opcode);
        }
    }

    /// Kind and contexts of the next byte.
    fn foretell(&mut self, byte: u8) {
        let opcode = u32::from(self.opcode);
        let before = self.before as u32;
        let (one, two, three) = (before & 0xff, before & 0xffff, before & 0x00ff_ffff);
        let [local, earlier, earliest] = self.locals;
        let (kind, contexts) = match self.place {
            Place::Opcode => (
                kind::OPCODE,
                [
                    two,
                    before,
                    hash(before, (self.before >> 32) as u32 & 0xffff),
                    hash(three, self.constant),
                    hash(two | local << 16, earlier),
                ],
            ),
            Place::Immediate => {
                let kind = self.form[usize::from(self.pending) & 3];
                let contexts = match kind {
                    kind::GET..=kind::TEE => [
                        local,
                        two | local << 16,
                        hash(local | earlier << 16, earliest),
                        three,
                        hash(one | local << 16, earlier),
                    ],
                    kind::CALL => [self.call, one, three, self.constant, one | self.call << 8],
                    kind::TYPE => [one, two, three, local, 0],
                    kind::BRANCH => [
                        opcode | self.depth << 8,
                        one | opcode << 8,
                        two | opcode << 16,
                        self.depth | one << 8,
                        opcode,
                    ],
                    kind::TARGET => {
                        let [last, before] = self.targets;
                        [last, last | before << 16, self.depth, 0, last | self.depth << 16]
                    }
                    kind::BLOCK => [opcode, one | opcode << 8, two, self.depth, 0],
                    kind::ALIGN => [opcode, opcode | one << 8, opcode | local << 8, 0, 0],
                    kind::OFFSET => [
                        opcode | local << 8,
                        opcode | self.offset << 8,
                        hash(opcode | one << 8 | local << 16, self.offset),
                        hash(opcode | local << 8, self.offset),
                        opcode | two << 8 | self.align << 24,
                    ],
                    kind::I32 => {
                        [one, three, self.constant, two | local << 16, hash(two, self.constant)]
                    }
                    _ => [opcode, one | opcode << 8, two, 0, 0],
                };
                let part = u32::from(self.bytes) + self.shift;
                let kind = kind + u8::from(self.shift > 0 && kind != kind::BYTE);
                (
                    kind,
                    contexts
                        .map(|context| hash(context, hash(self.value, part | opcode << 8 & 0x700))),
                )
            }
            place => (
                if self.code { kind::HEAD } else { kind::OUTSIDE },
                [
                    place as u32,
                    self.last[0] & 0xffffff,
                    self.last[0],
                    hash(self.last[0], self.last[1] & 0xffff),
                    hash(self.last[0] & 0xffffff, self.at % 4),
                ],
            ),
        };
        self.last = [u32::from(byte) | self.last[0] << 8, self.last[0] >> 24 | self.last[1] << 8];
        self.kind = kind;
        self.contexts = contexts;
    }
}

/// Two numbers as one.
pub(crate) fn hash(a: u32, b: u32) -> u32 {
    let mixed = (a ^ b.wrapping_mul(0x7f4a_7c15)).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
    mixed ^ mixed >> 13
}
