//! Tables: cells in columns. No cell is cut, since most are there to be copied, unless a list says otherwise.

use crate::elsewhere;
use crate::line::{Line, Tone, width};
use crate::terminal::Terminal;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Between two cells.
const GAP: &str = "  ";

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub heading: &'static str,
    pub align: Align,
    pub tone: Tone,
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct Row<'a, const N: usize> {
    pub cells: [String; N],
    /// The cell that tells how things stand, and in what tone it does.
    pub state: Option<(usize, Tone)>,
    /// What is wrong with it.
    pub problem: Option<&'a str>,
}

/// What gives way where a terminal is too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Narrow {
    Nothing,
    /// The end of every line.
    Ends,
    /// The cells of the first column, down to so many columns of the terminal.
    First(usize),
}

/// What stands in the place of a table without rows: a sentence with the command that makes the first, as it is to be typed.
pub(super) fn nothing_yet(sentence: &str, terminal: &Terminal) -> String {
    format!("{}\n", elsewhere::sentence(sentence, terminal.elsewhere.as_deref()))
}

/// Rows below the headings of their columns; every line ends with a newline.
pub(super) fn table<const N: usize>(
    columns: [Column; N],
    narrow: Narrow,
    rows: &[Row<'_, N>],
    terminal: &Terminal,
) -> String {
    let widths = widths(columns, narrow, rows, terminal);
    let headings = columns.map(|column| column.heading.to_owned());
    let dim = columns.map(|column| Column { tone: Tone::Dim, ..column });
    let room = terminal.width.unwrap_or(usize::MAX);
    // Each line is written before the next one is made: there may be ten thousand.
    let mut written = String::new();
    let mut write = |line: Line| {
        let shown = match narrow {
            Narrow::Ends => line.render_cut(terminal, room),
            Narrow::Nothing | Narrow::First(_) => line.render(terminal),
        };
        written.push_str(shown.trim_end());
        written.push('\n');
    };
    write(line(dim, widths, &Row { cells: headings, state: None, problem: None }));
    for row in rows {
        match narrow {
            Narrow::First(_) => write(line(columns, widths, &first_cut(row, widths, terminal))),
            Narrow::Nothing | Narrow::Ends => write(line(columns, widths, row)),
        }
        if let Some(problem) = row.problem {
            write(Line::problem(problem));
        }
    }
    written
}

/// Its first cell cut as text, so that the columns behind it stand where they should.
fn first_cut<'a, const N: usize>(row: &Row<'a, N>, widths: [usize; N], terminal: &Terminal) -> Row<'a, N> {
    let mut row = row.clone();
    if let (Some(first), Some(width)) = (row.cells.first_mut(), widths.first()) {
        let uncoloured = Terminal { colour: false, ..terminal.clone() };
        *first = Line::new().plain(first.as_str()).render_cut(&uncoloured, *width);
    }
    row
}

fn widths<const N: usize>(
    columns: [Column; N],
    narrow: Narrow,
    rows: &[Row<'_, N>],
    terminal: &Terminal,
) -> [usize; N] {
    let mut widths = columns.map(|column| width(column.heading));
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(&row.cells) {
            *widest = (*widest).max(width(cell));
        }
    }
    let others: usize = widths.iter().skip(1).map(|width| GAP.len() + width).sum();
    if let (Narrow::First(least), Some(room), Some(first)) = (narrow, terminal.width, widths.first_mut()) {
        *first = (*first).min(room.saturating_sub(others).max(least));
    }
    widths
}

fn line<const N: usize>(columns: [Column; N], widths: [usize; N], row: &Row<'_, N>) -> Line {
    let mut line = Line::new();
    for (index, ((column, widest), cell)) in columns.iter().zip(widths).zip(&row.cells).enumerate() {
        let room = widest.saturating_sub(width(cell));
        let text = match column.align {
            Align::Left if index + 1 == N => cell.clone(),
            Align::Left => format!("{cell}{:room$}", ""),
            Align::Right => format!("{:room$}{cell}", ""),
        };
        let tone = row.state.filter(|(state, _)| *state == index).map_or(column.tone, |(_, tone)| tone);
        line = line.tone(column.tone, if index == 0 { "" } else { GAP }).tone(tone, text);
    }
    line
}
