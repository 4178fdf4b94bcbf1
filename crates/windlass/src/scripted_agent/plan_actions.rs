//! What the agent does in modes plan and build: what its prompt names.

use std::fs;
use std::path::Path;

use windlass_core::values::TaskState;
use windlass_jobs::doc::plan::Plan;
use windlass_jobs::doc::tasks::TaskFile;
use windlass_jobs::doc::tasks::sources::Boxes;

use super::actions::{self, ToolOutput};
use super::steps::Bash;

/// What the scripted agent's built-in build writes beside the plan.
const WRITTEN: &str = "windlass-mock.md";

/// So many tasks a drafted plan has at most.
const MOST_TASKS: usize = 3;

/// The plan that the prompt asks for.
pub fn asked_for(prompt: &str) -> Option<&str> {
    between(prompt, "write the plan, `", "`")
}

/// Writes a small plan where there is none: a task for each of the first specifications.
pub fn draft(prompt: &str) -> ToolOutput {
    let path = asked_for(prompt).ok_or("The prompt names no plan.")?;
    if Path::new(path).exists() {
        return Ok(format!("There is a plan already: {path}"));
    }
    let specs = between(prompt, "specifications (`", "`").unwrap_or_default().trim_end_matches('/');
    let mut names: Vec<String> = fs::read_dir(specs)
        .map(|entries| entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "md") && name != "README.md");
    names.sort();
    let mut tasks: Vec<String> = names
        .iter()
        .take(MOST_TASKS)
        .enumerate()
        .map(|(index, name)| format!("- [ ] 1.{} Do what {name} says (refs: {specs}/{name})", index + 1))
        .collect();
    if tasks.is_empty() {
        let words = ["first", "second", "third"].into_iter().enumerate();
        tasks.extend(words.map(|(index, word)| format!("- [ ] 1.{} Do the {word} thing", index + 1)));
    }
    let text = format!("# Plan\n\nDrafted by the scripted agent.\n\n## Priority 1\n\n{}\n", tasks.join("\n"));
    actions::write(path, &text)
}

/// The file and line of the task that the prompt names.
pub fn named(prompt: &str) -> Option<(&str, usize)> {
    let (_, told) = prompt.split_once("Do exactly this one task:")?;
    let line = told.trim_start().lines().find(|line| !line.starts_with("~~~"))?;
    line.match_indices(" (").find_map(|(at, open)| {
        let said = line.get(at + open.len()..)?.split([';', ')']).next()?;
        let (file, number) = said.rsplit_once(':')?;
        Some((file, number.parse().ok()?))
    })
}

/// Ticks the box of the task that the prompt names, and touches nothing else.
pub fn tick(prompt: &str) -> ToolOutput {
    let (file, line) = named(prompt).ok_or("The prompt names no task.")?;
    let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let plan = Plan::parse(vec![TaskFile::alone(file, &Boxes, Ok(bytes.clone()))]);
    let task = plan.tasks().iter().find(|task| task.line == line);
    let splice = task.and_then(|task| plan.mark(task, TaskState::Done).ok());
    let ticked = splice.and_then(|splice| splice.apply(&bytes)).ok_or("There is no such task.")?;
    fs::write(file, ticked).map_err(|error| format!("{file}: {error}"))?;
    Ok(format!("The file {file} has been updated successfully."))
}

/// The command that commits what the built-in build writes, where there is a repository.
pub fn committing(prompt: &str) -> Bash {
    let file = named(prompt).map_or("", |(file, _)| file).replace('\'', r"'\''");
    let file = if file.is_empty() { String::new() } else { format!(" '{file}'") };
    let identity =
        "-c user.name='Scripted agent' -c user.email=scripted-agent@localhost -c commit.gpgSign=false";
    let command = format!(
        "git rev-parse --git-dir >/dev/null 2>&1 || exit 0; git add -- {WRITTEN}{file} && \
         git {identity} commit --quiet --message 'Do a task of the plan (scripted agent)' -- {WRITTEN}{file}"
    );
    Bash { command, description: "Commit it".to_owned(), ..Bash::default() }
}

/// What stands between two texts.
pub fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}
