//! What of all that runs have to say stands in the first rows of the report, and what is said of the rest.

use super::sheet::{Row, Said};

/// What is shown of each run, in their order, and how much is not.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) runs: Vec<OfRun>,
    /// What is said of the rest; `None` where there is none.
    pub(super) rest: Option<String>,
}

/// What is shown of a run.
#[derive(Debug, Default)]
pub(super) struct OfRun {
    pub(super) rows: Vec<Row>,
    /// Things that are not shown, or not whole.
    pub(super) left_out: usize,
}

/// Of what each run has to say as much as fits so many rows. Each has its word before any has two, what is said stays together with
/// what can be typed about it, and where anything is left out the last row says so.
pub(super) fn of(all: &[Vec<Said>], most: usize) -> Excerpt {
    let rows: usize = all.iter().flatten().map(Vec::len).sum();
    let mut room = if rows <= most { rows } else { most.saturating_sub(1) };
    let mut runs: Vec<OfRun> = all.iter().map(|_| OfRun::default()).collect();
    let turns = all.iter().map(Vec::len).max().unwrap_or_default();
    for turn in 0..turns {
        let mut waiting = all.iter().filter(|said| said.len() > turn).count();
        for (run, said) in runs.iter_mut().zip(all) {
            let Some(said) = said.get(turn) else { continue };
            waiting -= 1;
            // Those that come after it want a row each, too.
            let own = room.saturating_sub(waiting).max(room.min(1));
            let shown = if run.left_out > 0 { &[] } else { fitting(said, own, turn == 0 && all.len() > 1) };
            run.left_out += usize::from(shown.len() < said.len());
            run.rows.extend_from_slice(shown);
            room -= shown.len();
        }
    }
    let rest = rest(&runs);
    Excerpt { runs, rest }
}

/// It fits, or it is left out. Where each run has one row alone, that is what can be typed.
fn fitting(said: &Said, room: usize, is_only_word: bool) -> &[Row] {
    if said.len() <= room {
        return said;
    }
    if !is_only_word || room == 0 {
        return &[];
    }
    let typed = said.iter().position(|row| matches!(row, Row::Types { .. })).unwrap_or_default();
    said.get(typed..=typed).unwrap_or_default()
}

fn rest(runs: &[OfRun]) -> Option<String> {
    let silent = runs.iter().filter(|run| run.rows.is_empty() && run.left_out > 0).count();
    let left_out: usize = runs.iter().map(|run| run.left_out).sum();
    match (silent, left_out) {
        (_, 0) => None,
        (0, left_out) => Some(format!("and {left_out} more, below")),
        (1, _) => Some("and more of them and of 1 other run, below".to_owned()),
        (silent, _) => Some(format!("and more of them and of {silent} other runs, below")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::report::sheet::{own, says};
    use crate::line::{Mark, Tone};

    fn told(number: usize, commands: usize) -> Said {
        let mut said = vec![says((Tone::Dim, Mark::Nothing), vec![own(format!("thing {number}"))])];
        said.extend(
            (0..commands)
                .map(|_| Row::Types { command: format!("git merge {number}"), purpose: String::new() }),
        );
        said
    }

    #[test]
    fn nothing_is_left_out_without_a_word() {
        for (things, commands, most) in [(6, 1, 4), (3, 1, 4), (2, 1, 4), (8, 0, 5), (1, 2, 3), (0, 0, 4)] {
            let all = vec![(0..things).map(|number| told(number, commands)).collect::<Vec<_>>()];
            let shown = of(&all, most);
            let [run] = shown.runs.as_slice() else { panic!("one run") };
            let rows = run.rows.len() + usize::from(shown.rest.is_some());
            assert!(rows <= most, "{things} {commands}: {shown:?}");
            assert_eq!(run.rows.len() % (1 + commands), 0, "a thing is parted from its command: {shown:?}");
            assert_eq!(run.rows.len() / (1 + commands) + run.left_out, things, "{shown:?}");
            assert_eq!(shown.rest.is_some(), run.left_out > 0, "{shown:?}");
        }
    }

    #[test]
    fn each_run_has_its_word_before_any_has_two() {
        let run = |things: usize| (0..things).map(|number| told(number, 1)).collect::<Vec<_>>();
        let shown = of(&[run(3), run(1), run(2)], 4);
        let rows: Vec<usize> = shown.runs.iter().map(|run| run.rows.len()).collect();
        assert_eq!(rows, [1, 1, 1]);
        assert!(shown.runs.iter().all(|run| matches!(run.rows[0], Row::Types { .. })), "{shown:?}");
        assert_eq!(shown.rest.as_deref(), Some("and 6 more, below"));
        let shown = of(&[run(1), run(1), run(1), run(1), run(1), run(1)], 4);
        let rows: Vec<usize> = shown.runs.iter().map(|run| run.rows.len()).collect();
        assert_eq!(rows, [1, 1, 1, 0, 0, 0]);
        assert_eq!(shown.rest.as_deref(), Some("and more of them and of 3 other runs, below"));
    }
}
