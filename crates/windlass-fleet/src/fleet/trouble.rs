//! What a single try came to.

use async_nats::jetstream::ErrorCode;

use super::About;
use crate::call::Deadline;
use crate::error::{FleetError, one_line};

/// Why a try did not succeed.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// JetStream said no.
    Refused {
        code: ErrorCode,
        said: String,
    },
    /// Nobody listens there; a stream without a leader does not either.
    NoResponders,
    /// No answer. It may have been done.
    TimedOut,
    /// There is no connection; nothing was sent.
    Disconnected,
    /// For this subject.
    NoPermission(String),
    /// More than the server takes in one message.
    TooLarge,
    /// An answer that is none.
    Garbled(String),
    Other(String),
}

/// What a cluster says while it looks for a leader, or a server while it starts and stops.
const PASSING: [ErrorCode; 10] = [
    ErrorCode::CLUSTER_NOT_AVAILABLE,
    ErrorCode::CLUSTER_NOT_LEADER,
    ErrorCode::CLUSTER_NOT_ACTIVE,
    ErrorCode::CLUSTER_NOT_ASSIGNED,
    ErrorCode::CLUSTER_INCOMPLETE,
    ErrorCode::RAFT_GENERAL,
    ErrorCode::STREAM_OFFLINE,
    ErrorCode::CONSUMER_OFFLINE,
    ErrorCode::STREAM_EXPECTED_LAST_SEQ_PER_SUBJECT_NOT_READY,
    // The same message is on its way already.
    ErrorCode::STREAM_DUPLICATE_MESSAGE_CONFLICT,
];

/// What they say when there is no room.
const FULL: [ErrorCode; 7] = [
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ErrorCode::MEMORY_RESOURCES_EXCEEDED,
    ErrorCode::STREAM_MAX_STREAM_BYTES_EXCEEDED,
    ErrorCode::STREAM_STORE_FAILED,
    ErrorCode::TEMP_STORAGE_FAILED,
];

impl Trouble {
    /// May the next try go better?
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            // Servers that have just begun do not know each other yet.
            Trouble::Refused { code, .. } => PASSING.contains(code) || *code == ErrorCode::CLUSTER_NO_PEERS,
            trouble => trouble.is_silence(),
        }
    }

    /// Was nothing heard, so that nothing is known?
    pub(crate) const fn is_silence(&self) -> bool {
        matches!(self, Trouble::NoResponders | Trouble::TimedOut | Trouble::Disconnected)
    }

    /// Was something written meanwhile, so that what was expected is not the newest?
    pub(crate) fn is_overtaken(&self) -> bool {
        let code = match self {
            Trouble::Refused { code, .. } => *code,
            _ => return false,
        };
        code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE
            || code == ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT
    }

    /// Is there no such message?
    pub(crate) fn is_no_message(&self) -> bool {
        matches!(self, Trouble::Refused { code, .. } if *code == ErrorCode::NO_MESSAGE_FOUND)
    }

    /// Is there no such stream?
    pub(crate) fn is_no_stream(&self) -> bool {
        matches!(self, Trouble::Refused { code, .. } if *code == ErrorCode::STREAM_NOT_FOUND)
    }

    /// The error that it is.
    pub(super) fn explain(self, about: About<'_>, deadline: Deadline) -> FleetError {
        let doing = about.doing.to_owned();
        let late = |doing: String, problem: &str| FleetError::TimedOut {
            doing,
            within: deadline.within(),
            problem: one_line(problem),
        };
        match self {
            Trouble::Refused { code, said } => {
                refused(code, &said, about).unwrap_or_else(|| late(doing, &said))
            }
            Trouble::NoResponders => late(doing, &format!("nobody answers for {}", about.place)),
            Trouble::TimedOut => late(doing, "the servers are silent"),
            Trouble::Disconnected => late(doing, "the connection was lost"),
            Trouble::NoPermission(subject) => FleetError::NoPermission { doing, subject: one_line(&subject) },
            Trouble::TooLarge => FleetError::Other {
                doing,
                problem: "it is larger than the server takes (`max_payload`)".to_owned(),
            },
            Trouble::Garbled(problem) => FleetError::Garbled {
                what: "the answer of the fleet's server".to_owned(),
                problem: one_line(&problem),
            },
            Trouble::Other(problem) => FleetError::Other { doing, problem: one_line(&problem) },
        }
    }
}

/// `None` for what may pass.
fn refused(code: ErrorCode, said: &str, about: About<'_>) -> Option<FleetError> {
    let doing = about.doing.to_owned();
    let problem = one_line(said);
    if PASSING.contains(&code) {
        return None;
    }
    if FULL.contains(&code) {
        return Some(FleetError::Full { doing, problem });
    }
    Some(match code {
        ErrorCode::STREAM_NOT_FOUND | ErrorCode::CONSUMER_NOT_FOUND => {
            FleetError::Missing { name: about.place.to_owned() }
        }
        ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
            FleetError::NoJetStream { problem }
        }
        ErrorCode::CLUSTER_NO_PEERS | ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED => {
            FleetError::TooFewServers { problem }
        }
        _ => FleetError::Other { doing, problem },
    })
}
