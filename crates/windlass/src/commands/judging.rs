//! `validate` and `verify`: an agent that does nothing but judge, and what it said.

use std::path::Path;
use std::process::ExitCode;

use windlass_core::config::{OutputLevel, Unlimited};
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Mode;
use windlass_core::values::{Assessment, Spent};
use windlass_engine::store::{RunFolder, journal};
use windlass_engine::workspace::{Workspace, Workspaces};
use windlass_host::tree;
use windlass_jobs::doc::report::{Judged, is_report};
use windlass_ui::{Judgement, judgement_json, judgement_text};

use super::assignment::Assignment;
use super::audience::Show;
use super::configuration::Configuration;
use super::here::{Here, working_directory};
use super::run::{self, Request};
use super::verdict::{self, Report};
use super::verify_plan::{self, Answer};
use super::workspaces::from_here;
use super::{flags, launch, passthrough, print, print_bytes, stdout};
use crate::args::{JudgeArgs, ValidateArgs, VerifyArgs};
use crate::error::{CliError, Kind};

/// The exit code of a judgement that is not yes, where codes are not detailed.
const NOT_PASSED: u8 = 1;

/// What is to be judged, and how.
struct Order<'a> {
    judged: Judged,
    name: &'a str,
    how: &'a JudgeArgs,
    depth: Option<&'a String>,
    report: Option<&'a Path>,
    show_report: bool,
    skip_permissions: bool,
}

/// Judges instructions.
pub fn validate(args: &ValidateArgs) -> Result<ExitCode, CliError> {
    carry_out(&Order {
        judged: Judged::Instructions,
        name: &args.name,
        how: &args.judge,
        depth: None,
        report: None,
        show_report: false,
        skip_permissions: false,
    })
}

/// Judges finished work.
pub fn verify(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    if let Some(place) = &args.plan {
        return verify_plan::run(place.as_deref(), answer(&args.judge));
    }
    carry_out(&Order {
        judged: Judged::Work,
        name: args.name.as_deref().unwrap_or_default(),
        how: &args.judge,
        depth: args.depth.as_ref(),
        report: args.report_path.as_deref(),
        show_report: args.show_report,
        skip_permissions: args.dangerously_skip_permissions,
    })
}

const fn answer(how: &JudgeArgs) -> Answer {
    match how {
        JudgeArgs { json: true, .. } => Answer::Json,
        JudgeArgs { quiet: true, .. } => Answer::ExitCode,
        _ => Answer::Text,
    }
}

fn carry_out(order: &Order<'_>) -> Result<ExitCode, CliError> {
    let directory = working_directory()?;
    let workspaces = Workspaces::open(&directory);
    let workspace = workspaces.find(order.name)?;
    let request = request(order, &workspaces, &workspace)?;
    let path = match order.report {
        Some(path) => directory.join(path),
        None => verdict::report_path(order.judged, &workspace, &request.configuration.resolved),
    };
    refuse_other_file(&path)?;
    let here = Here::at(request.directory.clone())?;
    // How the run ended is in its journal; what a judgement comes to is said by us.
    let (folder, _) = launch::carry_out(&here, &request, show(order, &request))?;
    let entries = journal::read(&folder.journal())?;
    let judgement = judgement(order, &workspace, &folder, &entries, &path)?;
    let report = Report { path: &path, judged: order.judged, workspace: &workspace };
    report.write(&folder, judgement.assessment.as_ref())?;
    if order.judged == Judged::Work {
        verdict::count(&here, &workspace, &[judgement.assessment.as_ref()], 0)?;
    }
    say(order, &judgement, &report)?;
    Ok(ExitCode::from(judgement.exit_code))
}

fn request(order: &Order<'_>, workspaces: &Workspaces, workspace: &Workspace) -> Result<Request, CliError> {
    let mode = match order.judged {
        Judged::Instructions => Mode::Validate,
        Judged::Work => Mode::Verify,
    };
    let layer = flags::judge(order.how, order.depth)?;
    let assignment = Assignment::of_workspace(workspace.clone(), mode, workspaces.project())?;
    let directory = assignment.directory.clone();
    let configuration =
        Configuration::load(&directory, Some(workspace.folder()), mode, layer, Unlimited::Refused)?;
    passthrough::refuse_owned(&configuration.resolved.agent.arguments)?;
    let built_in = |script| if script == "builtin:default" { "builtin:verify" } else { script };
    let mock = order.how.mock.as_deref().map(|script| run::script(built_in(script))).transpose()?;
    if order.skip_permissions && mock.is_none() {
        run::refuse_root_without_sandbox()?;
    }
    let skip_permissions = order.skip_permissions;
    Ok(Request {
        directory,
        assignment,
        configuration,
        mock,
        skip_permissions,
        allow_dirty: true,
        trust: order.how.trust.clone(),
        gate_later: true,
    })
}

/// Of the run itself nothing is shown where what it comes to is to be the only thing on standard output.
fn show(order: &Order<'_>, request: &Request) -> Show {
    let emoji = request.configuration.resolved.emoji;
    if order.how.json || order.how.quiet {
        return Show::nothing();
    }
    let level = if order.how.verbose { OutputLevel::Verbose } else { OutputLevel::Progress };
    Show::new(level, emoji, false).without_end()
}

/// The longest report that is read.
pub(super) const LONGEST_REPORT: usize = 16 * 1024 * 1024;

/// A report is replaced by the next one; anything else is somebody's.
fn refuse_other_file(path: &Path) -> Result<(), CliError> {
    let shown = path.display();
    let place = tree::at(path);
    let found = match place.look() {
        Ok(Some(found)) => found,
        Ok(None) if place.parent().is_some_and(|folder| folder.holds_folder()) => return Ok(()),
        Ok(None) => {
            return Err(CliError::usage(format!("the report cannot go to {shown}: there is no such folder")));
        }
        Err(error) => return Err(CliError::usage(format!("the report cannot go to {shown}: {error}"))),
    };
    let is_own = found.is_regular()
        && place.read(LONGEST_REPORT).is_ok_and(|bytes| bytes.is_some_and(|bytes| is_report(&bytes)));
    if is_own {
        return Ok(());
    }
    Err(CliError::usage(format!("{shown} is there and is no report of windlass: it is left as it is"))
        .hint("Choose another file: --report-path FILE, or move it away."))
}

fn judgement(
    order: &Order<'_>,
    workspace: &Workspace,
    folder: &RunFolder,
    entries: &[Entry],
    path: &Path,
) -> Result<Judgement, CliError> {
    let assessment = last_assessment(entries).cloned();
    let finished = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunFinished { stop_reason, detail, cost, estimated_cost, exit_code, .. } => {
            let spent = Spent { cost: *cost, estimated: *estimated_cost };
            Some((*stop_reason, detail.clone(), spent, *exit_code))
        }
        _ => None,
    });
    let Some((reason, detail, cost, exit_code)) = finished else {
        return Err(CliError::new(Kind::System, format!("run {} did not come to its end", folder.run())));
    };
    let passes = assessment.as_ref().is_some_and(Assessment::passes);
    let problem = match (&assessment, detail.as_str()) {
        (Some(_), _) => String::new(),
        (None, "") => format!("the agent gave no judgement (the run ended with {})", reason.name()),
        (None, detail) => format!("the agent gave no judgement: {detail}"),
    };
    Ok(Judgement {
        judged: order.judged,
        workspace: workspace.name().to_string(),
        run: folder.run().clone(),
        stop_reason: reason.name().to_owned(),
        assessment,
        problem,
        report: path.display().to_string(),
        cost,
        // A limit that ended the run before anybody judged is an orderly end of a run, and no pass.
        exit_code: if passes || exit_code != 0 { exit_code } else { NOT_PASSED },
    })
}

/// What the last call that was asked to judge said; `None` when it said nothing.
fn last_assessment(entries: &[Entry]) -> Option<&Assessment> {
    verdict::assessments(entries).last().copied().flatten()
}

fn say(order: &Order<'_>, judgement: &Judgement, report: &Report<'_>) -> Result<(), CliError> {
    if order.how.json {
        return print_bytes(&judgement_json(judgement));
    }
    if order.how.quiet {
        return Ok(());
    }
    let shown = Judgement { report: from_here(report.path), ..judgement.clone() };
    print(&judgement_text(&shown, &stdout()))?;
    if order.show_report {
        print("\n")?;
        let text = tree::at(report.path).read(LONGEST_REPORT).ok().flatten().unwrap_or_default();
        print(&windlass_ui::harmless(&String::from_utf8_lossy(&text)))?;
    }
    Ok(())
}
