//! Connections: how many, and for how long one may take for what.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
use tower_service::Service as _;
use windlass_host::process::{Guest, guest_at};

use crate::door::Refusal;
use crate::response::{Response, refusal, sealed};
use crate::site::Site;

/// Connections at the same time; more wait until one ends.
const CONNECTIONS: usize = 32;

/// So long a browser may take to say what it wants, and between two things that it wants.
const HEAD: Duration = Duration::from_secs(5);

/// So long a browser may take nothing of what it is given.
const UNREAD: Duration = Duration::from_secs(30);

/// Bytes of a head.
const LONGEST_HEAD: usize = 16 * 1024;

/// Who is at the other end.
#[derive(Clone, Copy, Debug)]
pub struct Remote(pub SocketAddr);

/// Which of two came first.
pub enum Either<A, B> {
    /// The one.
    Left(A),
    /// The other.
    Right(B),
}

/// Waits for the first of two.
pub async fn first<A: Future, B: Future>(
    mut one: Pin<&mut A>,
    mut other: Pin<&mut B>,
) -> Either<A::Output, B::Output> {
    poll_fn(|context| {
        if let Poll::Ready(done) = one.as_mut().poll(context) {
            return Poll::Ready(Either::Left(done));
        }
        other.as_mut().poll(context).map(Either::Right)
    })
    .await
}

/// A connection's other end.
struct Caller {
    remote: SocketAddr,
    local: SocketAddr,
    /// Was it something that a run started, when it was first looked at?
    looked: OnceCell<Option<Asker>>,
}

impl Caller {
    /// Reads `/proc`, so not on the thread that serves. What cannot be found out is taken for the worse.
    async fn guest(&self) -> Option<Asker> {
        let (remote, local) = (self.remote, self.local);
        let found = tokio::task::spawn_blocking(move || guest_at(remote, local)).await;
        found.map_or(Some(Asker::Unknown), |guest| {
            guest.map(|guest| match guest {
                Guest::Known(_) => Asker::OfARun,
                Guest::Hidden(_) => Asker::Unknown,
            })
        })
    }
}

/// Who asks and is not let in.
#[derive(Clone, Copy, Debug)]
enum Asker {
    /// Something that a run started.
    OfARun,
    /// Nobody can tell whether it is.
    Unknown,
}

impl Asker {
    const fn why(self) -> &'static str {
        match self {
            Asker::OfARun => "what a run started may neither look nor act here: only a person does",
            Asker::Unknown => {
                "nobody can tell whether a run started this: a run at work has started something that hides its connections, \
                 and so does what asks; ask when that run has ended, or with a program of your own user"
            }
        }
    }
}

/// Serves until told to end.
pub async fn serve(site: Arc<Site>, router: Router, listener: TcpListener, end: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut end = pin!(end);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            Some((place, listener.accept().await))
        };
        let Either::Right(accepted) = first(end.as_mut(), pin!(accepted)).await else { return };
        match accepted {
            Some((place, Ok((stream, remote)))) => {
                let (site, router) = (Arc::clone(&site), router.clone());
                tokio::spawn(async move {
                    converse(site, router, stream, remote).await;
                    drop(place);
                });
            }
            // Too many open files, or one that left again: others will come.
            Some((_, Err(_))) => sleep(Duration::from_millis(50)).await,
            None => return,
        }
    }
}

async fn converse(site: Arc<Site>, router: Router, stream: TcpStream, remote: SocketAddr) {
    let Ok(local) = stream.local_addr() else { return };
    let caller = Arc::new(Caller { remote, local, looked: OnceCell::new() });
    let answering = service_fn(move |request: hyper::Request<Incoming>| {
        let (site, mut router, caller) = (Arc::clone(&site), router.clone(), Arc::clone(&caller));
        async move {
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(Remote(caller.remote));
            Ok::<Response, Infallible>(sealed(admit(&site, &mut router, &caller, request).await))
        }
    });
    let _ = stream.set_nodelay(true);
    // What goes wrong on the way is the browser's to notice.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(Patient::new(stream)), answering)
        .await;
}

/// Before any route is looked for: is it the page that is asked for, and not by something that a run started?
async fn admit(site: &Site, router: &mut Router, caller: &Caller, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(foreign) = site.door.host(&parts) {
        return refusal(foreign);
    }
    let is_look = parts.method == Method::GET || parts.method == Method::HEAD;
    // A connection can change hands: whoever wants something done is looked at each time.
    let guest =
        if is_look { *caller.looked.get_or_init(|| caller.guest()).await } else { caller.guest().await };
    if let Some(why) = guest.map(Asker::why) {
        return refusal(Refusal { status: StatusCode::FORBIDDEN, why });
    }
    let answered = router.call(Request::from_parts(parts, body)).await;
    answered.unwrap_or_else(|never| match never {})
}

/// A connection that ends when nothing of what is written is taken for too long.
struct Patient {
    stream: TcpStream,
    /// Running while something waits to be taken.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    const fn new(stream: TcpStream) -> Patient {
        Patient { stream, stuck: None }
    }

    /// What a write came to; an error where one has been waiting for too long.
    fn judged<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stuck =
            self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + UNREAD)));
        match stuck.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judged(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judged(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
