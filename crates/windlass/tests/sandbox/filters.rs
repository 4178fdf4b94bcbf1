//! The person's filters: what they start may be a guest's work.

use super::git::{executable, told, work};
use super::place::{PATIENCE, Place, kinds, said};

// attack(git): a filter of the person's starts a script of the project, and the agent edits the script
// holds: the filter is run inside the sandbox and nowhere else, for the runner's commits as for the agent's own; what it made is
//   committed
#[test]
fn a_filter_that_a_guest_can_edit_is_run_inside() {
    for kind in kinds() {
        let place = Place::new(kind);
        executable(&place, "tools/clean.sh", "#!/bin/sh\ntr a-z A-Z\n");
        place.env.write(".gitattributes", "*.up filter=up\n");
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "tools"]);
        place.env.git(&["config", "filter.up.clean", "./tools/clean.sh %f"]);
        let out = place.env.root().display().to_string();
        let edit = format!(
            "printf '#!/bin/sh\\ntouch \"{out}/pwned\"; echo \"$1 $WINDLASS_SANDBOX\" >> .git/ran; tr a-z A-Z\\n' > tools/clean.sh; \
             echo word > \"a 'word'.up\"; cp \"a 'word'.up\" b.up; echo first > c.up; touch -d @0 *.up"
        );
        let again = "echo second > c.up";
        let outcome = work(&place, &[&edit, again], &["--commit", "runner"]);
        assert!(!place.env.root().join("pwned").exists(), "{kind}: {}", said(&outcome));
        for (name, content) in [("a 'word'.up", "WORD"), ("b.up", "WORD"), ("c.up", "SECOND")] {
            let committed = place.env.git(&["cat-file", "blob", &format!("HEAD:{name}")]);
            assert_eq!(committed, content, "{kind}: {}", said(&outcome));
        }
        assert_eq!(place.env.git(&["cat-file", "blob", "HEAD~1:c.up"]), "FIRST");
        if kind == "bwrap" {
            // Inside, it wrote where guests have their git directory.
            assert!(!place.env.project().join(".git/ran").exists(), "{}", said(&outcome));
        }
        // The next run looks at the tree before there is a sandbox.
        let next = ["run", "-p", "Work", "--mock", "--no-delay", "--fresh", "--sandbox", kind];
        let next = [&next[..], &["-m", "1", "--commit", "runner"]].concat();
        let outcome = place.env.run(&mut place.windlass(&next), PATIENCE);
        assert!(!told(&outcome).contains("interrupted work"), "{kind}: {}", said(&outcome));
        assert!(!told(&outcome).contains("uncommitted"), "{kind}: {}", said(&outcome));
        assert!(!place.env.root().join("pwned").exists(), "{kind}: {}", said(&outcome));
        if kind == "landlock" {
            continue;
        }
        let commit = "echo third > c.up; git add --all && git commit -qm mine";
        let outcome = work(&place, &[commit], &["--commit", "agent"]);
        assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "mine", "{}", said(&outcome));
        assert_eq!(place.env.git(&["cat-file", "blob", "HEAD:c.up"]), "THIRD");
        assert!(!place.env.root().join("pwned").exists(), "{}", said(&outcome));
    }
}

// attack(git): a filter of the person's has nothing that could be run inside, or fails there
// holds: no commit is made with what it should have filtered, and the first is said before the first iteration
#[test]
fn a_filter_that_cannot_be_run_inside_makes_no_commit() {
    for kind in kinds() {
        for (part, why) in [
            ("process", "the filter up is not committed by the runner"),
            ("clean", "the filter `up` failed on word.up inside the sandbox"),
        ] {
            let place = Place::new(kind);
            place.env.write(".gitattributes", "*.up filter=up\n");
            place.env.git(&["add", "--all"]);
            place.env.git(&["commit", "--quiet", "--message", "attributes"]);
            place.env.git(&["config", &format!("filter.up.{part}"), "false"]);
            let outcome = work(&place, &["echo word > word.up"], &["--commit", "runner"]);
            assert!(told(&outcome).contains(why), "{kind}: {}", said(&outcome));
            assert!(told(&outcome).contains("word.up"), "{kind}: {}", said(&outcome));
            assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "attributes", "{}", said(&outcome));
        }
    }
}
