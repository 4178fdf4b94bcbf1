//! The tasks of a run: a board of how they stand, and what waits for what.

use maud::{Markup, html};
use serde_json::json;
use windlass_app::AppError;
use windlass_core::values::RunId;
use windlass_ui::RunState;
use windlass_ui::model::{Column, RunSeen, TaskOnBoard};

use super::iteration::path;
use super::parts::{Button, button, line};
use super::run::name;
use super::{Sheet, Viewer, sheet};
use crate::site::{Site, locked};

/// Tasks of one column, and of one stage, that are listed.
const LISTED: usize = 200;

/// The page; `None` where there is no such run.
pub fn page(site: &Site, viewer: &Viewer, run: &RunId) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let (seen, seq, tasks) = {
        let followed = locked(&followed);
        (followed.run.seen(viewer.now)?, followed.seq, followed.run.course().task_board())
    };
    let content = html! {
        h1 { "Tasks " span.quiet { (run) } }
        @if tasks.is_empty() { p { "This run has no tasks." } } @else { (board(viewer, &seen, &tasks)) (stages(&tasks)) }
    };
    let path = path(&run.0, &seen);
    let title = format!("Tasks of {}", name(&seen));
    let about = Sheet { title: &title, live: String::new(), run: Some((run, seq)), path: &path };
    Ok(Some(sheet(viewer, &about, &content)))
}

const fn class(column: Column) -> &'static str {
    match column {
        Column::Begun => "live",
        Column::Ready | Column::Waiting => "warn",
        Column::Parked => "bad",
        Column::Done => "good",
    }
}

fn board(viewer: &Viewer, seen: &RunSeen, tasks: &[TaskOnBoard]) -> Markup {
    html! { div.board { @for column in Column::ALL {
        @let of_it: Vec<(usize, &TaskOnBoard)> = tasks.iter().enumerate().filter(|(_, task)| task.column == column).collect();
        @if !of_it.is_empty() { section aria-labelledby={ "column-" (class(column)) (column.name().len()) } {
            h2 id={ "column-" (class(column)) (column.name().len()) } {
                span.state.(class(column)) { (column.name()) } " " (of_it.len())
            }
            ul.plain {
                @for (number, task) in of_it.iter().take(LISTED) { li id={ "task-" (number) } { (card(task, tasks)) (park(viewer, seen, task)) } }
                @if of_it.len() > LISTED { li { (of_it.len() - LISTED) " more" } }
            }
        } }
    } } }
}

/// What has the run leave a task that it may still come to.
fn park(viewer: &Viewer, seen: &RunSeen, task: &TaskOnBoard) -> Markup {
    let is_open = matches!(task.column, Column::Begun | Column::Ready | Column::Waiting);
    let asks = match task.column {
        Column::Begun => "The attempt under way ends first. Unless it does the task, the run leaves it.",
        _ => "The run leaves it, and what waits for it; a new run takes it up again.",
    };
    let action = json!({"do": "park", "task": task.task.0});
    html! { @if is_open && seen.status.state == RunState::Running {
        " " (button(viewer, &Button { name: "Park", asks: asks.to_owned(), action, value: None }))
    } }
}

fn card(task: &TaskOnBoard, tasks: &[TaskOnBoard]) -> Markup {
    html! {
        strong { (line(&task.task.0)) } " " (line(&task.title))
        @if let Some(why) = &task.unclear { p.why { "Nobody can work on it: " (line(why)) } }
        @if task.after.iter().any(|(_, is_done)| !is_done) {
            p.quiet { "After " (links(task.after.iter().filter(|(_, is_done)| !is_done).map(|(id, _)| id), tasks)) }
        }
    }
}

/// Tasks by their names, each a way to its place on the board.
fn links<'a>(ids: impl Iterator<Item = &'a windlass_core::values::TaskId>, tasks: &[TaskOnBoard]) -> Markup {
    html! { @for (number, id) in ids.enumerate() {
        @if number > 0 { ", " }
        @match tasks.iter().position(|task| task.task == *id) {
            Some(place) => { a href={ "#task-" (place) } { (line(&id.0)) } }
            None => { (line(&id.0)) " (is not there)" }
        }
    } }
}

/// The graph, from what waits for nothing to what waits longest.
fn stages(tasks: &[TaskOnBoard]) -> Markup {
    let last = tasks.iter().filter_map(|task| task.stage).max().unwrap_or_default();
    let of = |stage: Option<u32>| tasks.iter().filter(move |task| task.stage == stage);
    html! { section aria-labelledby="graph" {
        h2 #graph { "What waits for what" }
        ol.stages { @for stage in 0..=last { @if of(Some(stage)).next().is_some() { li { (stage_of(&of(Some(stage)).collect::<Vec<_>>(), tasks)) } } } }
        @if of(None).next().is_some() {
            h3 { "What never becomes ready by itself" }
            ul.plain { li { (stage_of(&of(None).collect::<Vec<_>>(), tasks)) } }
        }
    } }
}

fn stage_of(of_it: &[&TaskOnBoard], tasks: &[TaskOnBoard]) -> Markup {
    html! {
        ul.plain {
            @for task in of_it.iter().take(LISTED) { li {
                span.(class(task.column)) { (task.column.name()) } " "
                (links(std::iter::once(&task.task), tasks)) " " (line(&task.title))
                @if !task.after.is_empty() { span.quiet { " after " } (links(task.after.iter().map(|(id, _)| id), tasks)) }
            } }
            @if of_it.len() > LISTED { li { (of_it.len() - LISTED) " more" } }
        }
    }
}
