//! Connections: how many there are, how long a slow client may take, and by which names this server
//! may be asked.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep};

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Most connections. Further ones wait in the system's queue.
    pub max_connections: usize,
    /// Longest time for the head of a request, and without any request.
    pub max_head: Duration,
    /// Longest time in which a client takes nothing of what is sent.
    pub max_stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { max_connections: 1024, max_head: seconds(15), max_stall: seconds(30) }
    }
}

/// Pause after a failed `accept`: then the process has no file descriptor left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Answers requests until `end` is there. Those under way then are not waited for.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    end: impl Future<Output = ()>,
) {
    let accepting = async {
        let places = Arc::new(Semaphore::new(patience.max_connections));
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            };
            // An answer is one piece, which waits for no other one.
            let _ = stream.set_nodelay(true);
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                let _place = place;
                let mut http = Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(patience.max_head);
                let stream = Unstalled::new(stream, patience.max_stall);
                // An error is the client's: it is gone, or has sent no HTTP.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        () = end => {}
    }
}

/// Answers only requests that were sent to this machine by a name of its own, or by one of `more`.
/// A page of another site whose name was pointed at this machine (DNS rebinding) sends its own.
pub fn hosts(router: Router, more: Vec<String>) -> Router {
    let check = move |request: Request, next: Next| {
        let is_known = is_known(request.headers(), &more);
        async move {
            if is_known {
                return next.run(request).await;
            }
            let message = "This server is asked by another name than its own: see --allow-host.\n";
            (StatusCode::FORBIDDEN, message).into_response()
        }
    };
    router.layer(middleware::from_fn(check))
}

fn is_known(headers: &HeaderMap, more: &[String]) -> bool {
    // Browsers always send it.
    let Some(host) = headers.get(header::HOST) else { return true };
    let host = host.to_str().unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name =
        host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    let own = ["localhost", "127.0.0.1", "[::1]"];
    let all = own.into_iter().chain(more.iter().map(String::as_str));
    all.into_iter().any(|known| name.eq_ignore_ascii_case(known))
        || name.to_ascii_lowercase().ends_with(".localhost")
}

/// A connection that fails if its client takes nothing for too long.
struct Unstalled {
    stream: TcpStream,
    max_stall: Duration,
    /// Set while the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Unstalled {
    fn new(stream: TcpStream, max_stall: Duration) -> Self {
        Self { stream, max_stall, stalled: None }
    }

    /// What has become of a write: an error if it has been waited for too long.
    fn watched<T>(
        &mut self,
        outcome: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let until = Instant::now() + self.max_stall;
        let sleep = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        match sleep.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Unstalled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Unstalled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(outcome, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watched(outcome, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use axum::routing::get;

    use super::*;

    /// Serves an answer of 64 MiB with these limits while `check` runs.
    fn with_server(patience: Patience, check: impl FnOnce(std::net::SocketAddr)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/long", get(|| async { vec![b'a'; 64 << 20] }));
        let server = runtime
            .spawn(async move { serve(listener, router, patience, std::future::pending()).await });
        check(address);
        server.abort();
    }

    fn patience(head: u64, stall: u64) -> Patience {
        let millis = Duration::from_millis;
        Patience { max_connections: 2, max_head: millis(head), max_stall: millis(stall) }
    }

    fn ask(stream: &mut TcpStream, path: &str) {
        write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    }

    #[test]
    fn half_a_request_is_not_waited_for_and_leaves_its_place() {
        with_server(patience(200, 60_000), |address| {
            let slow: Vec<_> = (0..2)
                .map(|_| {
                    let mut stream = TcpStream::connect(address).unwrap();
                    stream.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
                    stream
                })
                .collect();
            // All places are taken until the slow clients are put out.
            let mut stream = TcpStream::connect(address).unwrap();
            ask(&mut stream, "/");
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            assert!(text.ends_with("here"), "{text}");
            for mut stream in slow {
                let mut rest = Vec::new();
                // Closed, with or without an answer.
                let _ = stream.read_to_end(&mut rest);
                assert!(!rest.starts_with(b"HTTP/1.1 200"));
            }
        });
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for (host, expect) in [
            ("127.0.0.1:8900", true),
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("[::1]:8900", true),
            ("docs.localhost:8900", true),
            ("search.example.org", true),
            ("evil.example:8900", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("", false),
        ] {
            let headers = [(header::HOST, host.parse().unwrap())].into_iter().collect();
            assert_eq!(is_known(&headers, &["search.example.org".to_owned()]), expect, "{host}");
        }
        assert!(is_known(&HeaderMap::new(), &[]));
    }

    #[test]
    fn a_client_that_takes_nothing_is_put_out() {
        with_server(patience(60_000, 200), |address| {
            let mut stream = TcpStream::connect(address).unwrap();
            ask(&mut stream, "/long");
            std::thread::sleep(Duration::from_millis(1500));
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            assert!(bytes.len() < 64 << 20, "{}", bytes.len());
        });
    }
}
