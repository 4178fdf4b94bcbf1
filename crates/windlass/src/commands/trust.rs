//! `trust`: what a repository's own files start, and what of it a person trusts.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use windlass_core::trust::{Startables, TrustHash};
use windlass_engine::trust::{Found, store};
use windlass_ui::{Line, Mark, Tone, removed_lines, startable_lines, trust_json, trust_lines};

use super::{print_bytes, print_lines, question, warn};
use crate::args::TrustVerbArgs;
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::here::Here;
use windlass_app::trusting::{self, refuse_below_windlass};

/// Does it. Exit 0 when nothing is left that is not trusted.
pub fn run(args: &TrustVerbArgs) -> Result<ExitCode, AppError> {
    let here = Here::find(&app()?)?;
    if args.revoke {
        return revoke(&here);
    }
    let found = trusting::find(&here, &[]);
    let store::Trusted { items: trusted, trouble } = store::trusted(&here.project);
    if let Some(trouble) = &trouble {
        warn(trouble);
    }
    for trouble in &found.troubles {
        warn(&format!("what {} starts cannot be told: {}", trouble.file, trouble.why));
    }
    if args.list || args.json {
        return list(args, &found, &trusted);
    }
    if let Some(hash) = &args.hash {
        return by_hash(&here, &found, hash);
    }
    ask(&here, &found, &trusted)
}

fn revoke(here: &Here) -> Result<ExitCode, AppError> {
    refuse_below_windlass()?;
    let count = store::revoke(&here.project)?;
    let said = match count {
        0 => "nothing was trusted here".to_owned(),
        1 => "1 thing is no longer trusted here".to_owned(),
        count => format!("{count} things are no longer trusted here"),
    };
    print_lines(&[good(&said)])?;
    Ok(ExitCode::SUCCESS)
}

fn list(args: &TrustVerbArgs, found: &Found, trusted: &Startables) -> Result<ExitCode, AppError> {
    if args.json {
        print_bytes(&trust_json(&found.items, trusted))?;
    } else if found.items.is_empty() {
        print_lines(&[good(NOTHING)])?;
    } else {
        print_lines(&trust_lines(&found.items, trusted))?;
    }
    let is_all = found.items.beyond(trusted).is_empty();
    Ok(if is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const NOTHING: &str = "the files of this repository start nothing";

fn by_hash(here: &Here, found: &Found, text: &str) -> Result<ExitCode, AppError> {
    refuse_below_windlass()?;
    let hash = TrustHash::parse(text).map_err(AppError::usage)?;
    let now = found.items.hash();
    if now != hash {
        return Err(AppError::usage(format!(
            "what this repository's files start is not what {hash} names: it is {now} now"
        ))
        .hint("Look at it: windlass trust --list"));
    }
    keep(here, found)
}

fn keep(here: &Here, found: &Found) -> Result<ExitCode, AppError> {
    store::trust(&here.project, &found.items)?;
    print_lines(&[good("trusted"), take_back()])?;
    Ok(ExitCode::SUCCESS)
}

fn ask(here: &Here, found: &Found, trusted: &Startables) -> Result<ExitCode, AppError> {
    if found.items.is_empty() {
        print_lines(&[good(NOTHING)])?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.items.beyond(trusted).is_empty() {
        print_lines(&[good("all that the files of this repository start is trusted"), take_back()])?;
        return Ok(ExitCode::SUCCESS);
    }
    refuse_below_windlass()?;
    print_lines(&[Line::new().plain("The files of this repository would start:")])?;
    print_lines(&startable_lines(&found.items.beyond(trusted), &found.items, trusted))?;
    print_lines(&removed_lines(&found.items, trusted))?;
    let hash = found.items.hash();
    print_lines(&[Line::new().dim("  its name  ").plain(hash.to_string())])?;
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(AppError::usage("there is no terminal to ask on: is all of this to be trusted?")
            .hint(format!("Without a question: windlass trust {hash}")));
    }
    match question::typed("Trust it? [y/N] ")?.as_str() {
        "y" | "yes" => {
            // What was shown is what is trusted.
            keep(here, found)
        }
        _ => Err(AppError::usage("not trusted; nothing was changed")),
    }
}

fn good(sentence: &str) -> Line {
    Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {sentence}"))
}

fn take_back() -> Line {
    Line::new().dim("  take it back  ").command("windlass trust --revoke")
}
