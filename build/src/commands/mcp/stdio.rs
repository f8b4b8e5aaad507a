//! Messages over standard input and output, one on each line. A line that is no message gets an
//! error as its answer, so that the sender does not wait for ever.
//!
//! A client may send faster than it is answered, and may read slower. No further line is read while
//! the requests without an answer, or the answers that are not yet written, reach a limit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Notify, Semaphore, mpsc};

use super::json_rpc::{self, Fault, MAX_BYTES};

/// Messages that were read and are not yet taken.
const QUEUE: usize = 16;
/// Maximum memory of requests without an answer, in KiB.
const MAX_OPEN_KIB: usize = 16 << 10;
/// Memory of a request in addition to its own bytes, in KiB: its task and its answer.
const REQUEST_KIB: usize = 64;
/// Maximum number of messages that wait until they are written.
const MAX_UNWRITTEN: usize = 64;

/// The lines of a client.
pub struct Lines<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Arc<Output<W>>,
}

struct Output<W> {
    stream: Mutex<W>,
    n_unwritten: AtomicUsize,
    /// Signals that a message is no longer unwritten.
    written: Notify,
}

/// A message that waits until it is written.
struct Unwritten<W>(Arc<Output<W>>);

impl<W> Unwritten<W> {
    fn new(output: &Arc<Output<W>>) -> Self {
        output.n_unwritten.fetch_add(1, Ordering::SeqCst);
        Self(output.clone())
    }
}

impl<W> Drop for Unwritten<W> {
    fn drop(&mut self) {
        self.0.n_unwritten.fetch_sub(1, Ordering::SeqCst);
        self.0.written.notify_one();
    }
}

impl<W: AsyncWrite + Send + Unpin> Output<W> {
    async fn write(&self, line: Vec<u8>) -> io::Result<()> {
        let mut stream = self.stream.lock().await;
        stream.write_all(&line).await?;
        stream.flush().await
    }

    /// Waits until few messages are unwritten. Only one task may wait.
    async fn has_room(&self) {
        while self.n_unwritten.load(Ordering::SeqCst) >= MAX_UNWRITTEN {
            self.written.notified().await;
        }
    }
}

fn line(message: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// Reads lines in a separate task, because a pending read must not be cancelled.
    pub fn new(input: impl AsyncRead + Send + Unpin + 'static, output: W) -> Self {
        let output = Arc::new(Output {
            stream: Mutex::new(output),
            n_unwritten: AtomicUsize::new(0),
            written: Notify::new(),
        });
        let (sender, messages) = mpsc::channel(QUEUE);
        let answers = output.clone();
        let open = Arc::new(Semaphore::new(MAX_OPEN_KIB));
        tokio::spawn(async move {
            let mut input = BufReader::new(input);
            // The task ends when the input fails, or when the client takes no more lines.
            while let Ok(Some(text)) = next_line(&mut input).await {
                let len = text.as_ref().map_or(0, Vec::len);
                let read = text.and_then(|text| match text.trim_ascii() {
                    b"" => Ok(None),
                    text => json_rpc::read(text),
                });
                answers.has_room().await;
                let is_open = match read {
                    Ok(Some(mut message)) => {
                        count(&mut message, len, &open).await;
                        sender.send(message).await.is_ok()
                    }
                    Ok(None) => true,
                    Err(fault) => answer(&answers, &fault.answer()).await.is_ok(),
                };
                if !is_open {
                    break;
                }
            }
        });
        Self { messages, output }
    }
}

/// Waits until the memory of unanswered requests has room for a request. The request counts until
/// its handler ends, which drops the request's extensions.
async fn count(message: &mut ClientJsonRpcMessage, len: usize, open: &Arc<Semaphore>) {
    if let JsonRpcMessage::Request(request) = message {
        let kib = u32::try_from(REQUEST_KIB + len / 1024).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        if let Ok(permit) = open.clone().acquire_many_owned(kib).await {
            request.request.extensions_mut().insert(Arc::new(permit));
        }
    }
}

async fn answer<W: AsyncWrite + Send + Unpin>(
    output: &Output<W>,
    message: &Value,
) -> io::Result<()> {
    output.write(line(message)?).await
}

/// Reads the next line, without its end; `None` at the end of the input. A line that is too long is
/// dropped.
async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<Result<Vec<u8>, Fault>>> {
    let (mut text, mut is_long, mut is_any) = (Vec::new(), false, false);
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            break;
        }
        is_any = true;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        is_long |= text.len() + part.len() > MAX_BYTES;
        match is_long {
            true => text.clear(),
            false => text.extend_from_slice(part),
        }
        let taken = end.map_or(bytes.len(), |end| end + 1);
        input.consume(taken);
        if end.is_some() {
            break;
        }
    }
    Ok(is_any.then(|| if is_long { Err(Fault::too_long()) } else { Ok(text) }))
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, unwritten) = (self.output.clone(), Unwritten::new(&self.output));
        async move {
            let done = output.write(line(&message)?).await;
            drop(unwritten);
            done
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answers to an input, and the number of messages that were read.
    fn talk(input: &[u8]) -> (Vec<Value>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (output, written) = tokio::io::duplex(1 << 20);
            let mut lines = Lines::new(io::Cursor::new(input.to_vec()), output);
            let mut n_messages = 0;
            while lines.receive().await.is_some() {
                n_messages += 1;
            }
            drop(lines);
            let mut answers = Vec::new();
            let mut written = BufReader::new(written).lines();
            while let Some(line) = written.next_line().await.unwrap() {
                answers.push(serde_json::from_str(&line).unwrap());
            }
            (answers, n_messages)
        })
    }

    fn codes(input: &[u8]) -> (Vec<i64>, usize) {
        let (answers, n_messages) = talk(input);
        let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
        (answers.iter().map(code).collect(), n_messages)
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[test]
    fn each_line_that_is_no_message_is_answered_and_the_next_is_read() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        let input = format!("nonsense\n{PING}\n\n{deep}\r\n[]\n{PING}\r\n{{}}\n");
        assert_eq!(codes(input.as_bytes()), (vec![-32700, -32700, -32600, -32600], 2));
        assert_eq!(codes(b""), (vec![], 0));
        assert_eq!(codes(b"\xff\xfe\n"), (vec![-32700], 0));
        // The last line may lack its end.
        assert_eq!(codes(PING.as_bytes()), (vec![], 1));
        assert_eq!(codes(b"half"), (vec![-32700], 0));
    }

    #[test]
    fn a_line_that_is_too_long_is_answered_and_not_kept() {
        let mut input = vec![b'a'; MAX_BYTES + 10];
        input.extend_from_slice(format!("\n{PING}\n").as_bytes());
        assert_eq!(codes(&input), (vec![-32600], 1));
    }
}
