//! Tests with a server that breaks off, sends wrong data and stalls.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};

use findling_bundle::hex;

use super::*;
use crate::files::Hasher;

/// The server's behaviour on one connection.
#[derive(Clone, Debug)]
enum Act {
    /// The whole file, or the rest of it from the requested byte on.
    Honest,
    /// The same, but the connection ends after this many bytes.
    BreakOff(usize),
    /// The same, but nothing more comes after this many bytes.
    Stall(usize),
    /// No answer at all.
    Mute,
    /// The whole file, even if a range is requested.
    NoRanges,
    /// A file of the same length, but with other bytes.
    OtherBytes,
    /// Another `Content-Length`, and the same number of bytes.
    OtherLength(usize),
    /// More bytes than the file has, without a `Content-Length`.
    Endless,
    /// A range that begins at another place than requested.
    OtherRange,
    Status(u16),
}

struct Server {
    url: String,
    /// The `Range` header of every request so far.
    ranges: Arc<Mutex<Vec<Option<String>>>>,
    /// For each connection that stalled, whether the client ended it.
    given_up: mpsc::Receiver<bool>,
}

/// Handles the first connections according to a list, and the others normally.
fn serve(file: Vec<u8>, acts: Vec<Act>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/model", listener.local_addr().unwrap());
    let ranges = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ranges);
    let (send, given_up) = mpsc::channel();
    std::thread::spawn(move || {
        let mut acts = acts.into_iter();
        for stream in listener.incoming() {
            let (Ok(stream), act) = (stream, acts.next().unwrap_or(Act::Honest)) else { return };
            let (file, seen, send) = (file.clone(), Arc::clone(&seen), send.clone());
            // One thread for each connection: a connection that stalls must not delay the next.
            std::thread::spawn(move || answer(stream, &file, &act, &seen, &send));
        }
    });
    Server { url, ranges, given_up }
}

fn answer(
    mut stream: TcpStream,
    file: &[u8],
    act: &Act,
    seen: &Mutex<Vec<Option<String>>>,
    given_up: &mpsc::Sender<bool>,
) {
    let mut range = None;
    for line in BufReader::new(stream.try_clone().unwrap()).lines() {
        let line = line.unwrap_or_default();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("range")
        {
            range = Some(value.trim().to_owned());
        }
    }
    let start = range
        .as_ref()
        .and_then(|r| r.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    seen.lock().unwrap().push(range);
    let start = match act {
        Act::NoRanges => None,
        Act::OtherRange => start.map(|start| start / 2),
        _ => start,
    };
    let (mut body, mut length) = (file[start.unwrap_or(0)..].to_vec(), true);
    match act {
        Act::OtherBytes => body.fill(7),
        Act::OtherLength(n) => body.resize(*n, 0),
        Act::Endless => {
            body.extend_from_slice(file);
            length = false;
        }
        Act::Mute => {
            let _ = given_up.send(ends(stream));
            return;
        }
        _ => {}
    }
    let mut head = match (act, start) {
        (Act::Status(status), _) => format!("HTTP/1.1 {status} No\r\n"),
        (_, Some(start)) => {
            let (last, total) = (file.len() - 1, file.len());
            format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{last}/{total}\r\n"
            )
        }
        _ => "HTTP/1.1 200 OK\r\n".to_owned(),
    };
    if length {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("Connection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
    let sent = match act {
        Act::BreakOff(n) | Act::Stall(n) => body.len().min(*n),
        _ => body.len(),
    };
    let _ = stream.write_all(&body[..sent]);
    let _ = stream.flush();
    if let Act::Stall(_) = act {
        let _ = given_up.send(ends(stream));
    }
}

/// Waits until the client ends a connection. Returns false if it does not.
fn ends(mut stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
    match stream.read(&mut [0]) {
        Ok(n) => n == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

/// Limit on the wait for the end of a connection, which comes at once unless something is broken.
const MAX_WAIT: Duration = Duration::from_secs(60);

const IMPATIENT: Patience = Patience {
    timeouts: Timeouts { connect: Duration::from_millis(400), stall: Duration::from_millis(400) },
    tries: 3,
    pause: Duration::from_millis(5),
};

/// Returns `n` bytes without a pattern, so that wrong bytes do not match by chance.
fn content(n: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..n).map(next).collect()
}

fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.finish()
}

struct Run {
    outcome: Result<(), Error>,
    /// The contents of the part file afterwards.
    part: Option<Vec<u8>>,
    ranges: Vec<Option<String>>,
    given_up: mpsc::Receiver<bool>,
}

/// Downloads `n` bytes from such a server, with `before` in the part file.
fn run(n: usize, acts: Vec<Act>, before: Option<&[u8]>) -> Run {
    let file = content(n);
    let sha256 = sha256(&file);
    let server = serve(file, acts);
    let dir = tempfile::tempdir().unwrap();
    let part = dir.path().join("part");
    if let Some(before) = before {
        fs::write(&part, before).unwrap();
    }
    let wanted = Wanted { url: &server.url, bytes: n as u64, sha256: &sha256 };
    let outcome = download(&wanted, &part, &IMPATIENT, &|_| {});
    let ranges = server.ranges.lock().unwrap().clone();
    Run { outcome, part: fs::read(&part).ok(), ranges, given_up: server.given_up }
}

impl Run {
    fn succeeded(&self, n: usize) {
        assert!(self.outcome.is_ok(), "{:?}", self.outcome);
        assert_eq!(self.part.as_deref(), Some(&content(n)[..]));
    }

    fn failed(&self, words: &str) {
        let error = self.outcome.as_ref().expect_err("it should have failed").to_string();
        assert!(error.contains(words), "{error}");
    }

    /// Checks that the client ended `n` connections that stalled.
    fn gave_up(&self, n: usize) {
        for _ in 0..n {
            assert_eq!(self.given_up.recv_timeout(MAX_WAIT), Ok(true));
        }
    }
}

#[test]
fn an_honest_server_is_asked_once() {
    let run = run(200_000, vec![], None);
    run.succeeded(200_000);
    assert_eq!(run.ranges, [None]);
}

#[test]
fn what_broke_off_is_resumed_where_it_broke_off() {
    let run = run(300_000, vec![Act::BreakOff(100_000), Act::BreakOff(50_000)], None);
    run.succeeded(300_000);
    assert_eq!(run.ranges, [None, Some("bytes=100000-".into()), Some("bytes=150000-".into())]);
}

#[test]
fn a_later_run_resumes_what_an_earlier_one_left() {
    let file = content(300_000);
    let run = run(300_000, vec![], Some(&file[..120_000]));
    run.succeeded(300_000);
    assert_eq!(run.ranges, [Some("bytes=120000-".into())]);
}

#[test]
fn what_is_whole_already_is_not_asked_for() {
    let run = run(1_000, vec![], Some(&content(1_000)));
    run.succeeded(1_000);
    assert!(run.ranges.is_empty());
}

#[test]
fn a_server_without_ranges_sends_it_all_again() {
    let run = run(300_000, vec![Act::BreakOff(100_000), Act::NoRanges], None);
    run.succeeded(300_000);
}

#[test]
fn a_range_from_another_place_is_not_appended() {
    let run = run(300_000, vec![Act::BreakOff(100_000), Act::OtherRange], None);
    run.succeeded(300_000);
    assert_eq!(run.ranges.last(), Some(&None), "it starts anew");
}

#[test]
fn a_stalled_connection_is_given_up_on_and_resumed() {
    let run = run(300_000, vec![Act::Stall(100_000)], None);
    run.succeeded(300_000);
    assert_eq!(run.ranges[1], Some("bytes=100000-".into()));
    run.gave_up(1);
}

#[test]
fn a_mute_server_is_given_up_on() {
    let run = run(1_000, vec![Act::Mute, Act::Mute, Act::Mute], None);
    run.failed("gave up after 3 tries");
    run.gave_up(3);
}

#[test]
fn a_line_that_keeps_breaking_off_but_moves_gets_there() {
    let n = 8 << 20;
    let run = run(n, vec![Act::BreakOff(1 << 20); 7], None);
    run.succeeded(n);
    assert_eq!(run.ranges.len(), 8);
}

#[test]
fn what_came_is_kept_when_it_is_given_up() {
    let run = run(300_000, vec![Act::BreakOff(50_000); 3], None);
    run.failed("gave up after 3 tries");
    assert_eq!(run.part.as_deref(), Some(&content(300_000)[..150_000]));
}

#[test]
fn wrong_bytes_are_refused_and_not_kept() {
    let run = run(100_000, vec![Act::OtherBytes], None);
    assert!(matches!(run.outcome, Err(Error::Pin { .. })));
    assert_eq!(run.part, None);
    assert_eq!(run.ranges.len(), 1, "asking a liar again is no use");
}

#[test]
fn a_wrong_beginning_is_thrown_away_and_the_file_fetched_whole() {
    let run = run(100_000, vec![], Some(&[0; 60_000]));
    run.succeeded(100_000);
    assert_eq!(run.ranges, [Some("bytes=60000-".into()), None]);
}

#[test]
fn a_part_that_is_too_long_is_thrown_away() {
    let run = run(1_000, vec![], Some(&[0; 2_000]));
    run.succeeded(1_000);
    assert_eq!(run.ranges, [None]);
}

#[test]
fn another_length_is_refused_before_it_is_read() {
    for n in [99_999, 100_001] {
        let run = run(100_000, vec![Act::OtherLength(n)], None);
        run.failed(&format!("expected 100000 bytes, found {n} bytes"));
        assert_eq!(run.part, None);
    }
}

#[test]
fn more_than_was_wanted_is_refused() {
    let run = run(100_000, vec![Act::Endless], None);
    run.failed("expected 100000 bytes, found more");
    assert_eq!(run.part, None);
}

#[test]
fn a_missing_file_is_final_and_a_busy_server_is_not() {
    let gone = run(1_000, vec![Act::Status(404)], None);
    gone.failed("404");
    assert_eq!(gone.ranges.len(), 1);
    let busy = run(1_000, vec![Act::Status(503), Act::Status(429)], None);
    busy.succeeded(1_000);
    assert_eq!(busy.ranges.len(), 3);
}

#[test]
fn nobody_listening_is_a_clear_error() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = format!("http://{address}/model");
    let wanted = Wanted { url: &url, bytes: 1, sha256: &hex(&[0; 32]) };
    let failed = download(&wanted, &dir.path().join("part"), &IMPATIENT, &|_| {});
    let Err(Error::Download { url: at, reason }) = failed else { panic!("expected a failure") };
    assert!(at == url && reason.contains("3 tries"), "{reason}");
}
