//! Damage that a few commands of git undo, without the rest of the attempt's work or what a person has done since.

use windlass_core::damage::{self, Damage, DamageKind, Scene};

use windlass_git::git::{ObjectId, Repository};

/// More of them nobody types.
const COMMANDS: usize = 5;

/// What was found, and for some kinds the commands that bring it back.
pub(super) struct Compared {
    pub damage: Vec<Damage>,
    by_hand: Vec<(DamageKind, Vec<String>)>,
}

impl Compared {
    pub(super) fn nothing() -> Compared {
        Compared { damage: Vec::new(), by_hand: Vec::new() }
    }

    pub(super) fn of(
        repository: &Repository,
        before: &Scene,
        after: &Scene,
        damage: Vec<Damage>,
    ) -> Compared {
        let can_be_named = |one: &&Damage| is_there(repository, before, after, one);
        let commands = |one: &Damage| (one.kind, damage::by_hand(before, after, one));
        let by_hand = damage.iter().filter(can_be_named).map(commands).collect();
        Compared { damage, by_hand }
    }

    /// The commands for what remains of the damage; none where something of it needs more.
    pub(super) fn by_hand(&self, remaining: &[Damage]) -> Vec<String> {
        let commands_for = |one: &Damage| {
            let found = self.by_hand.iter().find(|(kind, _)| *kind == one.kind && !one.names.is_empty());
            found.map(|(_, commands)| commands.clone())
        };
        let all: Option<Vec<Vec<String>>> = remaining.iter().map(commands_for).collect();
        let all = all.unwrap_or_default().concat();
        if all.len() > COMMANDS { Vec::new() } else { all }
    }
}

/// Is it of references or stashes alone, and does git still have all that they named?
fn is_there(repository: &Repository, before: &Scene, after: &Scene, one: &Damage) -> bool {
    let lost: Vec<&String> = match one.kind {
        DamageKind::ReferencesLost => {
            one.names.iter().filter_map(|name| before.references.get(name)).collect()
        }
        DamageKind::StashDropped => {
            before.stashes.iter().filter(|stash| !after.stashes.contains(stash)).collect()
        }
        _ => return false,
    };
    let has = |value: &&String| {
        let commit = ObjectId::from_hex(value.as_bytes());
        commit.is_some_and(|commit| repository.has_commit(commit).unwrap_or_default())
    };
    !lost.is_empty() && lost.len() <= COMMANDS && lost.iter().all(has)
}
