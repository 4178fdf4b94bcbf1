//! `validate` and `verify`: an agent that does nothing but judge, and what it said.

use std::path::{Path, PathBuf};

use windlass_core::config::{Layer, Unlimited};
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Mode;
use windlass_core::values::{Assessment, Spent};
use windlass_engine::store::{RunFolder, journal};
use windlass_engine::workspace::{Workspace, Workspaces};
use windlass_host::tree;
pub use windlass_jobs::doc::report::Judged;
use windlass_jobs::doc::report::is_report;
use windlass_ui::Judgement;

use crate::agent;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::fleet::FleetUse;
use crate::here::Here;
use crate::passthrough;
use crate::principles::RunPrinciples;
use crate::run::assignment::Assignment;
use crate::run::verdict::{self, LONGEST_REPORT, Report};
use crate::run::{Prepared, launch, refuse_root_without_sandbox, settle_all};
use crate::trusting::TrustAnswers;

/// The exit code of a judgement that is not yes, where codes are not detailed.
const NOT_PASSED: u8 = 1;

/// What is to be judged, and how.
#[derive(Clone, Debug)]
pub struct JudgeWorkspace {
    /// What of it.
    pub judged: Judged,
    /// The workspace.
    pub workspace: String,
    /// Values that go before those of the environment and of all files.
    pub settings: Layer,
    /// A scripted agent plays this instead of a real one.
    pub script: Option<String>,
    /// Where the report goes; `None` = where configuration says.
    pub report: Option<PathBuf>,
    /// The agent may do anything without asking.
    pub skip_permissions: bool,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

impl App {
    /// Has an agent judge a workspace's instructions or its finished work. The report is kept, and counted.
    pub fn judge(&self, request: &JudgeWorkspace) -> Result<Judgement, AppError> {
        let workspaces = Workspaces::open(self.directory());
        let workspace = workspaces.find(&request.workspace)?;
        let read = || prepared(self, request, &workspaces, &workspace);
        // What is wrong with the request is said before anything is put right.
        let codes = read()?.configuration.resolved.exit_codes;
        settle_all(&Here::at(self, workspaces.project().to_owned())?, codes)?;
        let prepared = read()?;
        let path = match &request.report {
            Some(path) => self.directory().join(path),
            None => verdict::report_path(request.judged, &workspace, &prepared.configuration.resolved),
        };
        refuse_other_file(&path)?;
        let here = Here::at(self, prepared.directory.clone())?;
        // How the run ended is in its journal; what a judgement comes to is said by us.
        let end = launch::start(&here, &prepared)?;
        let folder = RunFolder::of(&here.project, &end.run);
        let entries = journal::read(&folder.journal())?;
        let judgement = judgement(request.judged, &workspace, &folder, &entries, &path)?;
        let report = Report { path: &path, judged: request.judged, workspace: &workspace };
        report.write(&folder, judgement.assessment.as_ref())?;
        if request.judged == Judged::Work {
            verdict::count(&here, &workspace, &[judgement.assessment.as_ref()], 0)?;
        }
        Ok(judgement)
    }
}

/// What a report says; nothing where it cannot be read.
pub fn report_text(path: &Path) -> String {
    let text = tree::at(path).read(LONGEST_REPORT).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

fn prepared(
    app: &App,
    request: &JudgeWorkspace,
    workspaces: &Workspaces,
    workspace: &Workspace,
) -> Result<Prepared, AppError> {
    let mode = match request.judged {
        Judged::Instructions => Mode::Validate,
        Judged::Work => Mode::Verify,
    };
    let assignment = Assignment::of_workspace(app, workspace.clone(), mode, workspaces.project())?;
    let directory = assignment.directory.clone();
    let settings = request.settings.clone();
    let configuration =
        Configuration::load(&directory, Some(workspace.folder()), mode, settings, Unlimited::Refused)?;
    let agent = agent::chosen(&configuration.resolved, request.script.as_deref());
    passthrough::refuse_owned(agent, &configuration.resolved)?;
    let built_in = |script| if script == "builtin:default" { "builtin:verify" } else { script };
    let mock = request.script.as_deref().map(|script| built_in(script).to_owned());
    if request.skip_permissions && mock.is_none() {
        refuse_root_without_sandbox()?;
    }
    Ok(Prepared {
        directory,
        assignment,
        configuration,
        mock,
        skip_permissions: request.skip_permissions,
        part_of: None,
        allow_dirty: true,
        fleet: FleetUse::AsConfigured,
        trust: request.trust.clone(),
        principles: RunPrinciples::None,
        gate_later: true,
    })
}

/// A report is replaced by the next one; anything else is somebody's.
fn refuse_other_file(path: &Path) -> Result<(), AppError> {
    let shown = path.display();
    let place = tree::at(path);
    let found = match place.look() {
        Ok(Some(found)) => found,
        Ok(None) if place.parent().is_some_and(|folder| folder.holds_folder()) => return Ok(()),
        Ok(None) => {
            return Err(AppError::usage(format!("the report cannot go to {shown}: there is no such folder")));
        }
        Err(error) => return Err(AppError::usage(format!("the report cannot go to {shown}: {error}"))),
    };
    let is_own = found.is_regular()
        && place.read(LONGEST_REPORT).is_ok_and(|bytes| bytes.is_some_and(|bytes| is_report(&bytes)));
    if is_own {
        return Ok(());
    }
    Err(AppError::usage(format!("{shown} is there and is not a report of windlass: it is left as it is"))
        .hint("Choose another file: --report-path FILE, or move it away."))
}

fn judgement(
    judged: Judged,
    workspace: &Workspace,
    folder: &RunFolder,
    entries: &[Entry],
    path: &Path,
) -> Result<Judgement, AppError> {
    let assessment = last_assessment(entries).cloned();
    let finished = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunFinished { stop_reason, detail, cost, estimated_cost, exit_code, .. } => {
            let spent = Spent { cost: *cost, estimated: *estimated_cost };
            Some((*stop_reason, detail.clone(), spent, *exit_code))
        }
        _ => None,
    });
    let Some((reason, detail, cost, exit_code)) = finished else {
        return Err(AppError::new(Kind::System, format!("run {} did not come to its end", folder.run())));
    };
    let passes = assessment.as_ref().is_some_and(Assessment::passes);
    let problem = match (&assessment, detail.as_str()) {
        (Some(_), _) => String::new(),
        (None, "") => format!("the agent gave no judgement (the run ended with {})", reason.name()),
        (None, detail) => format!("the agent gave no judgement: {detail}"),
    };
    Ok(Judgement {
        judged,
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
