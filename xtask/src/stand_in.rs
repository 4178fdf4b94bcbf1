//! `cargo xtask api`: a stand-in Messages API for trying things by hand.

use std::fs;
use std::path::Path;
use std::time::Duration;

use windlass_testkit::{Scenario, StandIn};

use crate::program::Failure;

/// Tells the story in a JSON file, and shows what is asked, until it is interrupted.
pub fn run_chore(arguments: &[String]) -> Result<(), Failure> {
    let [file] = arguments else {
        return Err(Failure("usage: cargo xtask api STORY.json".to_owned()));
    };
    let file = Path::new(file);
    let story = fs::read_to_string(file).map_err(|error| Failure::at(file, error))?;
    let scenario = Scenario::from_json(&story).map_err(|error| Failure::at(file, error))?;
    let api = StandIn::start(scenario);
    println!("export ANTHROPIC_BASE_URL={}", api.url());
    println!("export CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test-dummy HOME=$(mktemp -d)");
    println!("export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1");
    for number in 0.. {
        while !api.wait_for_requests(number + 1, Duration::from_mins(1)) {}
        if let Some(request) = api.requests().get(number) {
            let said = request.user_texts().pop().unwrap_or_default();
            eprintln!("request {number}, {}: {said:.200}", request.model());
        }
    }
    Ok(())
}
