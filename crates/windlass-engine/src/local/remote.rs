//! What is said of a remote: whether it is the one that was agreed to, and what git says of it in one line.

use windlass_core::escapes::without_escapes;
use windlass_core::redact::Redactor;
use windlass_core::report::DeliveryReport;
use windlass_core::spec::DeliverySpec;
use windlass_git::git::{RemoteTrouble, Repository};
use windlass_host::file::digest;

use super::work::WorkError;

/// `None` = it is where it was when the run began.
pub(super) fn is_same_remote(
    spec: &DeliverySpec,
    repository: &Repository,
) -> Result<Option<DeliveryReport>, WorkError> {
    let address = repository.remote_address(&spec.remote)?;
    let same = address.is_some_and(|address| digest(address.pushed_to.as_bytes()) == spec.remote_digest);
    let why =
        || format!("the remote {} is another one than when the run began; nothing was pushed", spec.remote);
    Ok((!same).then(|| DeliveryReport::Refused { why: why() }))
}

/// What came of something that a remote did not do.
pub(super) fn of_trouble(what: &str, trouble: &RemoteTrouble) -> DeliveryReport {
    let why = |said: &str| format!("{what}: {}", one_line(said));
    match trouble {
        RemoteTrouble::Refused(said) => DeliveryReport::Refused { why: why(said) },
        RemoteTrouble::Denied(said) => {
            DeliveryReport::Unreachable { why: why(said), passes: false, again: None }
        }
        RemoteTrouble::Unreachable(said) => {
            DeliveryReport::Unreachable { why: why(said), passes: true, again: None }
        }
    }
}

/// Without secrets, line breaks and control characters, and no longer than a sentence.
pub(super) fn one_line(said: &str) -> String {
    let said = Redactor::new().redact(said);
    let said = without_escapes(&said);
    let words: Vec<&str> = said.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(400).collect()
}
