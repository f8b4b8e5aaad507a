//! The primitives of all formats: little-endian integers, LEB128 varints, length-prefixed strings.

use crate::Error;

/// Reads forwards through untrusted bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`. Errors name the format as `what`.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, at: 0, what }
    }

    pub fn what(&self) -> &'static str {
        self.what
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn malformed(&self, why: &'static str) -> Error {
        Error::malformed(self.what, why)
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let left = self.remaining();
        if n > left {
            return Err(Error::Truncated { what: self.what, needed: n as u64, left: left as u64 });
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Error> {
        let Some(&byte) = self.bytes.get(self.at) else {
            return Err(Error::Truncated { what: self.what, needed: 1, left: 0 });
        };
        self.at += 1;
        Ok(byte)
    }

    /// Returns the `n`th byte from the end, counted from 1, if it has not been read yet.
    #[inline]
    pub fn byte_from_end(&self, n: usize) -> Result<u8, Error> {
        match self.bytes.len().checked_sub(n).filter(|&at| at >= self.at) {
            Some(at) => Ok(self.bytes[at]),
            None => Err(Error::Truncated {
                what: self.what,
                needed: n as u64,
                left: self.remaining() as u64,
            }),
        }
    }

    pub fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn f32(&mut self) -> Result<f32, Error> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub fn varint64(&mut self) -> Result<u64, Error> {
        match self.bytes.get(self.at) {
            Some(&first) if first < 0x80 => {
                self.at += 1;
                Ok(u64::from(first))
            }
            _ => self.long_varint64(),
        }
    }

    /// Returns the rest of a number. It is a separate function: most numbers take one byte, and
    /// inlining this would put a hundred copies into the engine.
    #[inline(never)]
    fn long_varint64(&mut self) -> Result<u64, Error> {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            if shift == 63 && byte > 1 {
                return Err(self.malformed("a number does not fit 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    #[inline]
    pub fn varint(&mut self) -> Result<u32, Error> {
        u32::try_from(self.varint64()?).map_err(|_| self.malformed("a number does not fit 32 bits"))
    }

    /// Returns a number of items, each of which takes at least `min_len` of the bytes that follow.
    /// The number is checked against the remaining bytes, so that memory can be allocated for it.
    pub fn count(&mut self, min_len: usize) -> Result<usize, Error> {
        let n = self.varint()? as usize;
        self.fits(n, min_len)?;
        Ok(n)
    }

    /// Refuses `n` items of at least `min_len` bytes if they cannot follow.
    pub fn fits(&self, n: usize, min_len: usize) -> Result<(), Error> {
        let needed = n as u64 * min_len as u64;
        let left = self.remaining() as u64;
        if needed > left {
            return Err(Error::Truncated { what: self.what, needed, left });
        }
        Ok(())
    }

    pub fn str(&mut self) -> Result<&'a str, Error> {
        let len = self.varint()? as usize;
        core::str::from_utf8(self.take(len)?).map_err(|_| self.malformed("text is not UTF-8"))
    }

    /// Returns the bytes before the next `end`. Skips `end`.
    pub fn until(&mut self, end: u8) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let Some(len) = rest.iter().position(|&byte| byte == end) else {
            return Err(self.malformed("expected the byte that ends a text, found none"));
        };
        self.at += len + 1;
        Ok(&rest[..len])
    }

    /// Refuses bytes that have not been read.
    pub fn finish(self) -> Result<(), Error> {
        match self.remaining() {
            0 => Ok(()),
            _ => Err(self.malformed("there are bytes after the end")),
        }
    }
}

#[inline]
pub(crate) fn put_varint64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, value: u32) {
    put_varint64(out, u64::from(value));
}

pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put_varint64(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Returns the length of the common prefix, in bytes, cut at a character boundary. Front coding
/// omits this prefix.
pub(crate) fn shared_prefix(a: &str, b: &str) -> usize {
    let mut shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !b.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

/// Returns a signed number as an unsigned one, small if it is near 0: 0, -1, 1, -2 become 0, 1, 2,
/// 3.
pub(crate) fn zigzag(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

/// Reverses [`zigzag`].
pub(crate) fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Returns first 16 bytes of BLAKE3.
pub fn hash128(bytes: &[u8]) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    hash
}

/// Returns lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_varints_are_read_back(values: Vec<u64>) {
            let mut out = Vec::new();
            for &value in &values {
                put_varint64(&mut out, value);
            }
            let mut reader = Reader::new(&out, "test");
            for &value in &values {
                prop_assert_eq!(reader.varint64().unwrap(), value);
            }
            prop_assert!(reader.finish().is_ok());
        }

        #[test]
        fn numbers_texts_and_counts_are_within_the_bytes(bytes: Vec<u8>) {
            let (mut reader, mut again) = (Reader::new(&bytes, "test"), Vec::new());
            while let Ok(value) = reader.varint64() {
                put_varint64(&mut again, value);
                prop_assert!(again.len() <= reader.at());
            }
            let mut reader = Reader::new(&bytes, "test");
            while let Ok(text) = reader.str() {
                prop_assert!(bytes[..reader.at()].ends_with(text.as_bytes()));
            }
            let mut reader = Reader::new(&bytes, "test");
            if let Ok(n) = reader.count(3) {
                prop_assert!(n * 3 <= bytes.len());
            }
        }
    }

    #[test]
    fn varints_that_do_not_fit_are_refused() {
        assert!(Reader::new(&[0xff; 10], "test").varint64().is_err());
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "test")
                .varint64(),
            Ok(u64::MAX)
        );
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f], "test").varint().is_err());
        assert!(Reader::new(&[0x80; 20], "test").varint64().is_err());
    }

    #[test]
    fn hex_digits_are_lower_case() {
        assert_eq!(hex(&[0, 0x1f, 0xab]), "001fab");
    }
}
