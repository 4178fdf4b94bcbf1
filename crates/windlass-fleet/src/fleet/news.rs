//! What servers say without being asked: refusals, and that credentials do not count any more.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use async_nats::{Event, ServerError};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};

use crate::error::one_line;

/// So many refusals are remembered for those who wait for one.
const REMEMBERED: usize = 64;

/// Kept of a connection.
pub(super) struct News {
    refusals: Sender<String>,
    /// Whoever may not listen to their own inbox gets no answer to anything.
    inbox: String,
    inbox_is_refused: AtomicBool,
    locked_out: Mutex<Option<String>>,
}

impl News {
    /// `inbox` is what the subjects of answers begin with.
    pub(super) fn of(inbox: String) -> News {
        News {
            refusals: channel(REMEMBERED).0,
            inbox,
            inbox_is_refused: AtomicBool::new(false),
            locked_out: Mutex::new(None),
        }
    }

    /// Something was heard.
    pub(super) fn hear(&self, event: &Event) {
        match event {
            Event::Connected => {
                *self.locked_out.lock().unwrap_or_else(PoisonError::into_inner) = None;
                self.inbox_is_refused.store(false, Ordering::SeqCst);
            }
            Event::ServerError(ServerError::AuthorizationViolation) => {
                self.lock_out("Authorization Violation");
            }
            Event::ServerError(ServerError::Other(said)) => {
                if let Some(subject) = refused_subject(said) {
                    if subject.starts_with(&self.inbox) {
                        self.inbox_is_refused.store(true, Ordering::SeqCst);
                    }
                    // Nobody may be waiting for one.
                    let _ = self.refusals.send(subject.to_owned());
                } else if is_about_credentials(said) {
                    self.lock_out(said);
                }
            }
            Event::ClientError(error) if is_about_credentials(&error.to_string()) => {
                self.lock_out(&error.to_string());
            }
            _ => {}
        }
    }

    fn lock_out(&self, said: &str) {
        *self.locked_out.lock().unwrap_or_else(PoisonError::into_inner) = Some(one_line(said));
    }

    /// What the server said, where it does not let this one in any more.
    pub(super) fn locked_out(&self) -> Option<String> {
        self.locked_out.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends when the server refuses this subject, or any answer. It counts from now on, not from when it is waited for.
    pub(super) fn refusal_of(&self, subject: &str) -> impl Future<Output = String> + use<> {
        let already = self.inbox_is_refused.load(Ordering::SeqCst);
        wait_for_refusal(self.refusals.subscribe(), subject.to_owned(), self.inbox.clone(), already)
    }
}

async fn wait_for_refusal(
    mut refusals: Receiver<String>,
    subject: String,
    inbox: String,
    inbox_is_refused: bool,
) -> String {
    if inbox_is_refused {
        return format!("{inbox}.>");
    }
    loop {
        match refusals.recv().await {
            Ok(refused) if covers(&subject, &refused) => return refused,
            Ok(refused) if refused.starts_with(&inbox) => return format!("{inbox}.>"),
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return std::future::pending().await,
        }
    }
}

/// Is it this subject, or, with `>` at its end, one that begins so?
fn covers(subject: &str, refused: &str) -> bool {
    subject.strip_suffix('>').map_or(subject == refused, |beginning| refused.starts_with(beginning))
}

/// `Permissions Violation for Publish to "SUBJECT"`, and the same for a subscription.
fn refused_subject(said: &str) -> Option<&str> {
    let rest = said.trim().strip_prefix("Permissions Violation for ")?;
    let (_, rest) = rest.split_once('"')?;
    Some(rest.split_once('"')?.0)
}

/// Does a server say that it does not know somebody, or not any more?
pub(super) fn is_about_credentials(said: &str) -> bool {
    let said = said.to_lowercase();
    ["authorization", "authentication", "nkey", "expired", "revoked"].iter().any(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_refusal_is_for_whoever_asked_at_its_subject_and_one_of_the_inbox_for_all() {
        let refusal = |subject: &str| {
            let said = format!("Permissions Violation for Publish to \"{subject}\"");
            Event::ServerError(ServerError::Other(said))
        };
        let news = News::of("_INBOX_x".to_owned());
        let (mine, wider, other) = (news.refusal_of("a.b"), news.refusal_of("a.>"), news.refusal_of("c"));
        news.hear(&refusal("a.b"));
        assert_eq!(mine.now_or_never().as_deref(), Some("a.b"));
        assert_eq!(wider.now_or_never().as_deref(), Some("a.b"));
        assert_eq!(other.now_or_never(), None);
        // It may be refused while nobody waits, when the connection comes back.
        assert_eq!(news.refusal_of("c").now_or_never(), None);
        news.hear(&refusal("_INBOX_x.y.*"));
        assert_eq!(news.refusal_of("c").now_or_never().as_deref(), Some("_INBOX_x.>"));
        news.hear(&Event::Connected);
        assert_eq!(news.refusal_of("c").now_or_never(), None);
    }

    #[test]
    fn the_subject_of_a_refusal_is_read() {
        for (said, subject) in [
            ("Permissions Violation for Publish to \"a.b\"", Some("a.b")),
            ("Permissions Violation for Subscription to \"a.>\" using queue \"q\"", Some("a.>")),
            ("Permissions Violation for Publish to a.b", None),
            ("Maximum Payload Violation", None),
        ] {
            assert_eq!(refused_subject(said), subject, "{said}");
        }
    }
}
