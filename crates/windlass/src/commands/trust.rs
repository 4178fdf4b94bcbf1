//! `trust`: what a repository's own files start, and what of it a person trusts.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::trusting::{RepositoryTrust, refuse_below_windlass};
use windlass_ui::{Line, removed_lines, startable_lines, trust_json, trust_lines};

use super::{app, done, print_bytes, print_lines, question, success};
use crate::args::TrustVerbArgs;

const NOTHING: &str = "the files of this repository start nothing";

/// Does it. Exit 0 when nothing is left that is not trusted.
pub fn run(args: &TrustVerbArgs) -> Result<ExitCode, AppError> {
    let app = app()?;
    if args.revoke {
        return print_lines(&[done(&forgotten(app.revoke_trust()?))]).map(success);
    }
    let found = app.repository_trust()?;
    if args.list || args.json {
        return list(args, &found);
    }
    match &args.hash {
        Some(hash) => found.trust_named(hash)?,
        None if found.items.is_empty() => return said(&[done(NOTHING)]),
        None if found.pending().is_empty() => {
            return said(&[done("all that the files of this repository start is trusted"), take_back()]);
        }
        None => {
            ask(&found)?;
            found.trust()?;
        }
    }
    said(&[done("trusted"), take_back()])
}

fn said(lines: &[Line]) -> Result<ExitCode, AppError> {
    print_lines(lines).map(success)
}

fn forgotten(count: usize) -> String {
    match count {
        0 => "nothing was trusted here".to_owned(),
        1 => "1 thing is no longer trusted here".to_owned(),
        count => format!("{count} things are no longer trusted here"),
    }
}

fn list(args: &TrustVerbArgs, found: &RepositoryTrust) -> Result<ExitCode, AppError> {
    let RepositoryTrust { items, trusted, .. } = found;
    if args.json {
        print_bytes(&trust_json(items, trusted))?;
    } else if items.is_empty() {
        print_lines(&[done(NOTHING)])?;
    } else {
        print_lines(&trust_lines(items, trusted))?;
    }
    Ok(if found.pending().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows what is there; what is shown is what will be trusted.
fn ask(found: &RepositoryTrust) -> Result<(), AppError> {
    refuse_below_windlass()?;
    let RepositoryTrust { items, trusted, .. } = found;
    let hash = items.hash();
    print_lines(&[Line::new().plain("The files of this repository would start:")])?;
    print_lines(&startable_lines(&found.pending(), items, trusted))?;
    print_lines(&removed_lines(items, trusted))?;
    print_lines(&[Line::new().dim("  its name  ").plain(hash.to_string())])?;
    question::require_person("is all of this to be trusted?", &format!("windlass trust {hash}"))?;
    match question::typed("Trust it? [y/N] ")?.as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(AppError::usage("not trusted; nothing was changed")),
    }
}

fn take_back() -> Line {
    Line::new().dim("  take it back  ").command("windlass trust --revoke")
}
