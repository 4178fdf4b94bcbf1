//! Which sandboxes can be tried on this machine.

use windlass_core::spec::SandboxKind;
use windlass_core::values::Named as _;
use windlass_engine::sandbox::probe;

/// The kinds of sandbox that need no container. Where one cannot be made it is said and left out, unless the
/// environment asks for all of them.
pub fn kinds() -> Vec<&'static str> {
    let works = |kind: &SandboxKind| match probe(kind).works {
        Ok(_) => true,
        Err(why) => {
            let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
            assert!(!required, "{}: {why}", kind.name());
            eprintln!("skipped: {} cannot be used here: {why}", kind.name());
            false
        }
    };
    [SandboxKind::Bwrap, SandboxKind::Landlock]
        .iter()
        .filter(|kind| works(kind))
        .map(SandboxKind::name)
        .collect()
}
