//! Plain subjects: saying something to whoever listens, and listening.

use std::pin::pin;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{HeaderMap, Message, Subscriber};
use futures_util::future::{Either, select};
use futures_util::{FutureExt as _, StreamExt};

use super::{About, Line, Trouble};
use crate::call::{Deadline, ONE_TRY, until};
use crate::error::{FleetError, one_line};

/// How long a refusal that this process already has may need to be heard.
const ANOTHER_WAY: Duration = Duration::from_millis(50);

impl Line {
    /// Says something to whoever listens. That it is on its way is all that is known; a refusal is not.
    pub(crate) fn say(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Vec<u8>,
    ) -> Result<(), FleetError> {
        let doing = format!("say something at {subject}");
        self.wait(async {
            let said = self.client.publish_with_headers(subject, headers, payload.into()).await;
            said.map_err(|error| FleetError::Other { doing, problem: one_line(&error.to_string()) })
        })
    }

    /// Says something where that is possible at this moment, and never waits: without a connection, or where much is on its way, it is lost.
    pub(crate) fn say_in_passing(&self, subject: &str, payload: Vec<u8>) -> Result<(), FleetError> {
        let lost = |problem: &str| FleetError::Other {
            doing: format!("say something at {subject}"),
            problem: one_line(problem),
        };
        if self.client.connection_state() != State::Connected {
            return Err(lost("there is no connection"));
        }
        let said =
            self.wait(async { self.client.publish(subject.to_owned(), payload.into()).now_or_never() });
        match said {
            Some(said) => said.map_err(|error| lost(&error.to_string())),
            None => Err(lost("too much is on its way")),
        }
    }

    /// Says something, and waits until the server has it or refused it.
    pub(crate) fn tell(
        &self,
        doing: &str,
        subject: &str,
        headers: &HeaderMap,
        payload: &[u8],
        deadline: Deadline,
    ) -> Result<(), FleetError> {
        let about = About { doing, place: subject };
        self.wait(until(deadline, || async {
            let sending = async {
                let said = self.client.publish_with_headers(
                    subject.to_owned(),
                    headers.clone(),
                    payload.to_vec().into(),
                );
                said.await.map_err(|error| Trouble::Other(error.to_string()))
            };
            self.tried(self.settled(subject, sending, ONE_TRY.min(deadline.left())).await, about, deadline)
        }))
    }

    /// Listens to a subject. The server has taken it, or refused it, when this comes back.
    pub(crate) fn listen(&self, subject: &str, deadline: Deadline) -> Result<Subscriber, FleetError> {
        let doing = format!("listen to {subject}");
        let about = About { doing: &doing, place: subject };
        self.wait(until(deadline, || async {
            let subscribing = async {
                let subscribed = self.client.subscribe(subject.to_owned()).await;
                subscribed.map_err(|error| Trouble::Other(error.to_string()))
            };
            self.tried(
                self.settled(subject, subscribing, ONE_TRY.min(deadline.left())).await,
                about,
                deadline,
            )
        }))
    }

    /// Does something that is not answered, and asks for an answer after it: the server does things in their order, so its refusal
    /// would come first.
    async fn settled<T>(
        &self,
        subject: &str,
        doing: impl Future<Output = Result<T, Trouble>>,
        wait: Duration,
    ) -> Result<T, Trouble> {
        let refused = self.news.refusal_of(subject);
        self.connected(wait).await?;
        let done = async {
            let done = doing.await?;
            // A question that everybody may ask.
            self.ask_once::<serde_json::Value>("INFO", None, wait).await?;
            Ok(done)
        };
        match select(pin!(refused), pin!(done)).await {
            Either::Left((subject, _)) => Err(Trouble::NoPermission(subject)),
            Either::Right((Err(trouble), _)) => Err(trouble),
            // The refusal came first, but takes another way within this process.
            Either::Right((Ok(done), refused)) => match tokio::time::timeout(ANOTHER_WAY, refused).await {
                Ok(subject) => Err(Trouble::NoPermission(subject)),
                Err(_) => Ok(done),
            },
        }
    }

    /// The next message; `None` where none comes before the deadline, or nobody sends any more.
    pub(crate) fn hear(&self, messages: &mut Option<Subscriber>, deadline: Deadline) -> Option<Message> {
        let messages = messages.as_mut()?;
        self.wait(async { tokio::time::timeout(deadline.left(), messages.next()).await }).ok().flatten()
    }
}
