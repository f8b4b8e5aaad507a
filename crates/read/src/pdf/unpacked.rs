//! The size of a file's streams when they are unpacked, before the library unpacks them.
//!
//! The library has no limit of its own. Streams packed with deflate (nearly all are) are found by
//! their keyword, and unpacked without being stored.

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::ZlibDecoder;

/// Maximum number of bytes that are unpacked.
pub(super) struct Limits {
    /// The limit for one stream.
    pub stream: u64,
    /// The limit for all streams that are not images. Images are never unpacked.
    pub total: u64,
}

/// The limits of a file.
pub(super) const LIMITS: Limits = Limits { stream: 128 << 20, total: 1 << 30 };

/// Deepest nesting of packed streams.
const MAX_DEPTH: usize = 3;

/// Number of bytes before a stream that are searched for its dictionary.
const DICTIONARY: usize = 1024;

/// Returns the first size that exceeds a limit, if there is one.
pub(super) fn over_limit(file: &[u8], limits: &Limits) -> Option<u64> {
    let mut total = 0;
    let mut at = 0;
    while let Some(found) = find(&file[at..], b"stream") {
        let keyword = at + found;
        at = keyword + b"stream".len();
        if file[..keyword].ends_with(b"end") {
            continue;
        }
        let mut start = at;
        while file.get(start).is_some_and(|byte| matches!(byte, b'\r' | b'\n')) && start < at + 2 {
            start += 1;
        }
        let size = size(&file[start..], limits.stream, 0);
        let before = &file[keyword.saturating_sub(DICTIONARY)..keyword];
        let dictionary = &before[rfind(before, b" obj").unwrap_or(0)..];
        if find(dictionary, b"/Image").is_none() {
            total += size;
        }
        if size > limits.stream || total > limits.total {
            return Some(size.max(total));
        }
    }
    None
}

/// Returns the unpacked size of bytes that begin like a packed stream, counted up to the limit.
/// Returns 0 for other bytes.
fn size(packed: impl BufRead, most: u64, depth: usize) -> u64 {
    let mut packed = packed;
    let is_packed = packed.fill_buf().is_ok_and(|start| match start {
        [method, flags, ..] => {
            method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
        }
        _ => false,
    });
    if !is_packed {
        return 0;
    }
    let mut unpacked: Box<dyn BufRead + '_> = Box::new(BufReader::new(ZlibDecoder::new(packed)));
    let mut buffer = [0; 1 << 14];
    let mut size = 0;
    let first = match unpacked.fill_buf() {
        Ok(start) => start.len(),
        Err(_) => return 0,
    };
    if depth < MAX_DEPTH && first >= 2 {
        // Data that is packed twice is counted at its inner stream. Its outer one is smaller.
        let inner = self::size(Peeked { inner: &mut unpacked, size: &mut size }, most, depth + 1);
        size = size.max(inner);
    }
    while size <= most {
        match unpacked.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => size += count as u64,
        }
    }
    size
}

/// A reader that counts the bytes read through it.
struct Peeked<'a, 'b> {
    inner: &'a mut Box<dyn BufRead + 'b>,
    size: &'a mut u64,
}

impl Read for Peeked<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        *self.size += count as u64;
        Ok(count)
    }
}

impl BufRead for Peeked<'_, '_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        *self.size += count as u64;
        self.inner.consume(count);
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

fn rfind(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(text, wanted)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn file(dictionary: &str, stream: &[u8]) -> Vec<u8> {
        [
            b"%PDF-1.7\n1 0 obj\n<< ",
            dictionary.as_bytes(),
            b" >>\nstream\r\n",
            stream,
            b"\nendstream\nendobj\n",
        ]
        .concat()
    }

    #[test]
    fn streams_over_the_limit_are_found_whatever_packs_them() {
        let bomb = packed(&vec![0; 100_001]);
        let limits = Limits { stream: 100_000, total: 150_000 };
        let over_limit = |file: &[u8]| over_limit(file, &limits);
        assert!(over_limit(&file("", &bomb)).is_some());
        assert!(over_limit(&file("/Subtype /Image", &bomb)).is_some());
        assert!(over_limit(&file("", &packed(&bomb))).is_some());
        assert_eq!(over_limit(&file("", &packed(b"BT ET"))), None);
        assert_eq!(over_limit(&file("", b"BT ET")), None);
        assert_eq!(over_limit(&file("", b"")), None);
        let half = file("", &packed(&vec![0; 80_000]));
        assert_eq!(over_limit(&half), None);
        assert!(over_limit(&[half.clone(), half].concat()).is_some());
        let image = file("/Subtype /Image", &packed(&vec![0; 80_000]));
        assert_eq!(over_limit(&[image.clone(), image].concat()), None);
    }
}
