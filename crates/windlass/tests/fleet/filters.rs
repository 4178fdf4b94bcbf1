//! Filters, which are commands of the machine that they are configured on.

use windlass_testkit::Running;

use super::yard::{HONEST, PATIENCE, Yard, drain};

#[test]
fn a_worker_without_a_filter_of_the_run_leaves_it_to_others_before_anything_is_paid() {
    let yard = Yard::new(1, HONEST);
    yard.env.write(".gitattributes", "work/* filter=up\n");
    // Named, and used by nobody: no worker needs it.
    yard.env.write("deep/.gitattributes", "*.psd filter=elsewhere\n");
    yard.env.git(&["add", "--all"]);
    yard.env.git(&["commit", "--quiet", "--message", "Filters"]);
    yard.env.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    let bare = yard.worker("bare");
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    let said = "worker bare gives it up: files of this repository go through the filter `up`, which is not configured on this worker";
    assert!(run.wait_for_stderr(said, PATIENCE), "{}", run.stderr_so_far());
    assert!(yard.of_kind("call_reserved").is_empty());
    let settings = yard.env.root().join("able.gitconfig");
    yard.env.write(&settings, "[filter \"up\"]\n\tclean = tr a-z A-Z\n");
    let able = Yard::begin(yard.worker_command("able", 2).env("GIT_CONFIG_GLOBAL", &settings));
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.env.git(&["show", "HEAD:work/T1"]), "DONE");
    drain(bare);
    drain(able);
    yard.env.assert_no_processes(PATIENCE);
}
