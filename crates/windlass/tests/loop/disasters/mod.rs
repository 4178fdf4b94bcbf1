//! What an agent does to a repository beyond its work: seen, named, and undone by the one command that is printed.

mod asking;
mod by_checks;
mod combined;
mod converted;
mod ending;
pub(super) mod place;
mod undoing;

use windlass_core::damage::{Damage, DamageCourse, DamageKind};
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE};
use place::Place;

/// A disaster: what the agent types, and what it is called.
type Disaster = (&'static str, &'static [DamageKind]);

/// Each alone. All leave something that `git status` shows, or more.
const DISASTERS: &[Disaster] = &[
    ("git reset -q --hard", &[DamageKind::ChangesDiscarded, DamageKind::FilesCleaned]),
    ("git clean -qfdx", &[DamageKind::FilesCleaned]),
    (
        "git reset -q --hard HEAD~2",
        &[DamageKind::CommitsLost, DamageKind::ChangesDiscarded, DamageKind::FilesCleaned],
    ),
    ("git commit -q --amend -m other", &[DamageKind::CommitsLost]),
    (
        "git checkout -qf other",
        &[DamageKind::BranchSwitched, DamageKind::ChangesDiscarded, DamageKind::FilesCleaned],
    ),
    ("git checkout -q --detach", &[DamageKind::HeadDetached]),
    ("git branch -qD other packed; git tag -d v1 v2", &[DamageKind::ReferencesLost]),
    ("git branch -qf other main~1", &[DamageKind::ReferencesLost]),
    ("git update-ref -d refs/heads/main", &[DamageKind::CommitsLost]),
    ("git update-ref -d refs/mine/x; git update-ref -d refs/notes/commits", &[DamageKind::ReferencesLost]),
    ("rm -rf \"$(git rev-parse --git-common-dir)\"", &[DamageKind::RepositoryUnusable]),
    ("echo '[broken' > \"$(git rev-parse --git-common-dir)/config\"", &[DamageKind::SettingsChanged]),
    ("rm \"$(git rev-parse --git-dir)/HEAD\"", &[DamageKind::RepositoryUnusable]),
    ("echo nonsense > \"$(git rev-parse --git-dir)/HEAD\"", &[DamageKind::RepositoryUnusable]),
    (
        "chmod -R u+w \"$(git rev-parse --git-common-dir)\"; rm -rf \"$(git rev-parse --git-common-dir)/objects\"/*",
        &[DamageKind::RepositoryUnusable],
    ),
    // All but the commit that is checked out.
    (
        "c=$(git rev-parse HEAD); chmod -R u+w \"$(git rev-parse --git-common-dir)\"; find \"$(git rev-parse --git-common-dir)/objects\" -type f ! -name \"${c#??}\" -delete",
        &[DamageKind::RepositoryUnusable],
    ),
    ("git config core.bare true", &[DamageKind::RepositoryUnusable]),
    ("git stash clear", &[DamageKind::StashDropped]),
    ("git stash drop -q", &[DamageKind::StashDropped]),
    (
        "git config user.name Mallory; h=\"$(git rev-parse --git-common-dir)/hooks\"; mkdir -p \"$h\"; echo x > \"$h/pre-commit\"; rm \"$h/pre-push\"",
        &[DamageKind::SettingsChanged],
    ),
    (
        "git reset -q --hard; git merge -q other",
        &[DamageKind::UnderWay, DamageKind::ChangesDiscarded, DamageKind::FilesCleaned],
    ),
    (
        "git reset -q --hard; git rebase -q other",
        &[
            DamageKind::HeadDetached,
            DamageKind::UnderWay,
            DamageKind::ChangesDiscarded,
            DamageKind::FilesCleaned,
        ],
    ),
    (
        "git reset -q --hard; git cherry-pick other",
        &[DamageKind::UnderWay, DamageKind::ChangesDiscarded, DamageKind::FilesCleaned],
    ),
    ("git bisect start -q; git bisect bad; git bisect good", &[DamageKind::UnderWay]),
];

/// Its facts of damage.
fn damaged(night: &Night) -> Vec<(Vec<Damage>, DamageCourse)> {
    let damage = |fact: Fact| match fact {
        Fact::Damaged(report::Damaged { found, course, .. }) => Some((found, course)),
        _ => None,
    };
    night.facts().into_iter().filter_map(damage).collect()
}

fn kinds(night: &Night) -> Vec<DamageKind> {
    damaged(night).iter().flat_map(|(found, _)| found.iter().map(|damage| damage.kind)).collect()
}

/// A script whose first call is a disaster.
fn script(command: &str) -> String {
    super::night::calls(&[&format!("{{ bash = '''{command}''' }}"), "{ say = 'nothing to do' }"])
}

/// The command that was printed, word for word.
fn printed(night: &Night) -> String {
    let notices = night.notices();
    let commands = notices.iter().flat_map(|notice| notice.split('`').skip(1).step_by(2));
    let mut commands = commands.filter(|command| command.starts_with("windlass restore"));
    commands.next().unwrap_or_else(|| panic!("no command was printed: {notices:#?}")).to_owned()
}

/// Types it.
fn typed(night: &Night, place: &Place, command: &str) -> Outcome {
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let mut command = night.windlass(&words);
    let outcome = night.env.run(command.current_dir(&place.top), PATIENCE);
    outcome.expect_code(0, "restore");
    outcome
}

/// So many calls in that place.
fn run(night: &Night, place: &Place, calls: &str, arguments: &[&str]) -> Outcome {
    let mut command = night.run_command(&[&["-m", calls, "--exit-codes", "detailed"], arguments].concat());
    night.env.run(command.current_dir(&place.top), PATIENCE)
}
