//! Reads what a server sends on a connection: answers of HTTP, one after the other.

/// An answer of a server.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    /// Whether the connection ended before the answer did.
    pub is_cut: bool,
}

/// Reads all answers of a connection. The last one may be cut off.
///
/// # Errors
/// The bytes that were found in place of an answer.
pub fn read(mut bytes: &[u8]) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    while !bytes.is_empty() {
        let Some(end) = find(bytes, b"\r\n\r\n") else {
            // The status line alone, or a part of it.
            let start = &bytes[..bytes.len().min(9)];
            return match b"HTTP/1.1 ".starts_with(start) || b"HTTP/1.0 ".starts_with(start) {
                true => Ok(answers),
                false => Err(format!("expected an answer, found {}", excerpt(bytes))),
            };
        };
        let (head, rest) = (&bytes[..end], &bytes[end + 4..]);
        let head = Head::read(head)?;
        let (body, n_taken) = head.body(rest)?;
        let is_cut = body.is_none();
        answers.push(Answer { status: head.status, body: body.unwrap_or_default(), is_cut });
        bytes = &rest[n_taken..];
    }
    Ok(answers)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn excerpt(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(200)].escape_ascii().to_string()
}

struct Head {
    status: u16,
    length: Option<usize>,
    is_chunked: bool,
}

impl Head {
    fn read(head: &[u8]) -> Result<Self, String> {
        let wrong = |what: &str| format!("{what} in the head of an answer: {}", excerpt(head));
        let text = std::str::from_utf8(head).map_err(|_| wrong("bytes that are no text"))?;
        if text.chars().any(|c| c.is_control() && c != '\r' && c != '\n' && c != '\t') {
            return Err(wrong("control characters"));
        }
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.strip_prefix("HTTP/1.1 ").or_else(|| first.strip_prefix("HTTP/1.0 "));
        let status = status.and_then(|rest| rest.get(..3)?.parse().ok());
        let status: u16 = status.filter(|code| (100..600).contains(code)).ok_or_else(|| {
            format!("expected a status line, found {}", excerpt(first.as_bytes()))
        })?;
        let (mut length, mut is_chunked) = (None, false);
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(|| wrong("a line without name"))?;
            if line.contains(['\r', '\n']) || name.is_empty() || name.contains(' ') {
                return Err(wrong("a broken line"));
            }
            match name.to_ascii_lowercase().as_str() {
                "content-length" if length.is_some() => return Err(wrong("two lengths")),
                "content-length" => {
                    length = Some(value.trim().parse().map_err(|_| wrong("a wrong length"))?);
                }
                "transfer-encoding" => is_chunked = value.trim() == "chunked",
                _ => {}
            }
        }
        if is_chunked && length.is_some() {
            return Err(wrong("a length and chunks"));
        }
        Ok(Self { status, length, is_chunked })
    }

    /// Returns the body, or `None` if it is cut off, and the number of bytes that it takes.
    fn body(&self, rest: &[u8]) -> Result<(Option<Vec<u8>>, usize), String> {
        let has_none = self.status < 200 || matches!(self.status, 204 | 304);
        // An answer to HEAD has the headers of a body, and no body. No body of these servers
        // begins like an answer.
        if has_none || rest.starts_with(b"HTTP/1.") {
            return Ok((Some(Vec::new()), 0));
        }
        if self.is_chunked {
            return chunks(rest);
        }
        match self.length {
            Some(length) if length <= rest.len() => Ok((Some(rest[..length].to_vec()), length)),
            Some(_) => Ok((None, rest.len())),
            None => Ok((Some(rest.to_vec()), rest.len())),
        }
    }
}

/// Joins the chunks of a body.
fn chunks(rest: &[u8]) -> Result<(Option<Vec<u8>>, usize), String> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let Some(end) = find(&rest[at..], b"\r\n") else { return Ok((None, rest.len())) };
        let line = &rest[at..at + end];
        let size = std::str::from_utf8(line).ok().and_then(|n| usize::from_str_radix(n, 16).ok());
        let size =
            size.ok_or_else(|| format!("expected the size of a chunk, found {}", excerpt(line)))?;
        let start = at + end + 2;
        let Some(chunk) = rest.get(start..start + size + 2) else { return Ok((None, rest.len())) };
        let (chunk, end) = chunk.split_at(size);
        if end != b"\r\n" {
            return Err(format!("expected the end of a chunk, found {}", excerpt(end)));
        }
        body.extend_from_slice(chunk);
        at = start + size + 2;
        if size == 0 {
            return Ok((Some(body), at));
        }
    }
}

#[test]
fn answers_are_told_from_other_bytes() {
    let of = |text: &str| {
        read(text.as_bytes())
            .map(|all| all.iter().map(|one| (one.status, one.is_cut)).collect::<Vec<_>>())
    };
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 404 Not Found\r\n\r\n";
    assert_eq!(of(two), Ok(vec![(200, false), (404, false)]));
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n";
    assert_eq!(of(chunked), Ok(vec![(200, true)]));
    assert_eq!(of(&format!("{chunked}0\r\n\r\n")), Ok(vec![(200, false)]));
    let to_head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n";
    assert_eq!(of(to_head), Ok(vec![(200, false), (304, false)]));
    assert_eq!(of("HTTP/1.1 200 OK\r\nConte"), Ok(vec![]));
    for wrong in [
        "nonsense",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\na: b\nc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        assert!(of(wrong).is_err(), "{wrong}: {:?}", of(wrong));
    }
}
