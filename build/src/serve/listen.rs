//! Connections of every server of this program: how many there are, and how long a slow client may
//! take.
//!
//! | a client that | is put out |
//! |---|---|
//! | sends no head of a request, or half of one | after `max_head`; at once for a further one |
//! | sends a head that is too long | with 431 |
//! | sends a body too slowly, or too much of it | with 408 or 413 ([`super::body`]) |
//! | takes no answer, or a few bytes at a time | after `max_stall` |
//! | asks nothing more | as if it sent no head |

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, Request, Response, StatusCode, Version, header};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, Sleep};

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of connections. For a further one, the connection that has waited longest for
    /// a request is closed; if all are being answered, it waits in the system's queue.
    pub max_connections: usize,
    /// Longest time for the head of a request, and longest idle time.
    pub max_head: Duration,
    /// Longest time in which a client may take fewer than 16 KiB of the waiting bytes.
    pub max_stall: Duration,
}

/// Maximum number of connections, if the system allows as many.
const MAX_CONNECTIONS: usize = 1024;
/// Smallest limit of connections, and file descriptors reserved for other files of the process.
const MIN_CONNECTIONS: usize = 16;
/// Maximum number of bytes of the head of a request.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Bytes that a slow client takes in [`Limits::max_stall`], or it is disconnected.
const MIN_TAKEN: usize = 16 << 10;
/// Pause after a failed `accept`: then the process has no file descriptor left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// Time that a connection may wait for a request although another one needs its place.
const MIN_WAIT: Duration = Duration::from_millis(100);
/// Time in which a closed connection must leave its place.
const LEAVING: Duration = Duration::from_millis(50);

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { max_connections: most_connections(), max_head: seconds(15), max_stall: seconds(30) }
    }
}

/// Returns the number of connections that the system has file descriptors for. An answer may open a
/// file.
fn most_connections() -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        (files.saturating_sub(2 * MIN_CONNECTIONS) / 2).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS)
    }
    #[cfg(not(unix))]
    MAX_CONNECTIONS.max(MIN_CONNECTIONS)
}

/// Answers requests until `end` completes. Requests under way at that moment are not waited for.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) {
    let accepting = async {
        let places = Arc::new(Semaphore::new(limits.max_connections));
        let waiting = Arc::new(Waiting::default());
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                waiting.put_out_longest();
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            };
            let free = loop {
                if let Ok(free) = places.clone().try_acquire_owned() {
                    break free;
                }
                waiting.put_out_longest();
                let free = places.clone().acquire_owned();
                if let Ok(Ok(free)) = tokio::time::timeout(LEAVING, free).await {
                    break free;
                }
            };
            // An answer is one piece, so it need not wait for further ones.
            let _ = stream.set_nodelay(true);
            let place = Place::new(waiting.clone());
            let router = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                let _free = free;
                connection(stream, &router, &place, limits).await;
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        () = end => {}
    }
}

/// Answers the requests of one connection.
async fn connection(
    stream: TcpStream,
    router: &TowerToHyperService<Router>,
    place: &Arc<Place>,
    limits: Limits,
) {
    let answer = |request: Request<Incoming>| {
        let answered = Answered::new(place.clone());
        let router = router.clone();
        async move {
            let response = match well_formed(&request) {
                true => router.call(request.map(Body::new)).await?,
                false => refused(StatusCode::BAD_REQUEST),
            };
            Ok::<_, std::convert::Infallible>(
                response.map(|body| Kept { body, _answered: answered }),
            )
        }
    };
    let mut http = Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.max_head);
    http.max_buf_size(MAX_HEAD_BYTES);
    let stream = Unstalled::new(stream, limits.max_stall, place.clone());
    // An error is the client's fault: it is gone, or has not sent HTTP.
    tokio::select! {
        _ = http.serve_connection(TokioIo::new(stream), service_fn(answer)) => {}
        () = place.end.notified() => {}
    }
}

/// Returns whether a request names its host exactly once. If the first line names it too, both must
/// agree.
fn well_formed<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (host, further) = (hosts.next(), hosts.next());
    if further.is_some() || (host.is_none() && request.version() >= Version::HTTP_11) {
        return false;
    }
    let in_first_line = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    in_first_line.is_none_or(|name| host.is_some_and(|host| host.as_bytes() == name))
}

fn refused(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The connections that wait for a request; the one that has waited longest comes first.
#[derive(Debug, Default)]
struct Waiting(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    next: u64,
    places: BTreeMap<u64, (Instant, Arc<Notify>)>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connection that has waited longest, unless it has just begun to.
    fn put_out_longest(&self) {
        let mut line = self.lock();
        if let Some(longest) = line.places.first_entry()
            && longest.get().0.elapsed() >= MIN_WAIT
        {
            longest.remove().1.notify_one();
        }
    }

    fn enter(&self, end: &Arc<Notify>) -> u64 {
        let mut line = self.lock();
        line.next += 1;
        let number = line.next;
        line.places.insert(number, (Instant::now(), end.clone()));
        number
    }
}

/// The place of a connection.
#[derive(Debug)]
struct Place {
    waiting: Arc<Waiting>,
    turn: Mutex<Turn>,
    /// Told when the connection is to be closed.
    end: Arc<Notify>,
}

/// The side that has to send next.
#[derive(Debug)]
enum Turn {
    /// The client's turn. The connection has this number in the queue.
    Client(u64),
    /// The server's turn: a request is being answered.
    Server,
    /// The answer is complete, but has not been passed to the system completely.
    Sent,
}

impl Place {
    fn new(waiting: Arc<Waiting>) -> Arc<Self> {
        let end = Arc::new(Notify::new());
        let turn = Mutex::new(Turn::Client(waiting.enter(&end)));
        Arc::new(Self { waiting, turn, end })
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, turn: Turn) {
        if let Turn::Client(number) = std::mem::replace(&mut *self.turn(), turn) {
            self.waiting.lock().places.remove(&number);
        }
    }

    /// Records that all data has been passed to the system.
    fn flushed(&self) {
        let mut turn = self.turn();
        if matches!(*turn, Turn::Sent) {
            *turn = Turn::Client(self.waiting.enter(&self.end));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.set(Turn::Server);
    }
}

/// A request that is being answered.
#[derive(Debug)]
struct Answered(Arc<Place>);

impl Answered {
    fn new(place: Arc<Place>) -> Self {
        place.set(Turn::Server);
        Self(place)
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.0.set(Turn::Sent);
    }
}

/// A body that is being sent.
struct Kept {
    body: Body,
    _answered: Answered,
}

impl HttpBody for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection that fails if its client takes too little for too long.
struct Unstalled {
    stream: TcpStream,
    max_stall: Duration,
    place: Arc<Place>,
    /// Set while the client reads more slowly than the server sends.
    behind: Option<Behind>,
}

struct Behind {
    until: Pin<Box<Sleep>>,
    /// Bytes that the client has taken since then.
    taken: usize,
}

impl Unstalled {
    fn new(stream: TcpStream, max_stall: Duration, place: Arc<Place>) -> Self {
        Self { stream, max_stall, place, behind: None }
    }

    /// Returns the outcome of a write: an error if the client has read too slowly for too long.
    fn watched(
        &mut self,
        outcome: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = &outcome {
            if let (Some(behind), Ok(written)) = (&mut self.behind, written) {
                behind.taken += written;
                if behind.taken >= MIN_TAKEN {
                    self.behind = None;
                }
            }
            return outcome;
        }
        let until = Instant::now() + self.max_stall;
        let behind = self.behind.get_or_insert_with(|| Behind {
            until: Box::pin(tokio::time::sleep_until(until)),
            taken: 0,
        });
        match behind.until.as_mut().poll(context) {
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

    /// Completes when all data has been passed to the system.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.behind = None;
        self.place.flushed();
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
    fn with_server(limits: Limits, check: impl FnOnce(std::net::SocketAddr)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/long", get(|| async { vec![b'a'; 64 << 20] }));
        let server = runtime
            .spawn(async move { serve(listener, router, limits, std::future::pending()).await });
        check(address);
        server.abort();
    }

    fn limits(connections: usize, head: u64, stall: u64) -> Limits {
        let millis = Duration::from_millis;
        Limits { max_connections: connections, max_head: millis(head), max_stall: millis(stall) }
    }

    fn ask(stream: &mut TcpStream, path: &str) {
        write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    }

    fn open(address: std::net::SocketAddr, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream
    }

    /// Returns everything that a connection sends until it is closed.
    fn rest(mut stream: TcpStream) -> String {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn answer(address: std::net::SocketAddr, bytes: &str) -> String {
        rest(open(address, bytes))
    }

    #[test]
    fn half_a_request_is_not_waited_for() {
        with_server(limits(100, 200, 60_000), |address| {
            let half = open(address, "GET / HTTP/1.1\r\nHo");
            let nothing = open(address, "");
            // The connection is closed, with or without an answer.
            assert!(!rest(half).starts_with("HTTP/1.1 200"));
            assert_eq!(rest(nothing), "");
        });
    }

    #[test]
    fn a_connection_without_a_further_request_is_closed() {
        with_server(limits(100, 200, 60_000), |address| {
            let text = answer(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assert!(text.ends_with("here"), "{text}");
        });
    }

    #[test]
    fn whoever_waits_longest_leaves_its_place_to_a_further_one() {
        with_server(limits(2, 60_000, 60_000), |address| {
            let slow: Vec<_> = (0..50).map(|_| open(address, "GET / HTTP/1.1\r\nHo")).collect();
            // All places are taken, and no connection has timed out.
            let mut stream = TcpStream::connect(address).unwrap();
            ask(&mut stream, "/");
            assert!(rest(stream).ends_with("here"));
            drop(slow);
        });
    }

    #[test]
    fn a_request_that_is_answered_keeps_its_place() {
        with_server(limits(1, 60_000, 60_000), |address| {
            let mut long = TcpStream::connect(address).unwrap();
            ask(&mut long, "/long");
            let mut first = vec![0; 1 << 16];
            long.read_exact(&mut first).unwrap();
            let mut other = TcpStream::connect(address).unwrap();
            ask(&mut other, "/");
            std::thread::sleep(Duration::from_millis(300));
            let mut bytes = Vec::new();
            long.read_to_end(&mut bytes).unwrap();
            assert!(first.len() + bytes.len() > 64 << 20);
            assert!(rest(other).ends_with("here"));
        });
    }

    #[test]
    fn a_request_names_its_host_once() {
        with_server(limits(100, 60_000, 60_000), |address| {
            for (head, status) in [
                ("GET / HTTP/1.1\r\nHost: a", "200"),
                ("GET / HTTP/1.0", "200"),
                ("GET http://a/ HTTP/1.1\r\nHost: a", "200"),
                ("GET / HTTP/1.1", "400"),
                ("GET / HTTP/1.1\r\nHost: a\r\nHost: a", "400"),
                ("GET / HTTP/1.1\r\nHost: a\r\nHost: b", "400"),
                ("GET http://b/ HTTP/1.1\r\nHost: a", "400"),
            ] {
                let text = answer(address, &format!("{head}\r\nConnection: close\r\n\r\n"));
                assert_eq!(text.split(' ').nth(1), Some(status), "{head}");
            }
            let long = "a".repeat(4 * MAX_HEAD_BYTES);
            let text = answer(address, &format!("GET / HTTP/1.1\r\nHost: a\r\nX: {long}\r\n\r\n"));
            assert_eq!(text.split(' ').nth(1), Some("431"));
        });
    }

    #[test]
    fn a_client_that_takes_nothing_is_put_out() {
        with_server(limits(2, 60_000, 200), |address| {
            let mut stream = TcpStream::connect(address).unwrap();
            ask(&mut stream, "/long");
            std::thread::sleep(Duration::from_millis(1500));
            assert!(rest(stream).len() < 64 << 20);
        });
    }
}
