//! Journals of runs, each a subject of one stream. A line counts once the stream has acknowledged it.

use std::pin::pin;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::stream::ConsumerErrorKind;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use serde::{Deserialize, Serialize};
use windlass_core::values::RunId;

use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::FleetError;
use crate::fleet::stored::{Found, Stored, only_after};
use crate::fleet::{About, Fleet, NewMessage, Trouble, nonce};
use crate::layout::Part;
use crate::names::{checked_commit, checked_run, checked_run_file};
use crate::orders::{CodePart, RunFile};
use crate::store::{ContentId, hash_of};

/// The longest line, in bytes.
pub const LONGEST_LINE: usize = 512 * 1024;

/// Where a line is: a number that grows along a journal. Other runs' lines are counted with it, so there are gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

/// A line, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where.
    pub sequence: Sequence,
    /// How it came there.
    pub origin: Origin,
    /// As it was appended.
    pub bytes: Vec<u8>,
}

/// How a line came to be in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Appended by a runner of this run.
    Appended,
    /// Put beside the journal's own lines by a runner of this run: an [`Attachment`].
    Attached,
    /// It is none of this journal: an answer, or a copy, that somebody has had the server send here. It stands for nothing.
    Noise,
}

/// Names the run that a line was appended for. A copy that the server sends elsewhere has it too, and so is known for one.
const RUN: &str = "Windlass-Run";

/// Marks what is no line of the journal itself.
const ATTACHED: &str = "Windlass-Attached";

/// Something that belongs to a run and is no fact: where the fleet keeps what whoever goes on with it elsewhere needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attachment {
    /// What has to be known of the run: a file of the store of code.
    Brief(ContentId),
    /// The commits of the branch, each built on those before it: all that whoever has nothing needs to have the last one; or whoever has
    /// the commit that the run began with, where commits travel through a git remote.
    Code(Vec<CodePart>),
    /// Files of the run's folder that are new or have changed.
    Files(Vec<RunFile>),
}

impl Attachment {
    /// Reads one; `None` for what is none, or of a later version, or names what it may not.
    pub fn read(bytes: &[u8]) -> Option<Attachment> {
        let read: Attachment = serde_json::from_slice(bytes).ok()?;
        let is_right = match &read {
            Attachment::Brief(_) => true,
            Attachment::Code(parts) => parts.iter().all(|part| checked_commit(&part.commit).is_ok()),
            Attachment::Files(files) => files.iter().all(|file| checked_run_file(&file.path).is_ok()),
        };
        is_right.then_some(read)
    }
}

/// Which of the two is written.
#[derive(Clone, Copy)]
enum Kind {
    Line,
    Attachment,
}

/// What became of a line that was to be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is in the journal.
    Written(Sequence),
    /// It is not: the journal ends with another line than was expected. Somebody else writes.
    Refused {
        /// Where the journal ends.
        newest: Sequence,
    },
}

/// The journal of one run, and one writer of it.
#[derive(Debug)]
pub struct Journal {
    fleet: Fleet,
    run: RunId,
    subject: String,
    stream: String,
    /// By which this writer knows its own lines.
    writer: String,
}

impl Journal {
    /// Of this run. Nothing is asked or written yet.
    pub fn of(fleet: &Fleet, run: &RunId) -> Result<Journal, FleetError> {
        let subject = fleet.line.subjects.journal(run)?;
        let stream = Part::Journal.stream(&fleet.line.subjects);
        Ok(Journal { fleet: fleet.clone(), run: run.clone(), subject, stream, writer: nonce()? })
    }

    fn about(&self) -> About<'_> {
        About { doing: "append to the run's journal", place: &self.stream }
    }

    fn stored(&self) -> Stored<'_> {
        Stored { line: &self.fleet.line, stream: &self.stream }
    }

    /// Appends a line, if the journal ends at `after` (0: has no line). After a lost answer the journal is read again: our own
    /// line there means written. With [`FleetError::TimedOut`] it is unknown; the same call again settles it.
    pub fn append(&self, line: &[u8], after: Sequence, deadline: Deadline) -> Result<Appended, FleetError> {
        self.write(Kind::Line, line, after, deadline)
    }

    /// Puts something beside the journal's lines, as [`append`](Journal::append) appends one.
    pub fn attach(
        &self,
        attachment: &Attachment,
        after: Sequence,
        deadline: Deadline,
    ) -> Result<Appended, FleetError> {
        let line = serde_json::to_vec(attachment).unwrap_or_default();
        self.write(Kind::Attachment, &line, after, deadline)
    }

    fn write(
        &self,
        kind: Kind,
        line: &[u8],
        after: Sequence,
        deadline: Deadline,
    ) -> Result<Appended, FleetError> {
        if line.len() > LONGEST_LINE {
            return Err(FleetError::TooLarge {
                doing: self.about().doing.to_owned(),
                size: line.len() as u64,
                limit: LONGEST_LINE as u64,
            });
        }
        // The same for the same try, and for no other one: of another writer, at another place, or of another line.
        let id = format!("{}:{}:{}", self.writer, after.0, &hash_of(line)[..32]);
        let mut headers = only_after(after.0);
        headers.insert(NATS_MESSAGE_ID, id.as_str());
        headers.insert(RUN, self.run.0.as_str());
        if let Kind::Attachment = kind {
            headers.insert(ATTACHED, "1");
        }
        self.fleet.wait(until(deadline, || self.write_once(line, headers.clone(), after, &id, deadline)))
    }

    async fn write_once(
        &self,
        line: &[u8],
        headers: HeaderMap,
        after: Sequence,
        id: &str,
        deadline: Deadline,
    ) -> Tried<Appended, FleetError> {
        let wait = ONE_TRY.min(deadline.left());
        let message = NewMessage { subject: &self.subject, headers, payload: line };
        let trouble = match self.fleet.line.put_once(&self.stream, message, wait).await {
            Ok(written) => return Tried::Done(Appended::Written(Sequence(written.sequence))),
            Err(trouble) => trouble,
        };
        if !trouble.is_overtaken() && !trouble.may_pass() {
            return Tried::Failed(self.fleet.line.explain(trouble, self.about(), deadline));
        }
        match self.what_became_of(after, id, deadline).await {
            Ok(Some(appended)) => Tried::Done(appended),
            // It was not written, and may still come: with its id it counts once.
            Ok(None) => Tried::Again(self.fleet.line.explain(trouble, self.about(), deadline)),
            Err(again) => self.fleet.line.tried(Err(again), self.about(), deadline),
        }
    }

    /// `None` where nothing was written after what was expected.
    async fn what_became_of(
        &self,
        after: Sequence,
        id: &str,
        deadline: Deadline,
    ) -> Result<Option<Appended>, Trouble> {
        let wait = ONE_TRY.min(deadline.left());
        let next = self.stored().next(&self.subject, after.0 + 1, wait).await?;
        if let Some(next) = &next
            && next.message_id() == Some(id)
        {
            return Ok(Some(Appended::Written(Sequence(next.sequence))));
        }
        let newest = self.stored().newest(&self.subject, wait).await?.map_or(0, |newest| newest.sequence);
        // What came between the two questions may be this very line: it is asked for again.
        let is_ended_elsewhere = next.is_some() || newest < after.0;
        Ok(is_ended_elsewhere.then_some(Appended::Refused { newest: Sequence(newest) }))
    }

    /// The runs of which there is a journal, in no order.
    pub fn runs(fleet: &Fleet, deadline: Deadline) -> Result<Vec<RunId>, FleetError> {
        let stream = Part::Journal.stream(&fleet.line.subjects);
        let about = About { doing: "list the fleet's runs", place: &stream };
        let found = fleet.subjects_of(&stream, &fleet.line.subjects.below("journal."), about, deadline)?;
        Ok(found.into_iter().map(RunId).filter(|run| checked_run(run).is_ok()).collect())
    }

    /// Where the journal ends; 0 where it has no line.
    pub fn newest(&self, deadline: Deadline) -> Result<Sequence, FleetError> {
        let about = About { doing: "read the run's journal", place: &self.stream };
        let newest: Option<Found> = self.fleet.wait(until(deadline, || async {
            let newest = self.stored().newest(&self.subject, ONE_TRY.min(deadline.left())).await;
            self.fleet.line.tried(newest, about, deadline)
        }))?;
        Ok(Sequence(newest.map_or(0, |newest| newest.sequence)))
    }

    /// All lines after `after`, noise included, up to what is the end at the moment of the call, each given to `read`.
    pub fn read(
        &self,
        after: Sequence,
        deadline: Deadline,
        mut read: impl FnMut(Line),
    ) -> Result<Sequence, FleetError> {
        let end = self.newest(deadline)?;
        if end <= after {
            return Ok(after);
        }
        let mut lines = self.follow(after, deadline)?;
        let mut at = after;
        while at < end {
            let Some(line) = lines.next(deadline)? else {
                return Err(FleetError::TimedOut {
                    doing: "read the run's journal".to_owned(),
                    within: deadline.within(),
                    problem: format!("it ends at {}, and {} came last", end.0, at.0),
                });
            };
            at = line.sequence;
            read(line);
        }
        Ok(at)
    }

    /// The lines after `after`, those that come later included.
    pub fn follow(&self, after: Sequence, deadline: Deadline) -> Result<Lines, FleetError> {
        let mut lines = Lines {
            fleet: self.fleet.clone(),
            run: self.run.clone(),
            subject: self.subject.clone(),
            stream: self.stream.clone(),
            messages: None,
            at: after,
        };
        lines.open(deadline)?;
        Ok(lines)
    }
}

async fn open(
    client: &async_nats::Client,
    stream: &str,
    config: OrderedConfig,
    deadline: Deadline,
) -> Result<Ordered, Trouble> {
    // Made where there is a runtime: it starts a task.
    let context = jetstream::new(client.clone());
    let opening = async {
        let consumer =
            context.create_consumer_on_stream(config, stream).await.map_err(|error| match error.kind() {
                ConsumerErrorKind::JetStream(error) => {
                    Trouble::Refused { code: error.error_code(), said: error.to_string() }
                }
                ConsumerErrorKind::TimedOut => Trouble::TimedOut,
                _ => Trouble::Other(error.to_string()),
            })?;
        consumer.messages().await.map_err(|error| Trouble::Other(error.to_string()))
    };
    let late = tokio::time::sleep(ONE_TRY.min(deadline.left()));
    match select(pin!(opening), pin!(late)).await {
        Either::Left((opened, _)) => opened,
        Either::Right(_) => Err(Trouble::TimedOut),
    }
}

/// A journal that is followed.
pub struct Lines {
    fleet: Fleet,
    run: RunId,
    subject: String,
    stream: String,
    /// `None` while it has to be opened anew, and while it is dropped.
    messages: Option<Ordered>,
    at: Sequence,
}

impl Lines {
    /// The next line; `None` where there is none before the deadline. What the servers go through meanwhile is not seen here: it
    /// goes on where it was.
    pub fn next(&mut self, deadline: Deadline) -> Result<Option<Line>, FleetError> {
        loop {
            let Some(messages) = &mut self.messages else {
                match self.open(deadline) {
                    Ok(()) => continue,
                    Err(error) if error.may_pass() => return Ok(None),
                    Err(error) => return Err(error),
                }
            };
            let next =
                self.fleet.wait(async { tokio::time::timeout(deadline.left(), messages.next()).await });
            let line = match next {
                Err(_) => return Ok(None),
                Ok(Some(Ok(message))) => line_of(&self.run, &message),
                // It was too much for the client's own way to go on.
                Ok(None | Some(Err(_))) => None,
            };
            match line {
                // After the servers went through something, lines may come once more.
                Some(line) if line.sequence <= self.at => {}
                Some(line) => {
                    self.at = line.sequence;
                    return Ok(Some(line));
                }
                None => self.close(),
            }
        }
    }

    fn open(&mut self, deadline: Deadline) -> Result<(), FleetError> {
        let about = About { doing: "follow the run's journal", place: &self.stream };
        let asked = format!("$JS.API.CONSUMER.CREATE.{}.>", self.stream);
        let name = nonce()?;
        let line = &self.fleet.line;
        self.messages = Some(line.wait(until(deadline, || async {
            let config = OrderedConfig {
                // With a name, the server is asked at a subject that says of what: permissions go by that.
                name: Some(name.clone()),
                filter_subject: self.subject.clone(),
                deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.at.0 + 1 },
                ..OrderedConfig::default()
            };
            let opening = open(&line.client, &self.stream, config, deadline);
            line.tried(line.unless_refused(&asked, opening).await, about, deadline)
        }))?);
        Ok(())
    }

    fn close(&mut self) {
        // It says goodbye to the server, and needs the runtime for that.
        let messages = self.messages.take();
        self.fleet.wait(async { drop(messages) });
    }
}

/// `None` for what is no message of a stream.
fn line_of(run: &RunId, message: &jetstream::Message) -> Option<Line> {
    let sequence = Sequence(message.info().ok()?.stream_sequence);
    let header = |name: &str| message.headers.as_ref().and_then(|headers| headers.get(name));
    let origin = match header(RUN) {
        Some(named) if named.as_str() == run.0 && header(ATTACHED).is_some() => Origin::Attached,
        Some(named) if named.as_str() == run.0 => Origin::Appended,
        _ => Origin::Noise,
    };
    Some(Line { sequence, origin, bytes: message.payload.to_vec() })
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.close();
    }
}
