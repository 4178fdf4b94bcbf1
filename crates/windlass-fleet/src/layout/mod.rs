//! What a fleet keeps on its servers: making it, and looking whether it is what it has to be.
//!
//! Nothing that is there is ever altered: what differs is named.

mod table;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::{Config, Info};

pub use table::{DUPLICATE_WINDOW, LAYOUT, Part, Store, server_count};
pub use windlass_core::config::Replicas;

use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::FleetError;
use crate::fleet::{About, Fleet, Trouble};

/// What became of a part that was to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was not there.
    New,
    /// It was there, as it has to be.
    Already,
}

/// Makes what is missing. What is there and differs is left as it is, and is the error; nothing is made then.
pub fn create(fleet: &Fleet, copies: Replicas, deadline: Deadline) -> Result<Vec<(Part, Made)>, FleetError> {
    for problem in check(fleet, copies, deadline)? {
        if !matches!(problem, FleetError::Missing { .. }) {
            return Err(problem);
        }
    }
    LAYOUT.iter().map(|part| create_one(fleet, *part, copies, deadline)).collect()
}

fn create_one(
    fleet: &Fleet,
    part: Part,
    copies: Replicas,
    deadline: Deadline,
) -> Result<(Part, Made), FleetError> {
    let line = &fleet.line;
    let wanted = part.config(&line.subjects, copies);
    let doing = format!("make {}", wanted.name);
    let about = About { doing: &doing, place: &wanted.name };
    if let Some(found) = look(fleet, &wanted.name, deadline)? {
        return compare(&wanted, &found).map(|()| (part, Made::Already));
    }
    let body = serde_json::to_value(&wanted)
        .map_err(|error| FleetError::Other { doing: doing.clone(), problem: error.to_string() })?;
    let what = format!("STREAM.CREATE.{}", wanted.name);
    let made: Result<Info, FleetError> = fleet.wait(until(deadline, || async {
        match line.ask_once(&what, Some(&body), ONE_TRY.min(deadline.left())).await {
            // Somebody made it meanwhile, with a configuration that is not ours to the last field; it is compared like any other.
            Err(Trouble::Refused { code: ErrorCode::STREAM_NAME_EXIST, .. }) => {
                line.tried(info(fleet, &wanted.name, deadline).await, about, deadline)
            }
            tried => line.tried(tried, about, deadline),
        }
    }));
    compare(&wanted, &made?.config).map(|()| (part, Made::New))
}

/// All that is missing or differs: each an error of its own, in the order of the layout. Nothing means that all is as it has to be.
pub fn check(fleet: &Fleet, copies: Replicas, deadline: Deadline) -> Result<Vec<FleetError>, FleetError> {
    let mut problems = Vec::new();
    for part in LAYOUT {
        let wanted = part.config(&fleet.line.subjects, copies);
        match look(fleet, &wanted.name, deadline)? {
            Some(found) => problems.extend(compare(&wanted, &found).err()),
            None => problems.push(FleetError::Missing { name: wanted.name }),
        }
    }
    Ok(problems)
}

/// `None` where there is no such stream.
fn look(fleet: &Fleet, name: &str, deadline: Deadline) -> Result<Option<Config>, FleetError> {
    let doing = format!("look at {name}");
    let about = About { doing: &doing, place: name };
    fleet.wait(until(deadline, || async {
        match info(fleet, name, deadline).await {
            Ok(info) => Tried::Done(Some(info.config)),
            Err(trouble) if trouble.is_no_stream() => Tried::Done(None),
            Err(trouble) => fleet.line.tried(Err(trouble), about, deadline),
        }
    }))
}

async fn info(fleet: &Fleet, name: &str, deadline: Deadline) -> Result<Info, Trouble> {
    fleet.line.ask_once(&format!("STREAM.INFO.{name}"), None, ONE_TRY.min(deadline.left())).await
}

/// The first field that differs, of those that something depends on.
fn compare(wanted: &Config, found: &Config) -> Result<(), FleetError> {
    let sorted = |config: &Config| {
        let mut subjects = config.subjects.clone();
        subjects.sort();
        subjects
    };
    let age = |config: &Config| format!("{} s", config.max_age.as_secs());
    // No limit is written in two ways.
    let most = |limit: i64| if limit <= 0 { "none".to_owned() } else { limit.to_string() };
    let fields: [(&'static str, String, String); 13] = [
        ("subjects", format!("{:?}", sorted(wanted)), format!("{:?}", sorted(found))),
        ("retention", format!("{:?}", wanted.retention), format!("{:?}", found.retention)),
        ("storage", format!("{:?}", wanted.storage), format!("{:?}", found.storage)),
        ("num_replicas", wanted.num_replicas.to_string(), found.num_replicas.to_string()),
        ("max_age", age(wanted), age(found)),
        ("max_msgs", most(wanted.max_messages), most(found.max_messages)),
        ("max_msgs_per_subject", most(wanted.max_messages_per_subject), most(found.max_messages_per_subject)),
        ("max_msg_size", most(wanted.max_message_size.into()), most(found.max_message_size.into())),
        ("discard", format!("{:?}", wanted.discard), format!("{:?}", found.discard)),
        ("allow_rollup_hdrs", wanted.allow_rollup.to_string(), found.allow_rollup.to_string()),
        ("allow_direct", wanted.allow_direct.to_string(), found.allow_direct.to_string()),
        ("no_ack", wanted.no_ack.to_string(), found.no_ack.to_string()),
        ("sealed", wanted.sealed.to_string(), found.sealed.to_string()),
    ];
    let differing = fields.into_iter().find(|(_, wanted, found)| wanted != found);
    match differing {
        Some((field, needed, has)) => Err(FleetError::Differs {
            name: wanted.name.clone(),
            field,
            found: crate::error::one_line(&has),
            wanted: needed,
        }),
        None => Ok(()),
    }
}
