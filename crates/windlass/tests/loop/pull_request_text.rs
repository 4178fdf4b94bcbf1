//! What a pull request says is true of the commit that was pushed last.

use windlass_testkit::TestEnv;
use windlass_testkit::forge::{Checks, Conclusion, Event, PullShown, Story};

use super::night::expect_end;
use super::pull_requests::Evening;

/// The first call works, and each later one says that it is done as well.
const WORKS_THEN_CLAIMS: &str = r#"
[[call]]
steps = [ { write = { path = "one.txt", text = "one\n" } }, { result = { text = "Half.", cost = 0.02 } } ]

[[call]]
steps = [
  { write = { path = "work-{{call}}.txt", text = "{{call}}\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.02 } },
]
"#;

fn evening(checks: impl IntoIterator<Item = Checks>) -> Evening {
    Evening::within(TestEnv::with_git(), WORKS_THEN_CLAIMS, Story::with_checks(checks))
}

fn only(evening: &Evening) -> PullShown {
    let mut pulls = evening.forge.pulls();
    assert_eq!(pulls.len(), 1, "{pulls:#?}");
    pulls.remove(0)
}

// rows: 84, 85
#[test]
fn what_a_limit_left_unfinished_is_not_said_of_what_was_finished_later() {
    for (flags, state) in [(&["--merge"][..], "MERGED"), (&["--pr-ready"], "OPEN")] {
        let evening = evening([Checks::ending(Conclusion::Passes)]);
        expect_end(&evening.run(&[flags, &["-m", "1", "--gate", "true"]].concat()), 10, "max_iterations");
        assert!(only(&evening).body.contains("**Not finished.**"));
        evening.forge.happen(&Event::WriteAbove("Closes #7\r\n\r\n"));
        expect_end(&evening.night.resume(&["-m", "2"]), 0, "complete");
        let PullShown { body, head, state: stands, .. } = only(&evening);
        assert_eq!(stands, state);
        assert!(body.starts_with("Closes #7") && body.contains("The job is shown to be done."), "{body}");
        assert!(
            body.contains(&format!("Passed on commit {head}:")) && body.contains("| iterations | 2 |"),
            "{body}"
        );
        assert!(!body.contains("Not finished"), "{body}");
    }
}

// rows: 84, 86
#[test]
fn what_was_mended_after_red_checks_is_told_with_its_own_evidence() {
    let evening = evening([Checks::red("no anvil"), Checks::green()]);
    expect_end(&evening.run(&["--merge", "--gate", "true"]), 0, "complete");
    let PullShown { body, head, .. } = only(&evening);
    assert_eq!(evening.forge.count("PATCH pulls/N"), 1);
    assert!(
        body.contains(&format!("Passed on commit {head}:")) && body.contains("| iterations | 3 |"),
        "{body}"
    );
}
