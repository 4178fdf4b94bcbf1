//! What each role may do, as configuration of the server: made from the same table as the streams and buckets.
//!
//! The permissions keep apart who may do what by mistake and through the front door. The border that a server's accounts draw is
//! stronger: whoever has credentials at all may ask the server for answers, and names the subject that they go to.

use std::fmt::Write as _;

use crate::layout::{Part, Store};
use crate::names::FleetName;
use crate::settings::Role;
use crate::subjects::Subjects;

/// Subjects that a role may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// It may send to these.
    pub publish: Vec<String>,
    /// It may listen to these.
    pub subscribe: Vec<String>,
    /// It may answer what it is asked.
    pub answers: Answers,
}

/// Whether somebody is asked things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// It is, and may answer each once.
    Given,
    /// It is not.
    #[default]
    None,
}

/// The variable that the server's configuration knows a role's permissions by: `WINDLASS_NIGHT_RUNNER`.
pub fn variable(fleet: &FleetName, role: Role) -> String {
    let fleet = fleet.as_str().replace('-', "_").to_uppercase();
    format!("WINDLASS_{fleet}_{}", role.name().to_uppercase())
}

/// The permissions of all roles as configuration of the server: a variable for each, to be named by its users.
pub fn configuration(fleet: &FleetName) -> String {
    let mut text = format!(
        "# What each role of the fleet {fleet} may do. Users name it: permissions: ${}\n",
        variable(fleet, Role::Runner)
    );
    for role in Role::ALL {
        let permissions = of(fleet, role);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} {{", variable(fleet, role));
        write_list(&mut text, "publish", &permissions.publish);
        write_list(&mut text, "subscribe", &permissions.subscribe);
        if permissions.answers == Answers::Given {
            let _ = writeln!(text, "  allow_responses: true");
        }
        let _ = writeln!(text, "}}");
    }
    text
}

fn write_list(text: &mut String, what: &str, subjects: &[String]) {
    let _ = writeln!(text, "  {what}: {{ allow: [");
    for subject in subjects {
        let _ = writeln!(text, "    \"{subject}\"");
    }
    let _ = writeln!(text, "  ] }}");
}

/// What a role may do in a fleet.
pub fn of(fleet: &FleetName, role: Role) -> Permissions {
    let book = Book { subjects: Subjects::of(fleet) };
    let mut permissions = match role {
        Role::Administrator => book.administrator(),
        Role::Runner => book.runner(),
        Role::Worker => book.worker(),
        Role::Watcher => book.watcher(),
    };
    permissions.publish.push("$JS.API.INFO".to_owned());
    permissions.publish.extend(crate::layout::LAYOUT.map(|part| book.api("STREAM.INFO", part)));
    permissions.subscribe.push(format!("{}.>", book.subjects.inbox(role)));
    permissions
}

struct Book {
    subjects: Subjects,
}

impl Book {
    fn api(&self, what: &str, part: Part) -> String {
        format!("$JS.API.{what}.{}", part.stream(&self.subjects))
    }

    /// Reading messages one by one; without a consumer, so that nothing can be sent elsewhere.
    fn reading(&self, parts: impl IntoIterator<Item = Part>) -> Vec<String> {
        parts.into_iter().map(|part| self.api("STREAM.MSG.GET", part)).collect()
    }

    /// The journal is long: it is read through a consumer, and a consumer that is made for journals sees nothing else.
    fn following(&self) -> Vec<String> {
        let journal = Part::Journal;
        let filter = self.subjects.below("journal.>");
        vec![
            format!("{}.*.{filter}", self.api("CONSUMER.CREATE", journal)),
            format!("{}.*", self.api("CONSUMER.MSG.NEXT", journal)),
            format!("{}.*", self.api("CONSUMER.DELETE", journal)),
        ]
    }

    fn classes(&self) -> Vec<String> {
        vec![
            self.api("CONSUMER.LIST", Part::Orders),
            format!("{}.*", self.api("CONSUMER.INFO", Part::Orders)),
        ]
    }

    fn below(&self, subjects: &[&str]) -> Vec<String> {
        subjects.iter().map(|subject| self.subjects.below(subject)).collect()
    }

    fn files(&self, stores: &[Store]) -> Vec<String> {
        stores.iter().flat_map(|store| Part::Files(*store).subjects(&self.subjects)).collect()
    }

    fn leases(&self, keys: &str) -> String {
        format!("$KV.{}.{keys}", self.subjects.stored(Part::Leases.name()))
    }

    fn administrator(&self) -> Permissions {
        let publish = crate::layout::LAYOUT.map(|part| self.api("STREAM.CREATE", part)).to_vec();
        Permissions { publish, ..Permissions::default() }
    }

    fn runner(&self) -> Permissions {
        let of_class = self.subjects.below("orders.*.*.*");
        let opening = format!("{}.*.{of_class}", self.api("CONSUMER.CREATE", Part::Orders));
        Permissions {
            publish: [
                self.below(&[
                    "orders.*.*.*",
                    "journal.*",
                    "worker.*.orders",
                    "worker.*.drain",
                    "run.*.cancel",
                ]),
                vec![self.leases(">"), opening],
                self.files(&[Store::Code]),
                self.reading([Part::Leases, Part::Journal]),
                self.reading(Store::ALL.map(Part::Files)),
                self.following(),
                self.classes(),
            ]
            .concat(),
            subscribe: self.below(&["run.*.reports", "run.*.live.*"]),
            answers: Answers::Given,
        }
    }

    fn worker(&self) -> Permissions {
        let orders = Part::Orders.stream(&self.subjects);
        Permissions {
            publish: [
                self.below(&["run.*.reports", "run.*.live.*"]),
                vec![self.leases("lane.>"), self.leases("worker.>")],
                vec![
                    format!("{}.*", self.api("CONSUMER.MSG.NEXT", Part::Orders)),
                    format!("$JS.ACK.{orders}.>"),
                    format!("$JS.ACK.*.*.{orders}.>"),
                ],
                self.files(&[Store::Results, Store::Streams, Store::Logs]),
                self.reading([Part::Leases]),
                self.reading(Store::ALL.map(Part::Files)),
                self.classes(),
            ]
            .concat(),
            subscribe: self.below(&["worker.*.orders", "worker.*.drain", "run.*.cancel"]),
            answers: Answers::Given,
        }
    }

    fn watcher(&self) -> Permissions {
        Permissions {
            publish: [
                self.reading([Part::Leases, Part::Journal]),
                self.reading(Store::ALL.map(Part::Files)),
                self.following(),
                self.classes(),
            ]
            .concat(),
            subscribe: self.below(&["run.*.live.*"]),
            answers: Answers::None,
        }
    }
}
