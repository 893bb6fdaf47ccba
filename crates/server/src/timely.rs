//! The body of a request, which has to arrive in time: one that never comes would keep its connection
//! busy forever.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;

/// A body that fails if it is not whole within a time.
pub(crate) struct Timely<B> {
    body: B,
    patience: Duration,
    /// Runs from the first time that nothing was there yet.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<B> Timely<B> {
    pub(crate) const fn new(body: B, patience: Duration) -> Self {
        Self {
            body,
            patience,
            waiting: None,
        }
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Timely<B>
where
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        // Never started anew: a byte now and then would keep the connection as well.
        let patience = self.patience;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        waiting.as_mut().poll(context).map(|()| {
            let message = "the body of the request does not come";
            Some(Err(io::Error::new(io::ErrorKind::TimedOut, message).into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
