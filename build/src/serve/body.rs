//! The bodies of requests: how long they may be, and how long they may take.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;

/// Longest time for the body of a request.
const MAX_BODY_TIME: Duration = Duration::from_secs(15);

/// The reason for which a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// A body with more bytes than allowed.
    #[error("expected a shorter body")]
    TooLong,
    /// A body that did not arrive in time.
    #[error("expected the whole body within 15 seconds")]
    TooSlow,
    /// The client went away, or sent an invalid body.
    #[error("expected a whole body, found a part of one")]
    Broken,
}

impl BodyFault {
    /// Returns the status of the answer.
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }
}

/// Reads the body of a request, of at most `max_bytes`, within 15 seconds. Call it only after
/// checking that the caller has permission.
///
/// # Errors
/// A [`BodyFault`].
pub async fn read_body(body: Body, max_bytes: usize) -> Result<Bytes, BodyFault> {
    read_body_within(body, max_bytes, MAX_BODY_TIME).await
}

async fn read_body_within(
    mut body: Body,
    max_bytes: usize,
    max_time: Duration,
) -> Result<Bytes, BodyFault> {
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(BodyFault::TooLong);
    }
    let reading = async {
        let mut bytes = Vec::new();
        while let Some(frame) =
            std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            let Ok(data) = frame.map_err(|_| BodyFault::Broken)?.into_data() else { continue };
            if data.len() > max_bytes - bytes.len() {
                return Err(BodyFault::TooLong);
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes.into())
    };
    tokio::time::timeout(max_time, reading).await.unwrap_or(Err(BodyFault::TooSlow))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::task::{Context, Poll};

    use hyper::body::Frame;

    use super::*;

    /// Parts of a body; without an end, the server waits for the last part.
    struct Parts(Vec<&'static str>, bool);

    impl HttpBody for Parts {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match (self.0.is_empty(), self.1) {
                (false, _) => Poll::Ready(Some(Ok(Frame::data(self.0.remove(0).into())))),
                (true, true) => Poll::Ready(None),
                (true, false) => Poll::Pending,
            }
        }
    }

    #[test]
    fn bodies_are_read_whole_in_time_or_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for (parts, has_end, expect) in [
            (&["four"][..], true, Ok("four")),
            (&["fo", "ur"], true, Ok("four")),
            (&[], true, Ok("")),
            (&["0123456789"], true, Ok("0123456789")),
            (&["01234567890"], true, Err(BodyFault::TooLong)),
            (&["0123456789", "0"], false, Err(BodyFault::TooLong)),
            (&["four"], false, Err(BodyFault::TooSlow)),
            (&[], false, Err(BodyFault::TooSlow)),
        ] {
            let body = Body::new(Parts(parts.to_vec(), has_end));
            let read = read_body_within(body, 10, Duration::from_millis(20));
            let read = runtime.block_on(read);
            assert_eq!(read, expect.map(|text| text.into()), "{parts:?}");
        }
        // Its length is known in advance.
        let long = runtime.block_on(read_body(Body::from("a".repeat(11)), 10));
        assert_eq!(long, Err(BodyFault::TooLong));
    }
}
