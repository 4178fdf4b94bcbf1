//! The real `gh` and the real git against the stand-in.

use std::time::Duration;

use super::*;

const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn git_pushes_and_gh_asks_over_loopback_alone() {
    let env = TestEnv::with_git();
    let forge = StandInForge::start(&env, Story::default());
    env.git(&["switch", "--quiet", "-c", "work"]);
    env.git(&["commit", "--quiet", "--allow-empty", "--message", "Work"]);
    env.git(&["push", "--quiet", "origin", "work"]);
    assert_eq!(forge.tip("work"), Some(env.git(&["rev-parse", "HEAD"])));

    let query = "query=query WindlassAccount { viewer { login } }";
    let asked = env.run(env.command("gh").args(["api", "graphql", "-f", query]), PATIENCE);
    asked.expect_success("gh api graphql");
    assert!(asked.stdout_text().contains("tess"), "{}", asked.stdout_text());

    log_out(&env);
    let asked = env.run(env.command("gh").args(["api", "user"]), PATIENCE);
    assert_eq!(asked.code, Some(4), "{}", asked.stderr_text());
}
