//! Doing what was asked: once, about the run as whoever asked had seen it, written down first.

use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_app::AppError;
use windlass_app::asked::{ActionAsked, Journalled};
use windlass_core::values::{RunId, StopSource};
use windlass_host::file::digest;

use crate::action::{Action, Subject};
use crate::asked::{ActionOutcome, Claim, Record};
use crate::response::{self, Response};
use crate::site::{Followed, Rights, Site, locked};

/// What a browser asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What is to be done.
    pub action: Action,
    /// The number of the run's last fact that it has been shown.
    pub seq: u64,
    /// Drawn for this and nothing else: said again with the same, it is not done again.
    pub once: String,
}

/// What a browser is told.
#[derive(Serialize)]
struct Reply<'a> {
    said: &'a str,
}

/// Does it, unless it was done.
pub fn act(site: &Site, run: &RunId, wanted: &Wanted, by: &str) -> Response {
    if site.rights < wanted.action.needs() {
        let how = if site.rights == Rights::Read { "without --read-only" } else { "with --actions" };
        let said = format!("This page was started so that it cannot do this; start it {how}: windlass web");
        return reply(StatusCode::FORBIDDEN, &said);
    }
    if !is_once(&wanted.once) {
        return reply(StatusCode::BAD_REQUEST, "what is asked needs a key of its own");
    }
    match claimed(site, run, wanted, by) {
        Ok(answer) => answer,
        Err(error) => trouble(&error),
    }
}

fn claimed(site: &Site, run: &RunId, wanted: &Wanted, by: &str) -> Result<Response, AppError> {
    let Some(followed) = site.follow(run)? else {
        return Ok(reply(StatusCode::NOT_FOUND, "there is no such run"));
    };
    let what = wanted.action.words();
    let record = Record {
        run: run.clone(),
        what,
        by: by.to_owned(),
        at: Timestamp::now(),
        seq: wanted.seq,
        outcome: None,
    };
    let ticket = match site.asked.claim(&wanted.once, record)? {
        Claim::First(ticket) => ticket,
        Claim::Done(outcome) => return Ok(reply_of(&outcome)),
        Claim::UnderWay => return Ok(reply(StatusCode::ACCEPTED, "It is being done.")),
        Claim::CutOff(record) => {
            let said = format!(
                "It was begun at {}, and cut off: nobody knows how far it came. Look at the run, and ask anew.",
                record.at.strftime("%H:%M:%S")
            );
            return Ok(reply(StatusCode::CONFLICT, &said));
        }
    };
    // Whatever it comes to is written down: who asks again with the same key is told the same.
    let outcome = carried_out(site, &followed, wanted, by).unwrap_or_else(|error| failed(&error));
    site.asked.settle(ticket, &outcome)?;
    Ok(reply_of(&outcome))
}

fn carried_out(
    site: &Site,
    followed: &std::sync::Mutex<Followed>,
    wanted: &Wanted,
    by: &str,
) -> Result<ActionOutcome, AppError> {
    let (subject, iterations) = {
        let mut followed = locked(followed);
        followed.advance()?;
        if followed.seq != wanted.seq {
            return Ok(moved());
        }
        subject(&followed)?
    };
    if matches!(wanted.action, Action::Seen {}) {
        site.seen.mark(&subject.run, subject.state, iterations)?;
    }
    let asked = ActionAsked {
        by: StopSource::Page,
        who: by.to_owned(),
        what: wanted.action.words(),
        once: digest(wanted.once.as_bytes()),
    };
    if wanted.action.is_journalled_first() {
        let there = site.app.in_directory(&subject.directory)?;
        if there.journal_asked(&subject.run, wanted.seq, &asked)? == Journalled::Moved {
            return Ok(moved());
        }
    }
    Ok(match wanted.action.perform(&site.app, &subject, asked) {
        Ok(said) => ActionOutcome { status: StatusCode::OK.as_u16(), said },
        Err(error) => failed(&error),
    })
}

fn failed(error: &AppError) -> ActionOutcome {
    ActionOutcome { status: response::status_of(error).as_u16(), said: sentences(error) }
}

fn moved() -> ActionOutcome {
    let said = "The run has moved since this page was shown: look again.".to_owned();
    ActionOutcome { status: StatusCode::CONFLICT.as_u16(), said }
}

/// The run as it stands, and how many iterations it has.
fn subject(followed: &Followed) -> Result<(Subject, u32), AppError> {
    let seen = followed.run.seen(Timestamp::now())?;
    let plan = followed.run.course().board().plan();
    let subject = Subject {
        run: followed.run.known().run().clone(),
        directory: seen.status.directory.clone().into(),
        state: seen.status.state,
        rules: seen.status.denials.iter().map(|denial| denial.rule.clone()).collect(),
        tasks: plan.and_then(|plan| plan.job.tasks.as_ref()).map(|tasks| tasks.file.clone()),
    };
    Ok((subject, seen.status.iterations))
}

/// What was asked is named by what a browser drew: letters, digits, and enough of them.
fn is_once(text: &str) -> bool {
    (16..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn sentences(error: &AppError) -> String {
    let hints = error.hints.iter().map(|hint| format!("\n{hint}"));
    std::iter::once(error.message.clone()).chain(hints).collect()
}

fn trouble(error: &AppError) -> Response {
    reply(response::status_of(error), &sentences(error))
}

fn reply_of(outcome: &ActionOutcome) -> Response {
    reply(StatusCode::from_u16(outcome.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &outcome.said)
}

fn reply(status: StatusCode, said: &str) -> Response {
    response::json(status, &Reply { said })
}
