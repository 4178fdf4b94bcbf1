//! `hooks list`, `hooks test`.

use std::process::ExitCode;

use windlass_app::hooks::{Tried, TryHook};
use windlass_app::{App, AppError, first_lines};
use windlass_core::values::{HookDecision, HookName, StopReason};
use windlass_ui::{Line, hook_tried, hooks_json, hooks_table, one_line};

use super::{Shape, app, print, print_bytes, print_lines, stdout, success, warn};
use crate::args::{FinishType, HookKind, HooksArgs, HooksVerb};

/// Does it.
///
/// # Errors
/// The configuration is wrong, or there is no such hook to be tried out.
pub fn run(args: &HooksArgs) -> Result<ExitCode, AppError> {
    let app = app()?;
    match &args.verb {
        HooksVerb::List { json } => list(&app, Shape::of(*json)).map(success),
        HooksVerb::Test { hook, iteration, finish_type, trust } => {
            let (hook, stop_reason) = (name(*hook), reason(*finish_type));
            let request = TryHook { hook, iteration: *iteration, stop_reason, trust: trust.into() };
            let tried = app.try_hook(&request)?;
            print_lines(&said(&tried))?;
            let goes_on = tried.outcome.decision == HookDecision::Continue;
            Ok(if goes_on { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

fn list(app: &App, shape: Shape) -> Result<(), AppError> {
    let hooks = app.hooks()?;
    if shape == Shape::Json {
        return print_bytes(&hooks_json(&hooks.rows, &hooks.notices));
    }
    print(&hooks_table(&hooks.rows, &stdout()))?;
    // What a row says already is not said twice.
    let known = |notice: &&String| !notice.contains("is not called: ");
    hooks.notices.iter().filter(known).for_each(|notice| warn(notice));
    Ok(())
}

fn said(tried: &Tried) -> Vec<Line> {
    let printed_lines =
        [("standard output", tried.stdout.as_slice()), ("standard error", tried.stderr.as_bytes())];
    let mut lines: Vec<Line> =
        printed_lines.into_iter().flat_map(|(title, text)| printed(title, text)).collect();
    lines.extend(hook_tried(&tried.outcome));
    lines
}

/// The first lines of what it printed.
fn printed(title: &str, text: &[u8]) -> Vec<Line> {
    if text.is_empty() {
        return Vec::new();
    }
    let (first, more) = first_lines(text);
    let rest = (more > 0).then(|| Line::new().dim(format!("    … {more} lines more")));
    let shown = first.iter().map(|line| Line::hanging(4).plain(format!("    {}", one_line(line))));
    std::iter::once(Line::new().dim(format!("  {title}"))).chain(shown).chain(rest).collect()
}

const fn name(kind: HookKind) -> HookName {
    match kind {
        HookKind::Started => HookName::Started,
        HookKind::NextIteration => HookName::NextIteration,
        HookKind::Finished => HookName::Finished,
    }
}

/// One of the reasons that the seed's word stands for.
const fn reason(finish_type: FinishType) -> StopReason {
    match finish_type {
        FinishType::Manual => StopReason::Interrupted,
        FinishType::MaxIterations => StopReason::MaxIterations,
        FinishType::Complete => StopReason::Complete,
        FinishType::NoChanges => StopReason::NoChanges,
        FinishType::Error => StopReason::ConsecutiveFailures,
    }
}
