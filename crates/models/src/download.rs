//! The download of one pinned file over HTTP. A broken download is resumed; a stalled one is given
//! up. The file is accepted only if it has the length and the SHA-256 hash of the pin.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use super::Error;
use super::error::at;
use super::files::digest;
use findling_base::http::{Timeouts, agent};

/// Redirects that are followed. The pin decides which bytes are accepted, regardless of their
/// source.
const REDIRECTS: u32 = 10;

/// Timeouts and the number of attempts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub timeouts: Timeouts,
    /// Largest number of attempts in a row that download almost nothing.
    pub tries: u32,
    /// Pause before the second attempt; doubles each time.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeouts: Timeouts { connect: Duration::from_secs(15), stall: Duration::from_secs(30) },
            tries: 4,
            pause: Duration::from_millis(500),
        }
    }
}

/// An attempt that downloads this many bytes does not count against [`Patience::tries`], so that a
/// connection that breaks often still completes the file.
const WORTHWHILE_BYTES: u64 = 1 << 20;

/// The file to download.
pub(super) struct Wanted<'a> {
    pub url: &'a str,
    pub bytes: u64,
    pub sha256: &'a str,
}

/// The reason why an attempt ended.
enum Broken {
    /// A failure that another attempt may avoid.
    Passing(String),
    /// A failure that another attempt will not avoid.
    Final(Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Broken::Final(error)
    }
}

/// Downloads `wanted` to `part`, and continues an earlier download there. Calls `progress` with the
/// number of bytes so far. On success, `part` is complete and verified; on failure, it contains
/// nothing that is known to be wrong.
pub(super) fn download(
    wanted: &Wanted<'_>,
    part: &Path,
    patience: &Patience,
    progress: &dyn Fn(u64),
) -> Result<(), Error> {
    let agent = agent(patience.timeouts, REDIRECTS);
    let mut failures = 0;
    loop {
        let before = length(part)?;
        let reason = match attempt(&agent, wanted, part, progress) {
            Ok(()) => return Ok(()),
            Err(Broken::Final(error)) => return Err(error),
            Err(Broken::Passing(reason)) => reason,
        };
        failures = if length(part)? >= before + WORTHWHILE_BYTES { 1 } else { failures + 1 };
        if failures >= patience.tries {
            let kept = if length(part)? > 0 {
                "; the part downloaded so far is kept for the next \
                     run"
            } else {
                ""
            };
            let reason = format!("{reason} (gave up after {failures} tries{kept})");
            return Err(Error::Download { url: wanted.url.to_owned(), reason });
        }
        std::thread::sleep(patience.pause * 2u32.pow(failures - 1));
    }
}

fn attempt(
    agent: &Agent,
    wanted: &Wanted<'_>,
    part: &Path,
    progress: &dyn Fn(u64),
) -> Result<(), Broken> {
    let kept = match length(part)? {
        // More bytes than the file has cannot be a part of it.
        n if n > wanted.bytes => {
            remove(part)?;
            0
        }
        n => n,
    };
    if kept == wanted.bytes {
        return finish(wanted, part, true);
    }
    let mut request = agent.get(wanted.url).header(header::ACCEPT_ENCODING, "identity");
    if kept > 0 {
        request = request.header(header::RANGE, format!("bytes={kept}-"));
    }
    let response = request.call().map_err(|error| from_ureq(wanted, error))?;
    let start = match response.status() {
        StatusCode::PARTIAL_CONTENT if range_fits(response.headers(), kept, wanted.bytes) => kept,
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            remove(part)?;
            return Err(Broken::Passing("the server continued with another file".into()));
        }
        StatusCode::OK => {
            refuse_other_length(wanted, response.headers())?;
            0
        }
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            return Err(Broken::Passing(format!("the server answers {status}")));
        }
        status => {
            let reason = format!("the server answers {status}");
            return Err(Error::Download { url: wanted.url.to_owned(), reason }.into());
        }
    };
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(part)
        .map_err(at(part))
        .map_err(Broken::Final)?;
    if start == 0 {
        file.set_len(0).map_err(at(part)).map_err(Broken::Final)?;
    }
    receive(&mut response.into_body().into_reader(), &mut file, part, wanted, start, progress)?;
    finish(wanted, part, start > 0)
}

/// Appends the response to `file`. If it ends too early, another attempt may help.
fn receive(
    body: &mut impl Read,
    file: &mut File,
    part: &Path,
    wanted: &Wanted<'_>,
    start: u64,
    progress: &dyn Fn(u64),
) -> Result<(), Broken> {
    let mut have = start;
    let mut chunk = vec![0; 1 << 16];
    progress(have);
    // Read to the end: a body that is too long must be noticed.
    loop {
        let n = match body.read(&mut chunk) {
            Ok(0) if have == wanted.bytes => break,
            Ok(0) => {
                return Err(Broken::Passing(format!(
                    "the connection ended after {have} of {} bytes",
                    wanted.bytes
                )));
            }
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Broken::Passing(format!(
                    "{error} after {have} of {} bytes",
                    wanted.bytes
                )));
            }
        };
        have += n as u64;
        if have > wanted.bytes {
            remove(part)?;
            return Err(pin(wanted, format!("{} bytes", wanted.bytes), "more".to_owned()).into());
        }
        file.write_all(&chunk[..n]).map_err(at(part)).map_err(Broken::Final)?;
        progress(have);
    }
    file.sync_all().map_err(at(part)).map_err(Broken::Final)
}

/// Verifies the complete file, or removes it. A wrong file that was resumed may be right if it is
/// downloaded in one piece.
fn finish(wanted: &Wanted<'_>, part: &Path, resumed: bool) -> Result<(), Broken> {
    let (_, found) = digest(part)?;
    if found == wanted.sha256 {
        return Ok(());
    }
    remove(part)?;
    if resumed {
        return Err(Broken::Passing(
            "the continued part does not fit the part downloaded \
             before"
                .to_owned(),
        ));
    }
    Err(pin(wanted, format!("SHA-256 {}", wanted.sha256), found).into())
}

fn pin(wanted: &Wanted<'_>, expected: String, found: String) -> Error {
    Error::Pin { what: wanted.url.to_owned(), expected, found }
}

fn refuse_other_length(wanted: &Wanted<'_>, headers: &HeaderMap) -> Result<(), Error> {
    let announced =
        headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    match announced {
        Some(n) if n != wanted.bytes => {
            Err(pin(wanted, format!("{} bytes", wanted.bytes), format!("{n} bytes")))
        }
        _ => Ok(()),
    }
}

/// Returns whether `Content-Range: bytes kept-last/total` continues this file.
fn range_fits(headers: &HeaderMap, kept: u64, total: u64) -> bool {
    let Some(range) = headers.get(header::CONTENT_RANGE).and_then(|v| v.to_str().ok()) else {
        return false;
    };
    let Some((span, length)) = range.trim().strip_prefix("bytes ").and_then(|r| r.split_once('/'))
    else {
        return false;
    };
    let starts = span.split_once('-').and_then(|(first, _)| first.trim().parse::<u64>().ok());
    starts == Some(kept) && (length.trim() == "*" || length.trim().parse() == Ok(total))
}

fn from_ureq(wanted: &Wanted<'_>, error: ureq::Error) -> Broken {
    match error {
        // Without a name service, or for an unknown name, another attempt changes nothing.
        ureq::Error::HostNotFound | ureq::Error::BadUri(_) => {
            Broken::Final(Error::Download { url: wanted.url.to_owned(), reason: error.to_string() })
        }
        error => Broken::Passing(error.to_string()),
    }
}

fn length(path: &Path) -> Result<u64, Error> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(at(path)(error)),
    }
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
