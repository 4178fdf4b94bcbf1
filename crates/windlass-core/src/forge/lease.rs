//! Who works on an issue: a lease, written as a comment that begins with a mark.
//!
//! Runners know nothing of each other. Each writes its comment, reads all of them again, and has the issue if its own is the
//! first of those that hold. A lease ends by itself, so whoever dies holds nothing for ever. All times are those of the forge's
//! clock: the runners' own may differ.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use super::IssueComment;
use crate::values::{LaneId, RunId, between, later};

/// How the mark begins.
const MARK: &str = "<!-- windlass-lease ";

/// How it ends.
const END: &str = " -->";

/// What it says instead of a time once it is given back.
const GIVEN_BACK: &str = "over";

/// A lease is never longer, whatever it says.
pub const LONGEST_LEASE: Duration = Duration::from_hours(24);

/// A lease that ends this soon is not renewed but given back: a change that is under way when it ends would come after another
/// runner has taken the issue. Longer than one call to a forge may take.
pub const LEASE_MARGIN: Duration = Duration::from_mins(2);

/// Who holds a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaseholder {
    /// The run: its name is like no other's on any machine.
    pub run: RunId,
    /// Its lane.
    pub lane: LaneId,
}

impl fmt::Display for Leaseholder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.run)
    }
}

/// What a comment says of a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Whose it is.
    pub holder: Leaseholder,
    /// When it ends; `None` = it was given back.
    pub until: Option<Timestamp>,
}

impl Lease {
    /// What a comment says, if its first line is a mark and nothing else.
    pub fn read(text: &str) -> Option<Lease> {
        let first = text.lines().next()?.trim_end();
        let mut words = first.strip_prefix(MARK)?.strip_suffix(END)?.split(' ');
        let run = words.next()?.strip_prefix("run=")?;
        let lane = words.next()?.strip_prefix("lane=")?.parse().ok()?;
        let until = match words.next()? {
            GIVEN_BACK => None,
            time => Some(time.strip_prefix("until=")?.parse().ok()?),
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if words.next().is_some() || run.is_empty() || !run.bytes().all(is_name) {
            return None;
        }
        Some(Lease { holder: Leaseholder { run: RunId(run.to_owned()), lane: LaneId(lane) }, until })
    }

    /// The mark.
    pub fn mark(&self) -> String {
        let Leaseholder { run, lane } = &self.holder;
        let until = self.until.map_or_else(|| GIVEN_BACK.to_owned(), |until| format!("until={until}"));
        format!("{MARK}run={run} lane={} {until}{END}", lane.0)
    }
}

/// What is to be seen of an issue's leases.
#[derive(Clone, Copy, Debug)]
pub struct LeasesSeen<'a> {
    /// Its comments.
    pub comments: &'a [IssueComment],
    /// What the forge's clock showed before they were asked for.
    pub now: Timestamp,
    /// Who is logged in.
    pub login: &'a str,
}

/// What comes next for one who wants an issue, or has it. After each step the issue is looked at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseStep {
    /// Nobody has it: a lease is written.
    Ask,
    /// One's own lease is made longer.
    Renew {
        /// Its comment.
        comment: u64,
    },
    /// A lease of one's own that is worth nothing is given back.
    GiveBack {
        /// Its comment.
        comment: u64,
    },
    /// One has the issue.
    Held {
        /// Until then.
        until: Timestamp,
    },
    /// Somebody else has it.
    Theirs {
        /// Who.
        holder: Leaseholder,
        /// Until then, unless it is renewed.
        until: Timestamp,
    },
}

/// The next step towards a lease of this length, or in keeping it.
pub fn next_step(seen: &LeasesSeen<'_>, me: &Leaseholder, term: Duration) -> LeaseStep {
    let live = live(seen);
    let mine = live.iter().find(|lease| lease.holder == *me);
    match (live.first(), mine) {
        (None, _) => LeaseStep::Ask,
        (Some(first), Some(mine)) if first.comment != mine.comment || mine.left(seen.now) < LEASE_MARGIN => {
            LeaseStep::GiveBack { comment: mine.comment }
        }
        (Some(first), Some(mine)) => match first.left(seen.now) {
            left if left.saturating_mul(2) < term => LeaseStep::Renew { comment: mine.comment },
            _ => LeaseStep::Held { until: mine.until },
        },
        (Some(first), None) => LeaseStep::Theirs { holder: first.holder.clone(), until: first.until },
    }
}

/// Leases of one's own that still hold: to be given back when one is done.
pub fn own_leases(seen: &LeasesSeen<'_>, me: &Leaseholder) -> Vec<u64> {
    live(seen).into_iter().filter(|lease| lease.holder == *me).map(|lease| lease.comment).collect()
}

/// A lease that holds.
struct Live {
    comment: u64,
    holder: Leaseholder,
    until: Timestamp,
}

impl Live {
    /// How long it still holds.
    fn left(&self, now: Timestamp) -> Duration {
        between(now, self.until)
    }
}

/// Those that hold, the first one first. Nobody has a lease whose word does not count in the repository: anybody may write there.
fn live(seen: &LeasesSeen<'_>) -> Vec<Live> {
    let counts =
        |comment: &&IssueComment| comment.trusted || (!seen.login.is_empty() && comment.author == seen.login);
    let read = |comment: &IssueComment| {
        let Lease { holder, until } = Lease::read(&comment.text)?;
        let until = until?.min(later(comment.changed, LONGEST_LEASE));
        (until > seen.now).then_some(Live { comment: comment.id, holder, until })
    };
    let mut live: Vec<Live> = seen.comments.iter().filter(counts).filter_map(read).collect();
    live.sort_by_key(|lease| lease.comment);
    live
}
