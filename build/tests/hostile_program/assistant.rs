//! Lines of an assistant: damaged ones, to `findling mcp`.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use serde_json::{Value, json};

use super::home::Home;
use super::mutations::{Random, seeds, shown};
use super::program::{Program, home_with_bundle};

/// Maximum memory of the program at any time, in MiB: a message has at most 4 MiB, and 16 wait.
const MAX_MEMORY: u64 = 256;
/// Time limit for an answer that must come, even on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Lines between two questions whether the program still answers.
const PING_EVERY: usize = 50;

/// Texts that parsers of messages look for.
const WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "null",
    "true",
    "1e400",
    "-0",
    "{}",
    "[]",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":",
    "\"\\ud800\"",
    "\\u0000",
    "\\u202e",
    "\"id\":null,",
    "\"id\":[],",
    "\"id\":1e30,",
    "\"jsonrpc\":\"1.0\",",
    "\"method\":\"tools/call\",",
    "\"method\":\"initialize\",",
    "\"method\":\"notifications/cancelled\",",
    "\"params\":null,",
    "\"params\":[],",
    "\"result\":{},",
    "\"error\":{\"code\":1,\"message\":\"x\"},",
    "\"_meta\":{\"progressToken\":1},",
    "\"limit\":4294967295,",
    "\"filter\":{\"language\":{\"not\":[]}},",
    "../../etc/passwd",
    "file:///etc/passwd",
];

fn begin() -> Value {
    json!({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
}

fn ping(id: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// Returns valid lines.
fn lines() -> Vec<Vec<u8>> {
    let call = |id: u32, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "_meta": {"progressToken": id}}})
    };
    let messages = [
        begin(),
        ping("seed"),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": 4, "reason": "none"}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "a"}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/templates/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read",
            "params": {"uri": "findling://out/a/"}}),
        call(4, "search", json!({"query": "mutex", "limit": 3, "filter": {"language": "en"}})),
        call(5, "context", json!({"query": "what guards data?", "tokens": 500})),
        call(6, "read", json!({"url": "/a/", "offset": 0})),
        call(7, "similar", json!({"url": "/a/"})),
        call(8, "facets", json!({"query": "mutex", "names": ["language"]})),
        call(9, "list_collections", json!({})),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "x"}}),
    ];
    messages.iter().map(|message| format!("{message}\n").into_bytes()).collect()
}

/// Checks that a line of the program is a message, and returns it.
fn message(line: &str) -> Result<Value, String> {
    let wrong = |what: &str| format!("{what}: {line}");
    let message: Value =
        serde_json::from_str(line).map_err(|error| wrong(&format!("no JSON, {error}")))?;
    if message["jsonrpc"] != "2.0" {
        return Err(wrong("another version of JSON-RPC"));
    }
    let has = |name: &str| message.get(name).is_some();
    match (has("method"), has("result"), has("error")) {
        (true, false, false) => {}
        (false, true, false) if message["id"].is_string() || message["id"].is_number() => {}
        (false, false, true) if has("id") => {
            let error = &message["error"];
            if !error["code"].is_i64() || !error["message"].is_string() {
                return Err(wrong("an error without its code or its text"));
            }
        }
        _ => return Err(wrong("neither a request nor an answer")),
    }
    Ok(message)
}

/// A session with the program.
struct Session {
    program: Program,
    /// Lines to the program. A thread writes them, so that the test notices a program that no
    /// longer reads.
    input: Sender<Vec<u8>>,
    /// The lines that it writes.
    answers: Receiver<String>,
    /// Answers so far, by kind.
    seen: HashMap<&'static str, usize>,
    /// The input that was sent last, for the messages of failures.
    last: String,
}

impl Session {
    /// Starts the program without a message.
    fn start(home: &Home) -> Self {
        let mut program = Program::start(home, &["mcp", "out"]);
        let mut stdin = program.input.take().unwrap();
        let output = program.output.take().unwrap();
        let (input, lines) = mpsc::channel::<Vec<u8>>();
        std::thread::spawn(move || lines.into_iter().all(|line| stdin.write_all(&line).is_ok()));
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n') {
                let Ok(line) = line else { return };
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        Self { program, input, answers, seen: HashMap::new(), last: String::new() }
    }

    fn send(&self, message: &Value) {
        self.send_line(message.to_string().into_bytes());
    }

    /// Sends a line. A program that has ended is noticed when its answer is missing.
    fn send_line(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        let _ = self.input.send(line);
    }

    /// Returns the next message, checked; `None` if the program ends.
    fn next(&mut self) -> Option<Value> {
        let line = match self.answers.recv_timeout(MAX_WAIT) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no answer to {}", self.last),
        };
        let message = message(&line).unwrap_or_else(|wrong| panic!("{wrong}\nafter {}", self.last));
        let kind = ["result", "error"].into_iter().find(|name| message.get(name).is_some());
        *self.seen.entry(kind.unwrap_or("request")).or_default() += 1;
        Some(message)
    }

    /// Returns the answer to a request; `None` if the program ends.
    fn answer_to(&mut self, id: &str) -> Option<Value> {
        loop {
            let message = self.next()?;
            if message["id"] == id && message.get("method").is_none() {
                return Some(message);
            }
        }
    }
}

#[test]
fn no_line_of_an_assistant_stops_the_session() {
    let home = home_with_bundle();
    let mut session = Session::start(&home);
    session.send(&begin());
    assert!(session.answer_to("begin").unwrap()["result"]["serverInfo"].is_object());
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let valid = lines();
    let all: Vec<u64> = seeds(200, 1).collect();
    for some in all.chunks(PING_EVERY) {
        session.last = format!("lines of the seeds {some:?}");
        for &seed in some {
            session.send_line(Random::new(seed).damaged(&valid, WORDS));
        }
        let id = format!("ping-{}", some[0]);
        session.send(&ping(&id));
        let answer = session.answer_to(&id);
        session.program.check_no_panic(&session.last);
        let answer = answer.unwrap_or_else(|| {
            panic!("the program ended at one of the seeds {some:?}: {}", session.program.said())
        });
        // A damaged line can ask for the protocol of July 2026, which has no `ping`.
        let is_unknown = answer["error"]["code"] == -32601;
        assert!(is_unknown || answer["result"] == json!({}), "{answer} after the seeds {some:?}");
    }
    let most = session.program.most_memory().unwrap_or(0);
    println!("{} lines, {:?}, {most} MiB", all.len(), session.seen);
    assert!(most <= MAX_MEMORY, "{most} MiB of memory");
    // Damage that reaches the tools, and damage that does not.
    let n = |kind: &str| session.seen.get(kind).copied().unwrap_or(0);
    assert!(all.len() < 200 || n("result").min(n("error")) > all.len() / 20);
    // The end of its input ends the program.
    drop(session.input);
    assert_eq!(session.program.ended_within(MAX_WAIT), 0, "{}", session.program.said());
}

// A former finding: each call took a thread and waited for its progress to be sent, until no thread
// was left to send it.
#[test]
fn more_calls_than_threads_are_all_answered() {
    const N_CALLS: usize = 2_000;
    let home = home_with_bundle();
    let mut session = Session::start(&home);
    session.send(&begin());
    session.answer_to("begin").unwrap();
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for token in 0..N_CALLS {
        session.send(&json!({"jsonrpc": "2.0", "id": token, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "mutex"},
            "_meta": {"progressToken": token}}}));
    }
    while session.seen.get("result").copied().unwrap_or(0) < N_CALLS + 1 {
        session.next().expect("the program has ended");
    }
    assert_eq!((session.seen["result"], session.seen.get("error")), (N_CALLS + 1, None));
    assert!(session.seen["request"] >= N_CALLS, "each call has told its progress");
}

// A former finding: answers waited in memory, however many there were.
#[test]
fn a_client_that_reads_slowly_takes_little_memory() {
    const N_REQUESTS: usize = 10_000;
    let home = home_with_bundle();
    let mut program = Program::start(&home, &["mcp", "out"]);
    let mut stdin = program.input.take().unwrap();
    let list = |id: usize| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let writer = std::thread::spawn(move || {
        write!(stdin, "{}\n{notice}\n", begin()).unwrap();
        (0..N_REQUESTS).for_each(|id| writeln!(stdin, "{}", list(id)).unwrap());
        stdin
    });
    let mut output = program.output.take().unwrap();
    let mut n_lines = 0;
    while n_lines <= N_REQUESTS {
        std::thread::sleep(Duration::from_micros(200));
        let bytes = output.fill_buf().unwrap();
        assert!(!bytes.is_empty(), "the program has ended: {}", program.said());
        n_lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        let len = bytes.len();
        output.consume(len);
    }
    let most = program.most_memory().unwrap_or(0);
    assert!(most <= MAX_MEMORY / 2, "{most} MiB of memory");
    drop(writer.join().unwrap());
    assert_eq!(program.ended_within(MAX_WAIT), 0, "{}", program.said());
}

// A message before `initialize` is answered, or ends the program with a reason.
#[test]
fn no_first_line_makes_the_program_panic_or_hang() {
    let home = home_with_bundle();
    let valid = lines();
    for seed in seeds(40, 100) {
        let mut session = Session::start(&home);
        let input = Random::new(seed).damaged(&valid, WORDS);
        session.last = shown(seed, &input);
        session.send_line(input);
        session.send(&begin());
        session.send(&ping("last"));
        let answer = session.answer_to("last");
        session.program.check_no_panic(&session.last);
        if answer.is_none() {
            let code = session.program.ended_within(MAX_WAIT);
            let said = session.program.said();
            assert!(code == 1 && said.contains("did not begin a session"), "{code} {said}");
        }
    }
}
