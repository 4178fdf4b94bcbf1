//! Commits that `DevLoop` made, known by their subjects.

/// How many commits of which kind a history has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DevloopCommits {
    /// Tasks that were done.
    pub completed: u64,
    /// Tasks that failed.
    pub attempted: u64,
    /// Work that was interrupted.
    pub interrupted: u64,
    /// Others: the first one, iterations without a task.
    pub others: u64,
}

impl DevloopCommits {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.completed + self.attempted + self.interrupted + self.others
    }
}

/// Counts the subjects that `DevLoop` wrote. Its later ones (`feat: T1 - title`) could be anybody's and are not counted.
pub fn devloop_commits<'a>(subjects: impl IntoIterator<Item = &'a str>) -> DevloopCommits {
    let mut commits = DevloopCommits::default();
    for subject in subjects {
        let Some(action) = action(subject) else { continue };
        let begins = |word: &str| action.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
        let count = if begins("Complete") {
            &mut commits.completed
        } else if begins("Attempted") {
            &mut commits.attempted
        } else if action.starts_with("Interrupted work on ") {
            &mut commits.interrupted
        } else if action == "Initial commit" || action == "Initialize workspace" || begins("Iteration") {
            &mut commits.others
        } else {
            continue;
        };
        *count += 1;
    }
    commits
}

/// What follows `DevLoop: `, `DevLoop iteration 3: ` or `DevLoop: [feature] `.
fn action(subject: &str) -> Option<&str> {
    let rest = subject.strip_prefix("DevLoop")?;
    let rest = match rest.strip_prefix(" iteration ") {
        Some(numbered) => numbered.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => rest,
    };
    let action = rest.strip_prefix(": ")?;
    let within = action.strip_prefix('[').and_then(|inner| inner.split_once("] "));
    Some(within.map_or(action, |(_, action)| action))
}
