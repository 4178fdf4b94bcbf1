//! An agent that is locked in and edits what its gate starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::place::{CLEARED, PATIENCE, Place, kinds, said};

const CHECK: &str = "#!/bin/sh\ngrep -q done work.txt\n";

#[test]
fn what_an_agent_inside_does_to_the_checks_is_put_back_or_held() {
    for kind in kinds() {
        let place = Place::new(kind);
        let check = place.env.write("check.sh", CHECK);
        fs::set_permissions(&check, fs::Permissions::from_mode(0o755)).unwrap();
        place.env.write("tests/a.rs", "#[test]\nfn a() {}\n");
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "A check"]);
        let script = "[[call]]\nsteps = [{ bash = 'printf \"#!/bin/sh\\nexit 0\\n\" > check.sh; rm tests/a.rs' }, \
            { result = { text = 'WINDLASS_JOB_COMPLETE' } }]\n";
        let mut command = place.command_of(script, &["--gate", "./check.sh", "--completion-threshold", "1"]);
        let outcome = place.env.run(&mut command, PATIENCE);
        let said = format!("{kind}: {}", said(&outcome));
        assert!(said.contains("stopped: needs_human"), "{said}");
        assert!(
            said.contains("undone: 1 protected file: check.sh") && said.contains("gate failed"),
            "{said}"
        );
        assert!(said.contains("held: tests/a.rs: deleted; 1 test fewer in Rust"), "{said}");
        assert_eq!(place.env.read("check.sh"), CHECK);
        place.env.assert_no_processes(CLEARED);
    }
}
